// Package icons answers one question: which picture is the product shown by, here and now.
//
// The sources are the SVG files of this folder; every other picture, also those in build/linux and frontend, is drawn
// from them by go generate and kept in the repository, so that a build needs no renderer. The package decides nothing:
// whoever shows an icon knows the state of the hub and the colour of the panel.
package icons

import (
	"embed"
	"fmt"
)

//go:generate go -C generate run .

// State is what the tray shows of the hub at a glance. States differ by shape, not by colour alone.
type State string

// What each state looks like, and what it says.
const (
	Running   State = "running"   // the whole mark: the hub waits for calls
	Working   State = "working"   // something in the lens: calls are under way
	Attention State = "attention" // a badge in the place of a tool: something failed or waits for a decision
	Paused    State = "paused"    // two bars in the lens: nothing is started until the user resumes
	Stopped   State = "stopped"   // a thin, empty lens: there is no hub
)

// States returns all states.
func States() []State { return []State{Running, Working, Attention, Paused, Stopped} }

// Tray returns the icon of a state for a light panel, or with dark a light one for a dark panel: on Windows an ICO of
// 16 to 32 pixels, elsewhere a PNG of 44 pixels, which is 22 points on a sharp screen and halves cleanly on others. An
// unknown state gets the icon of Stopped. The bytes belong to the caller; a tray library may keep a pointer to them.
func Tray(state State, dark bool) []byte {
	panel := "light"
	if dark {
		panel = "dark"
	}
	return read(tray, state, panel+trayForm)
}

// TrayAnywhere returns the icon of a state for a panel of unknown colour, in the accent, which can be seen on light and
// on dark. Form and ownership are those of Tray.
func TrayAnywhere(state State) []byte { return read(tray, state, "any"+trayForm) }

// Template returns the icon of a state for the menu bar of macOS, which colours it itself: a PNG of 44 pixels, black
// with alpha. An unknown state gets the icon of Stopped. The bytes belong to the caller.
func Template(state State) []byte { return read(templates, state, "template-44.png") }

// App returns the icon of the program as a PNG of 256 pixels, for a title bar or a dialog. The bytes belong to the
// caller.
func App() []byte { return append([]byte(nil), window...) }

//go:embed window.png
var window []byte

//go:embed tray/*-template-44.png
var templates embed.FS

func read(files embed.FS, state State, form string) []byte {
	data, err := files.ReadFile(fmt.Sprintf("tray/%s-%s", state, form))
	if err != nil && state != Stopped {
		return read(files, Stopped, form)
	}
	return data
}
