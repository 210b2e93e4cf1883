package finding

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/resolve"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/arguments"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/inventory"
)

const maxIntents = 10

// Queries answers the queries of one session. It is safe for concurrent use.
type Queries struct {
	finder *Finder
	tools  Tools
	found  Found
	held   func(server, tool string) error
	asked  func(answers ...learning.Answer)
	shown  shownTools
}

// QueryOptions are the dependencies of Queries.
type QueryOptions struct {
	Finder *Finder
	Tools  Tools
	Found  Found
	// Held returns an error for a tool whose definition waits for a person's approval.
	Held func(server, tool string) error
	// Asked records the answers to the queries of one request.
	Asked func(answers ...learning.Answer)
}

// Tools says which tools the session's client may use, and how the hub resolves the names of tools that the client
// sends.
type Tools interface {
	Rules() inventory.Rules
	Names() resolve.Scope
	// Lists reports whether a tool is in the session's list.
	Lists(t *catalog.Tool) bool
	// ShowsFullName reports whether the client is shown a tool under its full name.
	ShowsFullName(t *catalog.Tool) bool
}

// Found are the tools that find_tool has added to the session's list.
type Found interface {
	// AddsFound reports whether found tools are added to the list.
	AddsFound(ctx context.Context) bool
	AddFound(ctx context.Context, tools []*catalog.Tool)
}

// NewQueries returns the Queries of a new session.
func NewQueries(o QueryOptions) *Queries {
	return &Queries{finder: o.Finder, tools: o.Tools, found: o.Found, held: o.Held, asked: o.Asked}
}

// Style determines which next step a reply advises the model to take. The zero value is the advice of the tool
// registry.
type Style struct {
	Caller func(*catalog.Tool) string // see findreply.Options
	Miss   string                     // the hint if nothing was found
}

// Tool serves find_tool: it ranks the known tools for one query. It may add the tools in the reply to the session
// tools, unless auto_activate is false. It starts no server.
func (q *Queries) Tool(ctx context.Context, args arguments.Arguments, style Style) (any, error) {
	limit, err := LimitOf(args.Query, float64(args.Limit))
	if err != nil {
		return nil, err
	}
	f, rules := q.finder, q.tools.Rules()
	query := search.Query{Text: args.Query, Limit: limit}
	result := f.Rank(ctx, query, rules)
	if !result.Found {
		f.again(ctx, result.Unread, func(ctx context.Context) {
			rules, query.Patient = q.tools.Rules(), true
			result = f.Rank(ctx, query, rules)
		})
	}
	if !result.Found {
		q.asked(answerTo(args.Query, nil))
		return findreply.NoMatch(args.Query, result, f.nearest(args.Query, rules), f.Searched(style.Miss)), nil
	}
	listing := (args.AutoActivate == nil || bool(*args.AutoActivate)) && q.found.AddsFound(ctx)
	found := findreply.ForQuery(result, findreply.Options{
		MaxOthers: limit - 1, KeepOthers: args.Limit >= 1, Shown: q.shown.before(bool(args.Brief)), Caller: style.Caller,
		Listed: func(t *catalog.Tool) bool { return (listing || q.tools.Lists(t)) && q.tools.ShowsFullName(t) },
	})
	if listing {
		q.found.AddFound(ctx, found.Tools())
	}
	q.shown.note(found.Tools())
	q.asked(answerTo(args.Query, found.Tools()))
	return found, nil
}

