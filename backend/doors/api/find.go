package api

import (
	"context"
	"encoding/json"
	"math"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
)

// FindReply is what find_tool finds for a query, and what it would answer.
type FindReply struct {
	Found      bool            `json:"found"`
	Confidence string          `json:"confidence" enum:"high,medium,low,none"`
	Score      float64         `json:"score" minimum:"0" maximum:"1" doc:"of the best hit; where nothing was found, of the tool that came nearest"`
	MS         float64         `json:"ms" doc:"what the search took, in milliseconds"`
	Tokens     int             `json:"tokens" doc:"what reply costs in an agent's context, o200k_base"`
	Hits       []FindHit       `json:"hits" nullable:"false" doc:"best first; empty when nothing was found"`
	Hint       string          `json:"hint,omitempty" doc:"what the agent is advised to do when nothing was found"`
	Reply      json.RawMessage `json:"reply" doc:"object; what find_tool answers to an agent"`
}

// FindHit is a tool that was found.
type FindHit struct {
	ID          int64       `json:"id" doc:"of the tool"`
	CallAs      string      `json:"call_as"`
	Server      string      `json:"server"`
	Tool        string      `json:"tool"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Score       float64     `json:"score" minimum:"0" maximum:"1"`
	Why         []FindMatch `json:"why" nullable:"false" doc:"the weightiest part first"`
}

// FindMatch is what a part of a tool has to do with its score.
type FindMatch struct {
	Field  string   `json:"field" doc:"name, server, title, description, parameters, meaning, learned (called before after a like query) or mention (the query has its name in it); others may come"`
	Terms  []string `json:"terms" nullable:"false" doc:"words of the query that are there, in singular and lower case, or others of their kind; of learned those of the earlier query"`
	Points float64  `json:"points" doc:"its share of the score: those of a hit add up to the score"`
}

func (s *server) findRoutes(api huma.API) {
	bodyRoute(api, http.MethodPost, "/api/find", "Find tools as an agent would, and why; lends and starts nothing", s.find)
}

func (s *server) find(ctx context.Context, in *bodyInput) (*reply[FindReply], error) {
	var body struct {
		Query string  `json:"query"`
		Limit float64 `json:"limit"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	found, err := s.Gateway.Find(ctx, body.Query, body.Limit)
	if err != nil {
		return nil, err
	}
	out := FindReply{
		Found: found.Found, Confidence: "none", Score: found.Score, MS: math.Round(found.Took.Seconds()*1e5) / 100,
		Tokens: tokens.Count(found.Reply), Hits: hitsOf(found), Hint: found.Hint, Reply: json.RawMessage(found.Reply),
	}
	if found.Found {
		out.Confidence = string(found.Confidence)
	}
	return ok(out)
}

func hitsOf(found gateway.Finding) []FindHit {
	out := make([]FindHit, len(found.Hits))
	for i, h := range found.Hits {
		out[i] = FindHit{
			ID: h.Tool.ID, CallAs: h.Tool.CallAs(), Server: h.Tool.Server, Tool: h.Tool.Name, Title: h.Tool.Title,
			Description: h.Tool.Description, Score: h.Score, Why: make([]FindMatch, len(h.Why)),
		}
		for j, r := range h.Why {
			out[i].Why[j] = FindMatch{r.Field, orEmpty(r.Terms), math.Round(r.Points*1000) / 1000}
		}
	}
	return out
}
