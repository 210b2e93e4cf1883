//go:build tray

package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"

	"github.com/getlantern/systray"
)

// setIcon shows an icon for a dark panel or a light one. The system keeps the
// bytes: they live as long as the program.
func setIcon(shown icon, dark bool) {
	data := drawn(shown, dark)
	kept = append(kept, data)
	systray.SetIcon(data)
}

var kept [][]byte

func drawn(shown icon, dark bool) []byte {
	ink := color.NRGBA{0x22, 0x22, 0x22, 0xff}
	if dark {
		ink = color.NRGBA{0xee, 0xee, 0xee, 0xff}
	}
	switch shown {
	case iconWorking:
		ink = color.NRGBA{0x3b, 0x82, 0xf6, 0xff}
	case iconAttention:
		ink = color.NRGBA{0xf5, 0x9e, 0x0b, 0xff}
	case iconStopped:
		ink.A = 0x80
	}
	picture := image.NewNRGBA(image.Rect(0, 0, 22, 22))
	for x := range 22 {
		for y := range 22 {
			if (x-11)*(x-11)+(y-11)*(y-11) < 81 {
				picture.SetNRGBA(x, y, ink)
			}
		}
	}
	var b bytes.Buffer
	_ = png.Encode(&b, picture)
	return b.Bytes()
}
