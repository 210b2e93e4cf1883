package program

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// fake is a Windows machine in memory: its files by path, and its programs by the
// names that are on the PATH.
type fake struct {
	files map[string]string
	path  map[string]string
}

func (f fake) look(_ process.Env, name string) string {
	if f.exists(name) {
		return clean(name)
	}
	return f.path[strings.ToLower(name)]
}

func (f fake) exists(path string) bool { _, err := f.read(path); return err == nil }

func (f fake) read(path string) ([]byte, error) {
	for name, text := range f.files {
		if strings.EqualFold(name, clean(path)) {
			return []byte(text), nil
		}
	}
	return nil, os.ErrNotExist
}

// clean is filepath.Clean for Windows' paths.
func clean(path string) string {
	return strings.ReplaceAll(filepath.ToSlash(filepath.Clean(strings.ReplaceAll(path, `\`, "/"))), "/", `\`)
}

const (
	npm = `C:\Users\Jörg Müller\AppData\Roaming\npm\`
	// cmdPath is the path of cmd.exe on a fake machine.
	cmdPath = `C:\Windows\System32\cmd.exe`
)

// shims returns the batch files in testdata by name.
func shims(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.cmd")
	if err != nil || len(files) == 0 {
		t.Fatalf("no shims in testdata: %v", err)
	}
	all := make(map[string]string)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".cmd")] = string(text)
	}
	return all
}

func TestShimsOfPackageManagersAreReplacedByTheirPrograms(t *testing.T) {
	for _, row := range []struct {
		shim  string
		files []string // besides the shim
		env   process.Env
		want  string // program and arguments, with # for the folder of the shim
		set   string // a variable that the program must get, as NAME=value
	}{
		{"npm-shim", nil, nil, `C:\nodejs\node.exe|#\node_modules\server\dist\index.js`, ""},
		{"npm-shim", []string{"node.exe"}, nil, `#node.exe|#\node_modules\server\dist\index.js`, ""},
		{"npm-shim-options", nil, nil, `C:\nodejs\node.exe|--no-warnings|--max-old-space-size=4096|#\node_modules\server\cli.js`, ""},
		{"npm-shim-old", nil, process.Env{"PATHEXT=.EXE;.JS;.CMD"}, `C:\nodejs\node.exe|#\node_modules\server\cli.js`, "PATHEXT=.EXE;.CMD"},
		{"npm-shim-exe", []string{`node_modules\esbuild\esbuild.exe`}, nil, `#node_modules\esbuild\esbuild.exe|`, ""},
		{"npx", []string{"node.exe"}, nil, `#node.exe|#\node_modules\npm\bin\npx-cli.js`, ""},
		{"npx", nil, nil, `C:\nodejs\node.exe|#\node_modules\npm\bin\npx-cli.js`, ""},
		{
			"npx",
			[]string{"node.exe", `node_modules\npm\npmrc=prefix=${APPDATA}\npm`, `global\npm\node_modules\npm\bin\npx-cli.js`},
			process.Env{"AppData=" + npm + "global"},
			`#node.exe|#global\npm\node_modules\npm\bin\npx-cli.js`, "",
		},
		{
			"npx",
			[]string{`.npmrc=a=b` + "\r\n" + ` prefix = "#global"` + "\r\n", `global\node_modules\npm\bin\npx-cli.js`},
			process.Env{"USERPROFILE=" + strings.TrimSuffix(npm, `\`)},
			`C:\nodejs\node.exe|#global\node_modules\npm\bin\npx-cli.js`, "",
		},
		{
			"npx",
			[]string{`bin\node_modules\npm\bin\npx-cli.js`},
			process.Env{"NPM_CONFIG_PREFIX=" + npm + "bin"},
			`C:\nodejs\node.exe|#bin\node_modules\npm\bin\npx-cli.js`, "",
		},
		{
			"pnpm",
			[]string{"node.exe"},
			nil, `#node.exe|#\..\.pnpm\server@1.0.0\node_modules\server\index.js`,
			`NODE_PATH=C:\store\node_modules`,
		},
		{
			"pnpm", nil,
			process.Env{`Node_Path=D:\own`},
			`C:\nodejs\node.exe|#\..\.pnpm\server@1.0.0\node_modules\server\index.js`,
			`NODE_PATH=C:\store\node_modules;D:\own`,
		},
		{"yarn", nil, nil, `C:\nodejs\node.exe|#\yarn.js`, ""},
		{"volta", nil, nil, `C:\volta\volta.exe|run|volta`, ""},
		{"scoop", nil, nil, `C:\nodejs\node.exe|C:\scoop\apps\yarn\\yarn.js`, ""}, // through another shim
	} {
		all := shims(t)
		m := fake{files: map[string]string{npm + row.shim + ".cmd": all[row.shim], `C:\scoop\apps\yarn\yarn.cmd`: all["yarn"]}}
		m.path = map[string]string{"node": `C:\nodejs\node.exe`, "volta": `C:\volta\volta.exe`}
		for _, file := range row.files {
			name, text, _ := strings.Cut(file, "=")
			m.files[npm+name] = strings.ReplaceAll(text, "#", npm)
		}
		args := []string{"a&b", `"`, "", "%OS%"}
		l, err := resolve(m, launch{env: row.env, path: npm + row.shim + ".cmd", args: args}, cmdPath)
		if err != nil {
			t.Errorf("%s with %v: %v", row.shim, row.files, err)
			continue
		}
		path, first, _ := strings.Cut(strings.ReplaceAll(row.want, "#", npm), "|")
		var want []string
		if first != "" {
			want = strings.Split(first, "|")
		}
		if l.path != path || !slices.Equal(l.args, append(want, args...)) || l.line != "" {
			t.Errorf("%s with %v: got %s %q %s", row.shim, row.files, l.path, l.args, l.line)
		}
		if name, value, _ := strings.Cut(row.set, "="); get(l.env, name) != value {
			t.Errorf("%s with %v: %s is %q, want %q", row.shim, row.files, name, get(l.env, name), value)
		}
	}
}

func TestBatchFilesThatDoMoreThanStartAProgramAreNoShims(t *testing.T) {
	m := fake{files: map[string]string{`C:\x.exe`: ""}}
	for what, text := range map[string]string{
		"nothing":                      "",
		"a command before":             "@echo off\ndel C:\\x\nnode x.js %*\n",
		"a command after":              "@node x.js %*\n@del x\n",
		"a command in the same line":   "@node x.js %* & calc\n",
		"a pipe":                       "@node x.js %* | more\n",
		"a redirection":                "@node x.js %* >log\n",
		"arguments before the program": "@set A=%1\n@node x.js %*\n",
		"some arguments only":          "@node x.js %1 %2\n",
		"arguments twice":              "@node x.js %* %*\n",
		"arguments in quotes":          "@node x.js \"%*\"\n",
		"another end":                  "@node x.js %* --last\n",
		"two programs":                 "@node x.js %*\n@node y.js %*\n",
		"a command of cmd":             "@echo %*\n",
		"call":                         "@call node x.js %*\n",
		"start":                        "@start x %*\n",
		"goto":                         "@goto end\n@node x.js %*\n:end\n",
		"a program that is not run":    "@if exist \"C:\\none\" (\n@node x.js %*\n)\n",
		"exit before":                  "@exit /b\n@node x.js %*\n",
		"an open block":                "@if exist \"C:\\x.exe\" (\n@node x.js %*\n",
		"an unknown condition":         "@if %1==a (\n@node x.js %*\n)\n",
		"a value of the same block":    "@if exist \"C:\\x.exe\" (\n@set A=x.js\n@node %A% %*\n)\n",
		"a quote in a variable":        "@node %QUOTE% %*\n",
		"a backslash before a quote":   "@node \"x\\\" %*\n",
		"a subroutine that is missing": "@call :find_dp0\n@node x.js %*\n",
		"a delayed variable":           "@node !X! %*\n",
		"an escape":                    "@node x^.js %*\n",
		"other encodings":              "@node \xff.js %*\n",
		"a line that continues":        "@node x.js ^\n%*\n",
	} {
		if s, ok := readShim(m, process.Env{`QUOTE=a"b`}, `C:\a\x.cmd`, []byte(text)); ok {
			t.Errorf("%s: taken for a shim of %q %q", what, s.program, s.args)
		}
	}
}

func TestOtherBatchFilesGetOnlyHarmlessArguments(t *testing.T) {
	const script = "@echo off\r\ncd /d %~dp0\r\nserver.exe %*\r\n"
	m := fake{files: map[string]string{`C:\my tools\a&b.cmd`: script, `C:\unquotes.bat`: "@echo %~1\r\n", `C:\100%\x.cmd`: script}}
	const head = `cmd.exe /d /e:on /v:off /s /c `
	for _, row := range []struct{ path, arg, want string }{
		{`C:\my tools\a&b.cmd`, "plain", `""C:\my tools\a&b.cmd" plain"`},
		{`C:\my tools\a&b.cmd`, "", `""C:\my tools\a&b.cmd" """`},
		{`C:\my tools\a&b.cmd`, `C:\dir\`, `""C:\my tools\a&b.cmd" C:\dir\"`},
		{`C:\my tools\a&b.cmd`, `C:\a dir\`, `""C:\my tools\a&b.cmd" "C:\a dir\\""`},
		{`C:\my tools\a&b.cmd`, `C:\Program Files (x86)\ü`, `""C:\my tools\a&b.cmd" "C:\Program Files (x86)\ü""`},
		{`C:\my tools\a&b.cmd`, "a\t;,='", "\"\"C:\\my tools\\a&b.cmd\" \"a\t;,='\"\""},
		{`C:\my tools\a&b.cmd`, "a&b", "argument 1 contains &"},
		{`C:\my tools\a&b.cmd`, "a|b", "argument 1 contains |"},
		{`C:\my tools\a&b.cmd`, "a<b", "argument 1 contains <"},
		{`C:\my tools\a&b.cmd`, "a>b", "argument 1 contains >"},
		{`C:\my tools\a&b.cmd`, "a^b", "argument 1 contains ^"},
		{`C:\my tools\a&b.cmd`, "%OS%", "argument 1 contains %"},
		{`C:\my tools\a&b.cmd`, "a!b", "argument 1 contains !"},
		{`C:\my tools\a&b.cmd`, `a"b`, `argument 1 contains "`},
		{`C:\my tools\a&b.cmd`, "a\nb", "argument 1 contains a line break"},
		{`C:\my tools\a&b.cmd`, "a\rb", "argument 1 contains a line break"},
		{`C:\my tools\a&b.cmd`, "a\x1ab", "argument 1 contains the control character U+001A"},
		{`C:\my tools\a&b.cmd`, "a\x00b", "argument 1 cannot be passed"},
		{`C:\my tools\a&b.cmd`, "a\xffb", "argument 1 cannot be passed"},
		{`C:\my tools\a&b.cmd`, strings.Repeat("a ", 4000), "too long for cmd.exe"},
		{`C:\unquotes.bat`, "a) else (b", "argument 1 contains )"},
		{`C:\unquotes.bat`, "a b", `""C:\unquotes.bat" "a b""`},
		{`C:\100%\x.cmd`, "a", "the path of the batch file"},
	} {
		l, err := resolve(m, launch{path: row.path, args: []string{row.arg}}, cmdPath)
		switch {
		case strings.HasPrefix(row.want, `"`):
			if err != nil || l.path != cmdPath || l.line != head+row.want || len(l.args) > 0 {
				t.Errorf("%s %q: got %q, %v", row.path, row.arg, l.line, err)
			}
		case err == nil || !strings.Contains(err.Error(), row.want) || fault.KindOf(err) != fault.Invalid:
			t.Errorf("%s %q: got %q, %v", row.path, row.arg, l.line, err)
		}
	}
}

func TestOnlyProgramsAreStarted(t *testing.T) {
	loop := map[string]string{`C:\a.cmd`: `@"C:\b.cmd" %*`, `C:\b.cmd`: `@"C:\a.cmd" %*`, `C:\lost.cmd`: "@node x.js %*"}
	for path, want := range map[string]string{
		`C:\x.exe`: "", `C:\X.EXE`: "", `C:\more.com`: "",
		`C:\a.cmd`:        "without end",
		`C:\lost.cmd`:     `starts "node", which was not found`,
		`C:\missing.cmd`:  "could not read the batch file",
		`C:\x.ps1`:        `use the command "powershell"`,
		`C:\x.py`:         `use the command "python"`,
		`C:\x.js`:         `use the command "node"`,
		`C:\x.unknown`:    "not a program",
		`C:\x`:            "not a program",
		`C:\x.cmd.`:       "not the name of a program",
		`C:\x.exe `:       "not the name of a program",
		`C:\x.cmd::$DATA`: "not the name of a program",
		`C:\a:b.exe`:      "not the name of a program",
	} {
		l, err := resolve(fake{files: loop}, launch{path: path, args: []string{"&"}}, cmdPath)
		if want == "" && (err != nil || l.path != path || l.line != "") ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %+v, %v", path, l, err)
		}
		if _, ok := errors.AsType[*fault.Error](err); err != nil && !ok {
			t.Errorf("%s: the error is not for people: %v", path, err)
		}
	}
}

// FuzzBatchLine reads the line for cmd.exe as cmd.exe and then as a program would,
// and checks that it is a single command with the given arguments.
func FuzzBatchLine(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed, "x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		m := fake{files: map[string]string{`C:\t.cmd`: "@echo off\nserver.exe %*\n"}}
		l, err := resolve(m, launch{path: `C:\t.cmd`, args: []string{a, b}}, cmdPath)
		if err != nil {
			return
		}
		rest, ok := strings.CutPrefix(l.line, `cmd.exe /d /e:on /v:off /s /c ""C:\t.cmd" `)
		if !ok || !strings.HasSuffix(rest, `"`) {
			t.Fatalf("the line is %s", l.line)
		}
		rest = rest[:len(rest)-1]
		quoted := false
		for _, r := range rest {
			quoted = quoted != (r == '"')
			if strings.ContainsRune("%!\r\n\x00", r) || !quoted && strings.ContainsRune("&|<>^();,='", r) {
				t.Fatalf("%q, %q: cmd.exe interprets %q in %s", a, b, r, rest)
			}
		}
		if got := splitLine(rest); quoted || !slices.Equal(got, []string{a, b}) {
			t.Fatalf("%q, %q: the program gets %q from %s", a, b, got, rest)
		}
	})
}

// splitLine splits a command line as C programs do on Windows.
func splitLine(line string) (args []string) {
	var arg []byte
	inside, started, backslashes := false, false, 0
	end := func() {
		if started {
			args = append(args, string(arg))
		}
		arg, started = nil, false
	}
	for i := range len(line) {
		switch c := line[i]; {
		case c == '\\':
			backslashes++
			started = true
			arg = append(arg, c)
			continue
		case c == '"':
			arg = arg[:len(arg)-(backslashes+1)/2]
			if backslashes%2 == 1 {
				arg = append(arg, c)
			} else {
				inside = !inside
			}
			started = true
		case !inside && (c == ' ' || c == '\t'):
			end()
		default:
			arg, started = append(arg, c), true
		}
		backslashes = 0
	}
	end()
	return args
}

// seeds are arguments that cmd.exe, the quoting or a program could misread.
var seeds = []string{
	"", "plain", "two words", "tab\there", "ümlaut 日本語 🙂", `C:\dir\`, `C:\a dir\`, `\\server\share\`, `back\slash\\`, `ends with two \\`,
	"a&b", "a|b", "a<b", "a>b", "a^b", "^", "%OS%", "100%", "%", "a!b", "!PATH!", `a"b`, `"`, `\"`, `""`, `"quoted"`,
	"it's", "(a)", ")", ";", ",", "a=b", "line\nbreak", "line\r\nbreak", "x&echo.P>C:\\injected.txt", `x"&echo.P>C:\injected.txt&"`,
	`x" & echo P > C:\injected.txt & "`, "x\necho P>C:\\injected.txt\n", "%PATH:~0,1%", "%%OS%%", "%~dp0", "$(calc)",
	"`calc`", "--flag=a b", "-", "/c", "/?", "*", "?", "*.*", "~", "@file", "#", "{\"a\": [1, \"&\"]}", "https://example.com/mcp?a=1&b=2",
	"\u00a0", "\u2028", "\uff02", "\v", "\f", "\x01", "\x1a", "\x7f",
}
