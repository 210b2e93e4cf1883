package upstream

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// These limits apply to the notifications of one server, so that a flood of
// them does not overload subscribers.
const (
	maxNotices    = 256       // notices in the queue
	noticesRate   = 200       // notices per second
	maxNoticeSize = 256 << 10 // bytes of params
)

// notice is a notification or a progress report in the queue to be published.
type notice struct {
	method string // empty for progress of a call that uses Manager.Progress
	params json.RawMessage
	at     time.Time
}

// Progress returns a handler for the progress of a call of a running server.
// The handler publishes Progressed and never blocks.
func (m *Manager) Progress(server string) func(params json.RawMessage) {
	return func(params json.RawMessage) {
		if session := m.running(server); session != nil {
			session.enqueue(notice{params: params, at: time.Now()})
		}
	}
}

// enqueue adds a notice to the queue. It does not block: if the queue is full,
// the notice is dropped.
func (s *session) enqueue(n notice) {
	if len(n.params) > maxNoticeSize {
		n.params = jsonrpc.Quote(fmt.Sprintf("%d bytes, too long to show", len(n.params)))
	}
	select {
	case s.notices <- n:
	default:
		s.dropped.Add(1)
	}
}

// publish publishes queued notices until the session is over. It runs in its
// own goroutine, because redaction takes time and would delay the reading of
// messages.
func (s *session) publish() {
	defer s.warnOfDropped()
	for {
		second := time.After(time.Second)
		for range noticesRate {
			select {
			case n := <-s.notices:
				s.publishOne(n)
			case <-s.conn.Done():
				s.publishRest()
				return
			}
		}
		s.warnOfDropped()
		select {
		case <-second:
		case <-s.conn.Done():
		}
	}
}

// warnOfDropped logs that notices were dropped, once per session.
func (s *session) warnOfDropped() {
	if n := s.dropped.Load(); n > 0 && !s.warned {
		s.warned = true
		s.manager.log.Warn("server sends more notifications than are shown", "server", s.server.Name, "dropped so far", n)
	}
}

// publishRest publishes the notices that are left in the queue.
func (s *session) publishRest() {
	for {
		select {
		case n := <-s.notices:
			s.publishOne(n)
		default:
			return
		}
	}
}

func (s *session) publishOne(n notice) {
	params := s.redacted(n.params)
	if n.method == "" {
		// Restore the progress token: the redactor takes a member with "Token"
		// in its name for a credential.
		if token := jsonrpc.Get(n.params, "progressToken"); token != nil && jsonrpc.Get(params, "progressToken") != nil {
			params = jsonrpc.Set(params, "progressToken", token)
		}
		events.Publish(s.manager.bus, Progressed{Server: s.server.Name, Params: params, At: n.at})
		return
	}
	events.Publish(s.manager.bus, Notified{Server: s.server.Name, Method: n.method, Params: params, At: n.at})
}

// redacted returns params as JSON without secrets.
func (s *session) redacted(params json.RawMessage) json.RawMessage {
	if params == nil {
		return json.RawMessage("{}")
	}
	text := s.redactor.Text(string(params))
	if !jsonrpc.Valid([]byte(text)) {
		return jsonrpc.Quote(text)
	}
	return json.RawMessage(text)
}
