package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"strings"

	"github.com/srwiley/oksvg"
	"github.com/srwiley/rasterx"
)

// drawing is the text of a square SVG that oksvg understands whole.
type drawing string

// readDrawing reads a drawing and puts new words in the place of old ones: "old", "new", "old", "new".
func readDrawing(sources fs.FS, name string, words ...string) (drawing, error) {
	data, err := fs.ReadFile(sources, name)
	if err != nil {
		return "", err
	}
	text := strings.NewReplacer(words...).Replace(string(data))
	icon, err := oksvg.ReadIconStream(strings.NewReader(text), oksvg.StrictErrorMode)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if icon.ViewBox.W != icon.ViewBox.H || icon.ViewBox.W == 0 {
		return "", fmt.Errorf("%s: it has no square viewBox", name)
	}
	return drawing(text), nil
}

// render draws on a transparent square of size pixels; scale 1 fills it, less leaves a margin on all sides.
func (d drawing) render(size int, scale float64) *image.RGBA {
	icon, err := oksvg.ReadIconStream(strings.NewReader(string(d)), oksvg.StrictErrorMode)
	if err != nil {
		panic(err) // readDrawing has read it before
	}
	width := float64(size) * scale
	margin := (float64(size) - width) / 2
	icon.SetTarget(margin, margin, width, width)
	for i := range icon.SVGPaths {
		icon.SVGPaths[i].LineWidth *= width / icon.ViewBox.W // oksvg scales the line but not its width
	}

	picture := image.NewRGBA(image.Rect(0, 0, size, size))
	scanner := rasterx.NewScannerGV(size, size, picture, picture.Bounds())
	icon.Draw(rasterx.NewDasher(size, size, scanner), 1)
	return picture
}

func encodePNG(picture image.Image) []byte {
	var to bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&to, picture); err != nil {
		panic(err) // a buffer takes everything
	}
	return to.Bytes()
}
