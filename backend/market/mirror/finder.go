package mirror

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

const (
	// staleAfter is how long searches keep using the documents in memory while a refresh changes the copy.
	staleAfter = 5 * time.Second
	// MaxFound is the largest number of listings that Search returns.
	MaxFound = 50
	// leastShare is the minimum score of a found listing, as a share of the best score.
	leastShare = 0.3
)

// finder searches the documents of the copy with the search for tools. It holds them in memory. The method run
// computes and stores their vectors; a document without a vector is found by its words alone.
type finder struct {
	catalog *catalog.Catalog
	search  *search.Searcher
	index   *embedding.Index

	mu     sync.Mutex
	loaded int64     // Mirror.change at the last load; -1 before the first
	at     time.Time // time of the last load
	used   time.Time // time of the last search; guarded by Mirror.mu
}

func newFinder(ctx context.Context, o Meaning, log *slog.Logger) (*finder, error) {
	bus := &events.Bus{} // a separate bus, so that the hub's search for tools does not see these documents
	c, err := catalog.Open(ctx, unstored{}, bus, log)
	if err != nil {
		return nil, err
	}
	if o.Store == nil {
		o.Settings.Provider, o.Store = settings.ProviderNone, unstored{}
	}
	f := &finder{catalog: c, loaded: -1}
	f.index = embedding.New(embedding.Options{
		Settings: o.Settings, Builtin: o.Builtin, Catalog: c, Store: o.Store, Bus: bus, Log: log, Transport: o.Transport,
	})
	f.search = search.New(search.Options{Catalog: c, Bus: bus, Meaning: f.index})
	return f, nil
}

// load reads the documents if the copy has changed since they were last read. Unless force is set, it does not read
// them again before staleAfter has passed.
func (f *finder) load(ctx context.Context, store Store, change int64, now time.Time, force bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.loaded == change || f.loaded >= 0 && !force && now.Sub(f.at) < staleAfter {
		return nil
	}
	var tools []*catalog.Tool
	taken := make(map[catalog.Key]bool)
	err := store.MirrorDocuments(ctx, func(id int64, d Document) {
		t := d.tool(id)
		for taken[t.Key()] { // append spaces, which the search ignores, to make publishers with equal names unique
			t.Server += " "
		}
		taken[t.Key()] = true
		tools = append(tools, t)
	})
	if err != nil {
		return err
	}
	f.catalog.Reset(tools)
	f.loaded, f.at = change, now
	return nil
}

// Search returns at most limit listings that match a text, the best first. It needs no network, unless there is no
// copy yet: then it searches the registry, and requests a refresh unless the last one failed. It returns an error if
// there is neither a copy nor a configured registry.
func (m *Mirror) Search(ctx context.Context, text string, limit int) ([]listing.Listing, error) {
	if s := m.Status(); s.Entries == 0 && s.Refreshed.IsZero() {
		if err := m.options.Source.Check(); err != nil {
			return nil, err
		}
		if s.Problem == "" {
			m.request()
		}
		return m.options.Source.Search(ctx, text, limit)
	}
	f, change, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := f.load(ctx, m.options.Store, change, m.options.Now(), false); err != nil {
		return nil, err
	}
	result := f.search.Find(ctx, search.Query{Text: text, Limit: min(limit, MaxFound), Always: true})
	ids := make([]int64, 0, len(result.Hits))
	for _, hit := range result.Hits {
		if hit.Score >= leastShare*result.TopScore {
			ids = append(ids, hit.Tool.ID)
		}
	}
	return m.options.Store.MirrorByID(ctx, ids)
}

// open returns the finder and the current value of Mirror.change. If there is no finder, open creates one.
func (m *Mirror) open(ctx context.Context) (*finder, int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.finder == nil {
		f, err := newFinder(ctx, m.options.Meaning, m.options.Log)
		if err != nil {
			return nil, 0, err
		}
		m.finder = f
		m.opened <- f // does not block: Run receives a finder before unload drops it
	}
	m.finder.used = m.options.Now()
	return m.finder, m.change, nil
}

// reload reads the documents again after a refresh if a finder is open, so that the next search need not wait.
func (m *Mirror) reload(ctx context.Context) {
	m.mu.Lock()
	f, change := m.finder, m.change
	m.mu.Unlock()
	if f == nil || ctx.Err() != nil {
		return
	}
	if err := f.load(ctx, m.options.Store, change, m.options.Now(), true); err != nil {
		m.options.Log.Warn("could not read the copy of the registry", "error", err)
	}
}

// unload drops the finder if nobody has searched for unloadAfter. It reports whether it did.
func (m *Mirror) unload() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.finder == nil || m.options.Now().Sub(m.finder.used) < unloadAfter || len(m.opened) > 0 {
		return false
	}
	m.finder = nil
	return true
}

// Indexed returns how many of the documents in memory have a vector, for the search by meaning.
func (m *Mirror) Indexed() (ready, all int) {
	m.mu.Lock()
	f := m.finder
	m.mu.Unlock()
	if f == nil {
		return 0, 0
	}
	status := f.index.Status()
	return status.Ready, status.Tools
}

// unstored is a catalog.Store and an embedding.Store that keeps nothing.
type unstored struct{}

func (unstored) Tools(context.Context) ([]*catalog.Tool, error) { return nil, nil }

func (unstored) ReplaceTools(context.Context, string, []*catalog.Tool, []catalog.Change) error {
	return nil
}
func (unstored) SetTokens(context.Context, map[catalog.Key]int) error                 { return nil }
func (unstored) Vectors(context.Context, string, func(string, float32, []byte)) error { return nil }
func (unstored) KeepVectors(context.Context, string, []embedding.Made) error          { return nil }
func (unstored) TidyVectors(context.Context, string, time.Time, time.Duration) error  { return nil }
