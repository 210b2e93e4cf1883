package companion

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

const (
	// pingPeriod is the time between two pings of the hub while a request is in flight.
	pingPeriod = 5 * time.Second
	// hangLimit is how long the hub may leave all pings unanswered before its requests in flight are answered with an
	// error. Clients usually wait for an answer for a minute.
	hangLimit = 30 * time.Second
	// endLimit is how long the hub may be silent before its process is ended, so that another hub can start.
	endLimit = time.Minute
)

// silence records since when a hub has answered nothing.
type silence struct {
	hub   process.ID
	since time.Time // zero if the hub has answered
}

// note records the result of an attempt to reach a hub, which began at a time. It returns how long the hub has been
// silent by now. Only a hub that does not answer in time is silent: one that refuses connections is ending.
func (s *silence) note(hub process.ID, began time.Time, result error) time.Duration {
	if late, ok := errors.AsType[net.Error](result); !ok || !late.Timeout() {
		*s = silence{}
		return 0
	}
	if s.hub != hub || s.since.IsZero() {
		*s = silence{hub, began}
	}
	return time.Since(s.since)
}

// watchHub pings the hub while requests are in flight. If the hub hangs, watchHub closes the link and returns how the
// link was lost. It returns "" when ctx ends.
func (c *Companion) watchHub(ctx context.Context, link net.Conn) (why string) {
	ping := c.ping
	if ping == nil {
		ping = instance.Ping
	}
	for {
		c.mu.Lock()
		idle, asked := len(c.memory.inFlight) == 0, c.asked
		c.mu.Unlock()
		var next <-chan time.Time
		if idle {
			c.silent = silence{}
		} else {
			asked, next = nil, time.After(pingPeriod)
		}
		select {
		case <-asked:
			continue
		case <-next:
		case <-ctx.Done():
			return ""
		}
		began := time.Now()
		err := ping(ctx, c.hub)
		if ctx.Err() != nil {
			return ""
		}
		if c.silent.note(c.hub.ID, began, err) >= hangLimit {
			c.Log.Warn("the hub does not answer", "process", c.hub.PID)
			_ = link.Close()
			return fmt.Sprintf("the hub (process %d) stopped answering", c.hub.PID)
		}
	}
}

// endHung ends the hub with which Dial has just failed, if the hub has been silent for too long.
func (c *Companion) endHung(ctx context.Context, info instance.Info, began time.Time, result error) {
	limit := c.endLimit
	if limit == 0 {
		limit = endLimit
	}
	if c.silent.note(info.ID, began, result) < limit {
		return
	}
	c.Log.Warn("the hub hangs; its process is ended, and another hub is started", "process", info.PID)
	if err := instance.End(ctx, c.Folder, info.ID); err != nil {
		c.Log.Warn("could not end the hub that hangs", "reason", fault.MessageOf(err))
	}
	c.silent = silence{}
}
