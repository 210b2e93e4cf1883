package sandbox

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// code lists the files and folders of the program of a launch, of its interpreter and of its script.
type code struct {
	own []string // folders in the hub's data folder that contain the server
	all []string // files and folders of all three
	// links are the paths by which they are started, which may contain symbolic links.
	links []string
}

// codeOf finds the program of a launch, its interpreter, and the script that an interpreter is given. shared are
// folders whose subfolders contain one program each. packages is the folder in which packages are installed, and
// writable are the folders that the server may change. What is in packages or writable gives access to nothing else: the
// server may have changed it, and it has access to its folder anyway. An interpreter that a script or a virtual
// environment names counts only if it is one that the system or the user has installed.
func codeOf(l upstream.Launch, at place, shared []string, packages string, writable []string) (c code) {
	command := l.Env.LookPath(l.Command)
	for _, text := range append([]string{command}, l.Args...) {
		for _, folder := range shared {
			for _, part := range strings.Split(text, "=") {
				if rest, err := filepath.Rel(folder, part); err == nil && filepath.IsLocal(rest) && rest != "." {
					first, _, _ := strings.Cut(rest, string(filepath.Separator))
					c.own = append(c.own, real(filepath.Join(folder, first)))
				}
			}
		}
	}
	if command == "" {
		return c
	}
	hidden := reals(at.hidden(nil))
	keep := func(folders ...string) {
		for _, folder := range folders {
			if !confinement.Within(folder, at.home) && !confinement.Contains(hidden, folder) {
				c.all = append(c.all, folder)
			}
		}
	}
	changeable := append(append(slices.Clone(writable), reals(writable)...), packages, real(packages))
	changes := func(path string) bool {
		return confinement.AnyWithin(changeable, path) || confinement.AnyWithin(changeable, real(path))
	}
	users := without(l.Env, real(packages))
	interpreters := interpretersOf(real(command), users)
	if changes(command) {
		interpreters = append(interpreters, command) // a virtual environment has links to it
	} else {
		// Only the file is kept if its folders contain secrets.
		keep(append(installationOf(command), filepath.Dir(real(command)), projectOf(real(command)))...)
		keep(at.managerOf(command)...)
		c.links = append(c.links, command)
	}
	for _, found := range interpreters {
		if target := real(found); runtimes.MatchString(filepath.Base(found)) && !changes(target) && at.installed(target, users) {
			keep(append(installationOf(target), at.managerOf(target)...)...)
			c.links = append(c.links, found)
		}
	}
	for _, arg := range l.Args {
		if filepath.IsAbs(arg) {
			if !changes(arg) && isScript(real(arg)) {
				keep(projectOf(real(arg)), real(arg))
				c.links = append(c.links, arg)
			}
			break // the next arguments are those of the script
		}
	}
	return c
}

// runtimes matches the names of the programs that run the programs of packages.
var runtimes = lazyregexp.New(`^(?:node|nodejs|bun|deno|ruby|perl|python[0-9.]*|pypy[0-9.]*|sh|bash|dash|env)$`)

// without returns an environment in whose PATH no folder is in packages.
func without(env process.Env, packages string) process.Env {
	folders := slices.DeleteFunc(filepath.SplitList(env.Get("PATH")), func(folder string) bool {
		return confinement.Within(packages, real(folder))
	})
	return env.With("PATH", strings.Join(folders, string(filepath.ListSeparator)))
}

// steady reports whether a path leads through no symbolic link that is in one of the folders that a server may change.
func steady(path string, writable []string) bool {
	for _, folder := range writable {
		for _, spelled := range []string{folder, real(folder)} {
			if confinement.Within(spelled, path) && real(path) != filepath.Join(real(spelled), strings.TrimPrefix(path, spelled)) {
				return false
			}
		}
	}
	return true
}

