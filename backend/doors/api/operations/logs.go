package operations

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

const (
	defaultLogs = 50
	recentLogs  = 200 // how many notifications or progress reports are returned
)

// Logs holds the operations on entries of the journal.
type Logs struct {
	Journal *journal.Journal
	Log     *slog.Logger
}

// Routes adds the operations with their handlers to a route table.
func (l *Logs) Routes(t *route.Table) {
	g := t.Group("journal")
	route.Add(g, route.Get("/api/logs", "List calls and other events, newest first"), l.list)
	route.Add(g, route.Delete("/api/logs", "Delete all log entries; statistics and learned tools are kept"), l.clear)
	route.Add(g, route.Get("/api/logs/notifications", "List the latest notifications of servers"), l.recent(journal.Notification))
	route.Add(g, route.Get("/api/logs/progress", "List the latest progress reports of servers"), l.recent(journal.Progress))
	route.Add(g, route.Get("/api/logs/export", "Download all log entries that match the filters"), l.export)
}

// LogEntry is the API's view of a record of the journal.
type LogEntry struct {
	ID        int64           `json:"id" doc:"Unique identifier of the entry."`
	Timestamp string          `json:"timestamp" doc:"When the call began."`
	Server    string          `json:"server"`
	Tool      string          `json:"tool" doc:"Name of the called tool. For entries of other kinds, the method, the URI of the resource or the name of the prompt."`
	Args      json.RawMessage `json:"args" doc:"Arguments as the client sent them. If they were too long, a string with the beginning of their JSON text."`
	Response  string          `json:"response"`
	LatencyMS int64           `json:"latency_ms"`
	Success   bool            `json:"success" doc:"Whether the outcome is ok."`
	Kind      string          `json:"kind"`
	Outcome   string          `json:"outcome"`
	Client    string          `json:"client"`
	Session   string          `json:"session"`
}

// NewLogEntry returns the API's view of a record.
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
	quoted, _ := json.Marshal(args) // cannot fail for a string
	return quoted
}

// millis returns a duration in milliseconds, rounded.
func millis(d time.Duration) int64 { return max(d.Round(time.Millisecond).Milliseconds(), 0) }

type logList struct {
	Entries []LogEntry `json:"entries"`
	Total   int        `json:"total" doc:"Number of entries on all pages."`
}

func (l *Logs) list(ctx context.Context, in *LogFilter) (*route.Reply[logList], error) {
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	q.Limit = cmp.Or(q.Limit, defaultLogs)
	records, total, err := l.Journal.Records(ctx, q)
	if err != nil {
		return nil, err
	}
	return route.OK(logList{entries(records), total})
}

func entries(records []journal.Record) []LogEntry {
	out := make([]LogEntry, 0, len(records))
	for _, r := range records {
		out = append(out, NewLogEntry(r))
	}
	return out
}

type entryList struct {
	Entries []LogEntry `json:"entries"`
}

func (l *Logs) recent(kind journal.Kind) func(context.Context, *struct{}) (*route.Reply[entryList], error) {
	return func(ctx context.Context, _ *struct{}) (*route.Reply[entryList], error) {
		records, _, err := l.Journal.Records(ctx, journal.Query{Kinds: []journal.Kind{kind}, Limit: recentLogs})
		if err != nil {
			return nil, err
		}
		return route.OK(entryList{entries(records)})
	}
}

func (l *Logs) clear(ctx context.Context, _ *struct{}) (*route.Reply[map[string]string], error) {
	if err := l.Journal.Clear(ctx); err != nil {
		return nil, err
	}
	return statusOnly("cleared")
}
