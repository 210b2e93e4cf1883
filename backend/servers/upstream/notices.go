package upstream

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// The limits of what is published of one server's notifications, so that a flood
// does not overload the subscribers.
const (
	maxNotices    = 256       // in the queue
	noticesRate   = 200       // a second
	maxNoticeSize = 256 << 10 // bytes of params
)

// notice is a notification or a progress report that waits to be published.
type notice struct {
	method string // empty for progress of a call
	params json.RawMessage
	at     time.Time
}

// Progress returns a progress handler for a call of a running server. The
// handler publishes Progressed and never blocks.
func (m *Manager) Progress(server string) func(params json.RawMessage) {
	return func(params json.RawMessage) {
		if session := m.running(server); session != nil {
			session.enqueue(notice{params: params, at: time.Now()})
		}
	}
}

// enqueue queues a notice without blocking, or drops it if the queue is full.
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

// publish publishes queued notices until the session is over. It has its own
// goroutine because redaction takes time that would delay the reading of
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

// warnOfDropped logs once that notices were dropped.
func (s *session) warnOfDropped() {
	if n := s.dropped.Load(); n > 0 && !s.warned {
		s.warned = true
		s.manager.log.Warn("server sends more notifications than are shown", "server", s.server.Name, "dropped so far", n)
	}
}

// publishRest publishes the notices that are still queued.
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
		// The redactor covers a member named …Token, but this one is the caller's.
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
