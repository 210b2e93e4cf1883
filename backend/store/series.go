package store

import (
	"context"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/journal"
)

// fromCallsIndex makes SQLite read the index calls_over_time, which has all columns that are needed to count calls.
// Without this hint, SQLite reads the table itself, including texts, which takes ten times as long.
const fromCallsIndex = " FROM calls INDEXED BY calls_over_time"

// CountSteps implements journal.Store.
func (s *Calls) CountSteps(ctx context.Context, q journal.Query, span journal.Span) (map[int64]journal.Count, error) {
	c := conditions(journal.Query{Server: q.Server, Tool: q.Tool, Since: span.Since, Until: span.Until})
	c.add("kind = 'call'") // must equal the condition of the index calls_over_time
	rows, err := s.db.read.QueryContext(ctx, "SELECT (at - ?) / ?, count(*), sum(outcome <> 'ok')"+fromCallsIndex+c.where()+" GROUP BY 1",
		append([]any{span.Since.UnixMilli(), span.Step.Milliseconds()}, c.args...)...)
	if err != nil {
		return nil, fmt.Errorf("count calls over time: %w", err)
	}
	defer func() { _ = rows.Close() }()
	out := make(map[int64]journal.Count)
	for rows.Next() {
		var step int64
		var n journal.Count
		if err := rows.Scan(&step, &n.Calls, &n.Errors); err != nil {
			return nil, fmt.Errorf("count calls over time: %w", err)
		}
		out[step] = n
	}
	return out, rows.Err()
}

// CountClients implements journal.Store.
func (s *Calls) CountClients(ctx context.Context, q journal.Query) ([]journal.ClientUse, error) {
	c := conditions(journal.Query{Server: q.Server, Tool: q.Tool})
	c.add("kind = 'call'")
	rows, err := s.db.read.QueryContext(ctx,
		"SELECT client, count(*), max(at)"+fromCallsIndex+c.where()+" GROUP BY client ORDER BY 2 DESC, 1 LIMIT ?",
		append(c.args, q.Limit)...)
	if err != nil {
		return nil, fmt.Errorf("count calls by client: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []journal.ClientUse
	for rows.Next() {
		var use journal.ClientUse
		var last int64
		if err := rows.Scan(&use.Client, &use.Calls, &last); err != nil {
			return nil, fmt.Errorf("count calls by client: %w", err)
		}
		use.Last = time.UnixMilli(last)
		out = append(out, use)
	}
	return out, rows.Err()
}
