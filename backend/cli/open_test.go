package cli

import (
	"slices"
	"testing"
)

func TestOpenerNeedsADisplayOnLinux(t *testing.T) {
	for name, row := range map[string]struct {
		system, variable string
		want             []string
	}{
		"windows":                     {"windows", "", []string{"rundll32", "url.dll,FileProtocolHandler"}},
		"macOS":                       {"darwin", "", []string{"open"}},
		"linux under X":               {"linux", "DISPLAY", []string{"xdg-open"}},
		"linux under Wayland":         {"linux", "WAYLAND_DISPLAY", []string{"xdg-open"}},
		"linux with a chosen browser": {"linux", "BROWSER", []string{"xdg-open"}},
		"linux over ssh":              {"linux", "", nil},
	} {
		env := func(name string) string { return map[string]string{row.variable: "x"}[name] }
		if got := opener(row.system, env); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %v, want %v", name, got, row.want)
		}
	}
}
