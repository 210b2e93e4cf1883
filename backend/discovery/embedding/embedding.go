// Package embedding maintains the embedding vectors of the tools in the catalog
// and computes those of queries. A configured provider computes them: the model
// built into the hub, a local server, OpenAI, or none. Vectors of tools are
// computed in the background and stored by the hash of the tool's definition, so
// that each is computed once. Package search compares the vectors. While the
// provider fails, queries have no vector and search uses words alone.
//
//	catalog ── Changed ── Run ─┬─ store (vectors computed before)
//	                           └─ provider (missing vectors) ── Changed ── search
package embedding

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// Encoder is an embedding model inside the hub. Its methods may be called
// concurrently.
type Encoder interface {
	// Encode returns the vector, of length 1, of the first maxTokens tokens of
	// text.
	Encode(text string, maxTokens int) []float32
	// Release frees memory that Encode allocates again when it is next called.
	Release()
}

// Builtin is the encoder inside the hub with the name of its model and the
// dimensions of its vectors.
type Builtin struct {
	Encoder    Encoder
	Model      string
	Dimensions int
}

// Made is a computed vector and the hash of the tools it belongs to.
type Made struct {
	Hash   string
	Vector Vector
}

// Store persists vectors.
type Store interface {
	// Vectors calls visit for each stored vector of a model, in any order. data
	// holds one int8 value per byte and is valid until visit returns.
	Vectors(ctx context.Context, model string, visit func(hash string, scale float32, data []byte)) error
	// KeepVectors stores vectors and replaces those with the same hash.
	KeepVectors(ctx context.Context, model string, made []Made) error
	// TidyVectors deletes the vectors of other models, and those whose hash has
	// belonged to no stored tool for longer than keep.
	TidyVectors(ctx context.Context, model string, now time.Time, keep time.Duration) error
}

// Changed is published when the snapshot that Vectors returns has changed:
// about once a second while many vectors are computed.
type Changed struct{}

// Clock provides the time; tests replace it.
type Clock struct {
	Now func() time.Time
	// After sends the time on a channel after a duration, unless stop is called before.
	After func(time.Duration) (over <-chan time.Time, stop func())
}

