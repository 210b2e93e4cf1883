package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/journal"
)

// LogEntry is one call as the API shows it.
type LogEntry struct {
	ID        int64   `json:"id"`
	Timestamp string  `json:"timestamp"`
	Server    string  `json:"server"`
	Tool      string  `json:"tool"`
	Args      string  `json:"args"`
	Response  string  `json:"response"`
	LatencyMS float64 `json:"latency_ms"`
	Success   bool    `json:"success"`
	Kind      string  `json:"kind"`
	Outcome   string  `json:"outcome"`
	Client    string  `json:"client"`
	Session   string  `json:"session"`
}

type logList struct {
	Entries []LogEntry `json:"entries"`
	Total   int        `json:"total"`
}

type logInput struct {
	Server string `query:"server"`
	Tool   string `query:"tool"`
	Limit  int    `query:"limit"`
	Offset int    `query:"offset"`
}

const (
	defaultLogs = 50
	maxLogs     = 500
)

func (s *server) logRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/logs", "Calls, newest first", s.logs)
}

func (s *server) logs(ctx context.Context, in *logInput) (*reply[logList], error) {
	q := journal.Query{Server: in.Server, Tool: in.Tool, Limit: in.Limit, Offset: max(in.Offset, 0)}
	if q.Limit <= 0 {
		q.Limit = defaultLogs
	}
	q.Limit = min(q.Limit, maxLogs)
	records, total, err := s.Journal.Records(ctx, q)
	if err != nil {
		return nil, err
	}
	out := logList{Entries: []LogEntry{}, Total: total}
	for _, r := range records {
		out.Entries = append(out.Entries, LogEntry{
			ID: r.ID, Timestamp: r.At.UTC().Format(time.RFC3339Nano), Server: r.Server, Tool: r.Tool,
			Args: r.Args, Response: r.Response, LatencyMS: float64(r.Latency.Microseconds()) / 1000,
			Success: r.Outcome == journal.OK, Kind: r.Kind, Outcome: string(r.Outcome), Client: r.Client, Session: r.Session,
		})
	}
	return ok(out)
}
