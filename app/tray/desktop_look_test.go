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
	d := newDesk(t)
	panel := desktoptest.NewPanel(t, d.bus.Connect())
	d.tray()
	icon := panel.Await()
	d.rest(http.MethodGet, "/api/servers", nil, nil)
	d.add("everything")
	icon.AwaitItem("everything")
	d.rest(http.MethodPost, "/api/servers/1/refresh", nil, nil)
	icon.AwaitItem("1 of 1 server running")

	icon.Click(icon.AwaitItem("Pause all"))
	icon.AwaitItem("Paused")
	var servers []server
	d.until("nothing runs", func() bool {
		d.rest(http.MethodGet, "/api/servers", nil, &servers)
		return !servers[0].Running
	})
	icon.Click(icon.AwaitItem("Resume all"))
	icon.AwaitItem("0 of 1 server running")

	icon.Click(icon.AwaitItem("Health check"))
	icon.AwaitItem("Health: 1 server, all well")
}

func TestTheTrayShowsTwentyServersOfMany(t *testing.T) {
	d := newDesk(t)
	panel := desktoptest.NewPanel(t, d.bus.Connect())
	d.tray()
	icon := panel.Await()
	d.hub(0)
	for i := range 23 {
		d.rest(http.MethodPost, "/api/servers", map[string]any{"name": "s" + strconv.Itoa(100+i), "command": "x", "warm": false}, nil)
	}
	icon.AwaitItem("3 more…")
	if all := desktoptest.Find(icon.Menu(), "Servers").Items; len(all) != maxListed+1 || all[0].Label != "s100" || all[maxListed-1].Label != "s119" || !all[0].Checkable || all[maxListed].Checkable {
		t.Errorf("%d items: %+v", len(all), all)
	}
	for i := range 22 {
		d.rest(http.MethodDelete, "/api/servers/"+strconv.Itoa(i+1), nil, nil)
	}
	icon.AwaitMenu("one server only", func(menu []desktoptest.Item) *desktoptest.Item {
		if servers := desktoptest.Find(menu, "Servers"); servers != nil && len(servers.Items) == 1 && servers.Items[0].Label == "s122" {
			return servers
		}
		return nil
	})
}

// Where programs ask for the colour scheme.
const (
	portalName     = "org.freedesktop.portal.Desktop"
	portalAt       = "/org/freedesktop/portal/desktop"
	portalSection  = "org.freedesktop.portal.Settings"
	looks          = "org.freedesktop.appearance"
	colourScheme   = "color-scheme"
	panelOfToday   = "org.kde.StatusNotifierWatcher"
	settingChanged = portalSection + ".SettingChanged"
)

// portalSettings plays the desktop's.
type portalSettings struct{ scheme uint32 }

// Read is called by programs.
func (p *portalSettings) Read(namespace, key string) (dbus.Variant, *dbus.Error) {
	if namespace != looks || key != colourScheme {
		return dbus.Variant{}, dbus.NewError("org.freedesktop.portal.Error.NotFound", nil)
	}
	return dbus.MakeVariant(dbus.MakeVariant(p.scheme)), nil
}

func TestTheTraysIconFitsThePanel(t *testing.T) {
	for name, row := range map[string]struct {
		scheme  uint32
		desktop string
		want    []byte
	}{
		"nothing is known":      {9, "", icons.TrayAnywhere(icons.Running)},
		"no preference":         {0, "KDE", icons.TrayAnywhere(icons.Running)},
		"dark":                  {1, "KDE", icons.Tray(icons.Running, true)},
		"light":                 {2, "KDE", icons.Tray(icons.Running, false)},
		"GNOME's panel is dark": {2, "ubuntu:GNOME", icons.Tray(icons.Running, true)},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			conn := d.bus.Connect()
			if row.scheme < 9 {
				if err := conn.Export(&portalSettings{row.scheme}, portalAt, portalSection); err != nil {
					t.Fatal(err)
				}
				if reply, err := conn.RequestName(portalName, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
					t.Fatalf("the portal: %v, %v", reply, err)
				}
			}
			panel := desktoptest.NewPanel(t, d.bus.Connect())
			d.start(binary(t, "agent-discover-tray"), append(d.env(), "XDG_CURRENT_DESKTOP="+row.desktop))
			icon := panel.Await()
			d.until("the icon is the right one", func() bool { return bytes.Equal(drawnIcon(icon), row.want) })
			if row.scheme != 1 {
				return
			}
			change := []any{looks, colourScheme, dbus.MakeVariant(uint32(2))}
			if err := conn.Emit(portalAt, settingChanged, change...); err != nil {
				t.Fatal(err)
			}
			d.until("it follows a change", func() bool { return bytes.Equal(drawnIcon(icon), icons.Tray(icons.Running, false)) })
		})
	}
}

