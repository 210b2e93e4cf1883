package gateway

import (
	"encoding/json"
	"sync"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// maxMessages is how many log messages wait for a client that reads slowly. Older
// ones are dropped.
const maxMessages = 256

// outbox holds the notifications that wait to be sent to a client, so that a slow
// client delays no other. An update of a resource that is announced repeatedly is
// sent once. The zero value is usable with wake set.
type outbox struct {
	wake chan struct{} // has a token after put

	mu       sync.Mutex
	changed  []string // methods of list_changed notifications
	updated  []json.RawMessage
	known    map[string]bool // changed and updated, as a set
	messages []json.RawMessage
	dropped  int // messages that did not fit
}

// put adds a notification.
func (o *outbox) put(method string, params json.RawMessage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known == nil {
		o.known = make(map[string]bool)
	}
	switch key := method + string(params); {
	case method == "notifications/message":
		if len(o.messages) >= maxMessages {
			o.messages = o.messages[1:]
			o.dropped++
		}
		o.messages = append(o.messages, params)
	case o.known[key]:
	case params == nil:
		o.known[key], o.changed = true, append(o.changed, method)
	default:
		o.known[key], o.updated = true, append(o.updated, params)
	}
	o.ring()
}

// ring wakes the goroutine that sends.
func (o *outbox) ring() {
	select {
	case o.wake <- struct{}{}:
	default: // a token is there already
	}
}

// send sends what waits, and returns the first error.
func (o *outbox) send(conn *jsonrpc.Conn) error {
	o.mu.Lock()
	changed, updated, messages, dropped := o.changed, o.updated, o.messages, o.dropped
	o.changed, o.updated, o.messages, o.dropped, o.known = nil, nil, nil, 0, nil
	o.mu.Unlock()
	for _, method := range changed {
		if err := conn.Notify(method, nil); err != nil {
			return err
		}
	}
	for _, params := range updated {
		if err := conn.Notify("notifications/resources/updated", params); err != nil {
			return err
		}
	}
	if dropped > 0 {
		messages = append([]json.RawMessage{droppedMessage(dropped)}, messages...)
	}
	for _, params := range messages {
		if err := conn.Notify("notifications/message", params); err != nil {
			return err
		}
	}
	return nil
}

func droppedMessage(n int) json.RawMessage {
	raw, _ := encode(map[string]any{"level": "warning", "logger": "agent-discover", "data": map[string]int{"dropped_messages": n}})
	return raw
}
