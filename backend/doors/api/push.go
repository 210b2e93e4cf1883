package api

import (
	"context"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/servers/inspector"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

const (
	maxSockets = 50
	// goodbye is how long sockets have to close when the hub ends.
	goodbye = 2 * time.Second
	// measureEvery is how long calls may wait to show in the state; each has
	// a message of its own at once.
	measureEvery = 500 * time.Millisecond
)

// pusher tells every socket what happens. It listens to the hub while there
// are sockets, and only then.
//
//	events ── listen ── follow ─┬─ board (the state, encoded once)
//	                            └─ client (a socket with its queue) …
type pusher struct {
	*server
	board board
	moved chan struct{} // somebody came, went, or asked for the state

	mu       sync.Mutex
	clients  map[*client]struct{}
	left     chan struct{} // closed and renewed when a client leaves
	stopping bool
	serving  sync.WaitGroup
}

func newPusher(s *server) *pusher {
	return &pusher{server: s, board: board{version: s.Info.Version}, moved: make(chan struct{}, 1), clients: make(map[*client]struct{}), left: make(chan struct{})}
}

// run pushes until ctx ends, and then says goodbye to every socket.
func (p *pusher) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			p.dismiss()
			return nil
		case <-p.moved:
			p.follow(ctx)
		}
	}
}

// follow passes on what happens while somebody looks.
func (p *pusher) follow(ctx context.Context) {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	var sources sync.WaitGroup
	defer sources.Wait()
	defer stop()
	news := p.listen(life, &sources)
	anew := make(map[string]bool)
	hub := newPace(hubEvery)
	defer p.hearHub(hub.moved)()
	defer p.Registrar.PollOften()()
	output := newPace(outputEvery)
	defer events.Signal[upstream.Wrote](p.Bus, output.moved)()
	var measured <-chan time.Time // when calls that were made since show in the state
	for dirty := true; p.present() > 0; {
		if dirty {
			p.survey(&p.board, anew)
			p.offer()
			p.greetHub()
			clear(anew)
		}
		select {
		case <-ctx.Done():
			p.survey(&p.board, anew)
			p.offer() // how all ended
			return
		case <-p.moved:
			dirty = true
		case <-measured:
			dirty, measured = true, nil
		case <-hub.moved:
			dirty = false
			hub.step(false, p.tellHub)
		case <-hub.due:
			dirty = false
			hub.step(true, p.tellHub)
		case <-output.moved:
			dirty = false
			output.step(false, p.tellOutput)
		case <-output.due:
			dirty = false
			output.step(true, p.tellOutput)
		case e := <-news:
			dirty = p.pass(e, anew)
			called := isCall(e)
			for range len(news) { // one moment, one delta
				e = <-news
				dirty, called = p.pass(e, anew) || dirty, called || isCall(e)
			}
			if called && measured == nil {
				measured = time.After(measureEvery)
			}
		}
	}
	p.board.clear()
}

// isCall reports whether an event changes what is measured of a server.
func isCall(e any) bool {
	r, ok := e.(journal.Recorded)
	return ok && r.Record.Kind == journal.Call
}

// listen returns all that happens until ctx ends.
func (p *pusher) listen(ctx context.Context, sources *sync.WaitGroup) <-chan any {
	news := make(chan any, 64)
	listen[registry.Changed](ctx, p.Bus, sources, news)
	listen[upstream.StateChanged](ctx, p.Bus, sources, news)
	listen[catalog.Changed](ctx, p.Bus, sources, news)
	listen[catalog.Counted](ctx, p.Bus, sources, news)
	listen[secrets.Changed](ctx, p.Bus, sources, news)
	listen[journal.Recorded](ctx, p.Bus, sources, news)
	listen[upstream.Notified](ctx, p.Bus, sources, news)
	listen[upstream.Progressed](ctx, p.Bus, sources, news)
	listen[inspector.Asked](ctx, p.Bus, sources, news)
	listen[inspector.Answered](ctx, p.Bus, sources, news)
	listen[learning.Changed](ctx, p.Bus, sources, news)
	listen[registration.Changed](ctx, p.Bus, sources, news)
	return news
}

// behind says that events of a type were lost: they came faster than we took them.
type behind struct{}

// listen passes the events of one type on until ctx ends.
func listen[E any](ctx context.Context, bus *events.Bus, sources *sync.WaitGroup, news chan<- any) {
	const buffer = 2048
	source, stop := events.Subscribe[E](bus, buffer)
	sources.Go(func() {
		defer func() { stop() }()
		for {
			var next any
			select {
			case <-ctx.Done():
				return
			case e, ok := <-source:
				if next = e; !ok {
					source, stop = events.Subscribe[E](bus, buffer)
					next = behind{}
				}
			}
			select {
			case <-ctx.Done():
				return
			case news <- next:
			}
		}
	})
}

// pass sends on what is a message of its own, and reports whether the state
// may have changed. It adds to anew whose row is to be made again in any case.
func (p *pusher) pass(e any, anew map[string]bool) (dirty bool) {
	switch e := e.(type) {
	case behind:
		p.restart()
		return true
	case secrets.Changed:
		anew[e.Server] = true
		return true
	case journal.Recorded:
		p.broadcast(logMessage(e))
	case upstream.Notified:
		p.broadcast(notificationMessage(e))
	case upstream.Progressed:
		p.broadcast(progressMessage(e))
	case inspector.Asked:
		p.broadcast(askedMessage(e))
	case inspector.Answered:
		p.broadcast(answeredMessage(e))
	case learning.Changed:
		p.broadcast(p.learnedMessage())
	case registration.Changed:
		p.broadcast(editorsMessage())
	default:
		return true
	}
	return false
}

func (p *pusher) present() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.clients)
}

// each does something with every client.
func (p *pusher) each(do func(*client)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.clients {
		do(c)
	}
}

// offer lets every client fetch the state that it does not have.
func (p *pusher) offer() { p.each((*client).offer) }

// broadcast sends one message to all who know the state already.
func (p *pusher) broadcast(message any) {
	data := encode(message)
	p.each(func(c *client) { c.tell(data) })
}

// restart tells every client to begin anew.
func (p *pusher) restart() { p.each((*client).forget) }

func (p *pusher) wake() {
	select {
	case p.moved <- struct{}{}:
	default:
	}
}

// join takes a client in; a code other than 0 says why not.
func (p *pusher) join(c *client) (code websocket.StatusCode, reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.stopping:
		return websocket.StatusGoingAway, stoppingReason
	case len(p.clients) >= maxSockets:
		return websocket.StatusTryAgainLater, "too many connections"
	}
	p.clients[c] = struct{}{}
	p.serving.Add(1)
	p.wake()
	return 0, ""
}

func (p *pusher) leave(c *client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.clients, c)
	close(p.left)
	p.left = make(chan struct{})
	p.serving.Done()
	p.wake()
}

// whenLeft is closed when the next client leaves; nil when there is none.
func (p *pusher) whenLeft() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.clients) == 0 {
		return nil
	}
	return p.left
}

const stoppingReason = "the hub is stopping"

// dismiss closes every socket and returns when they are closed.
func (p *pusher) dismiss() {
	p.mu.Lock()
	p.stopping = true
	p.mu.Unlock()
	p.each(func(c *client) { c.finish(websocket.StatusGoingAway, stoppingReason) })
	gone := make(chan struct{})
	go func() { defer close(gone); p.serving.Wait() }()
	select {
	case <-gone:
	case <-time.After(goodbye):
		p.each(func(c *client) { c.cancel() })
		<-gone
	}
}
