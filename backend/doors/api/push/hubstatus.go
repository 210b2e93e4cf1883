package push

import (
	"bytes"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
)

// statusInterval is the shortest time between two messages with the status of the hub, which may change thousands of
// times a second.
const statusInterval = 100 * time.Millisecond

// Status provides the status of the hub.
type Status struct {
	Paused   func() bool
	InFlight func() int
	Clients  func() []gateway.Client
	Held     func() quarantine.Counts
	Kept     func() int    // number of results that wait for a person
	Problem  func() string // why the hub cannot store calls in the log; "" if it can
}

// onStatusChange sends to moved when anything in the status of the hub changes.
func onStatusChange(bus *events.Bus, moved chan<- struct{}) (stop func()) {
	stops := []func(){
		events.Signal[call.FlightChanged](bus, moved),
		events.Signal[gateway.ClientsChanged](bus, moved),
		events.Signal[upstream.PauseChanged](bus, moved),
		events.Signal[journal.ProblemChanged](bus, moved),
		events.Signal[quarantine.Changed](bus, moved),
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// sendStatus sends the status of the hub to all clients that asked for it.
func (p *Pusher) sendStatus() { p.sendStatusTo(func(*client) bool { return true }) }

func (p *Pusher) sendStatusTo(selected func(*client) bool) {
	var data []byte
	for _, c := range p.all() {
		if !c.wantsStatus || !selected(c) {
			continue
		}
		if data == nil {
			data = encodeMessage(statusMessage{
				"hub", p.status.Paused(), p.status.InFlight(), p.status.Clients(), p.status.Held(), p.status.Problem(),
			})
		}
		c.sendStatus(data)
	}
}

func (c *client) lacksStatus() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hasStatus == nil
}

// sendStatus sends the status of the hub to the client, unless the client has already received the same status, or has
// not received the state of the servers yet.
func (c *client) sendStatus(data []byte) {
	c.mu.Lock()
	news := c.greeted && !bytes.Equal(c.hasStatus, data)
	if news {
		c.hasStatus = data
	}
	c.mu.Unlock()
	if news {
		c.send(data)
	}
}
