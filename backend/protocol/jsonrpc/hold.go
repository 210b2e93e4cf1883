package jsonrpc

import (
	"encoding/json"
	"time"
)

// Hold suspends the idle timeouts of all calls in flight until release is called,
// which must happen once; after that the timeouts start again. It is for times in
// which the peer waits for this side, such as for the answer of a person.
func (c *Conn) Hold() (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holds++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.holds--
		c.released = time.Now()
	}
}

// idleLeft returns how much of an idle timeout is left after its timer has fired,
// since holds extend the timeout. It returns zero if the timeout has expired.
func (c *Conn) idleLeft(idle time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.holds > 0:
		return idle
	case c.released.IsZero():
		return 0
	}
	return max(0, idle-time.Since(c.released))
}

// Fail ends the call that was sent with an id, with the error why. A transport calls
// it when it learns that the answer will never come. Fail reports whether a call
// with that id was waiting.
func (c *Conn) Fail(id json.RawMessage, why error) bool {
	c.mu.Lock()
	answer, ok := c.pending[string(id)]
	delete(c.pending, string(id))
	c.mu.Unlock()
	if ok {
		answer.put(event{err: why})
	}
	return ok
}
