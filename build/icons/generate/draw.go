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

// fine is how many times larger a picture is drawn than it will be: rasterx makes curves of straight pieces which one
// sees on an edge at full size.
const fine = 4

// render draws on a transparent square of size pixels; scale 1 fills it, less leaves a margin on all sides.
func (d drawing) render(size int, scale float64) *image.RGBA {
	icon, err := oksvg.ReadIconStream(strings.NewReader(string(d)), oksvg.StrictErrorMode)
	if err != nil {
		panic(err) // readDrawing has read it before
	}
	large := size * fine
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

// shrink makes each pixel the mean of the fine × fine that it covers.
func shrink(picture *image.RGBA, size int) *image.RGBA {
	mean := image.NewRGBA(image.Rect(0, 0, size, size))
	for i := range mean.Pix {
		x, y, channel := i/4%size, i/4/size, i%4
		sum := fine * fine / 2 // rounds
		for n := range fine * fine {
			sum += int(picture.Pix[picture.PixOffset(x*fine+n%fine, y*fine+n/fine)+channel])
		}
		mean.Pix[i] = uint8(sum / (fine * fine))
	}
	return mean
}

func encodePNG(picture image.Image) []byte {
	var to bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&to, picture); err != nil {
		panic(err) // a buffer takes everything
	}
	return to.Bytes()
}
