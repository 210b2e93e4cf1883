package gateway

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// rememberTimeout is how long the store may take for all that is noted, also when the
// hub ends.
const rememberTimeout = 5 * time.Second

// SeenClient is an MCP client by the name that it gave itself, with all of its
// sessions. Its texts are its own: anything may be in them.
type SeenClient struct {
	Name, Version string
	First, Last   time.Time // when it was seen
	Listed        int       // tokens of the tools in its list, the hub's own tool too
	Whole         int       // tokens of all tools that it could have
}

// ClientStore keeps clients.
type ClientStore interface {
	// Clients returns those that are remembered, in any order.
	Clients(ctx context.Context) ([]SeenClient, error)
	// KeepClient stores what is new about a client. The time when it was first
	// seen stays as it was.
	KeepClient(ctx context.Context, c SeenClient) error
}

// Look says what is to be seen of a client; false when that is nothing.
type Look func() (SeenClient, bool)

// ClientHistory remembers clients. It is safe for concurrent use.
type ClientHistory struct {
	store ClientStore
	log   *slog.Logger

	mu   sync.Mutex
	due  map[string]Look // by session
	some chan struct{}
}

// New returns a book; it is written while Run runs.
func NewClientHistory(store ClientStore, log *slog.Logger) *ClientHistory {
	return &ClientHistory{store: store, log: log, due: make(map[string]Look), some: make(chan struct{}, 1)}
}

// Note has somebody look at a session's client soon, and does not wait for it.
func (b *ClientHistory) Note(session string, look Look) {
	b.mu.Lock()
	b.due[session] = look
	b.mu.Unlock()
	select {
	case b.some <- struct{}{}:
	default: // it is about to look anyway
	}
}

// Run writes what is noted until ctx ends, and then what is left.
func (b *ClientHistory) Run(ctx context.Context) error {
	for {
		select {
		case <-b.some:
			b.write(ctx)
		case <-ctx.Done():
			b.write(ctx)
			return nil
		}
	}
}

// write goes on when ctx ends: what it has taken off the list is nowhere else.
func (b *ClientHistory) write(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rememberTimeout)
	defer cancel()
	b.mu.Lock()
	due := b.due
	b.due = make(map[string]Look)
	b.mu.Unlock()
	for session, look := range due {
		c, ok := look()
		if !ok {
			continue
		}
		if err := b.store.KeepClient(ctx, c); err != nil {
			b.log.Warn("client not remembered", "session", session, "error", err)
		}
	}
}

// KnownClient is a client that may be here now.
type KnownClient struct {
	SeenClient
	Connected bool
}

// With returns the clients that are remembered and those that are here now,
// one a session; of several sessions of a client the one with the longest list
// counts. They come in no order.
func (b *ClientHistory) With(ctx context.Context, here []SeenClient) ([]KnownClient, error) {
	remembered, err := b.store.Clients(ctx)
	if err != nil {
		return nil, err
	}
	known := make(map[string]KnownClient, len(remembered))
	for _, c := range remembered {
		known[c.Name] = KnownClient{SeenClient: c}
	}
	for _, c := range here {
		before, ok := known[c.Name]
		if ok {
			c.First = before.First
		}
		if before.Connected && before.Listed > c.Listed {
			c.Version, c.Listed = before.Version, before.Listed
		}
		known[c.Name] = KnownClient{c, true}
	}
	out := make([]KnownClient, 0, len(known))
	for _, c := range known {
		out = append(out, c)
	}
	return out, nil
}
