package app

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWindowsAreMovedOntoAScreen(t *testing.T) {
	left, right := area{0, 25, 1280, 775}, area{1280, 0, 1920, 1080}
	for name, row := range map[string]struct {
		was     area
		screens []area
		want    area
	}{
		"wholly visible":                {area{100, 100, 800, 600}, []area{left}, area{100, 100, 800, 600}},
		"on the second screen":          {area{1400, 100, 800, 600}, []area{left, right}, area{1400, 100, 800, 600}},
		"the second screen was removed": {area{1400, 100, 800, 600}, []area{left}, area{480, 100, 800, 600}},
		"between two screens":           {area{1200, 100, 800, 600}, []area{left, right}, area{1280, 100, 800, 600}},
		"larger than the screen":        {area{-50, -50, 4000, 3000}, []area{left}, left},
		"under the panel":               {area{10, 0, 800, 600}, []area{left}, area{10, 25, 800, 600}},
		"on no screen":                  {area{-9000, 9000, 800, 600}, []area{left, right}, area{0, 200, 800, 600}},
		"unknown screens":               {area{-9000, 9000, 800, 600}, nil, area{-9000, 9000, 800, 600}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fit(row.was, row.screens); got != row.want {
				t.Errorf("fit(%v) = %v, want %v", row.was, got, row.want)
			}
		})
	}
}

func TestInvalidPlacementsAreIgnored(t *testing.T) {
	fresh := placement{area: area{Width: 1200, Height: 800}, Zoom: 1}
	stored := placement{area{-100, 20, 700, 500}, true, true, 1.25}
	file := filepath.Join(t.TempDir(), "window.json")
	if got := readPlacement(file, fresh); got != fresh {
		t.Errorf("without a file: got %+v, want %+v", got, fresh)
	}
	if err := writePlacement(file, stored); err != nil {
		t.Fatal(err)
	}
	if got := readPlacement(file, fresh); got != stored {
		t.Errorf("stored %+v, got %+v", stored, got)
	}
	for name, content := range map[string]string{
		"empty":        ``,
		"truncated":    `{"x":1,"y":1,"wid`,
		"a wrong type": `{"width":"wide"}`,
		"too small":    `{"x":0,"y":0,"width":1,"height":1,"zoom":1}`,
		"too large":    `{"x":0,"y":0,"width":99999999,"height":800,"zoom":1}`,
		"out of range": `{"x":99999999,"y":0,"width":800,"height":800,"zoom":1}`,
		"zoom of 0":    `{"width":800,"height":800,"zoom":0}`,
		"huge zoom":    `{"width":800,"height":800,"zoom":1e300}`,
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := readPlacement(file, fresh); got != fresh {
			t.Errorf("%s: got %+v, want %+v", name, got, fresh)
		}
	}
}
