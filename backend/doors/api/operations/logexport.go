package operations

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

type exportLogsInput struct {
	LogFilter
	Format string `query:"format" doc:"jsonl (the default) or csv."`
}

// export writes the selected entries to the response while it reads them, so that memory does not limit their number.
func (l *Logs) export(_ context.Context, in *exportLogsInput) (*route.Stream, error) {
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	q.Limit = max(q.Limit, 0)
	extension, contentType, write := "jsonl", "application/jsonl", l.writeJSONL
	switch in.Format {
	case "jsonl", "":
	case "csv":
		extension, contentType, write = "csv", "text/csv; charset=utf-8", l.writeCSV
	default:
		return nil, invalidParameter("format", in.Format, "jsonl or csv")
	}
	return route.Download(contentType, "agent-discover-log."+extension, func(ctx context.Context, w io.Writer) error {
		err := write(ctx, q, w)
		if err != nil {
			l.Log.Warn("could not finish the export of the journal", "error", err)
		}
		return err
	}), nil
}

func (l *Logs) writeJSONL(ctx context.Context, q journal.Query, w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return l.Journal.Each(ctx, q, func(r journal.Record) error { return encoder.Encode(NewLogEntry(r)) })
}

func (l *Logs) writeCSV(ctx context.Context, q journal.Query, w io.Writer) error {
	table := csv.NewWriter(w)
	err := table.Write([]string{
		"id", "timestamp", "server", "tool", "kind", "client", "session", "outcome", "success", "latency_ms", "args", "response",
	})
	if err != nil {
		return err
	}
	err = l.Journal.Each(ctx, q, func(r journal.Record) error {
		e := NewLogEntry(r)
		row := []string{
			strconv.FormatInt(e.ID, 10), e.Timestamp, e.Server, e.Tool, e.Kind, e.Client, e.Session, e.Outcome,
			strconv.FormatBool(e.Success), strconv.FormatInt(e.LatencyMS, 10), r.Args, e.Response,
		}
		for i, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				row[i] = "'" + cell // otherwise spreadsheets read it as a formula
			}
		}
		return table.Write(row)
	})
	table.Flush()
	if err != nil {
		return err
	}
	return table.Error()
}
