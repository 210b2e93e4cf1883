package app

import (
	"slices"
	"testing"

	"github.com/godbus/dbus/v5"
)

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

func TestAStartSaysWhatItWants(t *testing.T) {
	for name, row := range map[string]struct {
		args    []string
		want    request
		wantErr bool
	}{
		"nothing":                {nil, request{}, false},
		"a page":                 {[]string{"-page", "/servers"}, request{page: "/servers"}, false},
		"a page, as others do":   {[]string{"--page=/servers?tag=a"}, request{page: "/servers?tag=a"}, false},
		"a server to test":       {[]string{"-test", "a b/c"}, request{page: "/test/a%20b%2Fc?popout=1", test: "a b/c"}, false},
		"an address":             {[]string{"-page", "https://example.com/"}, request{}, true},
		"an address in disguise": {[]string{"-page", "//example.com/"}, request{}, true},
		"a way out":              {[]string{"-page", "/../x"}, request{}, true},
		"a backslash":            {[]string{"-page", `/\example.com`}, request{}, true},
		"no path":                {[]string{"-page", "servers"}, request{}, true},
		"a line break":           {[]string{"-test", "a\nb"}, request{}, true},
		"an unknown flag":        {[]string{"-nonsense"}, request{}, true},
		"something else":         {[]string{"servers"}, request{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parse(row.args)
			if got != row.want || (err != nil) != row.wantErr {
				t.Errorf("parse(%q) = %+v, %v", row.args, got, err)
			}
		})
	}
}

func TestTestersOfTwoServersAreTwoWindows(t *testing.T) {
	names := []string{request{}.singletonName(), request{test: "a"}.singletonName(), request{test: "b"}.singletonName(), request{test: "../a"}.singletonName()}
	slices.Sort(names)
	if len(slices.Compact(names)) != 4 {
		t.Errorf("they share a singleton: %v", names)
	}
}

// done notes what a menu asked for.
type done []string

func (d *done) navigate(to string)  { *d = append(*d, "go "+to) }
func (d *done) zoom(int)            { *d = append(*d, "zoom") }
func (d *done) edit(command string) { *d = append(*d, command) }
func (d *done) folder(kind string)  { *d = append(*d, kind) }
func (d *done) describe()           { *d = append(*d, "describe") }
func (d *done) about()              { *d = append(*d, "about") }
func (d *done) quit()               { *d = append(*d, "quit") }

func TestMenusReachEveryPageAndNoShortcutTwice(t *testing.T) {
	for _, system := range []string{"linux", "windows", "darwin"} {
		var did done
		keys := map[string]string{}
		for _, m := range menus(system, &did) {
			for _, e := range m.entries {
				if e.label == "" {
					continue
				}
				if other, taken := keys[e.key]; taken && e.key != "" {
					t.Errorf("%s: %s and %s have the same shortcut", system, e.label, other)
				}
				keys[e.key] = e.label
				e.do()
			}
		}
		for i, to := range destinations {
			if keys[string(rune('1'+i))] != to.label || !slices.Contains(did, "go "+to.page) {
				t.Errorf("%s: Ctrl+%d does not lead to %s: %v", system, i+1, to.label, did)
			}
		}
		if wailsMenu(system, &did) == nil {
			t.Error("no menu")
		}
	}
}

func TestZoomGoesByStepsAndEnds(t *testing.T) {
	at := 1.0
	for range 50 {
		at = zoomed(at, 1)
	}
	if at != maxZoom {
		t.Errorf("the largest is %v", at)
	}
	for range 50 {
		at = zoomed(at, -1)
	}
	if at != minZoom || zoomed(at, 0) != 1 || zoomed(1.05, 1) != 1.1 || zoomed(1.05, -1) != 1 {
		t.Errorf("smallest %v, between %v and %v", at, zoomed(1.05, -1), zoomed(1.05, 1))
	}
}

func TestTheDesktopsSchemeIsUnpacked(t *testing.T) {
	dark := dbus.MakeVariant(uint32(1))
	for value, want := range map[dbus.Variant]colourScheme{
		dark: schemeDark, dbus.MakeVariant(dark): schemeDark, dbus.MakeVariant("dark"): schemeAny, dbus.MakeVariant(uint32(0)): schemeAny,
	} {
		if got := schemeOf(value); got != want {
			t.Errorf("%v is %d", value, got)
		}
	}
	address := busAddress(func(name string) string { return map[string]string{"XDG_RUNTIME_DIR": "/run/user/7"}[name] })
	if address != "unix:path=/run/user/7/bus" {
		t.Errorf("the bus is at %q", address)
	}
}
