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
	// maxReplay and maxReplaySize limit the events of a stream that are kept for replay, in number and in bytes.
	maxReplay     = 256
	maxReplaySize = 4 << 20
	// maxWaiting and maxWaitingSize limit the events that wait for a client that reads slowly. Answers do not count.
	maxWaiting     = 1024
	maxWaitingSize = 16 << 20
)

// event is a message on a stream.
type event struct {
	id    int      // its position in the stream, from 1
	name  string   // type of the event; empty for a message
	parts [][]byte // the message as one line, in parts
	size  int

	answers json.RawMessage // the id of the request that it answers; nil if it answers none
	code    int64           // code of the error that it answers with; 0 if none
	minor   bool            // put may drop it if the client reads slowly
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

// stream queues messages to a client. The messages belong either to the requests of one POST, or to no request. Adding
// a message never blocks.
type stream struct {
	name string // prefix of event ids; empty if events have no ids and are not kept

	mu       sync.Mutex
	events   []event // the last events, in order
	size     int     // of all events in bytes
	last     int     // id of the last event
	sent     int     // id of the last event that a reader has taken
	open     int     // requests without an answer; -1 for a stream that does not end with answers
	notes    int     // number of messages that are no answers
	streamed bool    // a response was a stream of events, so the client has received event ids
	closed   bool
	reader   *reader
}

// newStream returns a stream that ends with the answers to the given number of requests. If requests is -1, the
// stream does not end with answers.
func newStream(name string, requests int) *stream { return &stream{name: name, open: requests} }

// reader takes the events of a stream for one response. A stream has at most one reader; a new reader replaces it.
type reader struct {
	stream *stream
	wake   chan struct{} // has a token after a change
	gone   bool          // replaced, or too slow; guarded by stream.mu
}

// attach returns a new reader of the events whose ids are greater than after.
func (s *stream) attach(after int) *reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replaceReader(after)
}

// resume is like attach, for a client that reconnects after it has received the event with the id after. It returns
// nil if a later event is no longer kept.
func (s *stream) resume(after int) *reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.last + 1
	if len(s.events) > 0 {
		first = s.events[0].id
	}
	if after > s.last || after+1 < first {
		return nil
	}
	return s.replaceReader(after)
}

// replaceReader implements attach. It is called with mu held.
func (s *stream) replaceReader(after int) *reader {
	if s.reader != nil {
		s.reader.dismiss()
	}
	s.sent = after
	s.reader = &reader{stream: s, wake: make(chan struct{}, 1)}
	s.reader.ring()
	return s.reader
}

// attached reports whether the stream has a reader.
func (s *stream) attached() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reader != nil
}

// settled reports whether all requests of the stream are answered, or the stream was closed.
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

// put adds a message that is not an answer. It drops the message if the stream has ended.
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

// settle adds the answer to one of the stream's requests; e is nil if the request gets no answer. all reports whether
// no request is open any more. replay reports whether the client may ask for the stream's events again.
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

// add adds an event. Like waiting and trim, it is called with mu held.
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

// waiting returns the number and the size of the events, other than answers, that no reader has taken.
func (s *stream) waiting() (number, size int) {
	for i := len(s.events) - 1; i >= 0 && s.events[i].id > s.sent; i-- {
		if s.events[i].answers == nil {
			number++
			size += s.events[i].size
		}
	}
	return number, size
}

// trim drops events over the limits of replay. It keeps events that an attached reader has not taken. A stream
// without a name has no replay.
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

// take returns the events that no reader has taken, and whether the stream ends with them. ok is false if another
// reader has replaced this one, or the client was too slow.
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

// detach detaches the reader from its stream.
func (r *reader) detach() {
	s := r.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader == r {
		s.reader = nil
		s.trim()
	}
}

// dismiss ends the reader on behalf of the stream, so that take returns false. It is called with the stream's mu
// held.
func (r *reader) dismiss() {
	r.gone = true
	r.stream.reader = nil
	r.ring()
}

func (r *reader) ring() {
	select {
	case r.wake <- struct{}{}:
	default: // the channel has a token already
	}
}

// eventID returns the id of an event in the form in which clients get it.
func (s *stream) eventID(id int) string { return s.name + "_" + strconv.Itoa(id) }
