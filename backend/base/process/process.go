// Package process answers questions about processes of the operating system: whether a process is still the one that
// was started, how to end it together with its children, and in which environment the user's programs run. The only
// programs that it runs itself are the login shell, in Login, and ps on macOS.
package process

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// ID identifies a process permanently; the system reuses pids.
type ID struct {
	PID   int    `json:"pid"`
	Start string `json:"start"` // opaque; differs between processes with the same pid
}

// Self returns the identity of this process.
func Self() ID { return ID{PID: os.Getpid(), Start: StartOf(os.Getpid())} }

// Alive reports whether the process with this ID still runs.
func (id ID) Alive() bool {
	return id.PID > 0 && id.Start != "" && StartOf(id.PID) == id.Start
}

// Env is an environment as a list of NAME=value.
type Env []string

// Get returns the value of a variable, "" if it is not set.
func (e Env) Get(name string) string {
	for i := len(e) - 1; i >= 0; i-- {
		if k, v, _ := strings.Cut(e[i], "="); sameName(k, name) {
			return v
		}
	}
	return ""
}

// Home returns the user's home folder, "" if the environment does not contain it.
func (e Env) Home() string {
	if home := e.Get("HOME"); home != "" {
		return home
	}
	return e.Get("USERPROFILE")
}

// With returns a copy in which a variable is set.
func (e Env) With(name, value string) Env {
	out := e.Without(func(k string) bool { return sameName(k, name) })
	return append(out, name+"="+value)
}

// Without returns a copy without the variables for which drop returns true.
func (e Env) Without(drop func(name string) bool) Env {
	out := make(Env, 0, len(e)+1)
	for _, kv := range e {
		if k, _, _ := strings.Cut(kv, "="); k == "" || !drop(k) {
			out = append(out, kv)
		}
	}
	return out
}

func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// OwnVariable reports whether a variable configures this program. Such variables
// are not passed to MCP servers.
func OwnVariable(name string) bool {
	return strings.HasPrefix(strings.ToUpper(name), "AGENT_DISCOVER_")
}

// LookPath finds a program as a shell with this environment would, but never in the
// current folder unless the name says so, as ./program does. It returns an absolute
// path, "" if the program does not exist. On Windows it adds the extensions of
// PATHEXT, so that npx finds npx.cmd.
func (e Env) LookPath(program string) string {
	names := []string{program}
	if runtime.GOOS == "windows" {
		if aliased(program) {
			return ""
		}
		names = windowsNames(program, e.Get("PATHEXT"))
	}
	if strings.ContainsRune(program, filepath.Separator) || strings.Contains(program, "/") {
		return firstExecutable("", names)
	}
	for _, dir := range filepath.SplitList(e.Get("PATH")) {
		if !filepath.IsAbs(dir) || !mayContain(dir, program) {
			continue
		}
		if found := firstExecutable(dir, names); found != "" {
			return found
		}
	}
	return ""
}

func firstExecutable(dir string, names []string) string {
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil || info.IsDir() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
			continue
		}
		if abs, err := filepath.Abs(path); err == nil {
			return abs
		}
	}
	return ""
}

// aliased reports whether Windows would open another file than the name of a program suggests. Windows removes dots and
// spaces at the end of a name, and a colon selects the current folder of a drive or a stream inside a file.
func aliased(program string) bool {
	rest := strings.TrimPrefix(program, `\\?\`)
	if len(rest) > 2 && rest[1] == ':' && (rest[2] == '\\' || rest[2] == '/') {
		rest = rest[2:]
	}
	return strings.TrimRight(rest, " .") != rest || strings.ContainsAny(rest, ":\"*?<>|\x00")
}

// windowsNames returns the possible file names of a program on Windows, in the order in which Windows tries them. The
// unchanged name comes first if its extension is in pathext or is .com, .exe, .bat or .cmd, and last if it has another
// extension. A name without an extension is never tried unchanged.
func windowsNames(program, pathext string) []string {
	extensions := slices.DeleteFunc(strings.Split(strings.ToLower(cmp.Or(pathext, ".COM;.EXE;.BAT;.CMD")), ";"),
		func(ext string) bool { return !strings.HasPrefix(ext, ".") })
	var names []string
	for _, ext := range extensions {
		names = append(names, program+ext)
	}
	switch own := strings.ToLower(filepath.Ext(program)); {
	case own == "":
		return names
	case slices.Contains(extensions, own), slices.Contains([]string{".com", ".exe", ".bat", ".cmd"}, own):
		return append([]string{program}, names...)
	}
	return append(names, program)
}
