// Package reply answers how a tool that was found is told to an agent in few
// tokens: what is said of it and of the next best, what is left out first when
// that is too much, and what to do next. It ranks nothing, remembers nothing
// and calls nothing.
package findreply

import (
	"math"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// What a reply may cost at most, in tokens (o200k_base). Only the names that a
// call needs may make it more.
const (
	budget       = 250 // of find_tool
	intentBudget = 115 // of one intent of find_tools, which are in a list
	moreBudget   = 30  // for each hit more than find_tool gives unasked
)

// Others is how many tools beside the best find_tool tells unasked, and
// OthersInBatch how many find_tools tells at most.
const (
	Others        = 4
	OthersInBatch = 2
)

// Heard is how much of a tool an agent was told before.
type Heard int

// The degrees of it.
const (
	Nothing Heard = iota
	Named
	Described
)

// Options say for whom a reply is.
type Options struct {
	Wanted int                      // other matches at most
	All    bool                     // they were asked for: none is left out to save tokens
	Listed func(*catalog.Tool) bool // whether a tool is in the session's list
	Heard  func(*catalog.Tool) Heard
}

// Found tells of a tool that was found.
type Found struct {
	Intent     string            `json:"intent,omitempty"`
	Found      bool              `json:"found"`
	Confidence search.Confidence `json:"confidence"`
	Score      float64           `json:"score"`
	CallAs     string            `json:"call_as"`
	*Description
	Told         bool    `json:"told,omitempty"` // the description was given to this session before
	NextStep     string  `json:"next_step,omitempty"`
	OtherMatches []Match `json:"other_matches"`

	tools []*catalog.Tool // that are told, the best first
	next  next
	all   bool // others stay
}

// Description is what an agent needs to know of a tool to call it.
type Description struct {
	Server        string     `json:"server,omitempty"`
	Tool          string     `json:"tool,omitempty"`
	Text          string     `json:"description"`
	RequiredArgs  []Argument `json:"required_args"`
	OptionalCount int        `json:"optional_count"`
}

// Argument is one of a tool's arguments.
type Argument struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // JSON's; several are joined by |
	Description string `json:"description,omitempty"`
}

// Match is a tool that may be meant instead.
type Match struct {
	CallAs      string   `json:"call_as"`
	Tool        string   `json:"tool,omitempty"`
	Description string   `json:"description,omitempty"`
	Score       *float64 `json:"score,omitempty"`
}

// One is the reply to find_tool, for a result that has hits.
func One(result search.Result, o Options) *Found {
	f := found(result, o)
	if f.Description != nil {
		f.Server = result.Hits[0].Tool.Server
	}
	f.next = nextOf(result.Confidence, f.tools, o.Listed)
	f.all = o.All
	f.fit(budget+moreBudget*max(o.Wanted-Others, 0), cuts)
	return f
}

// OneOf is the reply to one intent of find_tools, for a result that has hits.
func OneOf(intent string, result search.Result, o Options) *Found {
	f := found(result, o)
	f.Intent = clip(intent, maxIntent)
	f.fit(intentBudget, intentCuts)
	return f
}

// Tools returns the tools that the reply tells of, the best first.
func (f *Found) Tools() []*catalog.Tool { return f.tools[:1+len(f.OtherMatches)] }

func found(result search.Result, o Options) *Found {
	best := result.Hits[0]
	f := &Found{
		Found: true, Confidence: result.Confidence, Score: Rounded(best.Score), CallAs: best.Tool.CallAs(),
		OtherMatches: []Match{}, tools: []*catalog.Tool{best.Tool},
	}
	if f.Told = o.Heard(best.Tool) == Described; !f.Told {
		required, optional := arguable(best.Tool)
		f.Description = &Description{
			Tool: best.Tool.Name, Text: clip(best.Tool.Description, maxDescription),
			RequiredArgs: required, OptionalCount: optional,
		}
	}
	for _, hit := range result.Hits[1:] {
		if len(f.OtherMatches) < o.Wanted && len(hit.Tool.CallAs()) <= maxOtherName {
			f.OtherMatches = append(f.OtherMatches, matchOf(hit, o.Heard(hit.Tool)))
			f.tools = append(f.tools, hit.Tool)
		}
	}
	return f
}

func matchOf(hit search.Hit, heard Heard) Match {
	if heard != Nothing {
		return Match{CallAs: hit.Tool.CallAs()}
	}
	score := Rounded(hit.Score)
	m := Near(hit.Tool)
	m.Score = &score
	return m
}

// Near is a tool that may be meant instead of one that was called.
func Near(t *catalog.Tool) Match {
	return Match{CallAs: t.CallAs(), Tool: t.Name, Description: t.Summary()}
}

// Rounded is a score as agents see it.
func Rounded(score float64) float64 { return math.Round(score*1000) / 1000 }
