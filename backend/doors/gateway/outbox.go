package gateway

import (
	"context"
	"sync"

	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
)

const (
	// maxMessages is how many log messages may wait for a client that reads slowly. When another one arrives, the
	// oldest is dropped.
	maxMessages = 256
	// maxChanges is how many other notifications may wait. Further ones are dropped; a client that reads so slowly is
	// disconnected soon.
	maxChanges = 10_000
)

// outbox holds the notifications that wait to be sent to a client, so that a slow client does not delay others.
// A notification that already waits is not added again, unless it is a log message. wake must be set before
// use.
type outbox struct {
	wake chan struct{} // has a token after put

	sending  sync.Mutex // held while notifications are sent
	mu       sync.Mutex
	changes  []notification
	known    map[change]bool // changes as a set
	messages []notification  // log messages
	dropped  int             // number of log messages that were dropped
}

// change identifies a waiting notification, so that it is not added twice.
type change struct {
	of             *listener
	method, params string
}

// put adds a notification.
func (o *outbox) put(n notification) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n.method == "notifications/message" {
		if len(o.messages) >= maxMessages {
			o.messages = o.messages[1:]
			o.dropped++
		}
		o.messages = append(o.messages, n)
	} else if key := (change{n.of, n.method, string(n.params)}); !o.known[key] && len(o.changes) < maxChanges {
		if o.known == nil {
			o.known = make(map[change]bool)
		}
		o.known[key] = true
		o.changes = append(o.changes, n)
	}
	o.ring()
}

// ring wakes the goroutine that sends.
func (o *outbox) ring() {
	select {
	case o.wake <- struct{}{}:
	default: // the goroutine was woken already
	}
}

// send sends the waiting notifications, and returns the first error. It first waits until concurrent calls of send have
// returned. So when send returns, the notifications that those calls took from the outbox have been sent, too.
func (o *outbox) send(peer Peer) error {
	o.sending.Lock()
	defer o.sending.Unlock()
	o.mu.Lock()
	waiting, messages, dropped := o.changes, o.messages, o.dropped
	o.changes, o.known, o.messages, o.dropped = nil, nil, nil, 0
	o.mu.Unlock()
	if dropped > 0 {
		data := map[string]int{"dropped_messages": dropped}
		raw, _ := answer.Encode(map[string]any{"level": "warning", "logger": "agent-discover", "data": data})
		waiting = append(waiting, notification{method: "notifications/message", params: raw})
	}
	for _, n := range append(waiting, messages...) {
		if n.of != nil {
			_ = n.of.notify(n.method, n.params) // the end of one listen request does not concern other notifications
		} else if err := peer.Notify(context.Background(), n.method, n.params); err != nil {
			return err
		}
	}
	return nil
}
