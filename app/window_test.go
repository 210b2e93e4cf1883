package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"github.com/agent-discover/agent-discover/app/links"
)

func TestAMissingDisplayIsAnError(t *testing.T) {
	for name, row := range map[string]struct {
		system, variable string
		wantErr          bool
	}{
		"Linux without a display": {"linux", "", true},
		"Linux with X11":          {"linux", "DISPLAY", false},
		"Linux with Wayland":      {"linux", "WAYLAND_DISPLAY", false},
		"macOS":                   {"darwin", "", false},
		"Windows":                 {"windows", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			env := func(name string) string { return map[string]string{row.variable: ":0"}[name] }
			if err := checkDisplay(row.system, env); (err != nil) != row.wantErr {
				t.Errorf("checkDisplay = %v, want an error: %v", err, row.wantErr)
			}
		})
	}
}

func TestArgumentsAreParsed(t *testing.T) {
	for name, row := range map[string]struct {
		args    []string
		want    request
		wantErr bool
	}{
		"no arguments":                {nil, request{}, false},
		"a page":                      {[]string{"-page", "/servers"}, request{page: "/servers"}, false},
		"a page in another notation":  {[]string{"--page=/servers?tag=a"}, request{page: "/servers?tag=a"}, false},
		"a server to test":            {[]string{"-test", "a b/c"}, request{page: "/test/a%20b%2Fc?popout=1", test: "a b/c"}, false},
		"an address":                  {[]string{"-page", "https://example.com/"}, request{}, true},
		"an address without a scheme": {[]string{"-page", "//example.com/"}, request{}, true},
		"a path with dots":            {[]string{"-page", "/../x"}, request{}, true},
		"a backslash":                 {[]string{"-page", `/\example.com`}, request{}, true},
		"a relative path":             {[]string{"-page", "servers"}, request{}, true},
		"a line break":                {[]string{"-test", "a\nb"}, request{}, true},
		"a link":                      {[]string{"--link", "agentdiscover://servers"}, request{page: "/servers"}, false},
		"a link to install": {
			[]string{"--link", "agentdiscover://install?id=npm:@a/b"}, request{page: "/browse/npm:@a%2Fb?link=1&step=install"}, false,
		},
		"a bad link to install": {
			[]string{"--link", "agentdiscover://install?id=npm:a&answers=x"}, request{page: "/browse?link=invalid"}, false,
		},
		"the menu entry":        {[]string{"--link"}, request{}, false},
		"a link to an action":   {[]string{"--link", "agentdiscover://servers/add?command=x"}, request{}, false},
		"a link with options":   {[]string{"--link", "agentdiscover://x", "--page", "/approvals"}, request{}, false},
		"an unknown flag":       {[]string{"-nonsense"}, request{}, true},
		"a positional argument": {[]string{"servers"}, request{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parse(row.args)
			if got != row.want || (err != nil) != row.wantErr {
				t.Errorf("parse(%q) = %+v, %v, want %+v and an error: %v", row.args, got, err, row.want, row.wantErr)
			}
		})
	}
}

func TestThePageOfTheLongestLinkCanBePassedToAnOpenWindow(t *testing.T) {
	part := strings.Repeat("a", 100)
	page := links.Page("agentdiscover://install?id=official:" + part + "/" + part + "&version=" + part[:50] + "&option=" + part[:30])
	if !strings.Contains(page, "step=install") || !isPage(page) {
		t.Errorf("the window ignores %q", page)
	}
}

func TestEachInspectorHasItsOwnSingleton(t *testing.T) {
	names := []string{
		request{}.singletonName(), request{test: "a"}.singletonName(), request{test: "b"}.singletonName(),
		request{test: "../a"}.singletonName(),
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != 4 {
		t.Errorf("windows share a singleton: %v", names)
	}
}

// recorder records the actions of menus.
type recorder []string

func (r *recorder) navigate(to string)  { *r = append(*r, "go "+to) }
func (r *recorder) zoom(int)            { *r = append(*r, "zoom") }
func (r *recorder) edit(command string) { *r = append(*r, command) }
func (r *recorder) folder(kind string)  { *r = append(*r, kind) }
func (r *recorder) describe()           { *r = append(*r, "describe") }
func (r *recorder) about()              { *r = append(*r, "about") }
func (r *recorder) quit()               { *r = append(*r, "quit") }

func TestMenusReachEveryPageWithUniqueShortcuts(t *testing.T) {
	for _, system := range []string{"linux", "windows", "darwin"} {
		var actions recorder
		keys := map[string]string{}
		for _, m := range menus(system, &actions) {
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
			if keys[string(rune('1'+i))] != to.label || !slices.Contains(actions, "go "+to.page) {
				t.Errorf("%s: Ctrl+%d does not lead to %s: %v", system, i+1, to.label, actions)
			}
		}
		if wailsMenu(system, &actions) == nil {
			t.Errorf("%s: wailsMenu returned nil", system)
		}
	}
}

func TestZoomChangesInStepsWithinItsLimits(t *testing.T) {
	at := 1.0
	for range 50 {
		at = zoomed(at, 1)
	}
	if at != maxZoom {
		t.Errorf("largest zoom: got %v, want %v", at, maxZoom)
	}
	for range 50 {
		at = zoomed(at, -1)
	}
	if at != minZoom || zoomed(at, 0) != 1 || zoomed(1.05, 1) != 1.1 || zoomed(1.05, -1) != 1 {
		t.Errorf("smallest zoom: got %v, want %v; from 1.05: got %v and %v, want 1 and 1.1", at, minZoom, zoomed(1.05, -1), zoomed(1.05, 1))
	}
}

func TestColourSchemesAreUnpacked(t *testing.T) {
	dark := dbus.MakeVariant(uint32(1))
	for value, want := range map[dbus.Variant]colourScheme{
		dark: schemeDark, dbus.MakeVariant(dark): schemeDark, dbus.MakeVariant("dark"): schemeAny, dbus.MakeVariant(uint32(0)): schemeAny,
	} {
		if got := schemeOf(value); got != want {
			t.Errorf("%v: got %d, want %d", value, got, want)
		}
	}
}

func TestTheSessionBusIsFoundByTheRuntimeFolder(t *testing.T) {
	address := busAddress(func(name string) string { return map[string]string{"XDG_RUNTIME_DIR": "/run/user/7"}[name] })
	if address != "unix:path=/run/user/7/bus" {
		t.Errorf("got %q", address)
	}
}
