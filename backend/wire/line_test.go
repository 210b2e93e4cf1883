package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReaderFindsTheNextLineAfterALongOne(t *testing.T) {
	const limit = 200 << 10
	input := "first\r\n\n  \n" + strings.Repeat("x", limit+1) + "\nsecond\n" + strings.Repeat("y", limit) + "\nlast"
	for name, r := range map[string]io.Reader{
		"at once": strings.NewReader(input), "byte by byte": iotest.OneByteReader(strings.NewReader(input)),
	} {
		lines := NewLineReader(r, limit)
		var got []string
		for {
			line, err := lines.Next()
			var long *LineTooLong
			if errors.As(err, &long) {
				if long.Size != limit+1 || !bytes.HasPrefix(long.Head, []byte("xxx")) {
					t.Errorf("%s: long line reported as %d bytes, head %.10q", name, long.Size, long.Head)
				}
				got = append(got, "too long")
				continue
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(line[:min(len(line), 6)]))
		}
		if want := "first too long second yyyyyy last"; strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestReaderDoesNotKeepAHugeBuffer(t *testing.T) {
	lines := NewLineReader(strings.NewReader(strings.Repeat("x", 4<<20)+"\n"+strings.Repeat("y", 100<<10)+"\n"), 8<<20)
	for range 2 {
		if _, err := lines.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if cap(lines.buf) > keepBuffer {
		t.Errorf("the reader holds %d bytes after a short line", cap(lines.buf))
	}
}
