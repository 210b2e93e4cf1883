package api

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/servers/journal"
)

// ToolMetrics are the numbers of one tool as the API shows them.
type ToolMetrics struct {
	ToolName   string `json:"tool_name"`
	CallCount  int64  `json:"call_count"`
	ErrorCount int64  `json:"error_count"`
	Latencies
}

// RankedTool are the numbers of a tool, with its server.
type RankedTool struct {
	ServerName string `json:"server_name"`
	ToolMetrics
}

// ServerMetrics are the numbers of all calls of one server.
type ServerMetrics struct {
	ServerName  string `json:"server_name"`
	TotalCalls  int64  `json:"total_calls"`
	TotalErrors int64  `json:"total_errors"`
	Latencies
}

// Latencies are how long calls took. The quantiles are null while unknown.
type Latencies struct {
	AvgLatencyMS int64    `json:"avg_latency_ms"`
	LastCalledAt string   `json:"last_called_at" doc:"UTC, as in 2026-01-31 08:00:00"`
	P50MS        *float64 `json:"p50_ms"`
	P95MS        *float64 `json:"p95_ms"`
	MaxMS        float64  `json:"max_ms"`
}

func (s *server) metricRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/servers/{id}/metrics", "What was called of a server, and how fast", s.serverMetrics)
	route(api, http.MethodGet, "/api/metrics", "What was called of each server, and how fast", s.metrics)
	route(api, http.MethodGet, "/api/metrics/tools", "The most used, the most failing or the slowest tools of all servers", s.toolMetrics)
}

func (s *server) serverMetrics(ctx context.Context, in *serverInput) (*reply[[]ToolMetrics], error) {
	v, err := s.lookup(in)
	if err != nil {
		return nil, err
	}
	if err := s.Journal.Settle(ctx); err != nil {
		return nil, err
	}
	out := []ToolMetrics{}
	for _, m := range s.Journal.Metrics(v.Name) {
		out = append(out, ToolMetrics{m.Tool, m.Calls, m.Errors, latenciesOf(m.Stats)})
	}
	return ok(out)
}

func (s *server) metrics(ctx context.Context, _ *struct{}) (*reply[[]ServerMetrics], error) {
	if err := s.Journal.Settle(ctx); err != nil {
		return nil, err
	}
	out := []ServerMetrics{}
	for _, m := range s.Journal.Totals() {
		out = append(out, ServerMetrics{m.Server, m.Calls, m.Errors, latenciesOf(m.Stats)})
	}
	return ok(out)
}

type rankInput struct {
	Sort  string `query:"sort" doc:"calls (if not said), errors or p95: the greatest come first"`
	Limit string `query:"limit" doc:"from 1 to 500; 50 if not said"`
}

// ranks are what tools can be ranked by.
var ranks = map[string]func(journal.Stats) int64{
	"":       func(s journal.Stats) int64 { return s.Calls },
	"calls":  func(s journal.Stats) int64 { return s.Calls },
	"errors": func(s journal.Stats) int64 { return s.Errors },
	"p95":    func(s journal.Stats) int64 { return int64(s.P95) },
}

func (s *server) toolMetrics(ctx context.Context, in *rankInput) (*reply[[]RankedTool], error) {
	by, valid := ranks[in.Sort]
	if !valid {
		return nil, wrong("sort", in.Sort, "one of: calls, errors, p95")
	}
	limit := 50
	if in.Limit != "" {
		var err error
		if limit, err = strconv.Atoi(in.Limit); err != nil || limit < 1 || limit > 500 {
			return nil, wrong("limit", in.Limit, "a whole number from 1 to 500")
		}
	}
	if err := s.Journal.Settle(ctx); err != nil {
		return nil, err
	}
	all := s.Journal.AllMetrics()
	slices.SortStableFunc(all, func(a, b journal.ServerTool) int {
		return cmp.Or(cmp.Compare(by(b.Stats), by(a.Stats)), cmp.Compare(b.Calls, a.Calls))
	})
	out := []RankedTool{}
	for _, m := range all[:min(limit, len(all))] {
		out = append(out, RankedTool{m.Server, ToolMetrics{m.Tool, m.Calls, m.Errors, latenciesOf(m.Stats)}})
	}
	return ok(out)
}

func latenciesOf(s journal.Stats) Latencies {
	return Latencies{
		AvgLatencyMS: millis(s.Mean), LastCalledAt: s.Last.UTC().Format(time.DateTime),
		P50MS: known(s.P50), P95MS: known(s.P95), MaxMS: tenths(s.Max),
	}
}

func known(d time.Duration) *float64 {
	if d == 0 {
		return nil
	}
	ms := tenths(d)
	return &ms
}

// tenths gives milliseconds to one place: many calls take less than one.
func tenths(d time.Duration) float64 { return math.Round(d.Seconds()*10000) / 10 }
