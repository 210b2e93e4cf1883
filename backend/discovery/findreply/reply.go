// Package findreply builds the replies of find_tool and find_tools: the best
// tool with its description and required arguments, the next best ones, and
// what to do next, within a budget of tokens. Package search ranks the tools;
// the caller keeps track of what each session has been shown and calls tools.
package findreply

import (
	"math"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// The largest sizes of replies, in tokens (o200k_base). A reply may exceed its
// budget only when the names needed for a call do not fit.
const (
	budget       = 250 // for a find_tool reply
	intentBudget = 115 // for each intent in a find_tools reply
	moreBudget   = 30  // for each requested match beyond DefaultOthers
)

// DefaultOthers is the number of other matches in a find_tool reply when the
// caller does not ask for a number. MaxBatchOthers is the largest number of
// other matches for each intent in a find_tools reply.
const (
	DefaultOthers  = 4
	MaxBatchOthers = 2
)

// Shown is the part of a tool that a session has already been shown.
type Shown int

// The values of Shown.
const (
	NotShown Shown = iota
	NameShown
	DescriptionShown
)

// Options adapt a reply to the request and to the session.
type Options struct {
	MaxOthers  int                       // the largest number of other matches
	KeepOthers bool                      // keep all other matches even when the reply exceeds its budget
	Listed     func(*catalog.Tool) bool  // reports whether a tool is in the session's tools/list; used by ForQuery
	Shown      func(*catalog.Tool) Shown // returns the part of a tool that the session has been shown
	// Caller returns the name of the hub's tool through which a session calls the given
	// tool if the session does not list that tool. Caller(nil) returns the name of a tool
	// of the hub that can call any tool. If Caller is nil, replies mention the action
	// proxy_call of the hub's tool registry. Used by ForQuery.
	Caller func(*catalog.Tool) string
}

// Found is the reply for a search that found a tool.
type Found struct {
	Intent     *string           `json:"intent,omitempty"` // nil in a find_tool reply
	Found      bool              `json:"found"`
	Confidence search.Confidence `json:"confidence"`
	Score      float64           `json:"score"`
	CallAs     string            `json:"call_as"`
	*Description
	AlreadyShown bool    `json:"told,omitempty"` // the session has been shown the description before, so it is omitted
	NextStep     string  `json:"next_step,omitempty"`
	OtherMatches []Match `json:"other_matches"`

	tools      []*catalog.Tool // the best tool, then the other matches before any were cut
	next       nextStep
	keepOthers bool
}

// Description is the part of a reply that an agent needs to call the tool.
type Description struct {
	Server        string     `json:"server,omitempty"`
	Tool          string     `json:"tool,omitempty"`
	Text          string     `json:"description"`
	RequiredArgs  []Argument `json:"required_args"`
	OptionalCount int        `json:"optional_count"`
}

// Argument is one required argument of a tool.
type Argument struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // JSON Schema type; alternatives are joined by "|"
	Description string `json:"description,omitempty"`
}

// Match is another tool that may fit. Fields are omitted to save tokens or
// because the session has been shown them.
type Match struct {
	CallAs      string   `json:"call_as"`
	Tool        string   `json:"tool,omitempty"` // omitted if the session has been shown it
	Description string   `json:"description,omitempty"`
	Score       *float64 `json:"score,omitempty"`
}

// ForQuery returns the find_tool reply for a result with at least one hit.
func ForQuery(result search.Result, o Options) *Found {
	f := found(result, o)
	if f.Description != nil {
		f.Server = result.Hits[0].Tool.Server
	}
	best := f.tools[0]
	f.next = nextStep{confidence: result.Confidence, caller: o.Caller, best: best}
	if o.Listed(best) {
		f.next.listed = best.Proxied()
	}
	f.keepOthers = o.KeepOthers
	f.fit(budget+moreBudget*max(o.MaxOthers-DefaultOthers, 0), cuts)
	return f
}

// ForIntent returns the entry of one intent in a find_tools reply, for a result
// with at least one hit.
func ForIntent(intent string, result search.Result, o Options) *Found {
	f := found(result, o)
	f.Intent = shortIntent(intent)
	f.fit(intentBudget, intentCuts)
	return f
}

func shortIntent(intent string) *string {
	intent = atSentence(intent, maxIntent)
	return &intent
}

// Tools returns the tools in the reply, the best first.
func (f *Found) Tools() []*catalog.Tool { return f.tools[:1+len(f.OtherMatches)] }

func found(result search.Result, o Options) *Found {
	best := result.Hits[0]
	f := &Found{
		Found: true, Confidence: result.Confidence, Score: RoundScore(best.Score), CallAs: best.Tool.CallAs(),
		OtherMatches: []Match{}, tools: []*catalog.Tool{best.Tool},
	}
	if f.AlreadyShown = o.Shown(best.Tool) == DescriptionShown; !f.AlreadyShown {
		required, optional := requiredArguments(best.Tool)
		f.Description = &Description{
			Tool: best.Tool.Name, Text: atSentence(best.Tool.Description, maxDescription),
			RequiredArgs: required, OptionalCount: optional,
		}
	}
	for _, hit := range result.Hits[1:] {
		if len(f.OtherMatches) < o.MaxOthers && len(hit.Tool.CallAs()) <= maxOtherName {
			f.OtherMatches = append(f.OtherMatches, matchOf(hit, o.Shown(hit.Tool)))
			f.tools = append(f.tools, hit.Tool)
		}
	}
	return f
}

func matchOf(hit search.Hit, shown Shown) Match {
	if shown != NotShown {
		return Match{CallAs: hit.Tool.CallAs()}
	}
	score := RoundScore(hit.Score)
	return Match{CallAs: hit.Tool.CallAs(), Tool: hit.Tool.Name, Description: hit.Tool.Summary(), Score: &score}
}

// RoundScore rounds a score to three decimals, as replies show it.
func RoundScore(score float64) float64 { return math.Round(score*1000) / 1000 }
