package jsonrpc

import (
	"bytes"
	"fmt"
	"io"
)

const (
	// firstBuffer is enough for most lines, and what one read of a pipe gives.
	firstBuffer = 64 << 10
	// keepBuffer is the largest buffer that is kept for the next line: one
	// that has grown is dear, because all its memory is new to the process.
	keepBuffer = 2 << 20
	// keepLines is after how many short lines it is given up.
	keepLines = 16
	// headSize is how much of a line that is too long is shown.
	headSize = 4 << 10
	// maxEmptyReads is after how many reads of nothing a stream counts as
	// broken.
	maxEmptyReads = 100
)

// LineReader cuts a stream into lines. It never gives up on a stream: a line
// over the limit is skipped to its end and reported, the next one is read as
// if nothing had happened. It is not safe for concurrent use.
type LineReader struct {
	// Whole says that a last line without an end is no line: the stream
	// broke off. Without it such a line is returned.
	Whole bool

	r        io.Reader
	buf      []byte
	from, to int   // what of buf is read and not returned yet
	err      error // what the stream ended with
	limit    int
	short    int // lines in a row that needed no more than firstBuffer
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
	return &LineReader{r: r, buf: make([]byte, firstBuffer), limit: limit}
}

// Next returns the next line that is not blank, without its end. The line is
// valid until the next call. The error is io.EOF at the end of the stream, a
// *LineTooLong after which reading may go on, or what the stream failed with.
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
	l.tidy()
	for seen := 0; ; {
		unread := l.buf[l.from:l.to]
		if i := bytes.IndexByte(unread[seen:], '\n'); i >= 0 {
			return l.take(seen + i + 1)
		}
		seen = len(unread)
		switch {
		case l.err != nil && l.Whole:
			l.from = l.to
			return nil, l.err
		case l.err != nil:
			line, err := l.take(seen)
			if err == nil {
				err = l.err
			}
			return line, err
		case seen > l.limit:
			return nil, l.skip()
		}
		l.fill()
	}
}

// take returns the next n bytes as a line.
func (l *LineReader) take(n int) ([]byte, error) {
	line := l.buf[l.from : l.from+n]
	l.from += n
	if n > firstBuffer {
		l.short = 0
	} else {
		l.short++
	}
	if size := lengthOf(line); size > l.limit {
		return nil, &LineTooLong{Head: bytes.Clone(line[:min(len(line), headSize)]), Size: size}
	}
	return line, nil
}

// tidy gives up a buffer that has grown, once what is in it fits in a smaller.
func (l *LineReader) tidy() {
	unread := l.buf[l.from:l.to]
	size := len(l.buf)
	if size > keepBuffer || l.short >= keepLines {
		for size = firstBuffer; size < 2*len(unread); {
			size *= 2
		}
	}
	if size < len(l.buf) {
		l.buf = make([]byte, size)
		l.from, l.to = 0, copy(l.buf, unread)
	}
	if l.from == l.to {
		l.from, l.to = 0, 0
	}
}

// fill reads what there is, after making room for it.
func (l *LineReader) fill() {
	if l.to == len(l.buf) {
		unread := l.buf[l.from:l.to]
		if len(unread) > len(l.buf)/2 {
			l.buf = make([]byte, 2*len(l.buf))
		}
		l.from, l.to = 0, copy(l.buf, unread)
	}
	for range maxEmptyReads {
		n, err := l.r.Read(l.buf[l.to:])
		l.to += n
		if l.err = err; n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}

// skip passes over the rest of a line that is too long.
func (l *LineReader) skip() error {
	head, size := bytes.Clone(l.buf[l.from:min(l.to, l.from+headSize)]), 0
	for {
		part := l.buf[l.from:l.to]
		i := bytes.IndexByte(part, '\n')
		if i >= 0 {
			part = part[:i+1]
		}
		l.from += len(part)
		size += lengthOf(part)
		if i >= 0 || l.err != nil {
			return &LineTooLong{Head: head, Size: size}
		}
		l.tidy()
		l.fill()
	}
}

// lengthOf is a line's length without its end.
func lengthOf(part []byte) int {
	if n := len(part); n > 0 && part[n-1] == '\n' {
		return n - 1
	}
	return len(part)
}
