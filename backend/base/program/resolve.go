package program

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

const (
	maxBatchFile = 64 << 10 // larger batch files are not read
	maxShims     = 4        // largest number of batch files that start each other in turn
)

// machine is the part of Windows that resolve depends on.
type machine interface {
	look(env process.Env, name string) string // "" if the program does not exist
	exists(path string) bool
	read(path string) ([]byte, error)
}

// launch is a program with its arguments and environment. If line is not empty, it
// replaces the arguments: it is the whole command line, quoted for the program.
type launch struct {
	env  process.Env
	path string
	args []string
	line string
}

// interpreters maps the extensions of files that Windows cannot start directly to an
// example of the command and the arguments to use instead.
var interpreters = map[string]string{
	".ps1": `"powershell" with the arguments "-NoProfile", "-File" and the file's path`,
	".js":  `"node" with the file's path as the first argument`,
	".mjs": `"node" with the file's path as the first argument`,
	".cjs": `"node" with the file's path as the first argument`,
	".ts":  `"npx" with the arguments "-y", "tsx" and the file's path`,
	".py":  `"python" with the file's path as the first argument`,
	".pyw": `"python" with the file's path as the first argument`,
	".pyz": `"python" with the file's path as the first argument`,
	".rb":  `"ruby" with the file's path as the first argument`,
	".pl":  `"perl" with the file's path as the first argument`,
	".sh":  `"bash" with the file's path as the first argument`,
	".jar": `"java" with the arguments "-jar" and the file's path`,
	".vbs": `"cscript" with the arguments "//nologo" and the file's path`,
	".wsf": `"cscript" with the arguments "//nologo" and the file's path`,
	".lnk": "the path of the program that the shortcut leads to",
}

// resolve returns the launch by which Windows starts the program at l.path with exactly the arguments of l. cmd is the
// path of cmd.exe.
func resolve(m machine, l launch, cmd string) (launch, error) {
	for i, arg := range l.args {
		if !utf8.ValidString(arg) || strings.ContainsRune(arg, 0) {
			return launch{}, fault.New(fault.Invalid,
				"argument %d cannot be passed to a program on Windows, because it contains a NUL byte or is not valid UTF-8", i+1)
		}
	}
	given := len(l.args)
	for range maxShims {
		if aliased(l.path) {
			return launch{}, fault.New(fault.Invalid,
				"%s is not the name of a program: Windows would read it as the name of another file; write the path of the file without "+
					"dots or spaces at its end", l.path)
		}
		switch extension := strings.ToLower(path.Ext(strings.ReplaceAll(l.path, `\`, "/"))); extension {
		case ".exe", ".com":
			return l, nil
		case ".cmd", ".bat":
			text, err := m.read(l.path)
			if err != nil {
				return launch{}, fault.Wrap(err, fault.Failed, "could not read the batch file %s", l.path)
			}
			s, ok := readShim(m, l.env, l.path, text)
			if !ok {
				return batch(l, text, cmd, len(l.args)-given)
			}
			path := m.look(s.env, s.program)
			if path == "" {
				return launch{}, fault.New(fault.Failed, "%s starts %q, which was not found: install it, or put its folder on the PATH",
					l.path, s.program)
			}
			l = launch{env: s.env, path: path, args: append(s.args, l.args...)}
		default:
			advice := interpreters[extension]
			if advice == "" {
				advice = "the program that opens such files, with the file's path as an argument"
			}
			return launch{}, fault.New(fault.Invalid,
				"%s is not a program but a file for one, and Windows does not pass arguments to it unchanged; use the command %s",
				l.path, advice)
		}
	}
	return launch{}, fault.New(fault.Invalid, "%s leads from one batch file to the next without end; start the program itself", l.path)
}

// aliased reports whether Windows would open another file than the extension of a path suggests. Windows removes dots
// and spaces at the end of a path, and a colon selects a stream inside a file.
func aliased(path string) bool {
	rest := strings.TrimPrefix(path, `\\?\`)
	return strings.TrimRight(rest, " .") != rest || strings.LastIndexByte(rest, ':') > 1 || strings.ContainsAny(rest, "\x00\"")
}
