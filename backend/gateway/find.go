package gateway

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/agent-discover/agent-discover/backend/catalog"
	"github.com/agent-discover/agent-discover/backend/fault"
	"github.com/agent-discover/agent-discover/backend/search"
)

const (
	defaultLimit   = 5
	maxLimit       = 50
	maxIntents     = 10
	othersInBatch  = 2
	maxDescription = 700 // bytes of the best tool's description
)

const missHint = `no tools matched with sufficient confidence — try different keywords or registry({action:"list"}) to browse`

// found is the reply to find_tool, and with Intent one of those to find_tools.
type found struct {
	Intent        string            `json:"intent,omitempty"`
	Found         bool              `json:"found"`
	Confidence    search.Confidence `json:"confidence"`
	Score         float64           `json:"score"`
	CallAs        string            `json:"call_as"`
	Server        string            `json:"server,omitempty"`
	Tool          string            `json:"tool"`
	Description   string            `json:"description"`
	RequiredArgs  []argument        `json:"required_args"`
	OptionalCount int               `json:"optional_count"`
	NextStep      string            `json:"next_step,omitempty"`
	OtherMatches  []match           `json:"other_matches"`
}

type argument struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description,omitempty"`
}

type match struct {
	CallAs      string   `json:"call_as"`
	Tool        string   `json:"tool"`
	Description string   `json:"description"`
	Score       *float64 `json:"score,omitempty"`
}

type miss struct {
	Intent   string  `json:"intent,omitempty"`
	Found    bool    `json:"found"`
	Matches  []match `json:"matches"`
	TopScore float64 `json:"top_score"`
	Hint     string  `json:"hint"`
}

// findTool ranks the known tools for one intent and lends what it found to the
// session. It starts no server.
func (s *Session) findTool(ctx context.Context, args arguments) (any, error) {
	result, err := s.gateway.rank(args.Query, args.Limit, false)
	if err != nil {
		return nil, err
	}
	lending := args.AutoActivate == nil || *args.AutoActivate
	if lending && result.Found {
		tools := make([]*catalog.Tool, len(result.Hits))
		for i, hit := range result.Hits {
			tools[i] = hit.Tool
		}
		s.lends(ctx, tools)
	}
	return s.gateway.told(result, s.lists), nil
}

// rank ranks the known tools for one intent, as find_tool is asked to.
func (g *Gateway) rank(query string, wanted float64, explain bool) (search.Result, error) {
	if strings.TrimSpace(query) == "" {
		return search.Result{}, fault.New(fault.Invalid, "query is required")
	}
	limit := defaultLimit
	if wanted >= 1 {
		limit = int(min(wanted, maxLimit))
	}
	return g.Search.Find(search.Query{Text: query, Limit: limit, Allow: g.findable(), Explain: explain}), nil
}

// told is what find_tool answers; listed reports what the session lists.
func (g *Gateway) told(result search.Result, listed func(*catalog.Tool) bool) any {
	if !result.Found {
		return g.missed(result)
	}
	reply := describe(result, len(result.Hits)-1)
	best := result.Hits[0].Tool
	reply.Server = best.Server
	reply.NextStep = nextStep(result.Confidence, best, listed(best))
	return reply
}

// findTools ranks several intents at once and lends nothing.
func (s *Session) findTools(_ context.Context, args arguments) (any, error) {
	switch {
	case len(args.Intents) == 0:
		return nil, fault.New(fault.Invalid, "intents (string[]) is required")
	case len(args.Intents) > maxIntents:
		return nil, fault.New(fault.Invalid, "max %d intents per call", maxIntents)
	}
	results := make([]any, len(args.Intents))
	allow := s.gateway.findable()
	for i, intent := range args.Intents {
		result := s.gateway.Search.Find(search.Query{Text: intent, Limit: 1 + othersInBatch, Allow: allow})
		if result.Found {
			reply := describe(result, othersInBatch)
			reply.Intent = intent
			results[i] = reply
		} else {
			reply := s.gateway.missed(result)
			reply.Intent = intent
			results[i] = reply
		}
	}
	return map[string]any{"results": results}, nil
}

