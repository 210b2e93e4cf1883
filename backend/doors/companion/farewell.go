package companion

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// farewell is the last line that a stopping hub sends in a session. Read is the number of the companion's lines that
// the hub has read. The hub did nothing about later lines, so the companion sends them to the next hub. Undone has the ids
// of requests that the hub has read and not carried out, which the companion sends to the next hub, too.
type farewell struct {
	Read   int               `json:"agent_discover_read"`
	Undone []json.RawMessage `json:"undone,omitempty"`
}

// Unread reports whether a line of a hub is a farewell that says of a request, the last of a number of lines that were sent in
// the session, that the hub has not carried it out. The request can then be sent to the next hub.
func Unread(line []byte, sent int) bool {
	f, ok := parseFarewell(line)
	return ok && (f.Read < sent || len(f.Undone) > 0)
}

// parseFarewell returns the farewell in a line of a hub. ok is false if the line is another message.
func parseFarewell(line []byte) (f farewell, ok bool) {
	return f, bytes.HasPrefix(line, []byte(farewellPrefix)) && json.Unmarshal(line, &f) == nil
}

// farewellPrefix begins every farewell. No JSON-RPC message of a hub begins with it.
const farewellPrefix = `{"agent_discover_read":`

// gate is the hub's side of a connection with a companion. The session reads the companion's lines through the gate,
// which counts them and passes no more once it is shut.
type gate struct {
	*stream
	moved *atomic.Int64 // time of the last read or write, in nanoseconds since 1970

	mu   sync.Mutex
	shut bool
	over chan struct{} // closed when the session has to end
	read int           // complete lines that the session has read
	// repeats says that the companion understands farewell.Undone.
	repeats bool
	undone  []json.RawMessage // ids of requests that were not carried out
}

// Repeat makes the companion send a request, which the session has read, to the next hub. It returns false if the companion
// does not do that.
func (g *gate) Repeat(id json.RawMessage) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.shut || !g.repeats {
		return false
	}
	g.undone = append(g.undone, bytes.Clone(id))
	return true
}

func (g *gate) Read(p []byte) (int, error) {
	if _, err := g.buffered.Peek(1); err != nil { // waits for the next line
		return 0, g.endOf(err)
	}
	g.mu.Lock()
	if g.shut {
		g.mu.Unlock()
		<-g.over
		return 0, io.EOF
	}
	defer g.mu.Unlock()
	part, _ := g.buffered.Peek(min(len(p), g.buffered.Buffered()))
	if i := bytes.IndexByte(part, '\n'); i >= 0 {
		part = part[:i+1]
		g.read++
	}
	g.moved.Store(time.Now().UnixNano())
	return g.buffered.Read(p[:len(part)])
}

// endOf returns the error with which Read ends: io.EOF if the hub has ended the session, otherwise err.
func (g *gate) endOf(err error) error {
	select {
	case <-g.over:
		return io.EOF
	default:
		return err
	}
}

func (g *gate) Write(p []byte) (int, error) {
	g.moved.Store(time.Now().UnixNano())
	return g.stream.Write(p)
}

// close shuts the gate: the session gets no further lines.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = true
}

// end ends the session. The gate must be shut.
func (g *gate) end() {
	close(g.over)
	_ = g.SetReadDeadline(time.Now())                       // wakes a Read that waits for a line
	_ = g.SetWriteDeadline(time.Now().Add(farewellTimeout)) // in case the companion does not read
}

// part sends the farewell to the companion, if the gate is shut. It must be called after the session has ended.
func (g *gate) part() {
	g.mu.Lock()
	line, err := json.Marshal(farewell{g.read, g.undone})
	shut := g.shut
	g.mu.Unlock()
	if err != nil || !shut {
		return
	}
	_ = g.SetWriteDeadline(time.Now().Add(farewellTimeout))
	_, _ = g.stream.Write(append(line, '\n')) // if this fails, the companion does not know which lines were read
}

const (
	// farewellTimeout is how long a companion may take to read a farewell.
	farewellTimeout = time.Second
	// quiet is how long no line must have been read or written before settle assumes that no message is on its way.
	quiet = 20 * time.Millisecond
	// settling limits how long settle waits.
	settling = 500 * time.Millisecond
)

// Retire makes the hub stop reading lines from companions. Each companion sends the unread lines to the next hub. The
// hub still sends answers to the companions. Retire waits up to half a second for messages that are on their way.
func (h *Hub) Retire() {
	h.mu.Lock()
	h.retired = true
	for s := range h.streams {
		s.close()
	}
	h.mu.Unlock()
	h.settle()
}

// settle waits until no message is on its way between companions and sessions, but not longer than settling.
func (h *Hub) settle() {
	for end := time.Now().Add(settling); time.Now().Before(end) && h.Sessions() > 0; {
		rest := quiet - time.Since(time.Unix(0, h.moved.Load()))
		if rest <= 0 {
			return
		}
		time.Sleep(rest)
	}
}
