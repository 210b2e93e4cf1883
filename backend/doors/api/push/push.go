// Package push sends events to WebSockets: the state of all servers, the status of the hub, and each call, notification
// and line of output when it happens. Messages reach a client in the order of the events. The hub closes the WebSocket
// of a client that reads too slowly, and the client should connect again. Package guard decides who may open a
// WebSocket.
//
//	events ── listen ── serve ─┬─ stateCache (the state, encoded once for all clients)
//	                           └─ client (a WebSocket with its queue) …
package push

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
	"github.com/agent-discover/agent-discover/backend/servers/firststart"
	"github.com/agent-discover/agent-discover/backend/servers/oauth"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

const (
	maxClients = 50
	// closeGrace is how long clients have to close their WebSockets when the hub stops.
	closeGrace = 2 * time.Second
	// statsInterval limits how long the state may lack the statistics of a call. The call itself is pushed at once,
	// in another message.
	statsInterval = 500 * time.Millisecond
)

// Options are the dependencies of a Pusher.
type Options struct {
	Version  string
	State    State
	Status   Status
	Learning *learning.Learning
	Mirror   *mirror.Mirror
	Output   *upstream.Traces
	Editors  Editors
	// Attend registers a client that shows the questions of servers, until leave is called.
	Attend   func() (leave func())
	Sessions *guard.Sessions
	Timeouts guard.Timeouts
	Bus      *events.Bus
}

// Editors watches the AI editors of this machine for changes.
type Editors interface {
	// PollOften shortens the interval at which the files of editors are checked, until stop is called.
	PollOften() (stop func())
}

// Pusher is the HTTP handler that opens WebSockets and sends events to them. It subscribes to events only while a
// client is connected.
type Pusher struct {
	state    State
	status   Status
	learning *learning.Learning
	mirror   *mirror.Mirror
	output   *upstream.Traces
	editors  Editors
	attend   func() (leave func())
	sessions *guard.Sessions
	timeouts guard.Timeouts
	bus      *events.Bus

	cache stateCache
	moved chan struct{} // receives a token when a client connected, left, or asked for the state

	mu       sync.Mutex
	clients  map[*client]struct{}
	left     chan struct{} // closed and replaced when a client leaves
	stopping bool
	serving  sync.WaitGroup
}

// New returns a pusher. It sends nothing until Run is called.
func New(o Options) *Pusher {
	return &Pusher{
		state: o.State, status: o.Status, learning: o.Learning, mirror: o.Mirror, output: o.Output, editors: o.Editors, attend: o.Attend,
		sessions: o.Sessions, timeouts: o.Timeouts.OrDefault(), bus: o.Bus,
		cache: stateCache{version: o.Version}, moved: make(chan struct{}, 1), clients: make(map[*client]struct{}),
		left: make(chan struct{}),
	}
}

// Run sends events until ctx ends, and then closes all WebSockets.
func (p *Pusher) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			p.closeAll()
			return nil
		case <-p.moved:
			p.serve(ctx)
		}
	}
}

// serve sends events until the last client has left or ctx ends.
func (p *Pusher) serve(ctx context.Context) {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	var sources sync.WaitGroup
	defer sources.Wait()
	defer stop()
	defer p.editors.PollOften()()
	s := newSignals(p.bus)
	defer s.stop()
	news := p.listen(life, &sources)
	sources.Go(func() { p.passMessages(life, s.messages) })
	changed := make(map[string]bool) // names of servers to encode again
	var stats <-chan time.Time       // fires when the statistics of calls must be sent
	for dirty := true; p.count() > 0; {
		if dirty {
			p.cache.update(p.state, changed)
			p.offer()
			p.sendStatusTo((*client).lacksStatus)
			clear(changed)
		}
		dirty = false
		select {
		case <-ctx.Done():
			p.cache.update(p.state, changed)
			p.offer() // sends the final state
			return
		case <-p.moved:
			dirty = true
		case <-stats:
			dirty, stats = true, nil
		case <-s.status.moved:
			s.status.step(false, p.sendStatus)
		case <-s.status.due:
			s.status.step(true, p.sendStatus)
		case <-s.output.moved:
			s.output.step(false, p.sendOutput)
		case <-s.output.due:
			s.output.step(true, p.sendOutput)
		case e := <-news:
			var calls bool
			dirty, calls = p.passAll(e, news, changed)
			if calls && stats == nil {
				stats = time.After(statsInterval)
			}
		}
	}
	p.cache.clear()
}