func (g *Gateway) missed(result search.Result) miss {
	hint := missHint
	if len(g.Catalog.Snapshot().Tools) == 0 {
		hint = "no tools are known yet: ask the user to add servers (agent-discover servers add NAME -- COMMAND ARGS), or propose one with registry install"
	}
	return miss{Matches: []match{}, TopScore: rounded(result.TopScore), Hint: hint}
}

func describe(result search.Result, others int) found {
	best := result.Hits[0]
	required, optional := arguable(best.Tool)
	reply := found{
		Found: true, Confidence: result.Confidence, Score: rounded(best.Score),
		CallAs: best.Tool.CallAs(), Tool: best.Tool.Name, Description: shorten(best.Tool),
		RequiredArgs: required, OptionalCount: optional, OtherMatches: []match{},
	}
	for _, hit := range result.Hits[1:min(len(result.Hits), 1+others)] {
		score := rounded(hit.Score)
		reply.OtherMatches = append(reply.OtherMatches, match{
			CallAs: hit.Tool.CallAs(), Tool: hit.Tool.Name, Description: hit.Tool.Summary(), Score: &score,
		})
	}
	return reply
}

func shorten(t *catalog.Tool) string {
	if len(t.Description) <= maxDescription {
		return t.Description
	}
	return strings.ToValidUTF8(t.Description[:maxDescription], "") + "…"
}

func rounded(score float64) float64 { return float64(int(score*1000+0.5)) / 1000 }

// nextStep says what to do with the best hit in this very session: a tool that
// is not in its list can only be called through registry.
func nextStep(c search.Confidence, best *catalog.Tool, listed bool) string {
	how := "with registry proxy_call and this call_as"
	if listed {
		how = "as " + best.Proxied() + " (now in your tool list; if you do not see it: registry proxy_call with this call_as)"
	}
	switch c {
	case search.High:
		return "invoke call_as directly: " + how
	case search.Medium:
		return "check other_matches; pick one and invoke (without re-searching): " + how
	}
	return "ambiguous — ask the user to disambiguate or pick from other_matches; then invoke " + how
}

// arguable reads a tool's arguments from its schema: the required ones, and
// how many others there are.
func arguable(t *catalog.Tool) (required []argument, optional int) {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	_ = json.Unmarshal(t.InputSchema(), &schema) // a schema of another shape has none
	required = []argument{}
	for _, name := range schema.Required {
		var property struct {
			Type        json.RawMessage `json:"type"`
			Description any             `json:"description"`
		}
		_ = json.Unmarshal(schema.Properties[name], &property)
		a := argument{Name: name, Type: typeName(property.Type)}
		a.Description, _ = property.Description.(string)
		required = append(required, a)
	}
	return required, max(len(schema.Properties)-len(required), 0)
}

func typeName(raw json.RawMessage) string {
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return one
	}
	var several []string
	if json.Unmarshal(raw, &several) == nil && len(several) > 0 {
		return strings.Join(several, "|")
	}
	return "any"
}

// getSchema returns a tool's whole schema, by call_as or by a bare name.
func (s *Session) getSchema(_ context.Context, args arguments) (any, error) {
	name := args.CallAs
	if name == "" {
		name = args.Name
	}
	if name == "" && args.Server != "" && args.Tool != "" {
		name = args.Server + "__" + args.Tool
	}
	if name == "" {
		name = args.Tool
	}
	if name == "" {
		return nil, fault.New(fault.Invalid, "call_as (or name) is required")
	}
	tool, bare := s.locate(name)
	if tool == nil {
		return map[string]any{"found": false, "hint": "no tool named \"" + bare + "\" — call find_tool first"}, nil
	}
	return struct {
		Found       bool            `json:"found"`
		CallAs      string          `json:"call_as"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
	}{true, tool.CallAs(), tool.Description, tool.InputSchema()}, nil
}

// locate finds a findable tool by any of its names; bare is what the tool
// would be called on its server.
func (s *Session) locate(name string) (tool *catalog.Tool, bare string) {
	snapshot, findable := s.gateway.Catalog.Snapshot(), s.gateway.findable()
	if server, bare, ok := s.resolve(name); ok {
		if t, ok := snapshot.Lookup(server, bare); ok && findable(t) {
			return t, bare
		}
		return nil, bare
	}
	for _, t := range snapshot.Named(name) {
		if findable(t) {
			return t, name
		}
	}
	return nil, name[strings.LastIndex(name, "__")+1:]
}
