package companion

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
)

// Hub is the hub's side of the connections with companions: an HTTP handler
// that takes over the connection of a request and serves a session on it.
type Hub struct {
	Info  instance.Info
	Serve func(ctx context.Context, session string, entry Entry, stream io.ReadWriter) error
	Busy  func() bool // reports whether calls are in flight
	Stop  func()      // asks the hub to stop
	// Admit is called with a connection whose companion has proved that it knows the token. It may be nil.
	Admit func(net.Conn)
	Log   *slog.Logger

	mu       sync.Mutex
	streams  map[*gate]struct{}
	retired  bool
	moved    atomic.Int64  // when a companion or a session last sent something, in nanoseconds since 1970
	changed  chan struct{} // closed when the number of sessions changes; nil if nobody waits
	sessions sync.WaitGroup
}

// ServeHTTP implements http.Handler. It returns when the session is over.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != upgradeName {
		w.Header().Set("Upgrade", upgradeName)
		http.Error(w, "this address serves the protocol "+upgradeName+" only", http.StatusUpgradeRequired)
		return
	}
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		h.Log.Error("could not take over the connection of a companion", "error", err)
		return
	}
	s := &stream{Conn: conn, buffered: rw.Reader}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(handshakeTimeout))
	_, err = conn.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: " + upgradeName + "\r\n\r\n"))
	if err != nil {
		return
	}
	hello, err := h.welcome(s)
	if err != nil {
		h.Log.Warn("companion refused", "error", err)
		return
	}
	_ = conn.SetDeadline(time.Time{})
	if hello.Session == "" {
		return
	}
	if h.Admit != nil {
		h.Admit(conn)
	}
	g := &gate{stream: s, moved: &h.moved, over: make(chan struct{}), repeats: hello.Repeats}
	if !h.enter(g) {
		if g.close(); hello.Farewell {
			g.part()
		}
		return
	}
	defer h.leave(g)
	// Keep the session when the HTTP server shuts down and cancels the context
	// of the request: Close ends sessions.
	if err := h.Serve(context.WithoutCancel(r.Context()), hello.Session, hello.Entry, g); err != nil {
		h.Log.Debug("session ended with an error", "session", hello.Session, "error", err)
	}
	if hello.Farewell {
		g.part()
	}
}

// welcome runs the hub's side of the handshake and returns the greeting of the companion. Its session is "" if the hub has
// refused the session.
func (h *Hub) welcome(s *stream) (greeting, error) {
	var hello, refused greeting
	if err := s.receive(&hello); err != nil {
		return refused, err
	}
	nonce := instance.NewSecret()
	err := s.send(counterGreeting{
		Protocol: instance.Protocol, Version: h.Info.Version, Nonce: nonce,
		Proof: instance.Proof(h.Info.Token, "hub", h.Info.Address(), hello.Nonce, nonce),
	})
	if err != nil {
		return refused, err
	}
	var given credentials
	if err := s.receive(&given); err != nil {
		return refused, err
	}
	switch {
	case !instance.SameProof(given.Proof, instance.Proof(h.Info.Token, "companion", h.Info.Address(), nonce, hello.Nonce)):
		return refused, s.send(verdict{Error: "wrong proof of the token; the hub may have restarted, connect again"})
	case hello.Protocol > instance.Protocol:
		return refused, h.refuseNewer(s)
	case given.Replace && h.idle():
		h.Log.Info("stopping for a newer version", "version", hello.Version)
		err := s.send(verdict{Stopping: true})
		h.Stop()
		return refused, err
	case len(hello.Session) < 16 || len(hello.Session) > 128:
		return refused, s.send(verdict{Error: "invalid session id: use 16 to 128 characters"})
	}
	if err := hello.Check(); err != nil {
		return refused, s.send(verdict{Error: fault.MessageOf(err)})
	}
	welcome := verdict{Ready: true, Surface: hello.Surface}
	if given.Replace {
		welcome.Notice = "the hub is version " + h.Info.Version + " and other clients use it; version " + hello.Version +
			" replaces it when they are done, or with: agent-discover restart"
		h.Log.Info("a newer version waits for this hub to be idle", "version", hello.Version)
	}
	return hello, s.send(welcome)
}

// refuseNewer refuses a companion whose protocol is newer than this hub's. If the hub is idle, refuseNewer also stops
// the hub, so that a newer hub can start.
func (h *Hub) refuseNewer(s *stream) error {
	if h.idle() {
		err := s.send(verdict{Stopping: true})
		h.Stop()
		return err
	}
	return s.send(verdict{
		Error: "this hub (version " + h.Info.Version +
			") is older than the companion, and other clients use it; restart it when they are done: agent-discover restart",
	})
}

// idle reports whether the hub has no session and no call in flight.
func (h *Hub) idle() bool { return h.Sessions() == 0 && !h.Busy() }

// enter registers a session and returns true. If the hub was retired, enter returns false and does nothing.
func (h *Hub) enter(s *gate) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.retired {
		return false
	}
	if h.streams == nil {
		h.streams = make(map[*gate]struct{})
	}
	h.streams[s] = struct{}{}
	h.sessions.Add(1)
	h.notify()
	return true
}

func (h *Hub) leave(s *gate) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, s)
	h.sessions.Done()
	h.notify()
}

// notify wakes AwaitIdle. The caller holds mu.
func (h *Hub) notify() {
	if h.changed != nil {
		close(h.changed)
		h.changed = nil
	}
}

// Sessions returns the number of connected companions.
func (h *Hub) Sessions() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.streams)
}

// AwaitIdle waits until no companion has been connected for the given time without interruption. It returns the
// error of ctx if ctx ends first.
func (h *Hub) AwaitIdle(ctx context.Context, idle time.Duration) error {
	for {
		h.mu.Lock()
		if h.changed == nil {
			h.changed = make(chan struct{})
		}
		changed, count := h.changed, len(h.streams)
		h.mu.Unlock()
		var passed <-chan time.Time
		timer := time.NewTimer(idle)
		if count == 0 {
			passed = timer.C
		}
		select {
		case <-passed:
			timer.Stop()
			return nil
		case <-changed:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// Close ends all sessions, waits for them, and refuses new ones.
func (h *Hub) Close() {
	h.Retire()
	h.mu.Lock()
	for s := range h.streams {
		s.end()
	}
	h.mu.Unlock()
	h.sessions.Wait()
}
