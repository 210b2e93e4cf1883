package mcphttp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// event is a server-sent event.
type event struct {
	name string // empty means "message"
	data []byte // the data lines, joined by line feeds; never empty
}

func (e event) isMessage() bool { return e.name == "" || e.name == "message" }

// errTooLong is the error for an event over the limit. Reading may continue.
var errTooLong = errors.New("event over the size limit")

// errFull is the error for a message that would exceed the budget of unfinished
// messages. Reading events may continue.
var errFull = errors.New("too many large messages at the same time")

// chargedReader charges the bytes that it has read to a budget.
type chargedReader struct {
	r      io.Reader
	charge jsonrpc.Charge
	read   int
}

func (c *chargedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.read += n; !c.charge.Grow(c.read) {
		return n, errFull
	}
	return n, err
}

// mark is the byte order mark that may be at the beginning of a stream.
const mark = "\ufeff"

// events reads a text/event-stream as the HTML standard specifies it: lines end
// with CR, LF or both, a blank line ends an event, and an event that is cut off by
// the end of the stream is dropped.
type events struct {
	r     *bufio.Reader
	limit int           // bytes of one event
	id    string        // id of the last event that had one, or empty
	retry time.Duration // the last retry time of the server, or 0

	charge jsonrpc.Charge // for the event that is read

	begun bool // the first byte was read, so a byte order mark is no longer possible
	cr    bool // the last line ended with CR, so an LF that follows belongs to it
}

func newEvents(r io.Reader, limit int) *events {
	return &events{r: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// next returns the next event that has data.
func (e *events) next() (event, error) {
	var name string
	var data []byte
	id, size, full := e.id, 0, false
	e.charge.Free()
	for {
		line, err := e.line(size)
		if err == errTooLong || err == errFull {
			full = full || err == errFull
			size = e.limit + 1
			continue
		}
		if err != nil {
			return event{}, err
		}
		size += len(line)
		if len(line) == 0 {
			e.id = id
			switch {
			case full:
				return event{}, errFull
			case size > e.limit:
				return event{}, errTooLong
			case len(data) > 1:
				return event{name, data[:len(data)-1]}, nil
			}
			name, data, size = "", nil, 0
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "data":
			if data = append(append(data, value...), '\n'); size > e.limit {
				data = nil
			}
		case "id":
			id = usableID(value, id)
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				e.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
}

// usableID returns the id of an event or, if a header cannot carry this id, an empty id,
// with which the stream cannot be resumed. The HTML standard says to ignore an id that
// contains a NUL byte; for such an id, usableID returns the previous id, which is the
// parameter before.
func usableID(value []byte, before string) string {
	if bytes.IndexByte(value, 0) >= 0 {
		return before
	}
	const most = 4 << 10
	if len(value) > most || bytes.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return ""
	}
	return string(value)
}

// line returns the next line without its end, valid until the next call. A line over the
// limit is skipped, and the error is errTooLong. A line that the budget does not allow
// is skipped too, and the error is errFull. before is the size of the event so far.
func (e *events) line(before int) ([]byte, error) {
	var whole []byte // the first part of a line that is longer than the buffer
	full := false
	for size := 0; ; {
		chunk, err := e.chunk()
		if err != nil {
			return nil, err
		}
		end := lineEnd(chunk)
		part := chunk
		if end >= 0 {
			part = chunk[:end]
			e.cr = chunk[end] == '\r'
			_, _ = e.r.Discard(end + 1)
		} else {
			_, _ = e.r.Discard(len(chunk))
		}
		size += len(part)
		if full = full || size <= e.limit && !e.charge.Grow(before+size); full {
			whole = nil
			e.charge.Free()
		}
		switch {
		case full && end >= 0:
			return nil, errFull
		case full:
		case size > e.limit && end >= 0:
			return nil, errTooLong
		case size > e.limit:
			whole = nil
		case end >= 0 && len(whole) == 0:
			return part, nil
		default:
			whole = append(whole, part...)
		}
		if end >= 0 && !full {
			return whole, nil
		}
	}
}

// chunk waits until at least one byte was read, and returns all bytes that are buffered.
func (e *events) chunk() ([]byte, error) {
	for {
		first, err := e.r.Peek(1)
		if err != nil {
			return nil, err
		}
		if !e.begun {
			e.begun = true
			if first[0] == mark[0] { // other first bytes must not wait for more bytes
				if begin, _ := e.r.Peek(len(mark)); string(begin) == mark {
					_, _ = e.r.Discard(len(mark))
					continue
				}
			}
		}
		if e.cr && first[0] == '\n' {
			e.cr = false
			_, _ = e.r.Discard(1)
			continue
		}
		e.cr = false
		return e.r.Peek(e.r.Buffered())
	}
}

// lineEnd returns the position of the first CR or LF, -1 if there is none.
func lineEnd(chunk []byte) int {
	lf := bytes.IndexByte(chunk, '\n')
	if lf >= 0 {
		chunk = chunk[:lf]
	}
	if cr := bytes.IndexByte(chunk, '\r'); cr >= 0 {
		return cr
	}
	return lf
}
