package autostart

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestTheAutostartFileQuotesTheProgram(t *testing.T) {
	for program, want := range map[string]string{
		"/opt/agent discover/tray": `"/opt/agent discover/tray" --login`,
		"/home/50%/tray":           `"/home/50%%/tray" --login`,
		`/home/a"b$c` + "`d/tray":  `"/home/a\\"b\\$c` + "\\\\`d/tray" + `" --login`,
		`/home/a\b/tray`:           `"/home/a\\\\b/tray" --login`,
		"/home/ünï/tray":           `"/home/ünï/tray" --login`,
	} {
		lines := strings.Split(string(desktopFile(Tray(program))), "\n")
		if !slices.Contains(lines, "Exec="+want) {
			t.Errorf("%s: got %q, want Exec=%s", program, lines, want)
		}
		if lines[0] != "[Desktop Entry]" || !slices.Contains(lines, "Name=Agent Discover") || !slices.Contains(lines, "Type=Application") {
			t.Errorf("%s: not a complete desktop entry: %q", program, lines)
		}
	}
}

func TestAutostartFilesDisabledByTheDesktopAreOff(t *testing.T) {
	written := string(desktopFile(Tray("/tray")))
	for name, row := range map[string]struct {
		data string
		want bool
	}{
		"as written":             {written, true},
		"hidden":                 {written + "Hidden=true\n", false},
		"not hidden":             {written + "Hidden = false\n", true},
		"disabled by GNOME":      {strings.Replace(written, "enabled=true", "enabled=false", 1), false},
		"a key of another group": {written + "[Other]\nHidden=true\n", true},
		"empty":                  {"", true},
		"malformed":              {"\x00\xff=[\n=\n[", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := desktopFileOn([]byte(row.data)); got != row.want {
				t.Errorf("got %v, want %v", got, row.want)
			}
		})
	}
}

func TestTheLaunchAgentEscapesThePath(t *testing.T) {
	program := `/Users/a&b <c>/tray`
	decoder := xml.NewDecoder(strings.NewReader(string(launchAgent(Tray(program)))))
	var texts []string
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := token.(xml.CharData); ok && strings.TrimSpace(string(data)) != "" {
			texts = append(texts, string(data))
		}
	}
	want := []string{
		"Label", "agent-discover-tray", "ProgramArguments", program, "--login", "RunAtLoad", "LimitLoadToSessionType",
		"Aqua", "ProcessType", "Interactive",
	}
	if !slices.Equal(texts, want) {
		t.Errorf("got %q, want %q", texts, want)
	}
}

func TestJobsThatLaunchdDoesNotStartAreOff(t *testing.T) {
	list := "disabled services = {\n\t\"com.example.other\" => disabled\n\t\"agent-discover-tray\" => %s\n}\n"
	for state, want := range map[string]bool{"disabled": true, "true": true, "enabled": false, "false": false} {
		if got := jobDisabled(fmt.Appendf(nil, list, state), "agent-discover-tray"); got != want {
			t.Errorf("%s: got %v", state, got)
		}
	}
	if jobDisabled([]byte(list), "agent-discover") || jobDisabled(nil, "agent-discover-tray") {
		t.Error("a job that is not listed is disabled")
	}
}

func TestTheRunValueQuotesTheProgram(t *testing.T) {
	if got := runValue(Tray(`C:\Program Files\x\tray.exe`)); got != `"C:\Program Files\x\tray.exe" --login` {
		t.Errorf("got %s", got)
	}
	for first, want := range map[byte]bool{2: true, 6: true, 3: false, 7: false} {
		if runValueOn([]byte{first, 0, 0}) != want {
			t.Errorf("first byte %d: want %v", first, want)
		}
	}
	if !runValueOn(nil) {
		t.Error("a value that is missing under StartupApproved is off, want on")
	}
}

func TestStartAtLoginIsTurnedOnAndOff(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("would change the registry of the user who runs the tests")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	entry := Tray("/opt/agent-discover-tray")
	expect := func(want bool) {
		t.Helper()
		if got, err := entry.On(); got != want || err != nil {
			t.Fatalf("On() = %v, %v, want %v", got, err, want)
		}
	}
	expect(false)
	for range 2 {
		if err := entry.Set(true); err != nil {
			t.Fatal(err)
		}
		expect(true)
	}
	if place, exists, err := entry.Place(); !exists || err != nil || !strings.HasPrefix(place, home) {
		t.Errorf("the entry is in %q, %v, %v", place, exists, err)
	}
	if runtime.GOOS == "linux" {
		data, err := os.ReadFile(filepath.Join(home, "config", "autostart", "agent-discover-tray.desktop"))
		if err != nil || string(data) != string(desktopFile(entry)) {
			t.Errorf("autostart file: %v: %s", err, data)
		}
	}
	for range 2 {
		if err := entry.Set(false); err != nil {
			t.Fatal(err)
		}
		expect(false)
	}
}

func TestRelativePathsAndControlCharactersAreRejected(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, program := range []string{"", "tray", "./tray", "/a\nExec=/bin/evil", "/a\x7f"} {
		if err := Tray(program).Set(true); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: got %v, want an error of kind Invalid", program, err)
		}
	}
}

func TestATemporaryCopyDoesNotStartAtLogin(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	entry := Tray(filepath.Join(t.TempDir(), "AppTranslocation", "1A", "d", "tray"))
	if err := entry.Set(true); runtime.GOOS != "windows" &&
		(err == nil || !strings.Contains(fault.MessageOf(err), "move it with the Finder")) {
		t.Errorf("got %v", err)
	}
}

func TestAMissingHomeFolderIsReported(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows uses the registry")
	}
	wantError := func(want string) {
		t.Helper()
		if err := Tray("/tray").Set(true); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("got %v, want an error of kind Unavailable that says %s", err, want)
		}
	}
	t.Setenv("HOME", "")
	t.Setenv("XDG_CONFIG_HOME", "")
	wantError("set HOME to your home folder")
	if runtime.GOOS != "darwin" {
		t.Setenv("XDG_CONFIG_HOME", "config")
		wantError("XDG_CONFIG_HOME is a relative path")
	}
}

func TestAnUnwritableFolderIsReported(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows uses the registry")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", file)
	t.Setenv("XDG_CONFIG_HOME", file)
	if err := Tray("/tray").Set(true); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "not writable") {
		t.Errorf("got %v, want an error of kind Unavailable that says not writable", err)
	}
}