// Intents serves find_tools: it ranks several intents together. It adds no
// session tools.
func (q *Queries) Intents(ctx context.Context, args arguments.Arguments) (any, error) {
	switch {
	case len(args.Intents) == 0:
		return nil, fault.New(fault.Invalid, "intents (string[]) is required")
	case len(args.Intents) > maxIntents:
		return nil, fault.New(fault.Invalid, "max %d intents per call", maxIntents)
	}
	f, rules := q.finder, q.tools.Rules()
	results := make([]search.Result, len(args.Intents))
	rank := func(ctx context.Context, patient bool) (found, unread bool) {
		found, rules = true, q.tools.Rules()
		for i, intent := range args.Intents {
			results[i] = f.Rank(ctx, search.Query{Text: intent, Limit: batchCandidates, Patient: patient}, rules)
			found, unread = found && results[i].Found, unread || results[i].Unread
		}
		return found, unread
	}
	if found, unread := rank(ctx, false); !found {
		f.again(ctx, unread, func(ctx context.Context) { rank(ctx, true) })
	}
	replies, answers := make([]any, len(results)), make([]learning.Answer, len(results))
	for i, result := range rankBatch(args.Intents, results) {
		intent := args.Intents[i]
		if !result.Found {
			answers[i] = answerTo(intent, nil)
			replies[i] = findreply.NoMatchForIntent(intent, result, f.nearest(intent, rules), f.Searched(""))
			continue
		}
		found := findreply.ForIntent(intent, result, findreply.Options{
			MaxOthers: findreply.MaxBatchOthers, Shown: q.shown.before(bool(args.Brief)),
		})
		q.shown.note(found.Tools())
		answers[i] = answerTo(intent, found.Tools())
		replies[i] = found
	}
	q.asked(answers...)
	return map[string]any{"results": replies}, nil
}

// Ranked returns the tools that fit a query best, and the rules that give them their names and descriptions. If disabled
// is true, tools that a rule disables are among them.
func (q *Queries) Ranked(ctx context.Context, query search.Query, disabled bool) ([]search.Hit, inventory.Rules) {
	var rules inventory.Rules
	var result search.Result
	rank := func(ctx context.Context) {
		rules = q.tools.Rules()
		among := q.finder.inventory.Shown()
		if !disabled {
			among = q.finder.inventory.Findable(rules)
		}
		result = q.finder.rank(ctx, query, rules, among)
	}
	if rank(ctx); len(result.Hits) == 0 {
		query.Patient = true
		q.finder.again(ctx, result.Unread, rank)
	}
	tools := make([]*catalog.Tool, len(result.Hits))
	for i, hit := range result.Hits {
		tools[i] = hit.Tool
	}
	q.asked(answerTo(query.Text, tools))
	return result.Hits, rules
}

// answerTo returns an answer: a query and the tools in the reply to it, best
// first.
func answerTo(query string, tools []*catalog.Tool) learning.Answer {
	shown := make([]catalog.Key, len(tools))
	for i, tool := range tools {
		shown[i] = tool.Key()
	}
	return learning.Answer{Query: query, Shown: shown}
}

// Schema serves get_schema: it returns a tool's description and full argument
// schema.
func (q *Queries) Schema(_ context.Context, args arguments.Arguments) (any, error) {
	name := cmp.Or(args.CallAs, args.Name, args.Tool)
	if name == "" {
		return nil, fault.New(fault.Invalid, "call_as (or name) is required")
	}
	means, err := q.tools.Names().Tool(args.Server, name)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return nil, err
	}
	if err == nil {
		if err := q.held(means.Server, means.Name); err != nil {
			return nil, err
		}
	}
	tool := means.Known
	if tool == nil || !q.finder.inventory.Findable(q.tools.Rules())(tool) {
		return struct {
			Found      bool     `json:"found"`
			Hint       string   `json:"hint"`
			DidYouMean []string `json:"did_you_mean,omitempty"`
		}{false, "no tool named \"" + cmp.Or(means.Name, resolve.Bare(name)) + "\" — call find_tool first", fault.DidYouMean(err)}, nil
	}
	q.Described(tool)
	return struct {
		Found       bool            `json:"found"`
		CallAs      string          `json:"call_as"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
	}{true, tool.CallAs(), tool.Description, tool.InputSchema()}, nil
}

// Described notes that the session was shown the description of a tool.
func (q *Queries) Described(t *catalog.Tool) { q.shown.note([]*catalog.Tool{t}) }
