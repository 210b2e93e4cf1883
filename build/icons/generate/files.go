package main

import (
	"fmt"
	"image"
	"io/fs"
)

// maxSmall is the largest size in pixels that is drawn from icon-small.svg.
const maxSmall = 32

// plate is the share of the width of icon.svg that its rounded square fills. macPlate is the share that Apple's
// icon grid prescribes.
const (
	plate    = 480.0 / 512
	macPlate = 824.0 / 1024
)

// panels are the kinds of panels, with the colours of the tray icon and of its badge. The kind any is for panels of
// unknown colour; its icon has a contrast ratio of 3 against both white and black.
var panels = []struct{ name, glyph, badge string }{
	{"light", "#1f2a30", "#d97706"},
	{"dark", "#f2f6f8", "#fbbf24"},
	{"any", "#0096af", "#d97706"},
	{"template", "#000000", "#000000"}, // macOS uses only the alpha channel
}

var states = []string{"running", "working", "attention", "paused", "stopped"}

// files are generated files by their slash-separated paths in the repository.
type files map[string][]byte

// app draws the icon of the program in the formats for Linux, Windows, macOS and browsers.
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
		if size <= maxSmall {
			return tiny.render(size, 1)
		}
		return large.render(size, 1)
	}
	onMac := func(size int) *image.RGBA {
		if size <= maxSmall {
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

// tray draws the icon of each state for each kind of panel. Tray icons are 22 points high on Linux and macOS. On Windows
// they have 16 pixels at a display scale of 100 %, and 20, 24 or 32 at larger scales.
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

// each calls at for each size and returns the images.
func each(at func(size int) *image.RGBA, sizes ...int) []*image.RGBA {
	var all []*image.RGBA
	for _, size := range sizes {
		all = append(all, at(size))
	}
	return all
}
