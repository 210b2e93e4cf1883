package app

import (
	"encoding/json"
	"io"

	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// area is a rectangle in desktop coordinates.
type area struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// placement is the stored position, size and zoom of a window.
type placement struct {
	area
	Placed    bool    `json:"placed"` // X and Y are valid; otherwise the desktop places the window
	Maximised bool    `json:"maximised"`
	Zoom      float64 `json:"zoom"`
}

const (
	minWidth, minHeight = 480, 360
	maxSize             = 16384 // larger than any screen
	minZoom, maxZoom    = 0.5, 3
)

// readPlacement returns the placement stored in file, or fresh if it is missing, damaged or out of range.
func readPlacement(file string, fresh placement) placement {
	f, err := paths.Open(file)
	if err != nil {
		return fresh
	}
	defer f.Close()
	p := fresh
	if json.NewDecoder(io.LimitReader(f, 4<<10)).Decode(&p) != nil || !p.valid() {
		return fresh
	}
	return p
}

func (p placement) valid() bool {
	within := func(n, low, high int) bool { return low <= n && n <= high }
	return within(p.Width, minWidth, maxSize) && within(p.Height, minHeight, maxSize) &&
		within(p.X, -maxSize*4, maxSize*4) && within(p.Y, -maxSize*4, maxSize*4) && p.Zoom >= minZoom && p.Zoom <= maxZoom
}

func writePlacement(file string, p placement) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return paths.WriteFile(file, append(data, '\n'))
}

// fit moves and shrinks the area of a window so that it fits on the screen that it overlaps most, or on the first
// screen if it overlaps none. The screens may have changed since the area was stored.
func fit(a area, screens []area) area {
	if len(screens) == 0 {
		return a
	}
	best := screens[0]
	for _, screen := range screens {
		if a.overlap(screen) > a.overlap(best) {
			best = screen
		}
	}
	a.Width, a.Height = min(a.Width, best.Width), min(a.Height, best.Height)
	a.X = max(best.X, min(a.X, best.X+best.Width-a.Width))
	a.Y = max(best.Y, min(a.Y, best.Y+best.Height-a.Height))
	return a
}

// overlap returns the size of the intersection of two areas.
func (a area) overlap(b area) int {
	width := min(a.X+a.Width, b.X+b.Width) - max(a.X, b.X)
	height := min(a.Y+a.Height, b.Y+b.Height) - max(a.Y, b.Y)
	return max(0, width) * max(0, height)
}
