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

// drawing is the source of a square SVG image, in which oksvg supports every element.
type drawing string

// readDrawing reads an SVG file and replaces texts in it. The words are pairs of an old and a new text.
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
		return "", fmt.Errorf("%s: the viewBox is missing or not square", name)
	}
	return drawing(text), nil
}

// oversampling is the factor by which images are drawn larger and then scaled down. rasterx approximates curves by
// straight segments, which would be visible at the final size.
const oversampling = 4

// render draws on a transparent square of size pixels. scale is the part of the width that the drawing fills; the rest is
// a margin on all sides.
func (d drawing) render(size int, scale float64) *image.RGBA {
	icon, err := oksvg.ReadIconStream(strings.NewReader(string(d)), oksvg.StrictErrorMode)
	if err != nil {
		panic(err) // readDrawing has parsed the same text
	}
	large := size * oversampling
	width := float64(large) * scale
	margin := (float64(large) - width) / 2
	icon.SetTarget(margin, margin, width, width)
	for i := range icon.SVGPaths {
		icon.SVGPaths[i].LineWidth *= width / icon.ViewBox.W // oksvg scales the line but not its width
	}

	picture := image.NewRGBA(image.Rect(0, 0, large, large))
	scanner := rasterx.NewScannerGV(large, large, picture, picture.Rect)
	icon.Draw(rasterx.NewDasher(large, large, scanner), 1)
	return shrink(picture, size)
}

// shrink scales an image down to size; each pixel is the mean of oversampling × oversampling pixels.
func shrink(picture *image.RGBA, size int) *image.RGBA {
	mean := image.NewRGBA(image.Rect(0, 0, size, size))
	for i := range mean.Pix {
		x, y, channel := i/4%size, i/4/size, i%4
		sum := oversampling * oversampling / 2 // for rounding
		for n := range oversampling * oversampling {
			sum += int(picture.Pix[picture.PixOffset(x*oversampling+n%oversampling, y*oversampling+n/oversampling)+channel])
		}
		mean.Pix[i] = uint8(sum / (oversampling * oversampling))
	}
	return mean
}

func encodePNG(picture image.Image) []byte {
	var to bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&to, picture); err != nil {
		panic(err) // a buffer never fails
	}
	return to.Bytes()
}
