package program

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// shim is the program behind a batch file that only passes its arguments on to another
// program. Package managers write such files.
type shim struct {
	program string      // its name or path
	args    []string    // arguments before those of the batch file
	env     process.Env // its environment
}

// readShim evaluates a batch file. ok is false if the file contains anything but
// the statements that package managers use to choose a program and start it once
// with all arguments, so that running the program is the same as running the file.
func readShim(m machine, env process.Env, path string, text []byte) (s shim, ok bool) {
	if !utf8.Valid(text) {
		return shim{}, false
	}
	b := &batchFile{
		machine: m, env: env, path: path, dir: path[:strings.LastIndexAny(path, `/\`)+1],
		values: make(map[string]string), fresh: make(map[string]bool),
		lines: strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n"),
	}
	for b.next < len(b.lines) {
		line := b.line()
		if !b.run(line) {
			return shim{}, false
		}
	}
	if b.found == nil || len(b.blocks) > 0 {
		return shim{}, false
	}
	return *b.found, true
}

// batchFile is the state of the evaluation of a batch file by readShim.
type batchFile struct {
	machine machine
	env     process.Env
	path    string
	dir     string // folder of path, with the backslash at its end
	lines   []string
	next    int               // index in lines
	values  map[string]string // variables that the file has set, by their names in upper case
	set     []string          // the names of the variables in values
	fresh   map[string]bool   // variables that the outermost open block has set
	dp0     bool              // the file defines the subroutine that sets dp0
	element string            // value of the loop variable %%F
	blocks  []block           // open blocks
	found   *shim
}

// block is an open block of an IF statement or a loop.
type block struct {
	runs bool // its statements are executed
	done bool // a following ELSE block is not executed
}

// line returns the next line without leading and trailing white space and without "@" at its start.
func (b *batchFile) line() string {
	line := strings.TrimSpace(b.lines[b.next])
	b.next++
	return strings.TrimLeft(line, "@ \t")
}

var (
	ignored   = lazyregexp.New(`(?i)^(?:$|::|rem(?:\s|$)|echo off$|setlocal$|endlocal$|exit /b(?: %errorlevel%)?$)`)
	condition = lazyregexp.New(`(?i)^if\s+(not\s+)?(?:(exist)\s+"([^"]+)"|(defined)\s+(\w+))\s*\($`)
	otherwise = lazyregexp.New(`(?i)^\)\s*else\s*\($`)
	assigns   = lazyregexp.New(`(?i)^set\s+(?:"(\w+)=([^"]*)"|(\w+)=([^"&|<>^)]*))$`)
	// prefixLoop matches the loop by which npm's shims look up the folder of globally installed packages.
	prefixLoop = lazyregexp.New(`(?i)^for /f "delims=" %%F in \('call "%NODE_EXE%" "%NPM_PREFIX_JS%"'\) do \($`)
	// forgets matches the commands by which npm's shims end the scope of variables
	// before the program starts.
	forgets = lazyregexp.New(`(?i)^endlocal & goto #_undefined_# 2>NUL \|\| title %COMSPEC% & `)
	// bare matches a word of a command without quotes.
	bare = lazyregexp.New(`^[\w%~@:./\\+=,-]+$`)
)

// run evaluates a line. It returns false for a line that shims do not contain.
func (b *batchFile) run(line string) bool {
	lower := strings.ToLower(line)
	switch {
	case line == ")" && len(b.blocks) > 0:
		if b.blocks = b.blocks[:len(b.blocks)-1]; len(b.blocks) == 0 {
			clear(b.fresh)
		}
		return true
	case otherwise.MatchString(line) && len(b.blocks) > 0:
		last := &b.blocks[len(b.blocks)-1]
		last.runs = !last.done
		last.done = true
		return true
	case strings.HasPrefix(lower, "exit") && b.found == nil && b.runs():
		return false
	case strings.HasPrefix(lower, "endlocal") && b.found == nil && !forgets.MatchString(line):
		return false
	case ignored.MatchString(line):
		return true
	case lower == "goto start":
		return b.subroutine()
	case lower == "call :find_dp0":
		return b.dp0 && b.assign("dp0", b.dir)
	case prefixLoop.MatchString(line):
		b.element = npmPrefix(b)
		b.blocks = append(b.blocks, block{runs: b.runs() && b.element != "", done: true})
		return true
	}
	if c := condition.FindStringSubmatch(line); c != nil {
		return b.open(c)
	}
	if a := assigns.FindStringSubmatch(line); a != nil {
		if !b.runs() {
			return true
		}
		value, ok := b.expand(a[2] + a[4])
		return ok && b.assign(a[1]+a[3], value)
	}
	return b.start(line)
}

// runs reports whether the current line is executed, that is, whether the statements of all open blocks are.
func (b *batchFile) runs() bool {
	return !slices.ContainsFunc(b.blocks, func(open block) bool { return !open.runs })
}

// subroutine reads the beginning of npm's shims, which defines a subroutine that
// sets the variable dp0 to the folder of the file.
func (b *batchFile) subroutine() bool {
	for _, want := range []string{":find_dp0", "set dp0=%~dp0", "exit /b", ":start"} {
		if b.next == len(b.lines) || strings.ToLower(b.line()) != want {
			return false
		}
	}
	b.dp0 = true
	return len(b.blocks) == 0
}

func (b *batchFile) open(c []string) bool {
	var holds bool
	switch {
	case !b.runs(): // nothing in this block runs
	case c[2] != "":
		path, ok := b.expand(c[3])
		if !ok {
			return false
		}
		holds = path != "" && b.machine.exists(path)
	default:
		_, holds = b.get(c[5])
	}
	holds = holds == (c[1] == "")
	b.blocks = append(b.blocks, block{runs: holds, done: holds})
	return true
}

func (b *batchFile) assign(name, value string) bool {
	name = strings.ToUpper(name)
	if _, known := b.values[name]; !known {
		b.set = append(b.set, name)
	}
	b.values[name] = value
	if len(b.blocks) > 0 {
		b.fresh[name] = true
	}
	return b.found == nil // otherwise the file does something after the program
}

// start evaluates a line that must start a program with all arguments of the file. It
// returns false for any other line.
func (b *batchFile) start(line string) bool {
	env := b.env
	rest := forgets.ReplaceAllString(line, "")
	if rest == line {
		for _, name := range b.set {
			env = env.Without(func(k string) bool { return strings.EqualFold(k, name) })
			if value := b.values[name]; value != "" {
				env = append(env, name+"="+value)
			}
		}
	}
	parts, ok := split(rest)
	last := len(parts) - 1
	if !ok || last < 1 || parts[last] != "%*" {
		return false
	}
	var expanded []string
	for i, part := range parts[:last] {
		quoted := part[0] == '"'
		if !quoted && (!bare.MatchString(part) || i == 0 && strings.ContainsAny(part, "=,")) {
			return false
		}
		value, ok := b.expand(strings.Trim(part, `"`))
		if !b.runs() {
			continue
		}
		if !ok || value == "" || quoted && strings.HasSuffix(value, `\`) {
			return false
		}
		expanded = append(expanded, value)
	}
	if !b.runs() {
		return true
	}
	if b.found != nil || builtin[strings.ToLower(expanded[0])] {
		return false
	}
	b.found = &shim{program: expanded[0], args: expanded[1:], env: env}
	return true
}
