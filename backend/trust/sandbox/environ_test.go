//go:build unix

package sandbox

import "testing"

func TestAStrictServerGetsTheVariablesThatItsSystemNeeds(t *testing.T) {
	for _, row := range []struct {
		system, name string
		want         bool
	}{
		{"windows", "SystemRoot", true},
		{"windows", "Path", true},
		{"windows", "LOCALAPPDATA", true},
		{"windows", "OneDrive", false},
		{"linux", "SystemRoot", false},
		{"linux", "Path", false},
		{"linux", "PATH", true},
		{"linux", "LC_ALL", true},
		{"linux", "https_proxy", true},
	} {
		if isOrdinary(row.system, row.name) != row.want {
			t.Errorf("%s on %s: %v", row.name, row.system, !row.want)
		}
	}
}

func TestTheSystemFoldersOfWindowsComeFromItsVariables(t *testing.T) {
	values := map[string]string{
		"SystemRoot": "/windows", "ProgramFiles": "/programs", "ProgramW6432": "/programs", "ProgramFiles(x86)": "x86",
	}
	got := windowsSystem(func(name string) string { return values[name] })
	if len(got) != 2 || got[0] != "/windows" || got[1] != "/programs" {
		t.Errorf("got %q", got)
	}
}
