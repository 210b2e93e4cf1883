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
	// commitEvery is how long vectors are collected before they are stored.
	commitEvery = time.Second
	// commitPatience is how long the store may take when the hub ends.
	commitPatience = time.Second
	// keepGone is how long the vectors of a tool outlive it: who takes a server
	// out and in again does not wait, and servers that describe their tools anew
	// at each start do not fill the store.
	keepGone  = 3 * 24 * time.Hour
	tidyEvery = 24 * time.Hour
	// toolTokens is how much of a tool's text the builtin model reads.
	toolTokens = 64
	// sample is a text that no provider has anything against.
	sample = "list files"
)

// making is what Run alone knows.
type making struct {
	*builder
	from    *catalog.Snapshot // the tools of which these are the vectors
	skipped map[sum]bool      // texts that the provider does not take
	tidied  time.Time
}

// sum stands for a text.
type sum [sha256.Size]byte

func sumOf(t *catalog.Tool) sum { return sha256.Sum256([]byte(Text(t))) }

// job is the tools that have a text.
type job []*catalog.Tool

// pass makes all that is missing; false when it is to be tried again later.
func (x *Index) pass(ctx context.Context) bool {
	for ctx.Err() == nil {
		if !x.load(ctx) || x.health.failing() && !x.try(ctx) || !x.fill(ctx) {
			return false
		}
		if x.Catalog.Snapshot() == x.making.from {
			return x.tidy(ctx)
		}
	}
	return false
}

// load makes the vectors those of the tools that are known now, as far as they
// have been made; false when the store fails.
func (x *Index) load(ctx context.Context) bool {
	m, snapshot := &x.making, x.Catalog.Snapshot()
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
	if had < len(wanted) && !x.kept(ctx, x.read(ctx, next, wanted)) {
		return false
	}
	changed := had < m.Len() || had < next.Len()
	m.builder, m.from = next, snapshot
	x.current.Store(next.snapshot())
	if changed {
		events.Publish(x.Bus, Changed{})
	}
	return true
}

// holds reports whether there are vectors of the wanted tools and of no others.
func (b *builder) holds(wanted map[key]bool) bool {
	for k := range wanted {
		if _, ok := b.at[k]; !ok {
			return false
		}
	}
	return len(wanted) == b.Len()
}

// read adds the wanted vectors that are stored.
func (x *Index) read(ctx context.Context, to *builder, wanted map[key]bool) error {
	var values []int8
	return x.Store.Vectors(ctx, to.model, func(hash string, scale float32, data []byte) {
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

// missing returns the tools without a vector, and those vectors that can be
// had from tools with the same text.
func (x *Index) missing() (jobs []job, had []Made) {
	m := &x.making
	var lacking []*catalog.Tool
	for _, t := range m.from.Tools {
		if _, ok := m.Of(t.Hash); !ok {
			lacking = append(lacking, t)
		}
	}
	if len(lacking) == 0 {
		return nil, nil
	}
	known := make(map[sum]string, len(m.from.Tools)) // hashes
	for _, t := range m.from.Tools {
		if _, ok := m.Of(t.Hash); ok {
			known[sumOf(t)] = t.Hash
		}
	}
	at := make(map[sum]int, len(lacking))
	for _, t := range lacking {
		s := sumOf(t)
		if hash, ok := known[s]; ok {
			v, _ := m.Of(hash)
			had = append(had, Made{t.Hash, v})
		} else if i, ok := at[s]; ok {
			jobs[i] = append(jobs[i], t)
		} else if !m.skipped[s] {
			at[s] = len(jobs)
			jobs = append(jobs, job{t})
		}
	}
	return jobs, had
}

// fill makes what is missing of the tools that load looked at, or until they
// change; false when it cannot.
func (x *Index) fill(ctx context.Context) bool {
	jobs, made := x.missing()
	if len(jobs) == 0 {
		return x.commit(ctx, made)
	}
	x.working.Store(true)
	defer x.working.Store(false)
	since := x.Clock.Now()
	for len(jobs) > 0 && ctx.Err() == nil {
		x.queries.giveWay(ctx, x.Clock)
		batch := jobs[:min(x.provider.batch(), len(jobs))]
		jobs = jobs[len(batch):]
		some, ok := x.encode(ctx, batch)
		made = append(made, some...)
		if !ok {
			x.commit(ctx, made)
			return false
		}
		if len(jobs) == 0 || x.Clock.Now().Sub(since) < commitEvery {
			continue
		}
		if !x.commit(ctx, made) {
			return false
		}
		made, since = nil, x.Clock.Now()
		if x.Catalog.Snapshot() != x.making.from {
			return true
		}
	}
	x.working.Store(false) // who hears of the last ones sees that
	return x.commit(ctx, made)
}

// commit stores vectors, also when the hub ends, and shows them.
func (x *Index) commit(ctx context.Context, made []Made) bool {
	if len(made) == 0 {
		return true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitPatience)
	defer cancel()
	if !x.kept(ctx, x.Store.KeepVectors(ctx, x.making.model, made)) {
		return false
	}
	for _, one := range made {
		x.making.add(keyOf(one.Hash), one.Vector.Scale, one.Vector.Values)
	}
	x.current.Store(x.making.snapshot())
	events.Publish(x.Bus, Changed{})
	return true
}

// encode makes the vectors of a batch; false when the provider fails.
func (x *Index) encode(ctx context.Context, batch []job) ([]Made, bool) {
	texts := make([]string, len(batch))
	for i, j := range batch {
		texts[i] = Text(j[0])
	}
	vectors, err := x.ask(ctx, texts, toolTokens)
	if !errors.Is(err, errRefused) {
		return pair(batch, vectors), err == nil
	}
	if !x.try(ctx) {
		return nil, false
	}
	return x.oneByOne(ctx, batch)
}

// pair gives vectors to those that they are of.
func pair(batch []job, vectors [][]float32) []Made {
	var made []Made
	for i, exact := range vectors {
		v := Round(exact)
		for _, t := range batch[i] {
			made = append(made, Made{t.Hash, v})
		}
	}
	return made
}

// shortText is how much of a text is tried when the whole is refused, in bytes.
const shortText = 400

// oneByOne finds out which texts of a batch a provider does not take. It gets
// less of them, and what it does not take even then is left out.
func (x *Index) oneByOne(ctx context.Context, batch []job) ([]Made, bool) {
	var made []Made
	for i, j := range batch {
		text := Text(j[0])
		vectors, err := x.ask(ctx, []string{text}, toolTokens)
		if errors.Is(err, errRefused) {
			vectors, err = x.ask(ctx, []string{safetext.Prefix(text, shortText)}, toolTokens)
		}
		switch {
		case errors.Is(err, errRefused):
			x.Log.Info("a tool is found by its words alone, its text is refused", "server", j[0].Server, "tool", j[0].Name, "error", err)
			if x.making.skipped == nil {
				x.making.skipped = make(map[sum]bool)
			}
			x.making.skipped[sumOf(j[0])] = true
		case err != nil:
			return made, false
		}
		made = append(made, pair(batch[i:i+1], vectors)...)
	}
	return made, true
}

// tidy drops what nobody needs any more, now and then.
func (x *Index) tidy(ctx context.Context) bool {
	now := x.Clock.Now()
	if m := &x.making; m.tidied.IsZero() || now.Sub(m.tidied) >= tidyEvery {
		if !x.kept(ctx, x.Store.TidyVectors(ctx, m.model, now, keepGone)) {
			return false
		}
		m.tidied = now
	}
	return true
}
