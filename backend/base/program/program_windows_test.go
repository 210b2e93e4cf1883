package program

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/windows"

	"github.com/agent-discover/agent-discover/backend/base/process"
)

// answerVariable is the name of an environment variable. If it is set, the test binary
// writes its arguments to the file that the variable names, and exits.
const answerVariable = "TEST_ANSWER"

func TestMain(m *testing.M) {
	if file := os.Getenv(answerVariable); file != "" {
		data, _ := json.Marshal(os.Args[1:]) // cannot fail for strings
		if os.WriteFile(file, data, 0o600) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// printers returns the paths, by name, of programs that write their arguments to the
// file answer. own maps the same names to the number of arguments that a program gets
// before those that were passed to Command. The programs need the environment env.
func printers(t testing.TB) (paths map[string]string, own map[string]int, env process.Env, answer string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "Jörg Müller & co (x86)")
	answer = filepath.Join(dir, "answer.json")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	all := shims(t)
	for name, content := range map[string]string{
		"node.exe": string(data), "npm-shim.cmd": all["npm-shim"], "npx.cmd": all["npx"], "pnpm.cmd": all["pnpm"],
		"own.cmd":  "@echo off\r\nrem prepares something\r\nset A=1\r\ncd .\r\n\"%~dp0node.exe\" %*\r\n",
		"own.bat":  "@echo off\r\nif \"%~1\"==\"none\" exit /b 1\r\n\"%~dp0node.exe\" %*\r\n",
		"node.cmd": "@echo P>C:\\injected.txt\r\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	paths, own = make(map[string]string), make(map[string]int)
	for name, before := range map[string]int{"node.exe": 0, "npm-shim.cmd": 1, "npx": 1, "pnpm.cmd": 1, "own.cmd": 0, "own.bat": 0} {
		paths[name], own[name] = filepath.Join(dir, name), before
	}
	env = process.Env(os.Environ()).With(answerVariable, answer).With("PATH", dir)
	return paths, own, env, answer
}

// injected returns the files that a command hidden in an argument would write.
func injected(t testing.TB) []string {
	t.Helper()
	found, err := filepath.Glob(`C:\injected*`)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// check starts a program with arguments, and fails the test unless they arrive exactly.
// arrived is false if Command refuses them.
func check(t *testing.T, path string, own int, env process.Env, answer string, args []string) (arrived bool) {
	t.Helper()
	_ = os.Remove(answer) // of the previous start
	cmd, err := Command(t.Context(), env, path, args...)
	if err != nil {
		return false
	}
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err = cmd.Run()
	data, readErr := os.ReadFile(answer)
	var got []string
	if err != nil || readErr != nil || json.Unmarshal(data, &got) != nil || len(got) < own || !slices.Equal(got[own:], args) {
		t.Errorf("%s with %q: got %s, %v, %s; started %q %q", filepath.Base(path), args, data, err, output.Bytes(), cmd.Args,
			cmd.SysProcAttr.CmdLine)
	}
	if files := injected(t); len(files) > 0 {
		t.Fatalf("%s with %q: something else was run and wrote %v", filepath.Base(path), args, files)
	}
	return true
}

func TestArgumentsArriveExactlyOrAreRefused(t *testing.T) {
	paths, own, env, answer := printers(t)
	random := rand.New(rand.NewPCG(1, 2)) // the same numbers in each run
	letters := []rune("ab \t&|<>^%!\"'();,=\\/*?~$`@#ü日🙂-:.\n\r")
	some := func() (list []string) {
		for range 8 {
			var text []rune
			for range random.IntN(12) {
				text = append(text, letters[random.IntN(len(letters))])
			}
			list = append(list, string(text))
		}
		return append(list, "last")
	}
	for name, path := range paths {
		if !strings.HasPrefix(name, "own.") {
			for _, list := range [][]string{seeds, some(), some(), {}, {""}} {
				if !check(t, path, own[name], env, answer, list) {
					t.Errorf("%s: %q are refused", name, list)
				}
			}
			continue
		}
		var harmless []string
		for _, arg := range append(seeds, some()...) {
			if _, err := Command(t.Context(), env, path, "first", arg, "last"); err == nil {
				harmless = append(harmless, arg)
			} else if !strings.ContainsAny(arg, unsafe+"()\r\n\v\f\x01\x1a\x7f") {
				t.Errorf("%s: %q is refused: %v", name, arg, err)
			}
		}
		// Try several last arguments, because the last argument could change how the line ends.
		for _, list := range [][]string{
			harmless, append(harmless, `C:\a dir\`), append(harmless, `C:\dir\`), append(harmless, ""), {`a\\ b\\`},
		} {
			if !check(t, path, own[name], env, answer, list) {
				t.Errorf("%s: %q are refused", name, list)
			}
		}
	}
}

func FuzzArgumentsArriveExactlyOrAreRefused(f *testing.F) {
	for _, seed := range []string{"two words", `x&echo.P>C:\injected.txt`} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		paths, own, env, answer := printers(t)
		for name, path := range paths {
			check(t, path, own[name], env, answer, []string{a, b})
		}
	})
}

func TestCommandsHaveNoConsoleAndKeepTheirLine(t *testing.T) {
	paths, _, env, _ := printers(t)
	for name, prepare := range map[string]func(*exec.Cmd){
		"as it is": func(*exec.Cmd) {}, "isolated": process.Isolate, "detached": process.Detach, "in a job": process.DetachInJob,
	} {
		cmd, err := Command(t.Context(), env, paths["own.cmd"], "a b")
		if err != nil {
			t.Fatal(err)
		}
		prepare(cmd)
		if cmd.SysProcAttr.CmdLine == "" || cmd.SysProcAttr.CreationFlags&(windows.CREATE_NO_WINDOW|windows.DETACHED_PROCESS) == 0 {
			t.Errorf("%s: %+v", name, cmd.SysProcAttr)
		}
	}
}

func TestTheCurrentFolderIsNotSearched(t *testing.T) {
	paths, _, env, _ := printers(t)
	t.Chdir(filepath.Dir(paths["node.exe"]))
	for _, path := range []string{"", ".", ";;.;", fmt.Sprintf("%s;.", os.Getenv("SYSTEMROOT"))} {
		if cmd, err := Command(context.Background(), env.With("PATH", path), "npm-shim"); err == nil {
			t.Errorf("PATH=%s: found %s", path, cmd.Path)
		}
	}
	if _, err := Command(context.Background(), env.With("PATH", ""), `.\node`); err != nil {
		t.Errorf("a name with a folder: %v", err)
	}
	if _, err := Command(context.Background(), env.With("PATHEXT", ".TXT"), "node"); err == nil {
		t.Error("the extensions of the child's environment are not used")
	}
}
