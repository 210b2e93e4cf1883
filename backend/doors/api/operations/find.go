package operations

import (
	"context"
	"encoding/json"
	"math"

	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/finding"
)

// Find holds the operation that searches tools as find_tool does for agents.
type Find struct {
	Find func(ctx context.Context, query string, limit float64) (finding.Finding, error)
}

// Routes adds the operation with its handler to a route table.
func (f *Find) Routes(t *route.Table) {
	route.Add(t.Group("tools"), route.Post("/api/find",
		"Find tools as find_tool does for an agent, with the reasons for each score; starts no server and changes no tool list"), f.find)
}

type findFields struct {
	Query string  `json:"query" doc:"Task for the tool in plain words, best in English: a verb and its object."`
	Limit float64 `json:"limit,omitempty" doc:"Maximum number of hits, up to 50; 5 by default."`
}

type findInput struct{ route.Object[findFields] }

// FindReply is the result of a search, and the reply that find_tool would give an agent.
type FindReply struct {
	Found      bool            `json:"found" doc:"Whether any tool was found, that is, has a score that is high enough."`
	Confidence string          `json:"confidence" enum:"high,medium,low,none"`
	Score      float64         `json:"score" minimum:"0" maximum:"1" doc:"Score of the best hit or, when no tool was found, of the first tool in closest."`
	MS         float64         `json:"ms" doc:"Duration of the search, in milliseconds."`
	Tokens     int             `json:"tokens" doc:"Number of tokens that the reply takes in an agent's context (o200k_base)."`
	ReadAs     []string        `json:"read_as,omitempty" nullable:"false" doc:"English words that the search added to a query in another language."`
	Hits       []FindHit       `json:"hits" nullable:"false" doc:"The tools that were found, best first."`
	Closest    []FindHit       `json:"closest" nullable:"false" doc:"When no tool was found, the tools with the highest scores, at most three, although they probably do not fit the query."`
	Hint       string          `json:"hint,omitempty" doc:"Advice for the agent when nothing was found."`
	Reply      json.RawMessage `json:"reply" doc:"Object that find_tool would return to an agent."`
}

// FindHit is a tool that was found.
type FindHit struct {
	ID          int64       `json:"id" doc:"Unique identifier of the tool."`
	CallAs      string      `json:"call_as" doc:"Name under which agents call the tool."`
	Server      string      `json:"server"`
	Tool        string      `json:"tool"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Score       float64     `json:"score" minimum:"0" maximum:"1"`
	ByWords     int         `json:"by_words" minimum:"0" doc:"Position of the tool in a ranking by words alone, from 1; 0 if the tool contains no word of the query."`
	Why         []FindMatch `json:"why" nullable:"false" doc:"The contributions to the score, largest first."`
}

// FindMatch is the contribution of one part of a tool, such as its name, to the tool's score.
type FindMatch struct {
	Field  string   `json:"field" doc:"name, server, title, description, parameters, meaning, learned (the tool was called after a similar query) or mention (the query contains the tool's name). More may be added."`
	Terms  []string `json:"terms" nullable:"false" doc:"Matching words of the query, in the singular and in lower case; for learned, the words of the earlier query."`
	Points float64  `json:"points" doc:"Contribution to the score. The points of a hit add up to its score."`
}

func (f *Find) find(ctx context.Context, in *findInput) (*route.Reply[FindReply], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	found, err := f.Find(ctx, body.Query, body.Limit)
	if err != nil {
		return nil, err
	}
	out := FindReply{
		Found: found.Found, Confidence: "none", Score: found.Score, MS: math.Round(found.Took.Seconds()*1e5) / 100,
		Tokens: tokens.Count(found.Reply), ReadAs: found.ReadAs, Hits: findHits(found.Hits), Closest: findHits(found.Closest),
		Hint: found.Hint, Reply: json.RawMessage(found.Reply),
	}
	if found.Found {
		out.Confidence = string(found.Confidence)
	}
	return route.OK(out)
}

func findHits(hits []search.Hit) []FindHit {
	out := make([]FindHit, len(hits))
	for i, h := range hits {
		out[i] = FindHit{
			ID: h.Tool.ID, CallAs: h.Tool.CallAs(), Server: h.Tool.Server, Tool: h.Tool.Name, Title: h.Tool.Title,
			Description: h.Tool.Description, Score: h.Score, ByWords: h.ByWords, Why: make([]FindMatch, len(h.Why)),
		}
		for j, r := range h.Why {
			out[i].Why[j] = FindMatch{r.Field, orEmpty(r.Terms), thousandths(r.Points)}
		}
	}
	return out
}

func thousandths(x float64) float64 { return math.Round(x*1000) / 1000 }
