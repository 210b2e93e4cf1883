package embedding

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

const (
	// commitEvery is how long computed vectors are collected before they are
	// stored.
	commitEvery = time.Second
	// commitTimeout limits the duration of a write to the store, because the hub
	// completes the write before it shuts down.
	commitTimeout = time.Second
	// keepUnused is how long the vectors of a removed tool are kept: long enough
	// that removing and adding a server needs no new vectors, short enough that
	// servers whose descriptions change at each start do not fill the store.
	keepUnused = 3 * 24 * time.Hour
	tidyEvery  = 24 * time.Hour
	// tidyFirst is how long after its start the index first deletes vectors, so
	// that this does not slow down the start of the hub.
	tidyFirst = time.Minute
	// toolTokens is the number of tokens of a tool's text that the built-in
	// model reads.
	toolTokens = 64
	// sampleText is a text that every embedding model accepts.
	sampleText = "list files"
)

// state is the part of an Index that only Run uses.
type state struct {
	*builder
	from    *catalog.Snapshot // the snapshot of the catalog that the builder holds vectors for
	skipped map[textHash]bool // texts that the provider rejects
	tidied  time.Time         // when unneeded vectors were last deleted, or when the index started
	tidyIn  time.Duration     // time from tidied until unneeded vectors are deleted again
}

// textHash is the SHA-256 of a tool's text.
type textHash [sha256.Size]byte

func textHashOf(t *catalog.Tool) textHash { return sha256.Sum256([]byte(Text(t))) }

// job is a list of tools with the same text, which share one vector.
type job []*catalog.Tool

// update computes the missing vectors of the catalog's tools. It returns false
// when the store or the provider fails, or ctx ends.
func (x *Index) update(ctx context.Context) bool {
	for ctx.Err() == nil {
		if !x.load(ctx) || x.health.failing() && !x.probe(ctx) || !x.computeMissing(ctx) {
			return false
		}
		if x.catalog.Snapshot() == x.state.from {
			x.complete.Store(x.state.from)
			return x.tidy(ctx)
		}
	}
	return false
}

// load replaces the vectors with those of the catalog's present tools that are in
// memory or stored. It returns false when the store fails.
func (x *Index) load(ctx context.Context) bool {
	m, snapshot := &x.state, x.catalog.Snapshot()
	wanted := make(map[key]bool, len(snapshot.Tools))
	for _, t := range snapshot.Tools {
		wanted[keyOf(t.Hash)] = true
	}
	if snapshot == m.from || m.holds(wanted) {
		m.from = snapshot
		return true
	}
	next := newBuilder(m.model, m.dimensions, len(wanted))
	for k, i := range m.at {
		if wanted[k] {
			next.add(k, m.scales[i], m.values[int(i)*m.dimensions:int(i+1)*m.dimensions])
		}
	}
	had := next.Len()
	if had < len(wanted) && !x.logStoreError(ctx, x.readStored(ctx, next, wanted)) {
		return false
	}
	changed := had < m.Len() || had < next.Len()
	m.builder, m.from = next, snapshot
	x.current.Store(next.snapshot())
	if changed {
		events.Publish(x.bus, Changed{})
	}
	return true
}

// holds reports whether the builder has vectors for exactly the wanted keys.
func (b *builder) holds(wanted map[key]bool) bool {
	for k := range wanted {
		if _, ok := b.at[k]; !ok {
			return false
		}
	}
	return len(wanted) == b.Len()
}

// readStored adds the wanted vectors in the store to a builder.
func (x *Index) readStored(ctx context.Context, to *builder, wanted map[key]bool) error {
	var values []int8
	return x.store.Vectors(ctx, to.model, func(hash string, scale float32, data []byte) {
		k := keyOf(hash)
		if !wanted[k] {
			return
		}
		values = values[:0]
		for _, b := range data {
			values = append(values, int8(b))
		}
		to.add(k, scale, values)
	})
}

// missing returns jobs for the tools without a vector. Tools whose text equals
// that of a tool with a vector need no job: their vectors are returned in
// reused.
func (x *Index) missing() (jobs []job, reused []Made) {
	m := &x.state
	var lacking []*catalog.Tool
	for _, t := range m.from.Tools {
		if _, ok := m.Of(t.Hash); !ok {
			lacking = append(lacking, t)
		}
	}
	if len(lacking) == 0 {
		return nil, nil
	}
	known := make(map[textHash]string, len(m.from.Tools)) // maps a text to the hash of a tool that has a vector
	for _, t := range m.from.Tools {
		if _, ok := m.Of(t.Hash); ok {
			known[textHashOf(t)] = t.Hash
		}
	}
	at := make(map[textHash]int, len(lacking))
	for _, t := range lacking {
		s := textHashOf(t)
		if hash, ok := known[s]; ok {
			v, _ := m.Of(hash)
			reused = append(reused, Made{t.Hash, v})
		} else if i, ok := at[s]; ok {
			jobs[i] = append(jobs[i], t)
		} else if !m.skipped[s] {
			at[s] = len(jobs)
			jobs = append(jobs, job{t})
		}
	}
	return jobs, reused
}

