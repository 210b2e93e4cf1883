package sandbox

import (
	"context"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

func TestDeniedAccessesAreNoticedAlthoughEventsWereLost(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	reading, proceed := make(chan struct{}), make(chan struct{})
	var bus events.Bus
	s := New(Options{Bus: &bus, Output: func(server string, _ int, after int64) ([]upstream.Line, int64) {
		if server == "busy" {
			select {
			case reading <- struct{}{}:
				<-proceed
			case <-ctx.Done():
			}
			return nil, 0
		}
		if after > 0 {
			return nil, 0
		}
		return []upstream.Line{{N: 1, Text: "touch: cannot touch '/srv/diary': Permission denied"}}, 0
	}})
	for _, server := range []string{"busy", "notes"} {
		s.denials.began(server, confinement.Policy{Read: []string{"/"}}, "/home/ada")
	}
	changes, stop := events.Subscribe[Changed](&bus, 1)
	defer stop()
	ended := make(chan error)
	go func() { ended <- s.Run(ctx) }()
	for started := false; !started; { // until Run has subscribed
		events.Publish(&bus, upstream.Wrote{Server: "busy"})
		select {
		case <-reading:
			started = true
		default:
		}
	}
	for range 1000 {
		events.Publish(&bus, upstream.Wrote{Server: "busy"})
	}
	events.Publish(&bus, upstream.Wrote{Server: "notes"}) // Run misses this event, because its queue is full
	go func() {
		for {
			select {
			case <-reading:
			case <-ctx.Done():
				return
			}
		}
	}()
	close(proceed)
	if e := <-changes; e.Server != "notes" || len(s.Denied("notes")) != 1 {
		t.Errorf("%q has changed, and notes was denied %+v", e.Server, s.Denied("notes"))
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
