// Package mirror keeps a copy of a registry of MCP servers on this machine and searches it without a network. It
// reads the whole registry once, then only changes. An interrupted refresh continues where it stopped.
//
// official ── pages ── refresh ── store ── documents ── finder (words, meaning) ── listings
package mirror

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/official"
)

const (
	// refreshEvery is the time between two refreshes, and firstAfter the minimum time from the start of the hub to
	// the first one.
	refreshEvery = 24 * time.Hour
	firstAfter   = time.Minute
	// lookEvery limits the wait of a timer, because timers stop while a machine sleeps.
	lookEvery = time.Hour
	// The first retry comes retryFirst after a failure. The time doubles with each further failure, up to retryMost.
	retryFirst = time.Minute
	retryMost  = 4 * time.Hour
	// unloadAfter is the time without a search after which the documents are removed from memory.
	unloadAfter = 10 * time.Minute
)

// Source is a registry. official.Client implements it.
type Source interface {
	// URL is the address of the registry; empty if none is configured.
	URL() string
	// Check returns an error if no registry is configured.
	Check() error
	List(ctx context.Context, q official.Query) (official.Page, error)
	Version(ctx context.Context, name, version string) (official.Entry, error)
	// Search returns listings whose names contain words of a text.
	Search(ctx context.Context, text string, limit int) ([]listing.Listing, error)
}

// Refreshing is published during a refresh, after each page.
type Refreshing struct {
	Entries int           // number of entries read so far
	Elapsed time.Duration // since the refresh began or continued
}

// Refreshed is published after a refresh. Problem is the reason for its failure; empty if it succeeded.
type Refreshed struct {
	Entries int // number of servers in the copy
	Problem string
}

// Meaning configures the search by meaning. The zero value searches by words alone.
type Meaning struct {
	Settings settings.Search
	Builtin  embedding.Builtin
	Store    embedding.Store
	// Transport sends the requests to remote models; nil: http.DefaultTransport.
	Transport http.RoundTripper
}

// Options are the dependencies of a Mirror.
type Options struct {
	Source  Source
	Store   Store
	Bus     *events.Bus
	Log     *slog.Logger
	Meaning Meaning
	// Installed returns the names of installed servers. Their entries are kept when the registry deletes them.
	// Installed may be nil.
	Installed func(ctx context.Context) ([]string, error)
	Now       func() time.Time // nil means time.Now
}

// Status describes the copy.
type Status struct {
	URL       string // address of the registry; empty if none is configured
	Entries   int    // number of servers in the copy
	Refreshed time.Time
	Running   bool // a refresh is running
	Read      int  // number of entries that the running or last refresh has read
	Began     time.Time
	Problem   string // why the last refresh failed; empty if it succeeded
	FailedAt  time.Time
}

// Mirror is a copy of a registry. Its methods are safe for concurrent use, except that Run must not run twice at the
// same time.
type Mirror struct {
	options Options
	wake    chan struct{} // holds an element after a refresh was requested
	opened  chan *finder  // passes a new finder to Run, which maintains its vectors

	mu     sync.Mutex
	flight *flight // the requested or running refresh, or nil
	status Status
	finder *finder // nil while there have been no recent searches
	state  State   // owned by Run
	change int64   // counts the changes to the copy
	ended  bool    // Run has ended
	// foreign means that the stored entries come from another registry than the configured one. They count as
	// missing. The first page of the configured registry replaces them.
	foreign bool
}

// flight is a refresh that any number of callers wait for.
type flight struct {
	done chan struct{} // closed when the refresh is over
	err  error
}

// Open returns the stored copy.
func Open(ctx context.Context, o Options) (*Mirror, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Mirror{options: o, wake: make(chan struct{}, 1), opened: make(chan *finder, 1)}
	var err error
	if m.state, err = o.Store.MirrorState(ctx); err != nil {
		return nil, err
	}
	if url := o.Source.URL(); url != "" && m.state.URL != "" && m.state.URL != url {
		m.state, m.foreign = State{}, true
	}
	return m, m.publishState(ctx, m.state)
}

