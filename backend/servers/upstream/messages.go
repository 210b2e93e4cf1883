package upstream

import (
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
)

// These are the limits of the recorded messages of one server.
const (
	maxMessages    = 1000
	maxMessageText = 128 << 10 // bytes of one message
	maxMessageSize = 4 << 20   // bytes of all messages
	maxMessageID   = 200       // bytes of an id or a method
)

// Message is one JSON-RPC message between the hub and a server.
type Message struct {
	N      int64 // the message's number, greater than that of all earlier messages of the server
	At     time.Time
	Sent   bool   // whether the hub has sent it to the server
	ID     string // as JSON; empty for a notification
	Method string // empty for an answer
	Size   int    // bytes of the whole message
	Text   string // the message, redacted, cut after 128 kB
	Cut    bool   // whether Text is not the whole message
}

// Exchanged is published when a message of a server was recorded. Traces.Messages returns the messages.
type Exchanged struct{ Server string }

// messageLog keeps the last messages between the hub and one server, across
// restarts of the server. It records the messages of handshakes, and other
// messages only while somebody watches.
type messageLog struct {
	bus    *events.Bus
	server string
	on     atomic.Int32 // number of watchers and handshakes

	mu       sync.Mutex
	watchers int
	first    int64 // number of the first message ever added
	next     int64 // number of the next message
	messages []rawMessage
	size     int // bytes of all messages
}

// rawMessage is a message before redaction. A message is redacted only when somebody asks for it. Text may be longer
// than that of a Message, because the redactor has to see the text after the cut.
type rawMessage struct {
	Message
	redactor  *redact.Redactor
	handshake bool
}

// watch records all messages until stop is called.
func (l *messageLog) watch() (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watchers++
	l.on.Add(1)
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.on.Add(-1)
		if l.watchers--; l.watchers == 0 {
			l.messages = slices.Clone(slices.DeleteFunc(l.messages, func(m rawMessage) bool { return !m.handshake }))
			l.size = 0
			for _, m := range l.messages {
				l.size += len(m.Text)
			}
		}
	})
}

func (l *messageLog) add(m rawMessage) {
	l.mu.Lock()
	if l.watchers == 0 && !m.handshake {
		l.mu.Unlock()
		return
	}
	m.N = l.next
	l.next++
	l.messages, l.size = append(l.messages, m), l.size+len(m.Text)
	for len(l.messages) > maxMessages || l.size > maxMessageSize && len(l.messages) > 1 {
		l.size -= len(l.messages[0].Text)
		l.messages[0] = rawMessage{} // lets the garbage collector free the text
		l.messages = l.messages[1:]
	}
	l.mu.Unlock()
	events.Publish(l.bus, Exchanged{l.server})
}

// after returns messages with numbers greater than n, oldest first. Their texts have at
// most budget bytes together, unless the first message alone is longer. If n is the
// number of a message, missed is the number of messages between n and the first
// returned one that are no longer kept. more reports whether there are further
// messages.
func (l *messageLog) after(n int64, budget int) (list []Message, missed int64, more bool) {
	l.mu.Lock()
	from := 0
	for from < len(l.messages) && l.messages[from].N <= n {
		from++
	}
	to := from
	for size := 0; to < len(l.messages); to++ {
		if size += len(l.messages[to].Text); size > budget && to > from {
			more = true
			break
		}
	}
	raw := slices.Clone(l.messages[from:to])
	l.mu.Unlock()
	for i, m := range raw {
		if i == 0 && n >= l.first {
			missed = m.N - n - 1
		}
		list = append(list, m.redacted())
	}
	return list, missed, more
}

func (m rawMessage) redacted() Message {
	out := m.Message
	out.ID, _ = m.redactor.Head(m.ID, maxMessageID)
	out.Method, _ = m.redactor.Head(m.Method, maxMessageID)
	text, cut := m.redactor.Head(m.Text, maxMessageText)
	out.Text, out.Cut = text, cut || m.Cut
	return out
}

// tap records the messages of one session. It implements jsonrpc.Tap.
type tap struct {
	to          *messageLog
	redactor    *redact.Redactor
	handshaking atomic.Bool
}

// newTap returns the tap of a new session. It records the handshake, which ends
// with endHandshake.
func newTap(to *messageLog, redactor *redact.Redactor) *tap {
	t := &tap{to: to, redactor: redactor}
	t.handshaking.Store(true)
	to.on.Add(1)
	to.mu.Lock()
	if to.watchers == 0 { // the log contains only messages of earlier handshakes
		to.messages, to.size = nil, 0
	}
	to.mu.Unlock()
	return t
}

func (t *tap) endHandshake() {
	if t.handshaking.Swap(false) {
		t.to.on.Add(-1)
	}
}

// On implements jsonrpc.Tap.
func (t *tap) On() bool { return t.to.on.Load() > 0 }

// Sent implements jsonrpc.Tap.
func (t *tap) Sent(m jsonrpc.Message, line ...[]byte) {
	size := -1 // without the line end
	for _, part := range line {
		size += len(part)
	}
	var text []byte
	for _, part := range line {
		text = append(text, part[:min(len(part), t.room()-len(text))]...)
	}
	t.record(m, true, text[:min(len(text), size)], size)
}

// Received implements jsonrpc.Tap.
func (t *tap) Received(m jsonrpc.Message, line []byte, size int) {
	t.record(m, false, line[:min(len(line), t.room())], size)
}

// room is how many bytes of a message are recorded: those that Redactor.Head reads.
func (t *tap) room() int { return maxMessageText + t.redactor.Reach() + 1 }

func (t *tap) record(m jsonrpc.Message, sent bool, text []byte, size int) {
	t.to.add(rawMessage{
		Message: Message{
			At: time.Now(), Sent: sent, ID: headOf(m.ID), Method: headOf(json.RawMessage(m.Method)),
			Size: size, Text: string(text), Cut: len(text) < size,
		},
		redactor: t.redactor, handshake: t.handshaking.Load(),
	})
}

// headOf returns the beginning of an id or a method.
func headOf(raw json.RawMessage) string { return string(raw[:min(len(raw), 2*maxMessageID)]) }
