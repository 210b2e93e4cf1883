package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
)

// encodeICNS encodes a macOS icon. The two smallest sizes use the legacy format of colours and mask, because some versions
// of macOS show PNG of these sizes wrongly. The others are PNG; an image can appear twice, for its size and for half its
// size on a Retina display.
func encodeICNS(at func(size int) *image.RGBA) []byte {
	var body bytes.Buffer
	writeChunk := func(kind string, data []byte) {
		body.WriteString(kind)
		body.Write(binary.BigEndian.AppendUint32(nil, uint32(8+len(data))))
		body.Write(data)
	}
	for _, legacy := range []struct {
		size          int
		colours, mask string
	}{{16, "is32", "s8mk"}, {32, "il32", "l8mk"}} {
		red, green, blue, alpha := channels(at(legacy.size))
		writeChunk(legacy.colours, bytes.Join([][]byte{pack(red), pack(green), pack(blue)}, nil))
		writeChunk(legacy.mask, alpha)
	}
	for _, modern := range []struct {
		kind string
		size int
	}{
		{"ic11", 32}, {"ic12", 64}, {"ic07", 128}, {"ic13", 256}, {"ic08", 256}, {"ic14", 512}, {"ic09", 512}, {"ic10", 1024},
	} {
		writeChunk(modern.kind, encodePNG(at(modern.size)))
	}
	file := binary.BigEndian.AppendUint32([]byte("icns"), uint32(8+body.Len()))
	return append(file, body.Bytes()...)
}

// channels returns the colour planes and the alpha plane of an image, without premultiplied alpha.
func channels(picture *image.RGBA) (red, green, blue, alpha []byte) {
	size := picture.Rect.Dx()
	for i := range size * size {
		c := color.NRGBAModel.Convert(picture.At(i%size, i/size)).(color.NRGBA)
		red, green, blue, alpha = append(red, c.R), append(green, c.G), append(blue, c.B), append(alpha, c.A)
	}
	return red, green, blue, alpha
}

// pack encodes bytes with Apple's run-length encoding. A control byte n < 128 precedes n+1 literal bytes; n ≥ 128 precedes
// one byte that is repeated n-125 times.
func pack(data []byte) []byte {
	const longest = 130
	var packed, literal []byte
	flush := func() {
		for len(literal) > 0 {
			n := min(len(literal), 128)
			packed = append(append(packed, byte(n-1)), literal[:n]...)
			literal = literal[n:]
		}
	}
	for i := 0; i < len(data); {
		run := 1
		for i+run < len(data) && run < longest && data[i+run] == data[i] {
			run++
		}
		if run < 3 {
			literal = append(literal, data[i:i+run]...)
		} else {
			flush()
			packed = append(packed, byte(run+125), data[i])
		}
		i += run
	}
	flush()
	return packed
}
