package icons

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"testing"
)

// decodePNG decodes a PNG into a type whose pixels can be compared.
func decodePNG(t *testing.T, data []byte) *image.NRGBA {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	picture := image.NewNRGBA(decoded.Bounds())
	draw.Draw(picture, picture.Rect, decoded, image.Point{}, draw.Src)
	return picture
}

// entriesICO returns the encoded images of a Windows icon by their width.
func entriesICO(t *testing.T, data []byte) map[int][]byte {
	t.Helper()
	entries := make(map[int][]byte)
	for i := range int(binary.LittleEndian.Uint16(data[4:])) {
		entry := data[6+16*i:]
		size, offset := binary.LittleEndian.Uint32(entry[8:]), binary.LittleEndian.Uint32(entry[12:])
		width := int(entry[0])
		if width == 0 {
			width = 256
		}
		entries[width] = data[offset : offset+size]
	}
	return entries
}

// decodeICO decodes all images of a Windows icon, by their width.
func decodeICO(t *testing.T, data []byte) map[int]*image.NRGBA {
	t.Helper()
	pictures := make(map[int]*image.NRGBA)
	for width, entry := range entriesICO(t, data) {
		if width == 256 {
			pictures[width] = decodePNG(t, entry)
			continue
		}
		pictures[width] = decodeDIB(t, entry, width)
	}
	return pictures
}

// decodeDIB decodes a 32-bit bitmap without file header and ignores its mask.
func decodeDIB(t *testing.T, data []byte, width int) *image.NRGBA {
	t.Helper()
	le := binary.LittleEndian
	mask := (width + 31) / 32 * 4 * width
	if le.Uint32(data) != 40 || int(le.Uint32(data[4:])) != width || int(le.Uint32(data[8:])) != 2*width ||
		le.Uint16(data[14:]) != 32 || len(data) != 40+4*width*width+mask {
		t.Fatalf("not a 32-bit bitmap of %d pixels with a mask: % x…, %d bytes", width, data[:16], len(data))
	}
	picture := image.NewNRGBA(image.Rect(0, 0, width, width))
	for i := range width * width {
		bgra := data[40+4*i:]
		picture.SetNRGBA(i%width, width-1-i/width, color.NRGBA{bgra[2], bgra[1], bgra[0], bgra[3]})
	}
	return picture
}

// entriesICNS returns the parts of a macOS icon by their type.
func entriesICNS(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	if string(data[:4]) != "icns" || int(binary.BigEndian.Uint32(data[4:])) != len(data) {
		t.Fatalf("not an ICNS file of %d bytes: % x", len(data), data[:8])
	}
	entries := make(map[string][]byte)
	for rest := data[8:]; len(rest) > 0; {
		length := binary.BigEndian.Uint32(rest[4:])
		entries[string(rest[:4])] = rest[8:length]
		rest = rest[length:]
	}
	return entries
}

// decodeLegacy combines run-length encoded colour planes with an alpha mask.
func decodeLegacy(t *testing.T, packed, mask []byte, width int) *image.NRGBA {
	t.Helper()
	var planes []byte
	for len(packed) > 0 {
		n := int(packed[0])
		if n < 128 {
			planes = append(planes, packed[1:n+2]...)
			packed = packed[n+2:]
			continue
		}
		planes = append(planes, bytes.Repeat(packed[1:2], n-125)...)
		packed = packed[2:]
	}
	pixels := width * width
	if len(planes) != 3*pixels || len(mask) != pixels {
		t.Fatalf("%d bytes of colours and %d bytes of mask for %d pixels", len(planes), len(mask), pixels)
	}
	picture := image.NewNRGBA(image.Rect(0, 0, width, width))
	for i := range pixels {
		picture.SetNRGBA(i%width, i/width, color.NRGBA{planes[i], planes[pixels+i], planes[2*pixels+i], mask[i]})
	}
	return picture
}

// decodeICNS decodes all images of a macOS icon, by their type.
func decodeICNS(t *testing.T, data []byte) map[string]*image.NRGBA {
	t.Helper()
	entries := entriesICNS(t, data)
	pictures := map[string]*image.NRGBA{
		"is32": decodeLegacy(t, entries["is32"], entries["s8mk"], 16),
		"il32": decodeLegacy(t, entries["il32"], entries["l8mk"], 32),
	}
	for kind, entry := range entries {
		if kind[:2] == "ic" {
			pictures[kind] = decodePNG(t, entry)
		}
	}
	return pictures
}

// differing counts the pixels that differ by more than the rounding differences between processors. It ignores the
// colour of transparent pixels.
func differing(a, b *image.NRGBA) int {
	if a.Rect != b.Rect {
		return max(len(a.Pix), len(b.Pix)) / 4
	}
	count := 0
	for i := 0; i < len(a.Pix); i += 4 {
		for channel := range 4 {
			// Weight colours by alpha, because the colours of nearly transparent pixels are imprecise.
			x, y := int(a.Pix[i+channel]), int(b.Pix[i+channel])
			if channel < 3 {
				x, y = x*int(a.Pix[i+3])/255, y*int(b.Pix[i+3])/255
			}
			if x-y > 3 || y-x > 3 {
				count++
				break
			}
		}
	}
	return count
}
