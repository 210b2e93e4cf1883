package app

import "testing"

func TestAMachineWithNoDisplayIsToldSo(t *testing.T) {
	for name, row := range map[string]struct {
		system, variable string
		wantErr          bool
	}{
		"linux without a desktop": {"linux", "", true},
		"linux under X":           {"linux", "DISPLAY", false},
		"linux under Wayland":     {"linux", "WAYLAND_DISPLAY", false},
		"macOS has one always":    {"darwin", "", false},
		"windows has one always":  {"windows", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			env := func(name string) string { return map[string]string{row.variable: ":0"}[name] }
			if err := checkDisplay(row.system, env); (err != nil) != row.wantErr {
				t.Errorf("checkDisplay = %v", err)
			}
		})
	}
}

func TestThePageLearnsOnlyWhatTheProgramIs(t *testing.T) {
	want := About{Name: "Agent Discover", Version: "v1.2.3"}
	if got := (&Window{version: "v1.2.3"}).About(); got != want {
		t.Errorf("About() = %+v, want %+v", got, want)
	}
}
