package gateway

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// storeTimeout limits the time that one write of the history may take, even
// when the hub stops.
const storeTimeout = 5 * time.Second

// SeenClient is an observation of an MCP client. Name, which the client sends when it connects, identifies the client.
// Clients choose Name and Version themselves, so both may contain anything.
type SeenClient struct {
	Name, Version string
	First, Last   time.Time // when the client was first and last seen
	Listed        int       // tokens of the tools in the client's list, registry included
	Whole         int       // tokens of all tools of approved servers
}

// ClientStore persists observations of clients.
type ClientStore interface {
	// Clients returns the stored clients in any order.
	Clients(ctx context.Context) ([]SeenClient, error)
	// KeepClient stores an observation. The stored First of a known client does
	// not change.
	KeepClient(ctx context.Context, c SeenClient) error
}

// observe returns an observation of a session's client, and false if the client
// is not to be stored.
type observe func() (SeenClient, bool)

// ClientHistory stores observations of clients, so that disconnected clients
// are known too. It is safe for concurrent use.
type ClientHistory struct {
	store ClientStore
	log   *slog.Logger

	mu      sync.Mutex
	due     map[string]observe // observations to store, by session
	pending chan struct{}      // wakes Run
}

// NewClientHistory returns a history. It stores clients only while Run is running.
func NewClientHistory(store ClientStore, log *slog.Logger) *ClientHistory {
	return &ClientHistory{store: store, log: log, due: make(map[string]observe), pending: make(chan struct{}, 1)}
}

// note makes Run observe and store a session's client. It does not block.
func (h *ClientHistory) note(session string, look observe) {
	h.mu.Lock()
	h.due[session] = look
	h.mu.Unlock()
	select {
	case h.pending <- struct{}{}:
	default: // a wake-up is pending already
	}
}

// Run stores noted clients until ctx ends, and then the remaining ones.
func (h *ClientHistory) Run(ctx context.Context) error {
	for {
		select {
		case <-h.pending:
			h.write(ctx)
		case <-ctx.Done():
			h.write(ctx)
			return nil
		}
	}
}

// write stores all noted clients. It continues after ctx has ended, because the
// clients are no longer in due and would be lost.
func (h *ClientHistory) write(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	h.mu.Lock()
	due := h.due
	h.due = make(map[string]observe)
	h.mu.Unlock()
	for session, look := range due {
		c, ok := look()
		if !ok {
			continue
		}
		if err := h.store.KeepClient(ctx, c); err != nil {
			h.log.Warn("could not store a client", "session", session, "error", err)
		}
	}
}

// KnownClient is a client that is or was connected.
type KnownClient struct {
	SeenClient
	Connected bool
}

// with returns the stored clients together with the connected ones, in any
// order. connected has one element per session. If a client has several
// sessions, with uses the one with the longest tool list.
func (h *ClientHistory) with(ctx context.Context, connected []SeenClient) ([]KnownClient, error) {
	stored, err := h.store.Clients(ctx)
	if err != nil {
		return nil, err
	}
	known := make(map[string]KnownClient, len(stored))
	for _, c := range stored {
		known[c.Name] = KnownClient{SeenClient: c}
	}
	for _, c := range connected {
		before, ok := known[c.Name]
		if ok {
			c.First = before.First
		}
		if before.Connected && before.Listed > c.Listed {
			c.Version, c.Listed = before.Version, before.Listed
		}
		known[c.Name] = KnownClient{c, true}
	}
	return slices.AppendSeq(make([]KnownClient, 0, len(known)), maps.Values(known)), nil
}
