package api

import (
	"context"
	"math"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
)

// LearnedTool is a query and a tool that was called for it.
type LearnedTool struct {
	ID       int64   `json:"id"`
	Query    string  `json:"query" doc:"as an agent asked, at most 200 characters, with credentials covered"`
	Server   string  `json:"server"`
	Tool     string  `json:"tool"`
	Times    int     `json:"times" doc:"how often the query led to the tool"`
	Failed   int     `json:"failed" doc:"how often the tool then answered with an error"`
	Last     string  `json:"last" doc:"when it last did, UTC"`
	Strength float64 `json:"strength" minimum:"0" maximum:"1" doc:"how much it lifts the tool for that very query, of what a search allows at most"`
}

// LearnedList is what the search has learned.
type LearnedList struct {
	On      bool          `json:"on" doc:"whether it learns, and lifts what it has learned"`
	Total   int           `json:"total" doc:"on all pages"`
	Entries []LearnedTool `json:"entries" nullable:"false" doc:"the last first"`
}

type learnedInput struct {
	Limit  int `query:"limit" minimum:"0" maximum:"5000" doc:"entries; all if not said"`
	Offset int `query:"offset" minimum:"0"`
}

type learnedID struct {
	ID string `path:"id"`
}

type switched struct {
	On bool `json:"on"`
}

func (s *server) learnedRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/learned", "Which tools were called after which queries, and are lifted for like ones", s.learned)
	bodyRoute(api, http.MethodPut, "/api/learned", "Switch learning on or off; what was learned stays", s.switchLearning)
	route(api, http.MethodDelete, "/api/learned", "Forget all that was learned", s.forgetLearned)
	route(api, http.MethodDelete, "/api/learned/{id}", "Forget one thing that was learned", s.forgetLearnedOne)
}

func (s *server) learned(_ context.Context, in *learnedInput) (*reply[LearnedList], error) {
	all := s.Learning.All()
	out := LearnedList{On: s.Learning.On(), Total: len(all), Entries: []LearnedTool{}}
	all = all[min(in.Offset, len(all)):]
	if in.Limit > 0 {
		all = all[:min(in.Limit, len(all))]
	}
	for _, l := range all {
		out.Entries = append(out.Entries, learnedTool(l))
	}
	return ok(out)
}

func learnedTool(l learning.Learned) LearnedTool {
	return LearnedTool{
		ID: l.ID, Query: l.Query, Server: l.Tool.Server, Tool: l.Tool.Tool, Times: l.Times, Failed: l.Failed,
		Last: stampOf(l.Last), Strength: math.Round(l.Strength*1000) / 1000,
	}
}

func (s *server) switchLearning(ctx context.Context, in *bodyInput) (*reply[switched], error) {
	var body struct {
		On *bool `json:"on"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	if body.On == nil {
		return nil, fault.New(fault.Invalid, "on is required: true or false")
	}
	if err := s.Learning.Switch(ctx, *body.On); err != nil {
		return nil, err
	}
	return ok(switched{*body.On})
}

func (s *server) forgetLearned(ctx context.Context, _ *struct{}) (*reply[map[string]string], error) {
	if err := s.Learning.ForgetAll(ctx); err != nil {
		return nil, err
	}
	return ok(map[string]string{"status": "forgotten"})
}

func (s *server) forgetLearnedOne(ctx context.Context, in *learnedID) (*reply[map[string]string], error) {
	id, err := strconv.ParseInt(in.ID, 10, 64)
	if err != nil {
		return nil, fault.New(fault.NotFound, "Not found")
	}
	if err := s.Learning.Forget(ctx, id); err != nil {
		return nil, err
	}
	return ok(map[string]string{"status": "forgotten"})
}

// learnedMessage says that something was learned, forgotten or switched.
func (s *server) learnedMessage() any {
	return struct {
		Type  string `json:"type"`
		On    bool   `json:"on"`
		Total int    `json:"total"`
	}{"learned", s.Learning.On(), s.Learning.Count()}
}
