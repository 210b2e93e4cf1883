package upstream

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
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

// noticeQueue publishes the notifications of one server. They wait in a queue, because
// redaction takes time and would delay the reading of messages.
type noticeQueue struct {
	*origin
	ended   <-chan struct{} // closed when the connection has ended
	queue   chan notice
	dropped atomic.Int64 // number of notices dropped because the queue was full
	warned  bool         // whether dropped notices were logged; used by publish only
}

// Progress returns a handler for the progress of a call of a running server.
// The handler publishes Progressed and never blocks.
func (m *Manager) Progress(server string) func(params json.RawMessage) {
	return func(params json.RawMessage) {
		if session := m.slots.running(server); session != nil {
			session.notices.enqueue(notice{params: params, at: time.Now()})
		}
	}
}

// enqueue adds a notice to the queue. It does not block: if the queue is full,
// the notice is dropped.
func (q *noticeQueue) enqueue(n notice) {
	if len(n.params) > maxNoticeSize {
		n.params = jsonrpc.Quote(fmt.Sprintf("%d bytes, too long to show", len(n.params)))
	}
	select {
	case q.queue <- n:
	default:
		q.dropped.Add(1)
	}
}

// publish publishes queued notices until the session is over. It runs in its
// own goroutine.
func (q *noticeQueue) publish() {
	defer q.warnOfDropped()
	for {
		second := time.After(time.Second)
		for range noticesRate {
			select {
			case n := <-q.queue:
				q.publishOne(n)
			case <-q.ended:
				q.publishRest()
				return
			}
		}
		q.warnOfDropped()
		select {
		case <-second:
		case <-q.ended:
		}
	}
}

// warnOfDropped logs that notices were dropped, once per session.
func (q *noticeQueue) warnOfDropped() {
	if n := q.dropped.Load(); n > 0 && !q.warned {
		q.warned = true
		q.log.Warn("server sends more notifications than are shown", "server", q.server.Name, "dropped so far", n)
	}
}

// publishRest publishes the notices that are left in the queue.
func (q *noticeQueue) publishRest() {
	for {
		select {
		case n := <-q.queue:
			q.publishOne(n)
		default:
			return
		}
	}
}

func (q *noticeQueue) publishOne(n notice) {
	params := q.redacted(n.params)
	if n.method == "" {
		// Restore the progress token: the redactor takes a member with "Token"
		// in its name for a credential.
		if token := jsonrpc.Get(n.params, "progressToken"); token != nil && jsonrpc.Get(params, "progressToken") != nil {
			params = jsonrpc.Set(params, "progressToken", token)
		}
		events.Publish(q.bus, Progressed{Server: q.server.Name, Params: params, At: n.at})
		return
	}
	events.Publish(q.bus, Notified{Server: q.server.Name, Method: n.method, Params: params, At: n.at})
}

// redacted returns params as JSON without secrets.
func (q *noticeQueue) redacted(params json.RawMessage) json.RawMessage {
	if params == nil {
		return json.RawMessage("{}")
	}
	text := q.redactor.Text(string(params))
	if !jsonrpc.Valid([]byte(text)) {
		return jsonrpc.Quote(text)
	}
	return json.RawMessage(text)
}
