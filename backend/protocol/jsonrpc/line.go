package jsonrpc

import (
	"bytes"
	"fmt"
	"io"
)

const (
	// firstBuffer is the size of most reads from a pipe; most lines are shorter.
	firstBuffer = 64 << 10
	// keepBuffer is the largest buffer that is kept for the next lines.
	// Allocating a large buffer again is expensive, because the process has to
	// get its memory from the system.
	keepBuffer = 2 << 20
	// keepLines is the number of short lines after which a large buffer is
	// replaced by a small one.
	keepLines = 16
	// headSize is the size of LineTooLong.Head.
	headSize = 4 << 10
	// maxEmptyReads is the number of reads without data or error after which a
	// stream counts as broken.
	maxEmptyReads = 100
)

// LineReader splits a stream into lines. A line over the limit is skipped and
// reported as an error, after which the next line can be read. A LineReader is
// not safe for concurrent use.
type LineReader struct {
	// Whole drops a last line without a line end, because the stream was cut
	// off. Otherwise that line is returned.
	Whole bool

	r        io.Reader
	buf      []byte
	from, to int   // the bytes of buf that were read and not returned yet
	err      error // the error that ended the stream
	limit    int
	short    int // lines in a row that needed no more than firstBuffer
}

// LineTooLong is the error for a line over the limit, which was skipped.
type LineTooLong struct {
	Head []byte // the line's first bytes
	Size int    // of the whole line in bytes
}

func (e *LineTooLong) Error() string {
	return fmt.Sprintf("a line of %d bytes is over the limit", e.Size)
}

// NewLineReader returns a reader of lines of at most limit bytes, not counting
// line ends.
func NewLineReader(r io.Reader, limit int) *LineReader {
	return &LineReader{r: r, buf: make([]byte, firstBuffer), limit: limit}
}

// Next returns the next line that is not blank, without its end. The line is
// valid until the next call. The error is io.EOF at the end of the stream, a
// *LineTooLong, after which Next can be called again, or an error of the stream.
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

// tidy replaces a buffer that has grown too large by a smaller one, and moves the
// position of an empty buffer to its start.
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

// fill reads the next bytes of the stream. If the buffer is full, it first makes
// room or enlarges the buffer.
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

// skip skips the rest of a line over the limit and returns the error for it.
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

// lengthOf returns the length of a line without its line end.
func lengthOf(part []byte) int {
	if n := len(part); n > 0 && part[n-1] == '\n' {
		return n - 1
	}
	return len(part)
}
