package jsonrpc

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"sync/atomic"
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
	// hugeBuffer is the size from which a buffer grows to four times its size,
	// instead of twice. Such growth needs fewer copies, each of which takes memory
	// until the next garbage collection. The larger end costs little, because the
	// system provides its memory only when it is filled.
	hugeBuffer = 32 << 20
	// headSize is the maximum size of LineTooLong.Head and LineTooLong.Tail.
	headSize = 4 << 10
	// maxEmptyReads is the number of reads without data or error after which a
	// stream counts as broken.
	maxEmptyReads = 100
)

// LineReader splits a stream into lines. A line over the limit is skipped and
// reported as an error, after which the next line can be read. A LineReader is
// not safe for concurrent use.
type LineReader struct {
	// Whole makes Next drop a last line without a line end, which means that the stream
	// was cut off. Otherwise Next returns that line.
	Whole bool

	r        io.Reader
	buf      []byte
	from, to int   // the bytes of buf that were read and not returned yet
	err      error // the error that ended the stream
	limit    atomic.Int64
	short    int // lines in a row that needed no more than firstBuffer
	charge   Charge
}

// LineTooLong is the error for a line over the limit, which was skipped.
type LineTooLong struct {
	Head []byte // the line's first bytes
	Tail []byte // the line's last bytes, without the line end
	Size int    // of the whole line in bytes
	// Full means that the line was skipped because the Budget of unfinished
	// messages was used up, and not because of the limit for one line.
	Full bool
}

func (e *LineTooLong) Error() string {
	if e.Full {
		return fmt.Sprintf("a line of %d bytes had to be skipped: too many large messages arrive at the same time", e.Size)
	}
	return fmt.Sprintf("a line of %d bytes is over the limit", e.Size)
}

// These patterns find the id of an answer, which is one of the first or one of the last members of the object.
var (
	idFirst = regexp.MustCompile(
		`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)\s*,\s*"(?:jsonrpc|result|error)"`,
	)
	idLast = regexp.MustCompile(`,\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
)

// answers returns the id of the request that the line answers, nil if it is not
// known.
func (e *LineTooLong) answers() []byte {
	if m := idFirst.FindSubmatch(e.Head); m != nil {
		return m[1]
	}
	if m := idLast.FindSubmatch(e.Tail); m != nil {
		return m[1]
	}
	return nil
}

// NewLineReader returns a reader of lines of at most limit bytes, not counting
// line ends.
func NewLineReader(r io.Reader, limit int) *LineReader {
	l := &LineReader{r: r, buf: make([]byte, firstBuffer)}
	l.limit.Store(int64(limit))
	return l
}

// keep returns bytes with the content of line, a result of Next, that stay valid.
// It copies a short line. For a long line, it returns the line itself and gives
// the reader a new buffer.
func (l *LineReader) keep(line []byte) []byte {
	if len(line) <= keepBuffer {
		return bytes.Clone(line)
	}
	unread := l.buf[l.from:l.to]
	l.buf = make([]byte, sizeFor(unread))
	l.from, l.to = 0, copy(l.buf, unread)
	l.charge.Free()
	return line
}

// sizeFor returns the size of a buffer that can hold twice as many bytes as are unread,
// at least firstBuffer.
func sizeFor(unread []byte) int {
	size := firstBuffer
	for size < 2*len(unread) {
		size *= 2
	}
	return size
}

// Next returns the next line that is not blank, without the line end and the white space around it. The line is valid
// until the next call. Its capacity ends with its line end: appending a line end to it copies nothing, and appending
// more does not overwrite the lines after it. The error is io.EOF at the end of the stream, a *LineTooLong, after which
// Next can be called again, or an error of the stream.
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
			l.charge.Free()
			return nil, l.err
		case l.err != nil:
			l.charge.Free()
			line, err := l.take(seen)
			if err == nil {
				err = l.err
			}
			return line, err
		case int64(seen) > l.limit.Load():
			return nil, l.skip(false)
		}
		if !l.fill() {
			return nil, l.skip(true)
		}
	}
}

// take returns the next n bytes as a line.
func (l *LineReader) take(n int) ([]byte, error) {
	line := l.buf[l.from : l.from+n : l.from+n]
	l.from += n
	if n > firstBuffer {
		l.short = 0
	} else {
		l.short++
	}
	if size := lengthOf(line); int64(size) > l.limit.Load() {
		return nil, &LineTooLong{Head: headOf(line), Tail: tailOf(line), Size: size}
	}
	return line, nil
}

// tidy replaces a buffer that has grown too large with a smaller one. If all
// bytes of the buffer were returned, it continues at the start of the buffer.
func (l *LineReader) tidy() {
	unread := l.buf[l.from:l.to]
	size := len(l.buf)
	if size > keepBuffer || l.short >= keepLines {
		size = sizeFor(unread)
	}
	if size < len(l.buf) {
		l.charge.Free()
		l.buf = make([]byte, size)
		l.from, l.to = 0, copy(l.buf, unread)
	}
	if l.from == l.to {
		l.from, l.to = 0, 0
	}
}

// fill reads the next bytes of the stream. If the buffer is full, it first makes
// room or enlarges the buffer. It returns false if the budget does not allow a
// larger buffer.
func (l *LineReader) fill() bool {
	unread, size := l.buf[l.from:l.to], len(l.buf)
	if l.to == len(l.buf) && len(unread) > len(l.buf)/2 {
		size = 2 * len(l.buf)
		if len(l.buf) >= hugeBuffer {
			size = 4 * len(l.buf)
		}
		// A buffer need not be larger than the longest line and its line end.
		size = max(min(size, int(l.limit.Load())+firstBuffer), len(l.buf)+firstBuffer)
	}
	if (size > len(l.buf) || size > hugeBuffer) && !l.charge.Grow(min(size, len(unread)+hugeBuffer)) {
		return false
	}
	if l.to == len(l.buf) {
		if size > len(l.buf) {
			l.buf = make([]byte, size)
		}
		l.from, l.to = 0, copy(l.buf, unread)
	}
	for range maxEmptyReads {
		n, err := l.r.Read(l.buf[l.to:])
		l.to += n
		if l.err = err; n > 0 || err != nil {
			return true
		}
	}
	l.err = io.ErrNoProgress
	return true
}

// skip skips the rest of a line over the limit and returns the error for it. full
// is LineTooLong.Full.
func (l *LineReader) skip(full bool) error {
	head, tail, size := headOf(l.buf[l.from:l.to]), []byte(nil), 0
	for {
		part := l.buf[l.from:l.to]
		i := bytes.IndexByte(part, '\n')
		if i >= 0 {
			part = part[:i+1]
		}
		l.from += len(part)
		size += lengthOf(part)
		tail = tailOf(append(tail, part[max(len(part)-headSize-1, 0):]...))
		if i >= 0 || l.err != nil {
			return &LineTooLong{Head: head, Tail: bytes.TrimSuffix(tail, []byte("\n")), Size: size, Full: full}
		}
		l.tidy() // the buffer is empty, so fill needs no larger one
		l.fill()
	}
}

func headOf(line []byte) []byte { return bytes.Clone(line[:min(len(line), headSize)]) }

func tailOf(line []byte) []byte { return bytes.Clone(line[max(len(line)-headSize, 0):]) }

// lengthOf returns the length of a line without its line end.
func lengthOf(part []byte) int {
	if n := len(part); n > 0 && part[n-1] == '\n' {
		return n - 1
	}
	return len(part)
}
