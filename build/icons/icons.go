// Package icons holds the icons of the program and of the tray, in the format of each operating system.
//
// The sources are the SVG files of this folder. go generate draws all other images from them, including those in
// build/linux and frontend. The images are in the repository, so that a build needs no SVG renderer. Callers choose
// an icon by the state of the hub and the colour of the panel.
package icons

import (
	"embed"
	"fmt"
)

//go:generate go -C generate run .

// State is a state of the hub that has an icon of its own. The icons differ by shape, not by colour alone.
type State string

// The states, with the shape of the icon and its meaning. The logo is a magnifying glass beside three dots.
const (
	Running   State = "running"   // the logo: the hub waits for calls
	Working   State = "working"   // a dot in the lens: calls are running
	Attention State = "attention" // a badge in place of a dot: a server failed or waits for approval
	Paused    State = "paused"    // two bars in the lens: no server starts until the user resumes
	Stopped   State = "stopped"   // a thin, empty lens: no hub is running
)

// States returns all states.
func States() []State { return []State{Running, Working, Attention, Paused, Stopped} }

// Tray returns the icon of a state for a dark or a light panel. On Windows it is an ICO with images of 16 to 32 pixels,
// elsewhere a PNG of 44 pixels, which is 22 points on a high-resolution screen and scales to 22 pixels without blur. For
// an unknown state, Tray returns the icon of Stopped. The caller owns the bytes.
func Tray(state State, dark bool) []byte {
	panel := "light"
	if dark {
		panel = "dark"
	}
	return read(tray, state, panel+trayFormat)
}

// TrayAnywhere returns the icon of a state for a panel of unknown colour. It has the accent colour, which is visible on
// light and dark backgrounds. Format and ownership are those of Tray.
func TrayAnywhere(state State) []byte { return read(tray, state, "any"+trayFormat) }

// Template returns the icon of a state for the menu bar of macOS, which chooses the colour: a black PNG of 44 pixels with
// an alpha channel. For an unknown state, it returns the icon of Stopped. The caller owns the bytes.
func Template(state State) []byte { return read(templates, state, "template-44.png") }

// App returns the icon of the program as a PNG of 256 pixels, for a title bar or a dialog. The caller owns the
// bytes.
func App() []byte { return append([]byte(nil), window...) }

//go:embed window.png
var window []byte

//go:embed tray/*-template-44.png
var templates embed.FS

// read returns the file of a state and a format, or the one of Stopped for an unknown state.
func read(files embed.FS, state State, format string) []byte {
	data, err := files.ReadFile(fmt.Sprintf("tray/%s-%s", state, format))
	if err != nil && state != Stopped {
		return read(files, Stopped, format)
	}
	return data
}