// computeMissing computes the missing vectors of the tools that load has seen.
// It returns early when the catalog changes, and false when the store or the
// provider fails.
func (x *Index) computeMissing(ctx context.Context) bool {
	jobs, made := x.missing()
	if len(jobs) == 0 {
		return x.commit(ctx, made)
	}
	x.working.Store(true)
	defer x.working.Store(false)
	since := x.clock.Now()
	for len(jobs) > 0 && ctx.Err() == nil {
		x.queries.yield(ctx, x.clock)
		batch := jobs[:min(x.provider.batch(), len(jobs))]
		jobs = jobs[len(batch):]
		some, ok := x.encode(ctx, batch)
		made = append(made, some...)
		if !ok {
			x.commit(ctx, made)
			return false
		}
		if len(jobs) == 0 || x.clock.Now().Sub(since) < commitEvery {
			continue
		}
		if !x.commit(ctx, made) {
			return false
		}
		made, since = nil, x.clock.Now()
		if x.catalog.Snapshot() != x.state.from {
			return true
		}
	}
	x.working.Store(false) // before the last Changed event, whose subscribers may call Status
	return x.commit(ctx, made)
}

// commit stores vectors and publishes them. It completes even if ctx ends
// meanwhile.
func (x *Index) commit(ctx context.Context, made []Made) bool {
	if len(made) == 0 {
		return true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	if !x.logStoreError(ctx, x.store.KeepVectors(ctx, x.state.model, made)) {
		return false
	}
	for _, one := range made {
		x.state.add(keyOf(one.Hash), one.Vector.Scale, one.Vector.Values)
	}
	x.current.Store(x.state.snapshot())
	events.Publish(x.bus, Changed{})
	return true
}

// encode computes the vectors of a batch. It returns false when the provider
// fails.
func (x *Index) encode(ctx context.Context, batch []job) ([]Made, bool) {
	texts := make([]string, len(batch))
	for i, j := range batch {
		texts[i] = Text(j[0])
	}
	vectors, err := x.embed(ctx, texts, toolTokens)
	if !errors.Is(err, errRefused) {
		return assign(batch, vectors), err == nil
	}
	if !x.probe(ctx) {
		return nil, false
	}
	return x.oneByOne(ctx, batch)
}

// assign rounds each vector and assigns it to all tools of its job.
func assign(batch []job, vectors [][]float32) []Made {
	var made []Made
	for i, exact := range vectors {
		v := Round(exact)
		for _, t := range batch[i] {
			made = append(made, Made{t.Hash, v})
		}
	}
	return made
}

// shortText is the length in bytes to which a rejected text is cut for a second
// attempt.
const shortText = 400

// oneByOne embeds the texts of a rejected batch one at a time, to find those
// that the provider rejects. A rejected text is tried again in a shorter form,
// and skipped if that is rejected too.
func (x *Index) oneByOne(ctx context.Context, batch []job) ([]Made, bool) {
	var made []Made
	for i, j := range batch {
		text := Text(j[0])
		vectors, err := x.embed(ctx, []string{text}, toolTokens)
		if errors.Is(err, errRefused) {
			vectors, err = x.embed(ctx, []string{safetext.Prefix(text, shortText)}, toolTokens)
		}
		switch {
		case errors.Is(err, errRefused):
			x.log.Info("the model rejects the text of a tool; it is found by words alone", "server", j[0].Server, "tool", j[0].Name,
				"error", err)
			if x.state.skipped == nil {
				x.state.skipped = make(map[textHash]bool)
			}
			x.state.skipped[textHashOf(j[0])] = true
		case err != nil:
			return made, false
		}
		made = append(made, assign(batch[i:i+1], vectors)...)
	}
	return made, true
}

// tidy deletes the vectors that are no longer needed from the store, unless it
// did so a short time ago. It returns false when the store fails.
func (x *Index) tidy(ctx context.Context) bool {
	m, now := &x.state, x.clock.Now()
	if now.Sub(m.tidied) < m.tidyIn {
		return true
	}
	if !x.logStoreError(ctx, x.store.TidyVectors(ctx, m.model, now, keepUnused)) {
		return false
	}
	m.tidied, m.tidyIn = now, tidyEvery
	return true
}
