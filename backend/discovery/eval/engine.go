package eval

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// searcher returns a searcher with the settings of a hub. If they include
// embeddings, it waits until every tool has a vector and reports the progress.
// The provider runs until ctx ends.
func searcher(ctx context.Context, s settings.Search, c *catalog.Catalog, bus *events.Bus, progress Progress) (*search.Searcher, error) {
	options := search.Options{Catalog: c, Bus: bus, Spelled: minilm.Knows}
	if s.Provider == settings.ProviderNone {
		return search.New(options), nil
	}
	index := embedding.New(embedding.Options{
		Settings: s, Catalog: c, Store: noStore{}, Bus: bus, Log: slog.New(slog.DiscardHandler),
		QueryTimeout: time.Minute, // long, so that a slow machine does not change the ranking
		Builtin:      embedding.Builtin{Encoder: minilm.New(), Model: minilm.Model, Dimensions: minilm.Dimensions},
	})
	changes, stop := events.Subscribe[embedding.Changed](bus, 1024)
	defer stop()
	go func() { _ = index.Run(ctx) }() // ends with ctx and returns nil
	if err := wait(ctx, index, changes, progress); err != nil {
		return nil, err
	}
	options.Meaning = index
	return search.New(options), nil
}

// wait returns when every tool has a vector, or with an error when the provider
// fails.
func wait(ctx context.Context, index *embedding.Index, changes <-chan embedding.Changed, progress Progress) error {
	poll := time.NewTicker(time.Second) // a failing provider publishes no changes
	defer poll.Stop()
	for {
		status := index.Status()
		progress.report("indexing", status.Ready, status.Tools)
		switch {
		case status.Ready == status.Tools:
			return nil
		case status.Problem != "":
			return fault.New(fault.Unavailable, "the embedding provider %s fails: %s", status.Provider, status.Problem)
		}
		select {
		case <-changes:
		case <-poll.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// hubSearch is the search of the hub over the tools of a set.
type hubSearch struct {
	search *search.Searcher
	ids    map[catalog.Key]string // IDs of the tools in the set
}

// Open returns the search of a hub with these settings over tools. It computes
// all vectors first. If the provider fails, Open returns an error. The engine
// may be used until ctx ends.
func Open(ctx context.Context, tools []Tool, s settings.Search, progress Progress) (Engine, error) {
	bus := &events.Bus{}
	c, err := catalog.Open(ctx, noStore{}, bus, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	h := &hubSearch{ids: make(map[catalog.Key]string, len(tools))}
	if err := h.fill(ctx, c, tools); err != nil {
		return nil, err
	}
	if h.search, err = searcher(ctx, s, c, bus, progress); err != nil {
		return nil, err
	}
	h.search.Find(ctx, search.Query{Text: "anything", Limit: 1}) // builds the index and loads the encoder before searches are timed
	return h, nil
}

// fill adds the tools to a catalog. Since the names of a server's tools are
// unique in a catalog, a tool with a repeated name is added to another server,
// whose name has the same words.
func (h *hubSearch) fill(ctx context.Context, c *catalog.Catalog, tools []Tool) error {
	var order []string
	listed := make(map[string][]json.RawMessage)
	for _, t := range tools {
		key := catalog.Key{Server: t.Server, Tool: t.Name}
		for h.ids[key] != "" {
			key.Server += " "
		}
		h.ids[key] = t.ID
		if listed[key.Server] == nil {
			order = append(order, key.Server)
		}
		listed[key.Server] = append(listed[key.Server], t.Definition)
	}
	for _, server := range order {
		if _, err := c.Replace(ctx, server, listed[server]); err != nil {
			return err
		}
	}
	return nil
}

// Rank implements Engine.
func (h *hubSearch) Rank(ctx context.Context, query string, limit int) (Answer, error) {
	ask := search.Query{Text: query, Limit: limit, Always: true}
	began := time.Now()
	result := h.search.Find(ctx, ask)
	answer := Answer{Found: result.Found, Confidence: "none", Took: time.Since(began), Evidence: result.Evidence}
	if result.Found {
		answer.Confidence = string(result.Confidence)
	}
	for _, hit := range result.Hits {
		answer.Hits = append(answer.Hits, Hit{h.ids[hit.Tool.Key()], hit.Score})
	}
	return answer, nil
}

// noStore is a catalog.Store and an embedding.Store that keeps nothing.
type noStore struct{}

func (noStore) Tools(context.Context) ([]*catalog.Tool, error) { return nil, nil }

func (noStore) ReplaceTools(context.Context, string, []*catalog.Tool, []catalog.Change) error {
	return nil
}
func (noStore) Vectors(context.Context, string, func(string, float32, []byte)) error { return nil }
func (noStore) KeepVectors(context.Context, string, []embedding.Made) error          { return nil }
func (noStore) TidyVectors(context.Context, string, time.Time, time.Duration) error  { return nil }
func (noStore) SetTokens(context.Context, map[catalog.Key]int) error                 { return nil }
