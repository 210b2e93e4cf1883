package upstream

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// What is published of what a server tells. More of it helps nobody, and must
// not drown those who listen.
const (
	maxNotices    = 256       // that wait to be published
	noticesRate   = 200       // a second
	maxNoticeSize = 256 << 10 // bytes of params
)

// notice is something a server told that is to be published.
type notice struct {
	method string // empty: progress of a call
	params json.RawMessage
	at     time.Time
}

// Progress returns what publishes the progress of a call to a running server as
// Progressed. It is for wire.Call and proxy.Request, and never blocks.
func (m *Manager) Progress(server string) func(params json.RawMessage) {
	return func(params json.RawMessage) {
		if session := m.running(server); session != nil {
			session.tell(notice{params: params, at: time.Now()})
		}
	}
}

// tell takes a notice without waiting; of a flood most is dropped.
func (s *session) tell(n notice) {
	if len(n.params) > maxNoticeSize {
		n.params = jsonrpc.Quote(fmt.Sprintf("%d bytes, too long to be shown", len(n.params)))
	}
	select {
	case s.notices <- n:
	default:
		s.dropped.Add(1)
	}
}

// publish passes notices on until the session is over. It is apart from the
// reading of messages because to cover secrets takes time.
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

// warnOfDropped says once that notices were dropped.
func (s *session) warnOfDropped() {
	if n := s.dropped.Load(); n > 0 && !s.warned {
		s.warned = true
		s.manager.Log.Warn("server tells more than is shown", "server", s.server.Name, "dropped so far", n)
	}
}

// publishRest publishes what was told before the end.
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
	params := s.covered(n.params)
	if n.method == "" {
		// Its name is that of a secret, but it is the caller's own.
		if token := jsonrpc.Get(n.params, "progressToken"); token != nil && jsonrpc.Get(params, "progressToken") != nil {
			params = jsonrpc.Set(params, "progressToken", token)
		}
		events.Publish(s.manager.Bus, Progressed{Server: s.server.Name, Params: params, At: n.at})
		return
	}
	events.Publish(s.manager.Bus, Notified{Server: s.server.Name, Method: n.method, Params: params, At: n.at})
}

// covered returns params that may be shown: JSON without secrets.
func (s *session) covered(params json.RawMessage) json.RawMessage {
	if params == nil {
		return json.RawMessage("{}")
	}
	text := s.redactor.Text(string(params))
	if !jsonrpc.Valid([]byte(text)) {
		return jsonrpc.Quote(text)
	}
	return json.RawMessage(text)
}
