package mcphttp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// event is one of a stream of events.
type event struct {
	name string // empty: message
	data []byte // its lines, with a line feed between them; never empty
}

func (e event) isMessage() bool { return e.name == "" || e.name == "message" }

// errTooLong is what an event over the limit is read as. Reading may go on.
var errTooLong = errors.New("an event is over the limit")

// mark is the byte order mark with which a stream may begin.
const mark = "\ufeff"

// events reads a text/event-stream as the HTML standard has it: lines end with
// CR, LF or both, a blank one ends an event, and what the stream breaks off in
// is none.
type events struct {
	r     *bufio.Reader
	limit int           // bytes of one event
	id    string        // of the last event that had one; empty: none
	retry time.Duration // what the server last asked for; zero: nothing

	begun bool // a byte order mark can come no more
	cr    bool // the last line ended with CR: an LF now belongs to it
}

func newEvents(r io.Reader, limit int) *events {
	return &events{r: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// next returns the next event that has data.
func (e *events) next() (event, error) {
	var name string
	var data []byte
	id, size := e.id, 0
	for {
		line, err := e.line()
		if err == errTooLong {
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

// usableID returns an id that can be sent in a header; an event with another
// one cannot be named, and so nothing after it can be asked for.
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

// line returns the next line without its end, valid until the next call. One
// over the limit is skipped and is errTooLong.
func (e *events) line() ([]byte, error) {
	var whole []byte // the beginning of a line that is longer than the buffer
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
		switch {
		case size > e.limit && end >= 0:
			return nil, errTooLong
		case size > e.limit:
			whole = nil
		case end >= 0 && len(whole) == 0:
			return part, nil
		default:
			whole = append(whole, part...)
		}
		if end >= 0 {
			return whole, nil
		}
	}
}

// chunk returns what can be read at once, and at least one byte.
func (e *events) chunk() ([]byte, error) {
	for {
		first, err := e.r.Peek(1)
		if err != nil {
			return nil, err
		}
		if !e.begun {
			e.begun = true
			if first[0] == mark[0] { // only then may it wait for more
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

// lineEnd returns where the first CR or LF is, -1 when there is none.
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
