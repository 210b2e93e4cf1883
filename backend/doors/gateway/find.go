package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

const (
	defaultLimit = 1 + findreply.DefaultOthers
	maxLimit     = 50
	maxIntents   = 10
)

// findTool serves the action find_tool.
func (s *Session) findTool(ctx context.Context, args arguments) (any, error) {
	return s.find(ctx, args, findStyle{})
}

// findStyle is how a reply tells what to do next. The zero value is that of registry.
type findStyle struct {
	caller func(*catalog.Tool) string // see findreply.Options
	miss   string                     // the hint if nothing was found
}

// find ranks the known tools for one query and may add those in its reply to the session
// tools, unless auto_activate is false. It starts no server.
func (s *Session) find(ctx context.Context, args arguments, style findStyle) (any, error) {
	limit, err := limitOf(args.Query, float64(args.Limit))
	if err != nil {
		return nil, err
	}
	g, rules := s.gateway, s.rules()
	query := search.Query{Text: args.Query, Limit: limit}
	result := g.rank(ctx, query, rules)
	if !result.Found {
		g.searchAgain(ctx, result.Unread, func(ctx context.Context) {
			rules, query.Patient = s.rules(), true
			result = g.rank(ctx, query, rules)
		})
	}
	if !result.Found {
		s.asked(answerTo(args.Query, nil))
		return findreply.NoMatch(args.Query, result, g.nearest(args.Query, rules), g.searched(style.miss)), nil
	}
	listing := (args.AutoActivate == nil || bool(*args.AutoActivate)) && s.addsFound(ctx)
	listed := func(t *catalog.Tool) bool { return (listing || s.lists(t)) && s.showsFullName(t) }
	found := findreply.ForQuery(result, findreply.Options{MaxOthers: limit - 1, KeepOthers: args.Limit >= 1, Listed: listed, Shown: s.shownBefore(bool(args.Brief)), Caller: style.caller})
	if listing {
		s.addFound(ctx, found.Tools())
	}
	s.markShown(found.Tools())
	s.asked(answerTo(args.Query, found.Tools()))
	return found, nil
}

// findTools serves find_tools: it ranks several intents together. It adds no
// session tools.
func (s *Session) findTools(ctx context.Context, args arguments) (any, error) {
	switch {
	case len(args.Intents) == 0:
		return nil, fault.New(fault.Invalid, "intents (string[]) is required")
	case len(args.Intents) > maxIntents:
		return nil, fault.New(fault.Invalid, "max %d intents per call", maxIntents)
	}
	g, rules := s.gateway, s.rules()
	results := make([]search.Result, len(args.Intents))
	rank := func(ctx context.Context, patient bool) (found, unread bool) {
		found, rules = true, s.rules()
		for i, intent := range args.Intents {
			results[i] = g.rank(ctx, search.Query{Text: intent, Limit: batchCandidates, Patient: patient}, rules)
			found, unread = found && results[i].Found, unread || results[i].Unread
		}
		return found, unread
	}
	if found, unread := rank(ctx, false); !found {
		g.searchAgain(ctx, unread, func(ctx context.Context) { rank(ctx, true) })
	}
	replies, answers := make([]any, len(results)), make([]learning.Answer, len(results))
	for i, result := range rankBatch(args.Intents, results) {
		intent := args.Intents[i]
		if !result.Found {
			answers[i] = answerTo(intent, nil)
			replies[i] = findreply.NoMatchForIntent(intent, result, g.nearest(intent, rules), g.searched(""))
			continue
		}
		found := findreply.ForIntent(intent, result, findreply.Options{MaxOthers: findreply.MaxBatchOthers, Shown: s.shownBefore(bool(args.Brief))})
		s.markShown(found.Tools())
		answers[i] = answerTo(intent, found.Tools())
		replies[i] = found
	}
	s.asked(answers...)
	return map[string]any{"results": replies}, nil
}

// limitOf returns how many tools a find_tool reply may have.
func limitOf(query string, wanted float64) (int, error) {
	if strings.TrimSpace(query) == "" {
		return 0, fault.New(fault.Invalid, "query is required")
	}
	if wanted < 1 {
		return defaultLimit, nil
	}
	return int(min(wanted, maxLimit)), nil
}

// rank searches the findable tools, of which those that q.Allow accepts, and returns them as
// they appear by some rules.
func (g *Gateway) rank(ctx context.Context, q search.Query, r ruleset) search.Result {
	findable, more := g.findable(r), q.Allow
	q.Allow = func(t *catalog.Tool) bool { return (more == nil || more(t)) && findable(t) }
	result := g.search.Find(ctx, q)
	for _, hits := range [][]search.Hit{result.Hits, result.Closest} {
		for i := range hits {
			hits[i].Tool = r.Present(hits[i].Tool)
		}
	}
	return result
}

// near returns findable tools with names similar to one; see search.Searcher.Nearest.
func (g *Gateway) near(server, tool string, limit int, r ruleset) (near []*catalog.Tool) {
	findable := g.findable(r)
	for _, t := range g.search.Nearest(server, tool, limit) {
		if findable(t) {
			near = append(near, r.Present(t))
		}
	}
	return near
}

// nearest returns tools with names similar to a tool name that the query
// contains.
func (g *Gateway) nearest(query string, r ruleset) []*catalog.Tool {
	const most = 10 // more than a reply contains, because some may not be findable
	name := findreply.ToolName(query)
	if name == "" {
		return nil
	}
	return g.near("", name, most, r)
}

// getSchema serves get_schema: it returns a tool's description and full argument
// schema.
func (s *Session) getSchema(_ context.Context, args arguments) (any, error) {
	name := cmp.Or(args.CallAs, args.Name, args.Tool)
	if name == "" {
		return nil, fault.New(fault.Invalid, "call_as (or name) is required")
	}
	means, err := s.names().Tool(args.Server, name)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return nil, err
	}
	if err == nil {
		if err := s.gateway.calls.Held(means.Server, means.Name); err != nil {
			return nil, err
		}
	}
	tool := means.Known
	if tool == nil || !s.gateway.findable(s.rules())(tool) {
		return map[string]any{"found": false, "hint": "no tool named \"" + cmp.Or(means.Name, bareName(name)) + "\" — call find_tool first"}, nil
	}
	s.markShown([]*catalog.Tool{tool})
	return struct {
		Found       bool            `json:"found"`
		CallAs      string          `json:"call_as"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
	}{true, tool.CallAs(), tool.Description, tool.InputSchema()}, nil
}

// bareName returns what follows the last "__" of a name.
func bareName(name string) string { return name[strings.LastIndex(name, "__")+1:] }
