package operations

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Metrics holds the operations on statistics about calls.
type Metrics struct {
	Registry *registry.Registry
	Journal  *journal.Journal
	Now      func() time.Time
}

// Routes adds the operations with their handlers to a route table.
func (m *Metrics) Routes(t *route.Table) {
	g := t.Group("journal")
	route.Add(g, route.Get("/api/servers/{id}/metrics", "Retrieve call statistics of the tools of a server"), m.ofServer)
	route.Add(g, route.Get("/api/metrics", "Retrieve call statistics of each server"), m.ofServers)
	route.Add(g, route.Get("/api/metrics/tools", "List the tools with the most calls, the most errors or the longest durations"), m.rank)
	route.Add(g, route.Get("/api/metrics/series", "Retrieve the numbers of calls and errors over time"), m.series)
}

// ToolMetrics are the statistics of one tool.
type ToolMetrics struct {
	ToolName   string `json:"tool_name"`
	CallCount  int64  `json:"call_count"`
	ErrorCount int64  `json:"error_count"`
	Latencies
}

// ServerMetrics are the statistics of all calls of one server.
type ServerMetrics struct {
	ServerName  string `json:"server_name"`
	TotalCalls  int64  `json:"total_calls"`
	TotalErrors int64  `json:"total_errors"`
	Latencies
}

// NewServerMetrics returns the API's view of a server's statistics.
func NewServerMetrics(server string, s journal.Stats) ServerMetrics {
	return ServerMetrics{server, s.Calls, s.Errors, latenciesOf(s)}
}

// Latencies are durations of calls.
type Latencies struct {
	AvgLatencyMS int64    `json:"avg_latency_ms" doc:"Mean duration, in milliseconds."`
	LastCalledAt string   `json:"last_called_at" doc:"Time of the last call in UTC, for example 2026-01-31 08:00:00."`
	P50MS        *float64 `json:"p50_ms" doc:"Median duration, in milliseconds; null while unknown."`
	P95MS        *float64 `json:"p95_ms" doc:"95th percentile of the duration, in milliseconds; null while unknown."`
	MaxMS        float64  `json:"max_ms" doc:"Longest duration, in milliseconds."`
}

func latenciesOf(s journal.Stats) Latencies {
	return Latencies{
		AvgLatencyMS: millis(s.Mean), LastCalledAt: dateTime(s.Last),
		P50MS: nullIfZero(s.P50), P95MS: nullIfZero(s.P95), MaxMS: tenths(s.Max),
	}
}

func nullIfZero(d time.Duration) *float64 {
	if d == 0 {
		return nil
	}
	ms := tenths(d)
	return &ms
}

// tenths returns milliseconds with one decimal place, because many calls take less than one.
func tenths(d time.Duration) float64 { return math.Round(d.Seconds()*10000) / 10 }

func (m *Metrics) ofServer(ctx context.Context, in *ServerInput) (*route.Reply[[]ToolMetrics], error) {
	v, err := lookup(m.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	if err := m.Journal.Settle(ctx); err != nil {
		return nil, err
	}
	out := []ToolMetrics{}
	for _, t := range m.Journal.Metrics(v.Name) {
		out = append(out, ToolMetrics{t.Tool, t.Calls, t.Errors, latenciesOf(t.Stats)})
	}
	return route.OK(out)
}

func (m *Metrics) ofServers(ctx context.Context, _ *struct{}) (*route.Reply[[]ServerMetrics], error) {
	if err := m.Journal.Settle(ctx); err != nil {
		return nil, err
	}
	out := []ServerMetrics{}
	for _, s := range m.Journal.Totals() {
		out = append(out, NewServerMetrics(s.Server, s.Stats))
	}
	return route.OK(out)
}

type rankInput struct {
	Sort  string `query:"sort" doc:"Order of the tools: calls (the default), errors or p95, each with the largest values first."`
	Limit string `query:"limit" doc:"Maximum number of tools, from 1 to 500; 50 by default."`
}

// rankedTool is the statistics of a tool, with its server.
type rankedTool struct {
	ServerName string `json:"server_name"`
	ToolMetrics
}

// ranks maps the values of the parameter sort to the statistics by which tools are ranked.
var ranks = map[string]func(journal.Stats) int64{
	"":       func(s journal.Stats) int64 { return s.Calls },
	"calls":  func(s journal.Stats) int64 { return s.Calls },
	"errors": func(s journal.Stats) int64 { return s.Errors },
	"p95":    func(s journal.Stats) int64 { return int64(s.P95) },
}

func (m *Metrics) rank(ctx context.Context, in *rankInput) (*route.Reply[[]rankedTool], error) {
	by, valid := ranks[in.Sort]
	if !valid {
		return nil, invalidParameter("sort", in.Sort, "one of: calls, errors, p95")
	}
	limit := 50
	if in.Limit != "" {
		var err error
		if limit, err = strconv.Atoi(in.Limit); err != nil || limit < 1 || limit > 500 {
			return nil, invalidParameter("limit", in.Limit, "a whole number from 1 to 500")
		}
	}
	if err := m.Journal.Settle(ctx); err != nil {
		return nil, err
	}
	all := m.Journal.AllMetrics()
	slices.SortStableFunc(all, func(a, b journal.ServerTool) int {
		return cmp.Or(cmp.Compare(by(b.Stats), by(a.Stats)), cmp.Compare(b.Calls, a.Calls))
	})
	out := []rankedTool{}
	for _, t := range all[:min(limit, len(all))] {
		out = append(out, rankedTool{t.Server, ToolMetrics{t.Tool, t.Calls, t.Errors, latenciesOf(t.Stats)}})
	}
	return route.OK(out)
}
