package mcphttp

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll returns the events of a stream as name|data|id, and the error that ended
// it.
func readAll(e *events) (got []string, err error) {
	for {
		event, err := e.next()
		if err != nil && err != errTooLong {
			return got, err
		}
		if err != nil {
			got = append(got, "too long|"+e.id)
			continue
		}
		got = append(got, fmt.Sprintf("%s|%s|%s", event.name, event.data, e.id))
	}
}

func TestEventsAreReadAsTheStandardSpecifies(t *testing.T) {
	for name, row := range map[string]struct {
		stream string
		want   []string
	}{
		"nothing":                          {"", nil},
		"one":                              {"data: a\n\n", []string{"|a|"}},
		"no space":                         {"data:a\n\n", []string{"|a|"}},
		"one space is removed":             {"data:  a \n\n", []string{"| a |"}},
		"several lines":                    {"data: a\ndata:\ndata: b\n\n", []string{"|a\n\nb|"}},
		"CRLF":                             {"event: e\r\ndata: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", []string{"e|a\nb|", "|c|"}},
		"CR":                               {"data: a\r\rdata: b\r\r", []string{"|a|", "|b|"}},
		"mixed":                            {"data: a\r\n\ndata: b\n\r\ndata: c\r\n\r", []string{"|a|", "|b|", "|c|"}},
		"byte order mark":                  {"\ufeffdata: a\n\n", []string{"|a|"}},
		"a second mark is text":            {"\ufeff\ufeffdata: a\n\ndata: b\n\n", []string{"|b|"}},
		"comments":                         {": hello\n\n:\n:data: x\ndata: a\n: more\n\n", []string{"|a|"}},
		"unknown fields":                   {"foo: 1\nDATA: x\n data: y\ndata\ndata: a\n\n", []string{"|\na|"}},
		"an event without data is dropped": {"id: 7\ndata: \n\nevent: x\n\ndata: a\n\n", []string{"|a|7"}},
		"an id stays": {
			"id: 1\ndata: a\n\ndata: b\n\nid: 2\n\ndata: c\n\nid\ndata: d\n\n", []string{"|a|1", "|b|1", "|c|2", "|d|"},
		},
		"an id with NUL is ignored":    {"id: 1\ndata: a\n\nid: 2\x003\ndata: b\n\n", []string{"|a|1", "|b|1"}},
		"an id not allowed in headers": {"id: 1\ndata: a\n\nid: 2\t3\ndata: b\n\n", []string{"|a|1", "|b|"}},
		"an event cut off is dropped":  {"data: a\n\nid: 9\ndata: b\n", []string{"|a|"}},
		"a line cut off is dropped":    {"data: a\n\ndata: b", []string{"|a|"}},
		"an event over the limit": {
			"data: a\n\nid: 4\ndata: " + strings.Repeat("x", 200000) + "\n\ndata: b\n\n", []string{"|a|", "too long|4", "|b|4"},
		},
		"many short lines over the limit": {
			strings.Repeat("data: x\n", 20000) + "id: 4\n\ndata: b\n\n", []string{"too long|4", "|b|4"},
		},
		"a long event": {
			"data: " + strings.Repeat("x", 99000) + "\n\n", []string{"|" + strings.Repeat("x", 99000) + "|"},
		},
		"short events are counted one by one": {
			strings.Repeat("data: "+strings.Repeat("x", 60000)+"\n\n", 3),
			slices.Repeat([]string{"|" + strings.Repeat("x", 60000) + "|"}, 3),
		},
	} {
		for how, reader := range map[string]io.Reader{
			"at once": strings.NewReader(row.stream), "byte by byte": iotest.OneByteReader(strings.NewReader(row.stream)),
		} {
			got, err := readAll(newEvents(reader, 100000))
			if !slices.Equal(got, row.want) || !errors.Is(err, io.EOF) {
				t.Errorf("%s, %s: got %.200q, %v", name, how, got, err)
			}
		}
	}
}

func TestRetryTimesAreRead(t *testing.T) {
	for stream, want := range map[string]string{
		"retry: 1500\n\n": "1.5s", "retry: 0\n\n": "0s", "retry: 10\nretry: x\n\n": "10ms", "retry: -1\n\n": "0s",
		"retry: 99999999999999\n\n": "0s",
	} {
		e := newEvents(strings.NewReader(stream), 100)
		if _, err := readAll(e); err != io.EOF || e.retry.String() != want {
			t.Errorf("%q: %s, %v", stream, e.retry, err)
		}
	}
}

func TestAnEventDoesNotWaitForTheNext(t *testing.T) {
	for _, stream := range []string{"data: a\n\n", "data: a\r\r", "data: a\r\n\r"} {
		r, w := io.Pipe()
		go func() { _, _ = io.WriteString(w, stream) }()
		event, err := newEvents(r, 100).next()
		if err != nil || string(event.data) != "a" {
			t.Errorf("%q: got %q, %v", stream, event.data, err)
		}
		_ = w.Close()
	}
}

// plainEvents is a simple parser of a whole stream. The tests compare its events with
// those of the reader that reads chunks.
func plainEvents(stream string, limit int) (got []string) {
	stream = strings.TrimPrefix(stream, mark)
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n"), "\n")
	name, data, id, last, size := "", "", "", "", 0
	for _, line := range lines[:len(lines)-1] {
		if len(line) > limit {
			size = limit + 1
			continue
		}
		size += len(line)
		if line == "" {
			last = id
			if size > limit {
				got = append(got, "too long|"+last)
			} else if len(data) > 1 {
				got = append(got, name+"|"+data[:len(data)-1]+"|"+last)
			}
			name, data, size = "", "", 0
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			name = value
		case "data":
			data += value + "\n"
		case "id":
			id = usableID([]byte(value), id)
		}
	}
	return got
}

func FuzzEventsAreReadInChunks(f *testing.F) {
	for _, stream := range []string{
		"", "data: a\n\n", "\ufeffid: 1\r\ndata: a\rdata: b\n\r\n", ": c\n\nretry: 5\nid\ndata\n\n",
		"event: endpoint\ndata: /x?y=1\n\n\r\r\n", "data: 0123456789012345678901234567890123456789\n\ndata: 1\n\n",
		"\xef\xbbdata: x\n\n", "id: \x00\ndata:\ndata:\n\n",
	} {
		f.Add(stream)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		const limit = 30
		want := plainEvents(stream, limit)
		for _, reader := range []io.Reader{
			strings.NewReader(stream), iotest.OneByteReader(strings.NewReader(stream)), iotest.HalfReader(strings.NewReader(stream)),
		} {
			if got, err := readAll(newEvents(reader, limit)); !slices.Equal(got, want) || !errors.Is(err, io.EOF) {
				t.Errorf("%q gives %q, %v; want %q", stream, got, err, want)
			}
		}
	})
}
