package endpoint

import (
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

const (
	// maxReplay and maxReplaySize limit the events of a stream that are kept to be sent
	// again, in number and in bytes.
	maxReplay     = 256
	maxReplaySize = 4 << 20
	// maxWaiting and maxWaitingSize limit the events that wait for a client that reads
	// slowly, besides answers.
	maxWaiting     = 1024
	maxWaitingSize = 16 << 20
)

// event is a message on a stream.
type event struct {
	id    int      // its position in the stream, from 1
	name  string   // empty for a message
	parts [][]byte // the line of the message
	size  int

	answers json.RawMessage // the id of the request that it answers; nil if it answers none
	code    int64           // of the error that it answers with; 0 if none
	minor   bool            // may be dropped if the client reads slowly
}

func newEvent(parts ...[]byte) event {
	e := event{parts: parts}
	for _, part := range parts {
		e.size += len(part)
	}
	return e
}

// answer returns the event that answers a request.
func answer(id, result json.RawMessage, err *jsonrpc.Error) *event {
	e := newEvent(jsonrpc.ResponseParts(id, result, err)...)
	e.answers = id
	if err != nil {
		e.code = err.Code
	}
	return &e
}

// stream holds the messages to a client that belong together: those of the requests of
// one POST, or those outside of requests. Adding a message never blocks.
type stream struct {
	name string // in ids of events; empty if its events have no ids and are not kept

	mu       sync.Mutex
	events   []event // the last ones, in order
	size     int     // of all events in bytes
	last     int     // id of the last event
	sent     int     // id of the last event that a reader has taken
	open     int     // requests without an answer; -1 for a stream that does not end with answers
	notes    int     // number of messages that are no answers
	streamed bool    // a client has got ids of events
	closed   bool
	reader   *reader
}

// newStream returns the stream of a number of requests.
func newStream(name string, requests int) *stream { return &stream{name: name, open: requests} }

// reader takes the events of a stream for one response. A stream has one reader; a new
// one replaces it.
type reader struct {
	stream *stream
	wake   chan struct{} // has a token after a change
	gone   bool          // replaced, or too slow; guarded by stream.mu
}

// attach returns a new reader of the events after an id.
func (s *stream) attach(after int) *reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader != nil {
		s.reader.dismiss()
	}
	s.sent = after
	s.reader = &reader{stream: s, wake: make(chan struct{}, 1)}
	s.reader.ring()
	return s.reader
}

// resume is attach for a client that has received the event with an id before. It
// returns nil if the events since then are no longer kept.
func (s *stream) resume(after int) *reader {
	s.mu.Lock()
	first := s.last + 1
	if len(s.events) > 0 {
		first = s.events[0].id
	}
	known := after <= s.last && after+1 >= first
	s.mu.Unlock()
	if !known {
		return nil
	}
	return s.attach(after)
}

// attached reports whether a client reads the stream.
func (s *stream) attached() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reader != nil
}

// settled reports whether all requests of the stream are answered.
func (s *stream) settled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open == 0 || s.closed
}

// taken returns the id of the last event that a reader has taken.
func (s *stream) taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

// put adds a message that is no answer. It is dropped if the stream has ended.
func (s *stream) put(e event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == 0 || s.closed {
		return
	}
	waiting, size := s.waiting()
	if s.reader != nil && (waiting >= maxWaiting || size > maxWaitingSize) {
		if e.minor {
			return
		}
		s.reader.dismiss()
	}
	s.add(e)
}

// settle adds the answer to one of the stream's requests; nil if it gets none. It
// returns whether all requests are answered now, and then whether the client may ask
// for the stream's events again.
func (s *stream) settle(e *event) (all, replay bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open > 0 {
		s.open--
	}
	if e != nil && !s.closed {
		s.add(*e)
	}
	if s.reader != nil {
		s.reader.ring()
	}
	return s.open == 0, s.streamed || s.notes > 0
}

// close ends the stream before its requests are answered.
func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.reader != nil {
		s.reader.ring()
	}
}

// add is called with mu held, like the methods below.
func (s *stream) add(e event) {
	s.last++
	e.id = s.last
	s.events = append(s.events, e)
	s.size += e.size
	if e.answers == nil {
		s.notes++
	}
	s.trim()
	if s.reader != nil {
		s.reader.ring()
	}
}

// waiting returns the number and the size of the events that no reader has taken,
// without answers.
func (s *stream) waiting() (number, size int) {
	for i := len(s.events) - 1; i >= 0 && s.events[i].id > s.sent; i-- {
		if s.events[i].answers == nil {
			number++
			size += s.events[i].size
		}
	}
	return number, size
}

// trim drops the events that are kept no longer. Those for which a reader waits stay.
func (s *stream) trim() {
	for len(s.events) > 0 {
		first := &s.events[0]
		if first.id > s.sent && s.reader != nil {
			return
		}
		if s.name != "" && len(s.events) <= maxReplay && s.size <= maxReplaySize {
			return
		}
		if s.name != "" && first.answers != nil && first.size > maxReplaySize {
			short := answer(first.answers, nil, jsonrpc.NewError(mcpversion.CodeUnknownOutcome, "the result is too large to be sent again"))
			s.size += short.size - first.size
			short.id = first.id
			*first = *short
			continue
		}
		s.size -= first.size
		*first = event{}
		s.events = s.events[1:]
	}
}

// take returns the events that wait, and whether they are the last ones. ok is false
// after another reader has replaced this one, or the client was too slow.
func (r *reader) take() (events []event, last, ok bool) {
	s := r.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.gone {
		return nil, true, false
	}
	for i, e := range s.events {
		if e.id > s.sent {
			events = slices.Clone(s.events[i:])
			break
		}
	}
	if s.name == "" {
		s.events, s.size = nil, 0
	}
	s.sent = s.last
	s.trim()
	return events, s.open == 0 || s.closed, true
}

// detach ends the reader.
func (r *reader) detach() {
	s := r.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader == r {
		s.reader = nil
		s.trim()
	}
}

// dismiss ends the reader from the other side. It is called with the stream's mu held.
func (r *reader) dismiss() {
	r.gone = true
	r.stream.reader = nil
	r.ring()
}

func (r *reader) ring() {
	select {
	case r.wake <- struct{}{}:
	default: // a token is there already
	}
}

// eventID returns the id of an event for a client.
func (s *stream) eventID(id int) string { return s.name + "_" + strconv.Itoa(id) }