// drawnIcon is the picture that a program tells its panel to show.
func drawnIcon(icon desktoptest.Icon) []byte {
	data, err := os.ReadFile(icon.Property("IconName"))
	if err != nil {
		return nil // it is just being replaced
	}
	return data
}

func TestTheTrayCopiesTheConfigurationUnderWayland(t *testing.T) {
	d := newDesk(t)
	panel := desktoptest.NewPanel(t, d.bus.Connect())
	env := d.env()
	copied := filepath.Join(t.TempDir(), "copied")
	path := script(t, "wl-copy", "cat >'"+copied+".part' && mv '"+copied+".part' '"+copied+"'") + ":" + os.Getenv("PATH")
	d.start(binary(t, "agent-discover-tray"), append(env, "WAYLAND_DISPLAY=none", "PATH="+path))
	icon := panel.Await()
	icon.Click(icon.AwaitItem("Copy MCP configuration"))
	icon.AwaitItem("MCP configuration copied")
	text, err := os.ReadFile(copied)
	if err != nil || string(text) != configuration(binary(t, "agent-discover"), string(d.folder)) {
		t.Errorf("%v: %s", err, text)
	}
}

func TestTheTraysIconIsSeenInARealPanel(t *testing.T) {
	desktoptest.Need(t, "xfce4-panel", "import")
	d := newDesk(t)
	daemons, err := filepath.Glob("/usr/lib/*/xfce4/xfconf/xfconfd")
	if err != nil || len(daemons) == 0 {
		t.Skip("xfconfd is not installed; build/setup.sh tray installs it with the panel")
	}
	d.start(daemons[0], d.env())
	d.awaitOwner("org.xfce.Xfconf")
	d.start("xfce4-panel", d.env(), "--disable-wm-check")
	d.awaitOwner(panelOfToday)

	// What needs a person has a badge in a colour that nothing else has.
	tray := d.start(binary(t, "agent-discover-tray"), append(d.env(), "XDG_CURRENT_DESKTOP=XFCE"), "--login")
	d.hub(0)
	badge := brightest(t, icons.Tray(icons.Attention, true))
	if n := seen(d.screen("without"), badge); n > 0 {
		t.Fatalf("%d pixels have the colour of the badge before there is one", n)
	}
	d.rest(http.MethodPost, "/api/servers", map[string]any{"name": "broken", "command": "/nonexistent", "warm": false}, nil)
	d.rest(http.MethodPost, "/api/health", nil, nil)
	d.until("the badge shows", func() bool { return seen(d.screen("with"), badge) >= 8 })
	if err := tray.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	d.until("the icon is gone", func() bool { return seen(d.screen("after"), badge) == 0 })
}

// awaitOwner waits until a program has a name on the bus.
func (d *desk) awaitOwner(name string) {
	d.t.Helper()
	conn := d.bus.Connect()
	d.until(name+" is there", func() bool {
		var owned bool
		return conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, name).Store(&owned) == nil && owned
	})
}

// screen is what the display shows. go test -artifacts keeps the picture.
func (d *desk) screen(name string) image.Image {
	d.t.Helper()
	file := filepath.Join(d.t.ArtifactDir(), name+".png")
	shot := exec.Command("import", "-window", "root", file)
	shot.Env = d.env()
	if out, err := shot.CombinedOutput(); err != nil {
		d.t.Fatalf("import: %v: %s", err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		d.t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		d.t.Fatal(err)
	}
	return picture
}

// brightest is the most colourful of the full colours of a picture.
func brightest(t *testing.T, data []byte) (found color.NRGBA) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	most := -1
	for x := range picture.Bounds().Dx() {
		for y := range picture.Bounds().Dy() {
			c := color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)
			if strength := int(max(c.R, c.G, c.B)) - int(min(c.R, c.G, c.B)); c.A == 255 && strength > most {
				most, found = strength, c
			}
		}
	}
	if most < 60 {
		t.Fatalf("it has no colour: %v", found)
	}
	return found
}

// seen counts the pixels of about a colour.
func seen(picture image.Image, want color.NRGBA) (n int) {
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

// maxMemory is what the tray may take, in kB.
const maxMemory = 80 << 10

func TestTheTrayTakesLittleMemory(t *testing.T) {
	d := newDesk(t)
	panel := desktoptest.NewPanel(t, d.bus.Connect())
	tray := d.tray()
	icon := panel.Await()
	d.hub(0)
	for i := range 23 {
		d.rest(http.MethodPost, "/api/servers", map[string]any{"name": "s" + strconv.Itoa(100+i), "command": "x", "warm": false}, nil)
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
			t.Errorf("%s %d kB, more than %d", fields[0], n, maxMemory)
		}
	}
}
