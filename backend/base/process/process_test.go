package process

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestWithReturnsACopy(t *testing.T) {
	env := Env{"A=1", "B=x=y", "A=2"}
	if env.Get("A") != "2" || env.Get("B") != "x=y" || env.Get("C") != "" {
		t.Errorf("got %q %q %q", env.Get("A"), env.Get("B"), env.Get("C"))
	}
	with := env.With("A", "3")
	if strings.Join(with, " ") != "B=x=y A=3" || len(env) != 3 {
		t.Errorf("got %v, was %v", with, env)
	}
}

func TestLookPathSearchesOnlyItsOwnPath(t *testing.T) {
	dir := t.TempDir()
	tool, notes := filepath.Join(dir, "mytool"), ""
	if runtime.GOOS == "windows" {
		// On Windows, LookPath also finds files that are not programs, so that Command
		// can explain why it does not start them.
		tool, notes = tool+".exe", filepath.Join(dir, "notes.txt")
	}
	for name, mode := range map[string]os.FileMode{filepath.Base(tool): 0o755, "notes.txt": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	env := Env{"PATH=" + filepath.Join(dir, "none") + string(filepath.ListSeparator) + "relative" + string(filepath.ListSeparator) + dir}
	for program, want := range map[string]string{"mytool": tool, tool: tool, "notes.txt": notes, "sh": "", dir: ""} {
		if got := env.LookPath(program); got != want {
			t.Errorf("%s: got %q, want %q", program, got, want)
		}
	}
}

func TestWindowsNamesIncludeScripts(t *testing.T) {
	for program, want := range map[string]string{
		"npx": "npx.com npx.exe npx.bat npx.cmd", "npx.cmd": "npx.cmd npx.cmd.com npx.cmd.exe npx.cmd.bat npx.cmd.cmd",
		"python3.12": "python3.12.com python3.12.exe python3.12.bat python3.12.cmd python3.12",
	} {
		if got := strings.Join(windowsNames(program, ""), " "); got != want {
			t.Errorf("%s: got %s, want %s", program, got, want)
		}
	}
	if got := strings.Join(windowsNames("x", ";.EXE;;PY;.Cmd"), " "); got != "x.exe x.cmd" {
		t.Errorf("with odd parts of PATHEXT: got %s", got)
	}
}

func TestNamesThatWindowsReadsAsOtherFilesAreNoPrograms(t *testing.T) {
	for name, want := range map[string]bool{
		"npx": false, "npx.cmd": false, `C:\a b\x.exe`: false, "C:/x.exe": false, `\\server\share\x.exe`: false, `\\?\C:\x.exe`: false,
		`.\x`: false, "x.cmd.": true, "x.cmd ": true, `C:\x.cmd. .`: true, "C:x.exe": true, `C:\x.cmd::$DATA`: true, `C:\x.exe:y.cmd`: true,
		"x\"y": true, "x?": true, "": false,
	} {
		if got := aliased(name); got != want {
			t.Errorf("%q: got %v", name, got)
		}
	}
}

func TestCleanRemovesOwnAndForeignVariables(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_X", "1")
	t.Setenv("EDITOR_SECRET", "1")
	t.Setenv("LC_ALL", "C")
	if got := Own(); len(got) == 0 || !OwnVariable("agent_discover_y") || OwnVariable("AGENT") {
		t.Errorf("Own returns %v", got)
	}
	if runtime.GOOS == "windows" {
		return // on Windows, Clean returns the user's environment, which another test checks
	}
	for _, name := range []string{
		"XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_ACTIVATION_TOKEN",
	} {
		t.Setenv(name, "set")
	}
	clean := Clean()
	for name, want := range map[string]string{
		"XDG_RUNTIME_DIR": "set", "XDG_SESSION_TYPE": "set", "XDG_CURRENT_DESKTOP": "set",
		"XDG_CONFIG_HOME": "", "XDG_DATA_DIRS": "", "XDG_ACTIVATION_TOKEN": "",
	} {
		if got := clean.Get(name); got != want {
			t.Errorf("Clean: %s is %q", name, got)
		}
	}
	if clean.Get("AGENT_DISCOVER_X") != "" || clean.Get("EDITOR_SECRET") != "" || clean.Get("LC_ALL") != "C" || clean.Get("PATH") == "" {
		t.Errorf("Clean returns %v", clean)
	}
}

func TestHomeReadsTheVariablesOfEachSystem(t *testing.T) {
	for want, env := range map[string]Env{
		"/home/ada":    {"HOME=/home/ada", `USERPROFILE=C:\Users\ada`},
		`C:\Users\ada`: {"HOME=", `USERPROFILE=C:\Users\ada`},
		"":             {"PATH=/bin"},
	} {
		if got := env.Home(); got != want {
			t.Errorf("%v: Home is %q, want %q", env, got, want)
		}
	}
}
