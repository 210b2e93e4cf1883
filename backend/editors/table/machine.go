package table

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// Here returns this machine with a user's environment. It looks for programs in the folders of PATH
// in that environment. It lists these folders only once, when the first program is looked up; to
// find a program that is installed later, create a new Machine. Here reads only the home folder
// from the environment; other variables are read on demand, because the environment may become
// known later.
func Here(variable func(name string) string) Machine {
	home := variable("HOME")
	if runtime.GOOS == "windows" {
		home = variable("USERPROFILE")
	}
	if home == "" {
		home, _ = os.UserHomeDir() // if there is no home folder, Find finds no files
	}
	return Machine{
		OS: runtime.GOOS, Home: home, Variable: variable,
		Stat: os.Stat, Glob: filepath.Glob, Read: paths.ReadFile,
		Command: programs(variable),
	}
}

// With returns the machine with some variables replaced. Its home folder and its
// programs stay the same.
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

// programs returns a function that finds programs by their paths, and by their
// names in the folders of PATH. It lists the folders on the first call, which is
// faster than searching each folder for every program. On Windows case does not
// matter, and the extension may be missing.
func programs(variable func(name string) string) func(name string) (string, bool) {
	extensions := sync.OnceValue(func() []string {
		if runtime.GOOS != "windows" {
			return nil
		}
		return strings.Split(strings.ToLower(cmp.Or(variable("PATHEXT"), ".com;.exe;.bat;.cmd")), ";")
	})
	index := sync.OnceValue(func() map[string]string { return list(filepath.SplitList(variable("PATH")), extensions()) })
	return func(name string) (string, bool) {
		if filepath.Base(name) != name {
			return programAt(name, extensions())
		}
		if runtime.GOOS == "windows" {
			name = strings.ToLower(name)
		}
		path := index()[name]
		return path, runnable(path)
	}
}

// programAt returns the file that the system starts for a path. Windows tries the extensions of
// programs first, unless the path has one.
func programAt(path string, extensions []string) (string, bool) {
	if !slices.Contains(extensions, strings.ToLower(filepath.Ext(path))) {
		for _, extension := range extensions {
			if runnable(path + extension) {
				return path + extension, true
			}
		}
	}
	return path, runnable(path)
}

// runnable reports whether a path is an executable file.
func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// list returns the paths of the programs in folders by their names. If several folders contain the
// same name, the first folder wins. On Windows, only files with one of the extensions are programs,
// and the names in the result are in lower case and have no extension.
func list(folders, extensions []string) map[string]string {
	all := map[string]string{}
	for _, folder := range folders {
		entries, _ := os.ReadDir(folder) // an unreadable folder has no programs
		for _, entry := range entries {
			name := entry.Name()
			if runtime.GOOS == "windows" {
				name = strings.ToLower(name)
				extension := filepath.Ext(name)
				if !slices.Contains(extensions, extension) {
					continue
				}
				name = strings.TrimSuffix(name, extension)
			}
			if _, seen := all[name]; !seen && !entry.IsDir() {
				all[name] = filepath.Join(folder, entry.Name())
			}
		}
	}
	return all
}

func (m Machine) exists(path string) bool {
	_, err := m.Stat(path)
	return err == nil
}

// local returns the real path of a file of the machine: its path below Root, or
// the path itself if Root is empty.
func (m Machine) local(path string) string {
	if m.Root == "" {
		return path
	}
	if m.OS == "windows" {
		path = strings.ReplaceAll(strings.Replace(path, ":", "", 1), `\`, "/")
	}
	return filepath.Join(m.Root, filepath.FromSlash(path))
}

// below converts a relative path so that it can be appended to a path that local
// has returned.
func (m Machine) below(path string) string {
	if m.Root == "" {
		return m.slashed(path)
	}
	return filepath.FromSlash(strings.ReplaceAll(path, `\`, "/"))
}

// slashed converts a path of the table to the machine's separators.
func (m Machine) slashed(path string) string {
	if m.OS == "windows" {
		return strings.ReplaceAll(path, "/", `\`)
	}
	return path
}

// separators returns the characters that separate folders in a path that local
// has returned.
func (m Machine) separators() string {
	if m.Root == "" && m.OS == "windows" || os.PathSeparator == '\\' {
		return `/\`
	}
	return "/"
}

// folder returns the parent folder of a path.
func (m Machine) folder(path string) string {
	return path[:max(strings.LastIndexAny(path, m.separators()), 0)]
}

// absolute reports whether a path is absolute on the machine.
func (m Machine) absolute(path string) bool {
	if m.OS == "windows" {
		return len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/') || strings.HasPrefix(path, `\\`)
	}
	return strings.HasPrefix(path, "/")
}
