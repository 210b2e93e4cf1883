package main

import (
	"fmt"
	"image"
	"io/fs"
)

// small is the largest size in pixels that is drawn from icon-small.svg.
const small = 32

// plate is how much of the width of icon.svg its rounded square takes, and macPlate how much Apple's grid gives it.
const (
	plate    = 480.0 / 512
	macPlate = 824.0 / 1024
)

// The glyph on light and dark panels, and on those of which nobody knows, in the accent that white and black both leave
// a contrast of 3; and for each an amber for the badge that stands out against the panel as well.
var panels = []struct{ name, glyph, badge string }{
	{"light", "#1f2a30", "#d97706"},
	{"dark", "#f2f6f8", "#fbbf24"},
	{"any", "#0096af", "#d97706"},
	{"template", "#000000", "#000000"}, // macOS colours it; only its alpha counts
}

var states = []string{"running", "working", "attention", "paused", "stopped"}

// files are the pictures by their slash-separated names below the repository.
type files map[string][]byte

// app draws the icon of the program, in the forms that Linux, Windows, macOS and browsers want.
func (f files) app(sources fs.FS) error {
	large, err := readDrawing(sources, "icon.svg")
	if err != nil {
		return err
	}
	tiny, err := readDrawing(sources, "icon-small.svg")
	if err != nil {
		return err
	}
	at := func(size int) *image.RGBA {
		if size <= small {
			return tiny.render(size, 1)
		}
		return large.render(size, 1)
	}
	onMac := func(size int) *image.RGBA {
		if size <= small {
			return tiny.render(size, 1)
		}
		return large.render(size, macPlate/plate)
	}

	f["build/icons/appicon.png"] = encodePNG(at(1024))
	f["build/icons/window.png"] = encodePNG(at(256))
	f["build/icons/icon.ico"] = encodeICO(each(at, 16, 24, 32, 48, 64, 256))
	f["build/icons/icon.icns"] = encodeICNS(onMac)
	for _, size := range []int{16, 22, 24, 32, 48, 64, 128, 256, 512} {
		f[fmt.Sprintf("build/linux/hicolor/%dx%d/apps/agent-discover.png", size, size)] = encodePNG(at(size))
	}
	f["build/linux/hicolor/scalable/apps/agent-discover.svg"] = []byte(large)
	f["frontend/public/icon.svg"] = []byte(tiny)
	return nil
}

// tray draws each state for each kind of panel. A panel is 22 points high on Linux and macOS; Windows takes 16 pixels
// at 100 % and scales in steps.
func (f files) tray(sources fs.FS) error {
	for _, state := range states {
		for _, panel := range panels {
			words := []string{"currentColor", panel.glyph, "#d97706", panel.badge}
			glyph, err := readDrawing(sources, "tray/"+state+".svg", words...)
			if err != nil {
				return err
			}
			tiny := glyph
			if file := "tray/" + state + "-16.svg"; exists(sources, file) {
				if tiny, err = readDrawing(sources, file, words...); err != nil {
					return err
				}
			}
			at := func(size int) *image.RGBA {
				if size == 16 {
					return tiny.render(size, 1)
				}
				return glyph.render(size, 1)
			}
			name := "build/icons/tray/" + state + "-" + panel.name
			f[name+"-22.png"] = encodePNG(at(22))
			f[name+"-44.png"] = encodePNG(at(44))
			if panel.name != "template" {
				f[name+".ico"] = encodeICO(each(at, 16, 20, 24, 32))
			}
		}
	}
	return nil
}

func exists(sources fs.FS, name string) bool {
	_, err := fs.Stat(sources, name)
	return err == nil
}

func each(at func(size int) *image.RGBA, sizes ...int) []*image.RGBA {
	var all []*image.RGBA
	for _, size := range sizes {
		all = append(all, at(size))
	}
	return all
}
