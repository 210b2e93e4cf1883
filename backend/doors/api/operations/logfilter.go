package operations

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

// maxText is the maximum length of a text to search for, in bytes.
const maxText = 256

// LogFilter selects entries of the journal. Its fields are strings, so that an error can name the parameter and the
// values that it accepts.
type LogFilter struct {
	Server  string   `query:"server" doc:"Only entries of the server with this name."`
	Tool    string   `query:"tool" doc:"Only entries of the tool with this name."`
	Kind    []string `query:"kind,explode" doc:"Only entries of these kinds, separated by commas or in repeated parameters."`
	Success string   `query:"success" doc:"Only entries that succeeded (true) or failed (false)."`
	Outcome string   `query:"outcome" doc:"Only entries with this outcome."`
	Since   string   `query:"since" doc:"Only entries from this time on: a time in RFC 3339, or a day in the hub's time zone."`
	Until   string   `query:"until" doc:"Only entries before this time: a time in RFC 3339, or a day in the hub's time zone, which is included."`
	Text    string   `query:"text" doc:"Only entries whose tool, arguments or response contain this text. Case is ignored."`
	Before  string   `query:"before_id" doc:"Only entries whose id is smaller than this one."`
	Limit   string   `query:"limit" doc:"Maximum number of entries, up to 500. A negative number -n leaves out the oldest n entries and returns all others."`
	Offset  string   `query:"offset" doc:"Number of entries to skip."`
}

func (f *LogFilter) query() (journal.Query, error) {
	q := journal.Query{Server: f.Server, Tool: f.Tool, Text: f.Text, Outcome: journal.Outcome(f.Outcome)}
	if q.Outcome != "" && !slices.Contains(journal.Outcomes(), q.Outcome) {
		return q, invalidParameter("outcome", f.Outcome, oneOf(journal.Outcomes()))
	}
	if len(q.Text) > maxText {
		return q, route.BadRequest(fmt.Sprintf("text is longer than %d bytes", maxText))
	}
	for _, kind := range strings.Split(strings.Join(f.Kind, ","), ",") {
		if kind == "" {
			continue
		}
		if !slices.Contains(journal.Kinds(), journal.Kind(kind)) {
			return q, invalidParameter("kind", kind, oneOf(journal.Kinds()))
		}
		q.Kinds = append(q.Kinds, journal.Kind(kind))
	}
	switch f.Success {
	case "":
	case "true", "false":
		success := f.Success == "true"
		q.Success = &success
	default:
		return q, invalidParameter("success", f.Success, "true or false")
	}
	return q, f.setPage(&q)
}

// setPage sets the period, the id before which entries are read, the limit and the offset of a query.
func (f *LogFilter) setPage(q *journal.Query) (err error) {
	if q.Since, err = parseTime("since", f.Since, 0); err != nil {
		return err
	}
	if q.Until, err = parseTime("until", f.Until, 1); err != nil {
		return err
	}
	for _, number := range []struct {
		name, text string
		set        func(int)
	}{
		{"before_id", f.Before, func(n int) { q.Before = int64(max(n, 1)) }},
		{"limit", f.Limit, func(n int) { q.Limit = n }},
		{"offset", f.Offset, func(n int) { q.Offset = max(n, 0) }},
	} {
		if number.text == "" {
			continue
		}
		n, err := strconv.Atoi(number.text)
		if err != nil {
			return invalidParameter(number.name, number.text, "a whole number")
		}
		number.set(n)
	}
	return nil
}

// parseTime parses an RFC 3339 time or a day. For a day, it returns the start of the day that is the given number of
// days later. An empty text is the zero time.
func parseTime(name, text string, days int) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return day.AddDate(0, 0, days), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, invalidParameter(name, text, "a time as in 2026-01-31T08:00:00Z or a day as in 2026-01-31")
	}
	return at, nil
}

func invalidParameter(name, value, want string) error {
	return route.BadRequest(fmt.Sprintf("%s is %q; it must be %s", name, value, want))
}

func oneOf[T ~string](values []T) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return "one of: " + strings.Join(words, ", ")
}
