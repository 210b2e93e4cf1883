package operations

import (
	"context"
	"strconv"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

// Learned holds the operations on the queries and tools that the search has learned from calls.
type Learned struct {
	Learning *learning.Learning
}

// Routes adds the operations with their handlers to a route table.
func (l *Learned) Routes(t *route.Table) {
	g := t.Group("tools")
	route.Add(g, route.Get("/api/learned", "List tools that rank higher because they were called after similar queries"), l.list)
	route.Add(g, route.Put("/api/learned", "Turn learning on or off; learned tools are kept"), l.turn)
	route.Add(g, route.Delete("/api/learned", "Delete all learned tools"), l.removeAll)
	route.Add(g, route.Delete("/api/learned/{id}", "Delete one learned tool"), l.remove)
}

// LearnedTool is a query of an agent and a tool that was called after it.
type LearnedTool struct {
	ID       int64   `json:"id" doc:"Unique identifier of the entry."`
	Query    string  `json:"query" doc:"Query of the agent, at most 200 characters, with credentials masked."`
	Server   string  `json:"server"`
	Tool     string  `json:"tool"`
	Times    int     `json:"times" doc:"Number of calls of the tool that followed the query."`
	Failed   int     `json:"failed" doc:"Number of failed calls of the tool among those that followed the query."`
	Last     string  `json:"last" doc:"Time of the last call, in UTC."`
	Strength float64 `json:"strength" minimum:"0" maximum:"1" doc:"How much the tool's score is raised for this query, as a share of the largest possible increase."`
}

// LearnedList is a page of the list of learned tools.
type LearnedList struct {
	On      bool          `json:"on" doc:"Whether find_tool learns from calls which tools fit a query, and ranks these tools higher."`
	Total   int           `json:"total" doc:"Number of entries on all pages."`
	Entries []LearnedTool `json:"entries" nullable:"false" doc:"The entries, newest first."`
}

type learnedInput struct {
	Limit  int `query:"limit" minimum:"0" maximum:"5000" doc:"Maximum number of entries; all by default."`
	Offset int `query:"offset" minimum:"0" doc:"Number of entries to skip."`
}

func (l *Learned) list(_ context.Context, in *learnedInput) (*route.Reply[LearnedList], error) {
	all := l.Learning.All()
	out := LearnedList{On: l.Learning.On(), Total: len(all), Entries: []LearnedTool{}}
	all = all[min(in.Offset, len(all)):]
	if in.Limit > 0 {
		all = all[:min(in.Limit, len(all))]
	}
	for _, e := range all {
		out.Entries = append(out.Entries, LearnedTool{
			ID: e.ID, Query: e.Query, Server: e.Tool.Server, Tool: e.Tool.Tool, Times: e.Times, Failed: e.Failed,
			Last: Timestamp(e.Last), Strength: thousandths(e.Strength),
		})
	}
	return route.OK(out)
}

type learnedFields struct {
	On *bool `json:"on" nullable:"false" doc:"Whether find_tool learns from calls which tools fit a query, and ranks these tools higher."`
}

type turnInput struct{ route.Object[learnedFields] }

type switched struct {
	On bool `json:"on"`
}

func (l *Learned) turn(ctx context.Context, in *turnInput) (*route.Reply[switched], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if body.On == nil {
		return nil, fault.New(fault.Invalid, "on is required: true or false")
	}
	if err := l.Learning.Switch(ctx, *body.On); err != nil {
		return nil, err
	}
	return route.OK(switched{*body.On})
}

func (l *Learned) removeAll(ctx context.Context, _ *struct{}) (*route.Reply[map[string]string], error) {
	if err := l.Learning.ForgetAll(ctx); err != nil {
		return nil, err
	}
	return statusOnly("forgotten")
}

type learnedID struct {
	ID string `path:"id" doc:"Unique identifier of the entry."`
}

func (l *Learned) remove(ctx context.Context, in *learnedID) (*route.Reply[map[string]string], error) {
	id, err := strconv.ParseInt(in.ID, 10, 64)
	if err != nil {
		return nil, learning.Unknown(in.ID)
	}
	if err := l.Learning.Forget(ctx, id); err != nil {
		return nil, err
	}
	return statusOnly("forgotten")
}