// isScript reports whether a file is a program that an interpreter runs.
func isScript(path string) bool {
	if slices.Contains(scripts, strings.ToLower(filepath.Ext(path))) {
		return true
	}
	file, err := paths.OpenRegular(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	begin := make([]byte, 2)
	_, err = io.ReadFull(file, begin)
	return err == nil && string(begin) == "#!"
}

// scripts are the ends of the names of programs that interpreters run.
var scripts = strings.Fields(".js .mjs .cjs .ts .mts .py .pyz .rb .pl .php .sh .jar .lua .exs .ps1 .dll .wasm")

// installationOf returns what belongs to an installed program: its file and, for bin/program, the folder that contains
// bin. It finds these for two paths of the program: one without symbolic links, and one in which only the last element
// may be a symbolic link.
func installationOf(program string) (found []string) {
	for _, path := range []string{real(program), filepath.Join(real(filepath.Dir(program)), filepath.Base(program))} {
		folder := filepath.Dir(path)
		if name := filepath.Base(folder); (name == "bin" || name == "Scripts") && prefix(filepath.Dir(folder)) {
			found = append(found, filepath.Dir(folder))
		}
		found = append(found, path)
	}
	return found
}

// prefix reports whether programs are installed in a folder: it contains more than a folder for programs.
func prefix(folder string) bool {
	return folder != "/" && slices.ContainsFunc([]string{"lib", "lib64", "libexec", "Lib", "pyvenv.cfg"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(folder, name))
		return err == nil
	})
}

// managerOf returns the folder of the version manager that has installed a program, and the files in the home folder
// that choose a version. It returns nothing for other programs.
func (p place) managerOf(file string) (paths []string) {
	for _, name := range program.VersionManagers {
		if folder := p.expand("~/" + name); confinement.Within(folder, file) || confinement.Within(real(folder), file) {
			paths = append(paths, real(folder))
		}
	}
	if len(paths) > 0 {
		for _, name := range versionFiles {
			paths = append(paths, real(p.expand("~/"+name)))
		}
	}
	return paths
}

// projectOf returns the folder to which a script belongs: the outermost node_modules, or
// the nearest folder that describes a project, or else the script's own folder.
func projectOf(script string) string {
	sep := string(filepath.Separator)
	if before, _, found := strings.Cut(script, sep+"node_modules"+sep); found {
		return filepath.Join(before, "node_modules")
	}
	for folder := filepath.Dir(script); filepath.Dir(folder) != folder; folder = filepath.Dir(folder) {
		for _, sign := range []string{"package.json", "pyproject.toml", "pyvenv.cfg"} {
			if _, err := os.Stat(filepath.Join(folder, sign)); err == nil {
				return folder
			}
		}
	}
	return filepath.Dir(script)
}

// installed reports whether a program is where the system or a package manager of the user installs programs. A link to
// such a program, as in a virtual environment, is not enough: the folder of the link would be granted, too.
func (p place) installed(file string, env process.Env) bool {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return false
	}
	if slices.Contains(filepath.SplitList(env.Get("PATH")), filepath.Dir(file)) {
		return true
	}
	folder := filepath.Join(real(filepath.Dir(file)), filepath.Base(file))
	return confinement.AnyWithin(p.programs(), file) || confinement.AnyWithin(reals(p.programs()), folder)
}

// programs returns the folders in which the system and version managers install programs.
func (p place) programs() []string {
	folders := p.system()
	for _, name := range program.VersionManagers {
		folders = append(folders, filepath.Join(p.home, filepath.FromSlash(name)))
	}
	return folders
}

// maxScript limits how many bytes of a script or a pyvenv.cfg are read to find the interpreter
// that it names.
const maxScript = 64 << 10

// interpretersOf returns the programs that the first line of a script names, and the
// Python on which a virtual environment is based.
func interpretersOf(script string, env process.Env) (found []string) {
	if file, err := paths.OpenRegular(script); err == nil {
		line, _ := bufio.NewReader(io.LimitReader(file, maxScript)).ReadString('\n')
		_ = file.Close()
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "#!"); ok && len(line) < 4096 {
			for _, word := range strings.Fields(rest) {
				if strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
					continue
				}
				if path := env.LookPath(word); path != "" {
					found = append(found, path)
				}
				if filepath.Base(word) != "env" { // the next words are arguments
					break
				}
			}
		}
	}
	for _, file := range append([]string{script}, found...) {
		config, err := paths.ReadRegular(filepath.Join(filepath.Dir(filepath.Dir(file)), "pyvenv.cfg"), maxScript)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(config)) {
			if key, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(key) == "home" {
				found = append(found, filepath.Join(strings.TrimSpace(value), "python3"))
			}
		}
	}
	return found
}
