//go:build desktop && linux

package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"github.com/agent-discover/agent-discover/app/desktoptest"
	"github.com/agent-discover/agent-discover/build/icons"
)

func TestTheTrayPausesAndResumes(t *testing.T) {
	s := newSession(t)
	panel := desktoptest.NewPanel(t, s.bus.Connect())
	s.tray()
	icon := panel.Await()
	s.rest(http.MethodGet, "/api/servers", nil, nil)
	s.add("everything")
	icon.AwaitItem("everything")
	s.rest(http.MethodPost, "/api/servers/1/refresh", nil, nil)
	icon.AwaitItem("1 of 1 server running")

	icon.Click(icon.AwaitItem("Pause all servers"))
	icon.AwaitItem("Paused")
	var servers []server
	s.until("no server runs", func() bool {
		s.rest(http.MethodGet, "/api/servers", nil, &servers)
		return !servers[0].Running
	})
	icon.Click(icon.AwaitItem("Resume all servers"))
	icon.AwaitItem("0 of 1 server running")

	icon.Click(icon.AwaitItem("Health check"))
	icon.AwaitItem("Health check: 1 server healthy")
}

func TestTheTrayListsTwentyServersAtMost(t *testing.T) {
	s := newSession(t)
	panel := desktoptest.NewPanel(t, s.bus.Connect())
	s.tray()
	icon := panel.Await()
	s.hub(0)
	for i := range 23 {
		s.rest(http.MethodPost, "/api/servers", map[string]any{"name": "s" + strconv.Itoa(100+i), "command": "x", "start": false}, nil)
	}
	icon.AwaitItem("3 more…")
	if all := desktoptest.Find(icon.Menu(), "Servers").Items; len(all) != maxListed+1 || all[0].Label != "s100" ||
		all[maxListed-1].Label != "s119" || !all[0].Checkable || all[maxListed].Checkable {
		t.Errorf("submenu with %d items, want the first %d servers and the number of the others: %+v", len(all), maxListed, all)
	}
	for i := range 22 {
		s.rest(http.MethodDelete, "/api/servers/"+strconv.Itoa(i+1), nil, nil)
	}
	icon.AwaitMenu("only the server s122", func(menu []desktoptest.Item) *desktoptest.Item {
		if servers := desktoptest.Find(menu, "Servers"); servers != nil && len(servers.Items) == 1 && servers.Items[0].Label == "s122" {
			return servers
		}
		return nil
	})
}

// D-Bus names of the settings portal and of the watcher of tray icons.
const (
	portalName      = "org.freedesktop.portal.Desktop"
	portalObject    = "/org/freedesktop/portal/desktop"
	portalInterface = "org.freedesktop.portal.Settings"
	appearanceKey   = "org.freedesktop.appearance"
	colourScheme    = "color-scheme"
	watcherName     = "org.kde.StatusNotifierWatcher"
	settingChanged  = portalInterface + ".SettingChanged"
)

// fakePortal is a settings portal with a fixed colour scheme.
type fakePortal struct{ scheme uint32 }

// Read is called over the session bus.
func (p *fakePortal) Read(namespace, key string) (dbus.Variant, *dbus.Error) {
	if namespace != appearanceKey || key != colourScheme {
		return dbus.Variant{}, dbus.NewError("org.freedesktop.portal.Error.NotFound", nil)
	}
	return dbus.MakeVariant(dbus.MakeVariant(p.scheme)), nil
}

func TestTheTrayIconMatchesTheColourOfThePanel(t *testing.T) {
	for name, row := range map[string]struct {
		scheme  uint32
		desktop string
		want    []byte
	}{
		"no portal":             {9, "", icons.TrayAnywhere(icons.Running)},
		"no preference":         {0, "KDE", icons.TrayAnywhere(icons.Running)},
		"dark":                  {1, "KDE", icons.Tray(icons.Running, true)},
		"light":                 {2, "KDE", icons.Tray(icons.Running, false)},
		"GNOME's panel is dark": {2, "ubuntu:GNOME", icons.Tray(icons.Running, true)},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t)
			conn := s.bus.Connect()
			if row.scheme < 9 {
				if err := conn.Export(&fakePortal{row.scheme}, portalObject, portalInterface); err != nil {
					t.Fatal(err)
				}
				if reply, err := conn.RequestName(portalName, dbus.NameFlagDoNotQueue); err != nil ||
					reply != dbus.RequestNameReplyPrimaryOwner {
					t.Fatalf("RequestName: %v, %v", reply, err)
				}
			}
			panel := desktoptest.NewPanel(t, s.bus.Connect())
			s.start(binary(t, "agent-discover-tray"), append(s.env(), "XDG_CURRENT_DESKTOP="+row.desktop))
			icon := panel.Await()
			s.until("the icon matches the panel", func() bool { return bytes.Equal(iconFile(icon), row.want) })
			if row.scheme != 1 {
				return
			}
			change := []any{appearanceKey, colourScheme, dbus.MakeVariant(uint32(2))}
			if err := conn.Emit(portalObject, settingChanged, change...); err != nil {
				t.Fatal(err)
			}
			s.until("the icon matches the new colour scheme",
				func() bool { return bytes.Equal(iconFile(icon), icons.Tray(icons.Running, false)) })
		})
	}
}

