package jsonrpc

import (
	"encoding/json"
	"time"
)

// Hold keeps the idle times of all calls in flight from running out until
// release is called once; from then on they begin anew. It is for the time in
// which the peer waits for us: a person may need minutes for an answer.
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

// idleLeft returns what is left of a call's idle time that has run out by the
// clock; zero when it has run out indeed.
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

// Fail ends the call with an id of ours: no answer to it will come. Who carries
// the lines elsewhere knows that sometimes, and why. It reports whether the
// call was waiting.
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
