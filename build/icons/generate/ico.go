package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
)

// encodeICO encodes images as a Windows icon: as bitmaps, which all programs read, and from 256 pixels on as PNG, because
// a bitmap would be large.
func encodeICO(pictures []*image.RGBA) []byte {
	const header, entry = 6, 16
	var index, body bytes.Buffer
	put(&index, uint16(0), uint16(1), uint16(len(pictures)))
	for _, picture := range pictures {
		size := picture.Rect.Dx()
		data := encodeDIB(picture)
		if size >= 256 {
			data = encodePNG(picture)
		}
		offset := header + entry*len(pictures) + body.Len()
		// Width and height have one byte each; 0 means 256.
		put(&index, uint8(size), uint8(size), uint8(0), uint8(0), uint16(1), uint16(32), uint32(len(data)), uint32(offset))
		body.Write(data)
	}
	return append(index.Bytes(), body.Bytes()...)
}

// encodeDIB encodes a bitmap without file header: rows from bottom to top in BGRA, and then a mask of one bit per pixel,
// which old programs use instead of alpha.
func encodeDIB(picture *image.RGBA) []byte {
	size := picture.Rect.Dx()
	stride := (size + 31) / 32 * 4
	var to bytes.Buffer
	// The height in the header includes the mask.
	put(&to, uint32(40), int32(size), int32(2*size), uint16(1), uint16(32), uint32(0), uint32(4*size*size+stride*size))
	put(&to, int32(0), int32(0), uint32(0), uint32(0))
	mask := make([]byte, 0, stride*size)
	for y := size - 1; y >= 0; y-- {
		row := make([]byte, stride)
		for x := range size {
			c := color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)
			to.Write([]byte{c.B, c.G, c.R, c.A})
			if c.A == 0 {
				row[x/8] |= 0x80 >> (x % 8)
			}
		}
		mask = append(mask, row...)
	}
	to.Write(mask)
	return to.Bytes()
}

// put writes values in little-endian order.
func put(to *bytes.Buffer, values ...any) {
	for _, value := range values {
		if err := binary.Write(to, binary.LittleEndian, value); err != nil {
			panic(err) // fails only for a value without a fixed size
		}
	}
}
