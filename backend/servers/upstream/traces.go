package upstream

import (
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Traces provides the standard error of servers, and the messages that the hub has exchanged with them.
type Traces struct {
	slots    *slotTable
	registry *registry.Registry
}

// Output returns the last n of the lines of a server's standard error whose numbers are
// greater than after, or all of these lines if they are fewer, oldest first. left is
// the number of these lines that it does not return. Lines of earlier processes of the
// server are included. A remote server has no lines.
func (t *Traces) Output(name string, n int, after int64) (lines []Line, left int64) {
	if s := t.slots.shared(name); s != nil {
		return s.output.last(n, after)
	}
	return nil, 0
}

// OutputEnd returns the number of the last line of a server's standard error,
// and 0 for an unknown server.
func (t *Traces) OutputEnd(name string) int64 {
	if s := t.slots.shared(name); s != nil {
		return s.output.end()
	}
	return 0
}

// Watch records the messages of a server until stop is called. If the server does
// not exist, the error is a fault.NotFound.
func (t *Traces) Watch(server string) (stop func(), err error) {
	s := t.slots.shared(server)
	if s == nil {
		if _, err := t.registry.Get(server); err != nil {
			return nil, t.registry.Unknown(server)
		}
		s = t.slots.open(Target{Server: server})
	}
	return s.messages.watch(), nil
}

// Messages returns recorded messages of a server with numbers greater than after, oldest first. Their texts have at
// most budget bytes together, unless the first message alone is longer. missed is the number of messages between after
// and the first returned one that are no longer kept. more reports whether there are further messages. The hub records
// all messages of private servers and during a Watch. Otherwise it records only the messages of the last handshake.
func (t *Traces) Messages(server string, after int64, budget int) (list []Message, missed int64, more bool) {
	if s := t.slots.shared(server); s != nil {
		return s.messages.after(after, budget)
	}
	return nil, 0, false
}