func after(d time.Duration) (over <-chan time.Time, stop func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// Catalog provides the tools. *catalog.Catalog implements it.
type Catalog interface{ Snapshot() *catalog.Snapshot }

// Options are the dependencies and settings of an Index.
type Options struct {
	Settings settings.Search
	Builtin  Builtin // required for the provider "builtin" only
	Catalog  Catalog
	Store    Store
	Bus      *events.Bus
	Log      *slog.Logger
	Clock    Clock // the zero Clock means the system clock
	// Transport sends the requests to remote models; nil: http.DefaultTransport.
	Transport http.RoundTripper

	// QueryTimeout is how long Query waits for a vector; 0: one second.
	QueryTimeout time.Duration
	// RequestTimeout limits a request to the provider; 0: 30 seconds, because a
	// local server may have to load its model first.
	RequestTimeout time.Duration
}

// Status describes the state of an Index.
type Status struct {
	Provider string
	Model    string // empty with the provider "none"
	Tools    int    // number of tools in the catalog
	Ready    int    // number of tools that have a vector
	Working  bool   // vectors are being computed
	Problem  string // why the provider fails; empty when it works
}

// Index holds the vectors of the tools in the catalog. Its methods may be
// called concurrently, except Run, which may run once at a time.
type Index struct {
	settings       settings.Search
	dimensions     int // of each vector; 0 until the first response of a remote provider
	catalog        Catalog
	store          Store
	bus            *events.Bus
	log            *slog.Logger
	clock          Clock
	queryTimeout   time.Duration
	requestTimeout time.Duration

	provider provider // nil for the provider "none"
	model    string   // the provider's name of the model
	current  atomic.Pointer[Vectors]
	complete atomic.Pointer[catalog.Snapshot] // the last snapshot whose tools all have a vector or cannot have one
	working  atomic.Bool
	health   health
	queries  *queries
	state    state // owned by Run
}

// New returns an index without vectors. Run loads and computes them.
func New(o Options) *Index {
	if o.Clock.Now == nil {
		o.Clock = Clock{Now: time.Now, After: after}
	}
	x := &Index{
		settings: o.Settings, catalog: o.Catalog, store: o.Store, bus: o.Bus, log: o.Log, clock: o.Clock,
		queryTimeout: cmp.Or(o.QueryTimeout, time.Second), requestTimeout: cmp.Or(o.RequestTimeout, 30*time.Second),
		health:  health{failed: make(chan struct{}, 1)},
		queries: &queries{queued: make(chan queuedQuery, maxQueued), recent: make(map[string][]float32)},
	}
	if o.Settings.Provider == settings.ProviderBuiltin {
		x.dimensions = o.Builtin.Dimensions
	}
	x.provider, x.model = newProvider(o)
	id := "" // identifies the model and the form of the texts; only vectors with the same id can be compared
	if x.provider != nil {
		id = x.settings.Provider + "/" + x.model + "/text" + textVersion
	}
	x.state.builder = newBuilder(id, x.dimensions, 0)
	x.current.Store(x.state.snapshot())
	return x
}

// newProvider returns the configured provider and the name of its model; nil
// for the provider "none".
func newProvider(o Options) (p provider, model string) {
	switch o.Settings.Provider {
	case settings.ProviderBuiltin:
		return &builtin{
			encoder: o.Builtin.Encoder, threads: max(o.Settings.Threads, 1), idle: o.Settings.IdleUnload, clock: o.Clock,
			used: make(chan struct{}, 1),
		}, o.Builtin.Model
	case settings.ProviderLocal:
		model = cmp.Or(o.Settings.Model, "nomic-embed-text")
		r := newLocal(o.Settings.URL, model)
		r.client.Transport = o.Transport
		return r, model
	case settings.ProviderOpenAI:
		model = cmp.Or(o.Settings.Model, "text-embedding-3-small")
		address := strings.TrimRight(cmp.Or(o.Settings.BaseURL, openAIBaseURL), "/") + "/embeddings"
		r := newRemote(address, model, endpoint{address, parseOpenAI})
		r.key, r.size, r.client.Transport = o.Settings.Key, openAIBatch, o.Transport
		r.advice = "set AGENT_DISCOVER_OPENAI_API_KEY to a valid key and restart the hub"
		return r, model
	}
	return nil, ""
}

// Vectors returns the current vectors of the tools.
func (x *Index) Vectors() *Vectors { return x.current.Load() }

// Status returns the state of the index.
func (x *Index) Status() Status {
	s := Status{Provider: x.settings.Provider, Model: x.model, Working: x.working.Load(), Problem: x.health.problem()}
	vectors := x.Vectors()
	for _, t := range x.catalog.Snapshot().Tools {
		s.Tools++
		if _, ok := vectors.Of(t.Hash); ok {
			s.Ready++
		}
	}
	return s
}

// Run loads stored vectors, computes missing ones and follows changes of the
// catalog until ctx ends. It returns nil.
func (x *Index) Run(ctx context.Context) error {
	if x.provider == nil {
		<-ctx.Done()
		return nil
	}
	var workers sync.WaitGroup
	defer workers.Wait()
	workers.Go(func() { x.provider.run(ctx) })
	for range queryWorkers {
		workers.Go(func() { x.answerQueries(ctx) })
	}
	changed := make(chan struct{}, 1)
	defer events.Signal[catalog.Changed](x.bus, changed)()
	defer events.Signal[catalog.ShownChanged](x.bus, changed)()
	x.state.tidied, x.state.tidyIn = x.clock.Now(), tidyFirst
	for failures := 0; ctx.Err() == nil; {
		done := x.update(ctx)
		if done {
			failures = 0
			x.waitForWork(ctx, changed)
		}
		if !done || x.health.failing() { // a query may have detected the failure
			failures++
			x.pause(ctx, changed, backoff(failures))
		}
	}
	return nil
}

// waitForWork returns when the catalog has changed, the provider has begun to
// fail, stored vectors are due to be tidied, or ctx ends.
func (x *Index) waitForWork(ctx context.Context, changed <-chan struct{}) {
	due, stop := x.clock.After(x.state.tidyIn)
	defer stop()
	select {
	case <-ctx.Done():
	case <-changed:
	case <-x.health.failed:
	case <-due:
	}
}

// pause waits before the next request to a failing provider. When the catalog
// changes meanwhile, it loads the stored vectors of the new tools.
func (x *Index) pause(ctx context.Context, changed <-chan struct{}, d time.Duration) {
	over, stop := x.clock.After(d)
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-over:
			return
		case <-changed:
			_ = x.load(ctx) // the next update tries again
		}
	}
}