// iconFile returns the content of the image file of an icon; nil while the file is being replaced.
func iconFile(icon desktoptest.Icon) []byte {
	data, err := os.ReadFile(icon.Property("IconName"))
	if err != nil {
		return nil
	}
	return data
}

func TestTheTrayCopiesTheConfigurationUnderWayland(t *testing.T) {
	s := newSession(t)
	panel := desktoptest.NewPanel(t, s.bus.Connect())
	env := s.env()
	copied := filepath.Join(t.TempDir(), "copied")
	path := script(t, "wl-copy", "cat >'"+copied+".part' && mv '"+copied+".part' '"+copied+"'") + ":" + os.Getenv("PATH")
	s.start(binary(t, "agent-discover-tray"), append(env, "WAYLAND_DISPLAY=none", "PATH="+path))
	icon := panel.Await()
	icon.Click(icon.AwaitItem("Copy MCP configuration"))
	icon.AwaitItem("MCP configuration copied")
	text, err := os.ReadFile(copied)
	if err != nil || string(text) != configuration(binary(t, "agent-discover"), string(s.folder)) {
		t.Errorf("%v: %s", err, text)
	}
}

func TestTheTrayIconIsVisibleInARealPanel(t *testing.T) {
	desktoptest.Require(t, "xfce4-panel", "import")
	s := newSession(t)
	daemons, err := filepath.Glob("/usr/lib/*/xfce4/xfconf/xfconfd")
	if err != nil || len(daemons) == 0 {
		t.Skip("xfconfd is not installed; build/setup.sh desktop-test installs it with the panel")
	}
	s.start(daemons[0], s.env())
	s.awaitOwner("org.xfce.Xfconf")
	s.start("xfce4-panel", s.env(), "--disable-wm-check")
	s.awaitOwner(watcherName)

	// The icon for servers that need attention has a badge in a colour that does not occur elsewhere on the screen.
	tray := s.start(binary(t, "agent-discover-tray"), append(s.env(), "XDG_CURRENT_DESKTOP=XFCE"), "--login")
	s.hub(0)
	badge := badgeColour(t, icons.Tray(icons.Attention, true))
	if n := countPixels(s.screen("without"), badge); n > 0 {
		t.Fatalf("%d pixels have the colour of the badge before a server fails", n)
	}
	s.rest(http.MethodPost, "/api/servers", map[string]any{"name": "broken", "command": "/nonexistent", "start": false}, nil)
	s.rest(http.MethodPost, "/api/health", nil, nil)
	s.until("the badge is shown", func() bool { return countPixels(s.screen("with"), badge) >= 8 })
	if err := tray.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	s.until("the icon is removed", func() bool { return countPixels(s.screen("after"), badge) == 0 })
}

// awaitOwner waits until a program owns a name on the session bus.
func (s *session) awaitOwner(name string) {
	s.t.Helper()
	conn := s.bus.Connect()
	s.until(name+" has an owner", func() bool {
		var owned bool
		return conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, name).Store(&owned) == nil && owned
	})
}

// screen returns a screenshot of the display. go test -artifacts keeps it as a file.
func (s *session) screen(name string) image.Image {
	s.t.Helper()
	file := filepath.Join(s.t.ArtifactDir(), name+".png")
	shot := exec.Command("import", "-window", "root", file)
	shot.Env = s.env()
	if out, err := shot.CombinedOutput(); err != nil {
		s.t.Fatalf("import: %v: %s", err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		s.t.Fatal(err)
	}
	return picture
}

// badgeColour returns the most saturated opaque colour of a PNG image.
func badgeColour(t *testing.T, data []byte) (found color.NRGBA) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	most := -1
	for x := range picture.Bounds().Dx() {
		for y := range picture.Bounds().Dy() {
			c := color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)
			if saturation := int(max(c.R, c.G, c.B)) - int(min(c.R, c.G, c.B)); c.A == 255 && saturation > most {
				most, found = saturation, c
			}
		}
	}
	if most < 60 {
		t.Fatalf("the icon has no colourful pixel; the most colourful is %v", found)
	}
	return found
}

// countPixels counts the pixels whose colour is close to want.
func countPixels(picture image.Image, want color.NRGBA) (n int) {
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) < 16 }
	for x := range picture.Bounds().Dx() {
		for y := range picture.Bounds().Dy() {
			c := color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)
			if near(c.R, want.R) && near(c.G, want.G) && near(c.B, want.B) {
				n++
			}
		}
	}
	return n
}

// maxMemory is the allowed resident memory of the tray in kB.
const maxMemory = 80 << 10

func TestTheTrayUsesLittleMemory(t *testing.T) {
	s := newSession(t)
	panel := desktoptest.NewPanel(t, s.bus.Connect())
	tray := s.tray()
	icon := panel.Await()
	s.hub(0)
	for i := range 23 {
		s.rest(http.MethodPost, "/api/servers", map[string]any{"name": "s" + strconv.Itoa(100+i), "command": "x", "start": false}, nil)
	}
	icon.AwaitItem("3 more…")
	data, err := os.ReadFile("/proc/" + strconv.Itoa(tray.cmd.Process.Pid) + "/smaps_rollup")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[0] != "Rss:" && fields[0] != "Pss:" {
			continue
		}
		n, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s %d kB", fields[0], n)
		if n > maxMemory {
			t.Errorf("%s %d kB, want at most %d kB", fields[0], n, maxMemory)
		}
	}
}