// Run refreshes the copy whenever Refresh or Request is called, and once a day after the first use, until ctx ends.
// It returns nil.
func (m *Mirror) Run(ctx context.Context) error {
	defer m.abandon()
	began := m.options.Now()
	var work sync.WaitGroup
	defer work.Wait()
	stop := func() {}
	for {
		look := time.NewTimer(m.untilDue(began))
		select {
		case <-ctx.Done():
			look.Stop()
			stop()
			return nil
		case f := <-m.opened:
			running, cancel := context.WithCancel(ctx)
			stop = cancel
			work.Go(func() { _ = f.search.Run(running) }) // both return nil
			work.Go(func() { _ = f.index.Run(running) })
		case <-m.wake:
			m.fly(ctx)
		case <-look.C:
			if m.unload() {
				stop()
				work.Wait()
			}
			if m.options.Source.Check() == nil && m.untilRefresh(began) <= 0 {
				m.request()
			}
		}
		look.Stop()
	}
}

// untilDue returns how long Run waits before it checks again whether a refresh or an unload is due.
func (m *Mirror) untilDue(began time.Time) time.Duration {
	wait := min(m.untilRefresh(began), lookEvery)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.finder != nil {
		wait = min(wait, unloadAfter)
	}
	return max(wait, time.Second)
}

// untilRefresh returns the time until the next refresh is due. began is the time at which Run was called.
func (m *Mirror) untilRefresh(began time.Time) time.Duration {
	if m.options.Source.Check() != nil {
		return lookEvery
	}
	now := m.options.Now()
	next := m.state.Refreshed.Add(refreshEvery)
	switch {
	case m.state.Round == 0 && m.state.Failures == 0:
		return lookEvery // the copy has never been used
	case m.state.Doubted && m.state.Failures > 0:
		next = m.state.FailedAt.Add(refreshEvery)
	case m.state.Failures > 0:
		next = m.state.FailedAt.Add(min(retryFirst<<min(m.state.Failures-1, 16), retryMost))
	case m.state.Open:
		next = now // the last refresh was interrupted
	}
	return max(next.Sub(now), began.Add(firstAfter).Sub(now))
}

// Refresh reads the changes in the registry, or the whole registry the first time. If a refresh is running, it waits
// for that one. When ctx ends, Refresh returns and the refresh goes on.
func (m *Mirror) Refresh(ctx context.Context) error {
	f := m.request()
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Request requests a refresh, unless one is running, and does not wait for it. It returns an error if no registry is
// configured or Run has ended.
func (m *Mirror) Request() error {
	if err := m.options.Source.Check(); err != nil {
		return err
	}
	select {
	case <-m.request().done: // closed already: the hub is shutting down
		return errEnded
	default:
		return nil
	}
}

// request returns the refresh that is requested or running, and requests one if there is none.
func (m *Mirror) request() *flight {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		f := &flight{done: make(chan struct{}), err: errEnded}
		close(f.done)
		return f
	}
	if m.flight == nil {
		m.flight = &flight{done: make(chan struct{})}
		select {
		case m.wake <- struct{}{}:
		default:
		}
	}
	return m.flight
}

// fly runs the requested refresh, if there is one.
func (m *Mirror) fly(ctx context.Context) {
	m.mu.Lock()
	f := m.flight
	m.mu.Unlock()
	if f != nil {
		m.land(f, m.refresh(ctx))
	}
}

// land ends a refresh with err, for all callers that wait for it.
func (m *Mirror) land(f *flight, err error) {
	m.mu.Lock()
	m.flight = nil
	m.mu.Unlock()
	f.err = err
	close(f.done)
}

var errEnded = fault.New(fault.Unavailable, "the hub is shutting down; refresh the marketplace after it has started again")

// abandon fails the pending refresh and makes all later ones fail, because Run has ended.
func (m *Mirror) abandon() {
	m.mu.Lock()
	f := m.flight
	m.ended = true
	m.mu.Unlock()
	if f != nil {
		m.land(f, errEnded)
	}
}

// Status returns the state of the copy.
func (m *Mirror) Status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.status
}

// Lookup returns the listing of a server, and whether the copy has it. The copy keeps deleted listings of installed
// servers.
func (m *Mirror) Lookup(ctx context.Context, name string) (listing.Listing, bool, error) {
	if m.isForeign() {
		return listing.Listing{}, false, nil
	}
	return m.options.Store.MirrorListing(ctx, name)
}

// Page returns at most limit listings in the order of their names, beginning after the name after.
func (m *Mirror) Page(ctx context.Context, after string, limit int) ([]listing.Listing, error) {
	if m.isForeign() {
		return nil, nil
	}
	return m.options.Store.MirrorPage(ctx, after, limit)
}

func (m *Mirror) isForeign() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.foreign
}