// passAll calls pass for an event and for all events queued after it, so that events of the same moment cause only one
// message with the state. It reports whether the state may have changed, and whether any event was a call.
func (p *Pusher) passAll(first any, news <-chan any, changed map[string]bool) (dirty, calls bool) {
	for e, more := first, len(news); ; e, more = <-news, more-1 {
		dirty = p.pass(e, changed) || dirty
		r, recorded := e.(journal.Recorded)
		calls = calls || recorded && r.Record.Kind == journal.Call
		if more == 0 {
			return dirty, calls
		}
	}
}

// pass handles an event. It broadcasts the message for the event, if there is one, and reports whether the state may
// have changed. It adds to changed the servers that must be encoded again although their rowSource is unchanged.
func (p *Pusher) pass(e any, changed map[string]bool) (dirty bool) {
	switch e := e.(type) {
	case missed:
		p.each((*client).reset)
		return true
	case vault.Changed:
		changed[e.Server] = true
		return true
	case oauth.Changed:
		changed[e.Server] = true
		return true
	case sandbox.Changed:
		changed[e.Server] = true
		return true
	case firststart.Changed:
		changed[e.Server] = true
		return true
	case catalog.ShownChanged:
		for _, server := range p.state.Servers.List() { // rules decide how many tools each server has for agents
			changed[server.Name] = true
		}
	case quarantine.Changed:
		changed[e.Server], dirty = true, true // the event may change whether the server may start
	}
	message, ok := p.messageOf(e)
	if ok {
		p.broadcast(message)
	}
	return dirty || !ok
}

func (p *Pusher) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.clients)
}

// all returns the clients that are connected now.
func (p *Pusher) all() []*client {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.clients))
}

// each calls do for every connected client.
func (p *Pusher) each(do func(*client)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.clients {
		do(c)
	}
}

// offer schedules a message about the state to every client, with the changes since the last such message to the
// client.
func (p *Pusher) offer() { p.each((*client).offer) }

// broadcast sends a message to all clients that have received the state. It sends a question only to clients that
// show questions.
func (p *Pusher) broadcast(m message) {
	data := encodeMessage(m)
	_, question := m.(askedMessage)
	p.each(func(c *client) {
		if !question || !c.withoutQuestions {
			c.sendEvent(data)
		}
	})
}

func (p *Pusher) wake() {
	select {
	case p.moved <- struct{}{}:
	default:
	}
}

// join adds a client. If it refuses the client, it returns the code and reason with which to close the WebSocket;
// otherwise code is 0.
func (p *Pusher) join(c *client) (code websocket.StatusCode, reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.stopping:
		return websocket.StatusGoingAway, stoppingReason
	case len(p.clients) >= maxClients:
		return websocket.StatusTryAgainLater, "too many connections"
	}
	p.clients[c] = struct{}{}
	p.serving.Add(1)
	p.wake()
	return 0, ""
}

func (p *Pusher) leave(c *client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.clients, c)
	close(p.left)
	p.left = make(chan struct{})
	p.serving.Done()
	p.wake()
}

// AwaitNone returns when no client is connected or ctx ends. waited is false when no client was connected at the time
// of the call.
func (p *Pusher) AwaitNone(ctx context.Context) (waited bool) {
	for {
		p.mu.Lock()
		left, some := p.left, len(p.clients) > 0
		p.mu.Unlock()
		if !some {
			return waited
		}
		waited = true
		select {
		case <-left:
		case <-ctx.Done():
			return waited
		}
	}
}

const stoppingReason = "the hub is stopping"

// closeAll closes every WebSocket and returns when all are closed.
func (p *Pusher) closeAll() {
	p.mu.Lock()
	p.stopping = true
	p.mu.Unlock()
	p.each(func(c *client) { c.finish(websocket.StatusGoingAway, stoppingReason) })
	closed := make(chan struct{})
	go func() { defer close(closed); p.serving.Wait() }()
	select {
	case <-closed:
	case <-time.After(closeGrace):
		p.each(func(c *client) { c.cancel() })
		<-closed
	}
}

// signals limit how often the status of the hub, and the output and messages of servers are sent.
type signals struct {
	status, output, messages *pace
	stop                     func()
}

func newSignals(bus *events.Bus) signals {
	s := signals{status: newPace(statusInterval), output: newPace(outputInterval), messages: newPace(outputInterval)}
	s.messages.moved <- struct{}{} // a client may have begun to follow messages before this subscription
	stops := []func(){
		onStatusChange(bus, s.status.moved),
		events.Signal[upstream.Wrote](bus, s.output.moved),
		events.Signal[upstream.Exchanged](bus, s.messages.moved),
	}
	s.stop = func() {
		for _, stop := range stops {
			stop()
		}
	}
	return s
}
