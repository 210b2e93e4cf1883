// Package embedding answers which vectors the known tools have, and who makes
// them: a model inside the hub, a server that the user runs, OpenAI, or nobody.
// Vectors are made in the background, kept by the hash of a tool's definition
// and never made twice. It ranks nothing, and nobody waits for it: while a
// provider fails, there is no vector of a query, and tools are found by their
// words.
//
//	catalog ── Changed ── Run ─┬─ store (what was made before)
//	                           └─ provider (what is missing) ── Changed ── search
package embedding

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// Encoder is a model inside the hub. Encode returns a vector of length 1, and
// is safe for concurrent use; Release gives its memory back until it is used
// again.
type Encoder interface {
	Encode(text string, maxTokens int) []float32
	Release()
}

// Builtin is an encoder and what its vectors are.
type Builtin struct {
	Encoder    Encoder
	Model      string
	Dimensions int
}

// Made is the vector of the tools with a hash.
type Made struct {
	Hash   string
	Vector Vector
}

// Store keeps vectors.
type Store interface {
	// Vectors shows the vectors of a model in any order: of each value the
	// byte, which is good until visit returns.
	Vectors(ctx context.Context, model string, visit func(hash string, scale float32, data []byte)) error
	// KeepVectors stores vectors over those that are there.
	KeepVectors(ctx context.Context, model string, made []Made) error
	// TidyVectors drops the vectors of other models, and those of which it has
	// found for longer than keep that no stored tool has their hash.
	TidyVectors(ctx context.Context, model string, now time.Time, keep time.Duration) error
}

// Changed is published when the snapshot of vectors has changed; while many
// are made, about once a second.
type Changed struct{}

// Clock is what time it is.
type Clock struct {
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
}

// Options are what an index works with.
type Options struct {
	Settings settings.Search
	Builtin  Builtin // needed for the provider of that name only
	Catalog  *catalog.Catalog
	Store    Store
	Bus      *events.Bus
	Log      *slog.Logger
	Clock    Clock         // zero: the real one
	Patience time.Duration // how long a query waits; 0: a second
	Timeout  time.Duration // how long a provider may take; 0: 30 seconds, for it may have to load its model
}

// Status is how an index does.
type Status struct {
	Provider string
	Model    string // empty with the provider none
	Tools    int    // that are known
	Ready    int    // of them with a vector
	Working  bool   // vectors are being made
	Problem  string // why tools are found by their words alone; empty when all is well
}

// Index holds the vectors of the known tools. All methods are safe for
// concurrent use.
type Index struct {
	Options
	provider provider // nil: tools are found by their words alone
	name     string   // of the model
	current  atomic.Pointer[Vectors]
	working  atomic.Bool
	health   health
	queries  *queries
	making   making
}

// New returns an index without vectors; it has some while Run runs.
func New(o Options) *Index {
	if o.Clock.Now == nil {
		o.Clock = Clock{Now: time.Now, After: time.After}
	}
	o.Patience, o.Timeout = cmp.Or(o.Patience, time.Second), cmp.Or(o.Timeout, 30*time.Second)
	x := &Index{Options: o, health: newHealth(), queries: newQueries()}
	x.provider, x.name = choose(o)
	x.making.builder = newBuilder(x.id(), x.dimensions(), 0)
	x.current.Store(x.making.snapshot())
	return x
}

// choose returns who makes vectors, and with which model.
func choose(o Options) (p provider, model string) {
	switch o.Settings.Provider {
	case settings.ProviderBuiltin:
		return newBuiltin(o.Builtin.Encoder, o.Settings.Threads, o.Settings.IdleUnload, o.Clock), o.Builtin.Model
	case settings.ProviderLocal:
		model = cmp.Or(o.Settings.Model, "nomic-embed-text")
		return newLocal(o.Settings.URL, model), model
	case settings.ProviderOpenAI:
		model = cmp.Or(o.Settings.Model, "text-embedding-3-small")
		return newOpenAI(o.Settings.BaseURL, o.Settings.Key, model), model
	}
	return nil, ""
}

// dimensions is how many numbers a vector has; 0 where the provider will tell.
func (x *Index) dimensions() int {
	if x.Settings.Provider == settings.ProviderBuiltin {
		return x.Builtin.Dimensions
	}
	return 0
}

// id tells whose vectors are alike: same model, same words of a tool.
func (x *Index) id() string {
	if x.provider == nil {
		return ""
	}
	return x.Settings.Provider + "/" + x.name + "/text" + textVersion
}

// Vectors returns those that there are now.
func (x *Index) Vectors() *Vectors { return x.current.Load() }

// Status tells how the index does.
func (x *Index) Status() Status {
	s := Status{Provider: x.Settings.Provider, Model: x.name, Working: x.working.Load(), Problem: x.health.problem()}
	vectors := x.Vectors()
	for _, t := range x.Catalog.Snapshot().Tools {
		s.Tools++
		if _, ok := vectors.Of(t.Hash); ok {
			s.Ready++
		}
	}
	return s
}

// Run makes the vectors that are missing, and follows the catalog, until ctx
// ends.
func (x *Index) Run(ctx context.Context) error {
	if x.provider == nil {
		<-ctx.Done()
		return nil
	}
	var others sync.WaitGroup
	defer others.Wait()
	others.Go(func() { x.provider.run(ctx) })
	for range answering {
		others.Go(func() { x.answer(ctx) })
	}
	changed := make(chan struct{}, 1)
	defer events.Signal[catalog.Changed](x.Bus, changed)()
	for failures := 0; ctx.Err() == nil; {
		done := x.pass(ctx)
		if done {
			failures = 0
			x.rest(ctx, changed)
		}
		if !done || x.health.failing() { // a query may have found that out
			failures++
			x.endure(ctx, changed, backoff(failures))
		}
	}
	return nil
}

// rest returns when there is something to do.
func (x *Index) rest(ctx context.Context, changed <-chan struct{}) {
	select {
	case <-ctx.Done():
	case <-changed:
	case <-x.health.moved:
	case <-x.Clock.After(tidyEvery):
	}
}

// endure follows the catalog without a provider for a while.
func (x *Index) endure(ctx context.Context, changed <-chan struct{}, pause time.Duration) {
	over := x.Clock.After(pause)
	for {
		select {
		case <-ctx.Done():
			return
		case <-over:
			return
		case <-changed:
			_ = x.load(ctx) // the next pass tries again
		}
	}
}
