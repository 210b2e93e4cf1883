package api

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/servers/journal"
)

type exportInput struct {
	LogFilter
	Format string `query:"format" doc:"jsonl or csv"`
}

// exportLogs sends one entry after the other, however many there are.
func (s *server) exportLogs(ctx context.Context, in *exportInput) (*huma.StreamResponse, error) {
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	q.Limit = max(q.Limit, 0)
	ending, kind, write := "jsonl", "application/jsonl", s.writeJSONL
	switch in.Format {
	case "jsonl", "":
	case "csv":
		ending, kind, write = "csv", "text/csv; charset=utf-8", s.writeCSV
	default:
		return nil, wrong("format", in.Format, "jsonl or csv")
	}
	return &huma.StreamResponse{Body: func(to huma.Context) {
		to.SetHeader("Content-Type", kind)
		to.SetHeader("Content-Disposition", `attachment; filename="agent-discover-log.`+ending+`"`)
		if err := write(to.Context(), q, to.BodyWriter()); err != nil {
			s.Log.Warn("export of the log broke off", "error", err)
			panic(http.ErrAbortHandler) // so that the client sees that it is not whole
		}
	}}, nil
}

func (s *server) writeJSONL(ctx context.Context, q journal.Query, w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return s.Journal.Each(ctx, q, func(r journal.Record) error { return encoder.Encode(NewLogEntry(r)) })
}

func (s *server) writeCSV(ctx context.Context, q journal.Query, w io.Writer) error {
	table := csv.NewWriter(w)
	err := table.Write([]string{
		"id", "timestamp", "server", "tool", "kind", "client", "session", "outcome", "success", "latency_ms", "args", "response",
	})
	if err != nil {
		return err
	}
	err = s.Journal.Each(ctx, q, func(r journal.Record) error {
		e := NewLogEntry(r)
		row := []string{
			strconv.FormatInt(e.ID, 10), e.Timestamp, e.Server, e.Tool, e.Kind, e.Client, e.Session, e.Outcome,
			strconv.FormatBool(e.Success), strconv.FormatInt(e.LatencyMS, 10), r.Args, e.Response,
		}
		for i, cell := range row {
			row[i] = unformulated(cell)
		}
		return table.Write(row)
	})
	table.Flush()
	if err != nil {
		return err
	}
	return table.Error()
}

// unformulated keeps a spreadsheet from taking a cell for a formula.
func unformulated(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
