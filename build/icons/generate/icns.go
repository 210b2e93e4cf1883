package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
)

// encodeICNS packs a macOS icon. The two smallest sizes are in the old form of colours and mask, because PNG in their
// place is shown wrongly by some versions of macOS; the rest is PNG, where the same pixels serve a size and the half
// of it on a Retina display.
func encodeICNS(at func(size int) *image.RGBA) []byte {
	var body bytes.Buffer
	chunk := func(kind string, data []byte) {
		body.WriteString(kind)
		body.Write(binary.BigEndian.AppendUint32(nil, uint32(8+len(data))))
		body.Write(data)
	}
	for _, old := range []struct {
		size          int
		colours, mask string
	}{{16, "is32", "s8mk"}, {32, "il32", "l8mk"}} {
		red, green, blue, alpha := channels(at(old.size))
		chunk(old.colours, bytes.Join([][]byte{pack(red), pack(green), pack(blue)}, nil))
		chunk(old.mask, alpha)
	}
	for _, modern := range []struct {
		kind string
		size int
	}{
		{"ic11", 32}, {"ic12", 64}, {"ic07", 128}, {"ic13", 256}, {"ic08", 256}, {"ic14", 512}, {"ic09", 512}, {"ic10", 1024},
	} {
		chunk(modern.kind, encodePNG(at(modern.size)))
	}
	file := binary.BigEndian.AppendUint32([]byte("icns"), uint32(8+body.Len()))
	return append(file, body.Bytes()...)
}

func channels(picture *image.RGBA) (red, green, blue, alpha []byte) {
	size := picture.Rect.Dx()
	for i := range size * size {
		c := color.NRGBAModel.Convert(picture.At(i%size, i/size)).(color.NRGBA)
		red, green, blue, alpha = append(red, c.R), append(green, c.G), append(blue, c.B), append(alpha, c.A)
	}
	return red, green, blue, alpha
}

// pack is Apple's run lengths: n below 128 and n+1 bytes as they are, or n from 128 and one byte run+125 times.
func pack(data []byte) []byte {
	const longest = 130
	var packed, plain []byte
	flush := func() {
		for len(plain) > 0 {
			n := min(len(plain), 128)
			packed = append(append(packed, byte(n-1)), plain[:n]...)
			plain = plain[n:]
		}
	}
	for i := 0; i < len(data); {
		run := 1
		for i+run < len(data) && run < longest && data[i+run] == data[i] {
			run++
		}
		if run < 3 {
			plain = append(plain, data[i:i+run]...)
		} else {
			flush()
			packed = append(packed, byte(run+125), data[i])
		}
		i += run
	}
	flush()
	return packed
}
