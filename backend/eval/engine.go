package eval

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/agent-discover/agent-discover/backend/catalog"
	"github.com/agent-discover/agent-discover/backend/events"
	"github.com/agent-discover/agent-discover/backend/fault"
	"github.com/agent-discover/agent-discover/backend/search"
)

// The providers of meaning. Default stands for what the hub uses unasked.
const (
	Default = ""
	None    = "none"
	Builtin = "builtin"
	Local   = "local"
	OpenAI  = "openai"
)

// searcher makes the searcher of a provider. Once it returns, every tool can be
// found by all that the provider knows of it; progress tells how far that is.
func searcher(_ context.Context, provider string, c *catalog.Catalog, bus *events.Bus, _ Progress) (*search.Searcher, error) {
	switch provider {
	case Default, None:
		return search.New(c, bus), nil
	case Builtin, Local, OpenAI:
		return nil, fault.New(fault.Unavailable, "the provider %s is not in this build; tools are ranked by their words: --provider none", provider)
	}
	return nil, fault.New(fault.Invalid, "there is no provider %q: builtin, none, local or openai", provider)
}

// ours is the hub's own search over the tools of a set.
type ours struct {
	search *search.Searcher
	ids    map[catalog.Key]string
}

// Open returns the hub's own search, ready to rank the tools. An unknown
// provider is an error.
func Open(ctx context.Context, tools []Tool, provider string, progress Progress) (Engine, error) {
	bus := &events.Bus{}
	c, err := catalog.Open(ctx, nowhere{}, bus, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	o := &ours{ids: make(map[catalog.Key]string, len(tools))}
	if err := o.fill(ctx, c, tools); err != nil {
		return nil, err
	}
	if o.search, err = searcher(ctx, provider, c, bus, progress); err != nil {
		return nil, err
	}
	o.search.Find(search.Query{Text: "anything", Limit: 1}) // builds what the hub has built before anybody asks
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
func (o *ours) Rank(query string, limit int) (Answer, error) {
	ask := search.Query{Text: query, Limit: limit, Always: true}
	began := time.Now()
	result := o.search.Find(ask)
	answer := Answer{Found: result.Found, Confidence: "none", Took: time.Since(began)}
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

func (nowhere) Tools(context.Context) ([]*catalog.Tool, error)              { return nil, nil }
func (nowhere) ReplaceTools(context.Context, string, []*catalog.Tool) error { return nil }
func (nowhere) SetTokens(context.Context, map[catalog.Key]int) error        { return nil }
