package table

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Here is this machine, with the variables of a user's environment. A program
// is looked for on that environment's PATH, whose folders are listed once:
// take a new Machine to see what was installed since.
func Here(variable func(name string) string) Machine {
	home := variable("HOME")
	if runtime.GOOS == "windows" {
		home = variable("USERPROFILE")
	}
	if home == "" {
		home, _ = os.UserHomeDir() // without a home no file is found
	}
	return Machine{
		OS: runtime.GOOS, Home: home, Variable: variable,
		Stat: os.Stat, Glob: filepath.Glob, Read: os.ReadFile,
		Command: programs(filepath.SplitList(variable("PATH")), variable("PATHEXT")),
	}
}

// With is the machine with other variables first. Its home and the programs
// that are found stay.
func (m Machine) With(variables map[string]string) Machine {
	before := m.Variable
	m.Variable = func(name string) string {
		if value, ok := variables[name]; ok {
			return value
		}
		return before(name)
	}
	return m
}

// programs finds programs in folders. The folders are listed when the first
// program is asked for: that takes less than to look for each in every one.
func programs(folders []string, endings string) func(name string) (string, bool) {
	index := sync.OnceValue(func() map[string]string { return list(folders, endings) })
	return func(name string) (string, bool) {
		path := index()[name]
		info, err := os.Stat(path)
		ok := err == nil && !info.IsDir() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
		return path, ok
	}
}

// list returns the programs of folders by their names, those of the first
// folder first; on Windows without an ending of PATHEXT, in small letters.
func list(folders []string, endings string) map[string]string {
	all := map[string]string{}
	known := strings.Split(strings.ToLower(cmp.Or(endings, ".com;.exe;.bat;.cmd")), ";")
	for _, folder := range folders {
		entries, _ := os.ReadDir(folder) // what cannot be read holds nothing for us
		for _, entry := range entries {
			name := entry.Name()
			if runtime.GOOS == "windows" {
				name = strings.ToLower(name)
				ending := filepath.Ext(name)
				if !slices.Contains(known, ending) {
					continue
				}
				name = strings.TrimSuffix(name, ending)
			}
			if _, seen := all[name]; !seen && !entry.IsDir() {
				all[name] = filepath.Join(folder, entry.Name())
			}
		}
	}
	return all
}

// there reports whether something is at a path.
func (m Machine) there(path string) bool {
	_, err := m.Stat(path)
	return err == nil
}

// local is where a path of the machine is here.
func (m Machine) local(path string) string {
	if m.Root == "" {
		return path
	}
	if m.OS == "windows" {
		path = strings.ReplaceAll(strings.Replace(path, ":", "", 1), `\`, "/")
	}
	return filepath.Join(m.Root, filepath.FromSlash(path))
}

// below writes what comes after a folder that local gave.
func (m Machine) below(path string) string {
	if m.Root == "" {
		return m.slashed(path)
	}
	return filepath.FromSlash(strings.ReplaceAll(path, `\`, "/"))
}

// slashed writes a path of the table as the machine does.
func (m Machine) slashed(path string) string {
	if m.OS == "windows" {
		return strings.ReplaceAll(path, "/", `\`)
	}
	return path
}

// separators are what stands between the folders of a path that local gave.
func (m Machine) separators() string {
	if m.Root == "" && m.OS == "windows" || os.PathSeparator == '\\' {
		return `/\`
	}
	return "/"
}

// folder is the one that a path is in.
func (m Machine) folder(path string) string {
	return path[:max(strings.LastIndexAny(path, m.separators()), 0)]
}

// absolute reports whether a path of the machine starts at its root.
func (m Machine) absolute(path string) bool {
	if m.OS == "windows" {
		return len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/') || strings.HasPrefix(path, `\\`)
	}
	return strings.HasPrefix(path, "/")
}
