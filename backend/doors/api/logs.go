package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/servers/journal"
)

// LogEntry is a record of the journal as the API shows it.
type LogEntry struct {
	ID        int64           `json:"id"`
	Timestamp string          `json:"timestamp" doc:"when it began"`
	Server    string          `json:"server"`
	Tool      string          `json:"tool" doc:"of a call; else the method, the URI or the name of the prompt"`
	Args      json.RawMessage `json:"args" doc:"JSON as it was sent; a string when it is cut"`
	Response  string          `json:"response"`
	LatencyMS int64           `json:"latency_ms"`
	Success   bool            `json:"success"`
	Kind      string          `json:"kind"`
	Outcome   string          `json:"outcome"`
	Client    string          `json:"client"`
	Session   string          `json:"session"`
}

// NewLogEntry shows a record.
func NewLogEntry(r journal.Record) LogEntry {
	return LogEntry{
		ID: r.ID, Timestamp: r.At.UTC().Format("2006-01-02T15:04:05.000Z07:00"), Server: r.Server, Tool: r.Tool,
		Args: argsView(r.Args), Response: r.Response, LatencyMS: millis(r.Latency),
		Success: r.Outcome == journal.OK, Kind: string(r.Kind), Outcome: string(r.Outcome), Client: r.Client, Session: r.Session,
	}
}

func argsView(args string) json.RawMessage {
	if args == "" {
		return json.RawMessage("{}")
	}
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	quoted, _ := json.Marshal(args) // every string can be
	return quoted
}

// millis rounds to whole milliseconds.
func millis(d time.Duration) int64 { return max(d.Round(time.Millisecond).Milliseconds(), 0) }

type logList struct {
	Entries []LogEntry `json:"entries"`
	Total   int        `json:"total" doc:"on all pages"`
}

type entryList struct {
	Entries []LogEntry `json:"entries"`
}

const (
	defaultLogs = 50
	recentLogs  = 200 // of one kind
)

func (s *server) logRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/logs", "Calls and what else happened, newest first", s.logs)
	route(api, http.MethodDelete, "/api/logs", "Forget all entries; metrics, and what the search has learned, stay", s.clearLogs)
	route(api, http.MethodGet, "/api/logs/notifications", "The last notifications of servers", s.recent(journal.Notification))
	route(api, http.MethodGet, "/api/logs/progress", "The last reports of progress", s.recent(journal.Progress))
	route(api, http.MethodGet, "/api/logs/export", "All entries that the filters select, as a file", s.exportLogs)
}

func (s *server) logs(ctx context.Context, in *LogFilter) (*reply[logList], error) {
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	if q.Limit == 0 {
		q.Limit = defaultLogs
	}
	records, total, err := s.Journal.Records(ctx, q)
	if err != nil {
		return nil, err
	}
	return ok(logList{entries(records), total})
}

func entries(records []journal.Record) []LogEntry {
	out := make([]LogEntry, 0, len(records))
	for _, r := range records {
		out = append(out, NewLogEntry(r))
	}
	return out
}

func (s *server) recent(kind journal.Kind) func(context.Context, *struct{}) (*reply[entryList], error) {
	return func(ctx context.Context, _ *struct{}) (*reply[entryList], error) {
		records, _, err := s.Journal.Records(ctx, journal.Query{Kinds: []journal.Kind{kind}, Limit: recentLogs})
		if err != nil {
			return nil, err
		}
		return ok(entryList{entries(records)})
	}
}

func (s *server) clearLogs(ctx context.Context, _ *struct{}) (*reply[map[string]string], error) {
	if err := s.Journal.Clear(ctx); err != nil {
		return nil, err
	}
	return ok(map[string]string{"status": "cleared"})
}
