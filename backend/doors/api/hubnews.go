package api

import (
	"bytes"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/servers/proxy"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// hubEvery is how often a client is told at most how the hub does: calls may
// come by the thousand in a second.
const hubEvery = 100 * time.Millisecond

// pace lets something be told at once, and then again after a while only.
type pace struct {
	moved chan struct{}    // there is something to tell
	due   <-chan time.Time // when it may be told again; nil: now
	every time.Duration
	late  bool // something waits for that
}

func newPace(every time.Duration) *pace { return &pace{moved: make(chan struct{}, 1), every: every} }

// step is called after moved or due was received, and tells if it is time.
func (p *pace) step(isDue bool, tell func()) {
	switch {
	case !isDue && p.due != nil:
		p.late = true
	case isDue && !p.late:
		p.due = nil
	default:
		tell()
		p.due, p.late = time.After(p.every), false
	}
}

// hearHub puts a token into the channel for everything that hubMessage shows.
func (p *pusher) hearHub(moved chan<- struct{}) (stop func()) {
	stops := []func(){
		events.Signal[proxy.FlightChanged](p.Bus, moved),
		events.Signal[gateway.ClientsChanged](p.Bus, moved),
		events.Signal[upstream.PauseChanged](p.Bus, moved),
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// tellHub tells all clients that ask for it how the hub does.
func (p *pusher) tellHub() { p.tellHubTo(func(*client) bool { return true }) }

// greetHub tells those that do not know yet.
func (p *pusher) greetHub() { p.tellHubTo((*client).isNew) }

func (p *pusher) tellHubTo(whom func(*client) bool) {
	var data []byte
	for _, c := range p.all() {
		if !c.asksHub || !whom(c) {
			continue
		}
		if data == nil {
			data = encode(p.hubMessage())
		}
		c.tellHub(data)
	}
}

func (p *pusher) hubMessage() any {
	return struct {
		Type    string           `json:"type"`
		Paused  bool             `json:"paused"`
		Calls   int              `json:"calls"`
		Clients []gateway.Client `json:"clients"`
	}{"hub", p.Upstream.Paused(), p.Proxy.InFlight(), p.Clients()}
}

func (c *client) isNew() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hasHub == nil
}

// tellHub sends what the client does not have yet.
func (c *client) tellHub(data []byte) {
	c.mu.Lock()
	news := c.greeted && !bytes.Equal(c.hasHub, data)
	if news {
		c.hasHub = data
	}
	c.mu.Unlock()
	if news {
		c.send(data)
	}
}
