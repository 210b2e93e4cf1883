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

// searcher makes the searcher of a hub with such settings. Once it returns,
// every tool can be found by all that the provider knows of it; progress tells
// how far that is. The provider works until ctx ends.
func searcher(ctx context.Context, s settings.Search, c *catalog.Catalog, bus *events.Bus, progress Progress) (*search.Searcher, error) {
	options := search.Options{Catalog: c, Bus: bus}
	if s.Provider == settings.ProviderNone {
		return search.New(options), nil
	}
	index := embedding.New(embedding.Options{
		Settings: s, Catalog: c, Store: nowhere{}, Bus: bus, Log: slog.New(slog.DiscardHandler),
		Builtin: embedding.Builtin{Encoder: minilm.New(), Model: minilm.Model, Dimensions: minilm.Dimensions},
	})
	changes, stop := events.Subscribe[embedding.Changed](bus, 1024)
	defer stop()
	go func() { _ = index.Run(ctx) }() // ends with ctx, and never with an error
	if err := wait(ctx, index, changes, progress); err != nil {
		return nil, err
	}
	options.Meaning = index
	return search.New(options), nil
}

// wait returns when every tool has its vector.
func wait(ctx context.Context, index *embedding.Index, changes <-chan embedding.Changed, progress Progress) error {
	look := time.NewTicker(time.Second) // for a provider that fails changes nothing
	defer look.Stop()
	for {
		status := index.Status()
		progress.tell("indexing", status.Ready, status.Tools)
		switch {
		case status.Ready == status.Tools:
			return nil
		case status.Problem != "":
			return fault.New(fault.Unavailable, "the provider %s does not work: %s", status.Provider, status.Problem)
		}
		select {
		case <-changes:
		case <-look.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ours is the hub's own search over the tools of a set.
type ours struct {
	search *search.Searcher
	ids    map[catalog.Key]string
}

// Open returns the hub's own search, ready to rank the tools as a hub with such
// settings does, until ctx ends. A provider that fails is an error.
func Open(ctx context.Context, tools []Tool, s settings.Search, progress Progress) (Engine, error) {
	bus := &events.Bus{}
	c, err := catalog.Open(ctx, nowhere{}, bus, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	o := &ours{ids: make(map[catalog.Key]string, len(tools))}
	if err := o.fill(ctx, c, tools); err != nil {
		return nil, err
	}
	if o.search, err = searcher(ctx, s, c, bus, progress); err != nil {
		return nil, err
	}
	o.search.Find(ctx, search.Query{Text: "anything", Limit: 1}) // builds what the hub has built before anybody asks
	return o, nil
}

// fill puts the tools into a catalog. A server lists a name once; where a set
// has it again, the tool goes to a server of the same words.
func (o *ours) fill(ctx context.Context, c *catalog.Catalog, tools []Tool) error {
	var order []string
	listed := make(map[string][]json.RawMessage)
	for _, t := range tools {
		key := catalog.Key{Server: t.Server, Tool: t.Name}
		for o.ids[key] != "" {
			key.Server += " "
		}
		o.ids[key] = t.ID
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

// Rank asks the search as a session does, for hits in any case.
func (o *ours) Rank(ctx context.Context, query string, limit int) (Answer, error) {
	ask := search.Query{Text: query, Limit: limit, Always: true}
	began := time.Now()
	result := o.search.Find(ctx, ask)
	answer := Answer{Found: result.Found, Confidence: "none", Took: time.Since(began), Evidence: result.Evidence}
	if result.Found {
		answer.Confidence = string(result.Confidence)
	}
	for _, hit := range result.Hits {
		answer.Hits = append(answer.Hits, Hit{o.ids[hit.Tool.Key()], hit.Score})
	}
	return answer, nil
}

// nowhere is a store that keeps nothing.
type nowhere struct{}

func (nowhere) Tools(context.Context) ([]*catalog.Tool, error)                       { return nil, nil }
func (nowhere) ReplaceTools(context.Context, string, []*catalog.Tool) error          { return nil }
func (nowhere) Vectors(context.Context, string, func(string, float32, []byte)) error { return nil }
func (nowhere) KeepVectors(context.Context, string, []embedding.Made) error          { return nil }
func (nowhere) TidyVectors(context.Context, string, time.Time, time.Duration) error  { return nil }
func (nowhere) SetTokens(context.Context, map[catalog.Key]int) error                 { return nil }
