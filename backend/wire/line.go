package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// keepBuffer is the largest line buffer that is kept for the next line.
const keepBuffer = 1 << 20

// LineReader cuts a stream into lines. It never gives up on a stream: a line
// over the limit is skipped to its end and reported, the next one is read as
// if nothing had happened. It is not safe for concurrent use.
type LineReader struct {
	r     *bufio.Reader
	buf   []byte
	limit int
}

// LineTooLong tells that a line was over the limit and has been skipped.
type LineTooLong struct {
	Head []byte // the line's first bytes
	Size int    // bytes in the whole line
}

func (e *LineTooLong) Error() string {
	return fmt.Sprintf("a line of %d bytes is over the limit", e.Size)
}

// NewLineReader returns a reader of lines of at most limit bytes, without
// their ends.
func NewLineReader(r io.Reader, limit int) *LineReader {
	return &LineReader{r: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// Next returns the next line that is not blank, without its end. The line is
// valid until the next call. The error is io.EOF at the end of the stream
// (a last line without an end is still returned), a *LineTooLong after which
// reading may go on, or what the stream failed with.
func (l *LineReader) Next() ([]byte, error) {
	for {
		line, err := l.read()
		if _, long := err.(*LineTooLong); long {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (l *LineReader) read() ([]byte, error) {
	part, err := l.r.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		if size := lengthOf(part); size > l.limit {
			return nil, l.tooLong(part, size)
		}
		return part, err
	}
	if cap(l.buf) > keepBuffer {
		l.buf = nil
	}
	l.buf = append(l.buf[:0], part...)
	size := len(part)
	for err == bufio.ErrBufferFull {
		part, err = l.r.ReadSlice('\n')
		if size <= l.limit {
			l.buf = append(l.buf, part...)
		}
		size += lengthOf(part)
	}
	if size > l.limit {
		return nil, l.tooLong(l.buf, size)
	}
	return l.buf, err
}

// lengthOf is a line's length without its end.
func lengthOf(part []byte) int {
	if n := len(part); n > 0 && part[n-1] == '\n' {
		return n - 1
	}
	return len(part)
}

func (l *LineReader) tooLong(head []byte, size int) error {
	l.buf = nil
	return &LineTooLong{Head: bytes.Clone(head[:min(len(head), 4<<10)]), Size: size}
}
