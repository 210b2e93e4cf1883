package endpoint

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

const (
	// silence is how long the hub waits for an answer before it begins the response as a stream.
	silence = 5 * time.Second
	// commentEvery is how often the hub writes a comment to a stream without events, so that proxies keep the
	// connection open.
	commentEvery = 15 * time.Second
	// writeTimeout limits the time of one write, which has at most maxWrite bytes.
	writeTimeout = 30 * time.Second
	maxWrite     = 1 << 20
)

// reply says how to send the events of a stream as one response.
type reply struct {
	modern bool // the HTTP status of an error depends on its code
	batch  bool // a JSON response is an array
	eager  bool // the response is a stream of events from the beginning
	stream bool // results are sent as a stream of events even if they could be JSON
	prime  bool // a stream of events begins with an event that has an id and no data
}

// send sends the events of a stream until it ends. The response is JSON if the stream ends within the time silence, the
// stream contains only answers, and how allows JSON. Otherwise the response is a stream of events. send returns false
// if the client has disconnected before the end.
func (c *conversation) send(from *reader, how reply) bool {
	defer from.detach()
	out := &output{w: c.w, control: http.NewResponseController(c.w), stream: from.stream, prime: how.prime, after: from.stream.taken()}
	if how.eager {
		out.begin()
	}
	timer := time.NewTimer(silence)
	defer timer.Stop()
	var held []event
	for {
		events, last, ok := from.take()
		if !ok {
			return false
		}
		held = append(held, events...)
		switch {
		case !out.begun && last && onlyAnswers(held) && !(how.stream && onlyResults(held)):
			return out.json(held, how)
		case out.begun || last || !onlyAnswers(held):
			out.begin()
			if out.events(held); len(held) > 0 {
				timer.Reset(commentEvery)
			}
			held = nil
		}
		if last {
			return !out.failed
		}
		if out.failed {
			return false
		}
		select {
		case <-from.wake:
		case <-timer.C:
			if out.begun {
				out.write([]byte(":\n\n")) // a comment
				out.flush()
			}
			out.begin()
			out.events(held)
			held = nil
			timer.Reset(commentEvery)
		case <-c.r.Context().Done():
			return false
		}
	}
}

// prefersStream reports whether a client prefers a stream of events to JSON. A client says so with an Accept header
// that begins with text/event-stream.
func prefersStream(r *http.Request) bool {
	first, _, _ := strings.Cut(r.Header.Get("Accept"), ",")
	kind, _, _ := mime.ParseMediaType(first)
	return kind == "text/event-stream"
}

// onlyResults reports whether there are events and none is an error.
func onlyResults(events []event) bool {
	return len(events) > 0 && !slices.ContainsFunc(events, func(e event) bool { return e.code != 0 })
}

func onlyAnswers(events []event) bool {
	return !slices.ContainsFunc(events, func(e event) bool { return e.answers == nil })
}

// output writes a response. After a failed write it does nothing.
type output struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stream  *stream
	prime   bool
	after   int // id of the event before the first one
	begun   bool
	failed  bool
}

// begin starts the response as a stream of events, unless it has started.
func (o *output) begin() {
	if o.begun {
		return
	}
	o.begun = true
	o.stream.mu.Lock()
	o.stream.streamed = true
	o.stream.mu.Unlock()
	header := o.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store, no-transform")
	header.Set("X-Accel-Buffering", "no")
	o.w.WriteHeader(http.StatusOK)
	if o.prime {
		o.write([]byte("id: " + o.stream.eventID(o.after) + "\ndata: \n\n"))
	}
	o.flush()
}

func (o *output) events(events []event) {
	for _, e := range events {
		head := ""
		if o.stream.name != "" {
			head = "id: " + o.stream.eventID(e.id) + "\n"
		}
		if e.name != "" {
			head += "event: " + e.name + "\n"
		}
		o.write([]byte(head + "data: "))
		for _, part := range e.parts {
			o.write(part)
		}
		o.write([]byte("\n"))
	}
	if len(events) > 0 {
		o.flush()
	}
}

// json writes the answers as a JSON response.
func (o *output) json(answers []event, how reply) bool {
	if len(answers) == 0 { // the requests were cancelled
		o.w.WriteHeader(http.StatusAccepted)
		return true
	}
	size, status := 0, http.StatusOK
	for _, a := range answers {
		size += a.size
	}
	if how.modern {
		status = mcpversion.Status(answers[0].code)
	}
	header := o.w.Header()
	header.Set("Content-Type", "application/json")
	if how.batch {
		size += len(answers) + 1
	}
	header.Set("Content-Length", strconv.Itoa(size))
	o.w.WriteHeader(status)
	for i, a := range answers {
		switch {
		case how.batch && i == 0:
			o.write([]byte("["))
		case how.batch:
			o.write([]byte(","))
		}
		for _, part := range a.parts {
			o.write(part)
		}
	}
	if how.batch {
		o.write([]byte("]"))
	}
	return !o.failed
}

func (o *output) write(p []byte) {
	for len(p) > 0 && !o.failed {
		n := min(len(p), maxWrite)
		_ = o.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // fails for an httptest.ResponseRecorder
		_, err := o.w.Write(p[:n])
		o.failed = err != nil
		p = p[n:]
	}
}

func (o *output) flush() {
	if !o.failed {
		o.failed = o.control.Flush() != nil
	}
}
