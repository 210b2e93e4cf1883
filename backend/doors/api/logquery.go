package api

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/servers/journal"
)

// maxText is how long a text to look for may be, in bytes.
const maxText = 256

// LogFilter selects entries of the log. All are strings, because a wrong value
// is answered with 400 and words of our own.
type LogFilter struct {
	Server  string   `query:"server"`
	Tool    string   `query:"tool"`
	Kind    []string `query:"kind,explode" doc:"one or more, by commas or repeated"`
	Success string   `query:"success" doc:"true or false"`
	Outcome string   `query:"outcome"`
	Since   string   `query:"since" doc:"RFC 3339, or a day of the hub's time zone"`
	Until   string   `query:"until" doc:"RFC 3339, before that moment; or the end of a day"`
	Text    string   `query:"text" doc:"somewhere in tool, args or response, in any case"`
	Before  string   `query:"before_id" doc:"only entries with a smaller id"`
	Limit   string   `query:"limit" doc:"up to 500; a negative one leaves out as many of the oldest"`
	Offset  string   `query:"offset"`
}

func (in *LogFilter) query() (journal.Query, error) {
	q := journal.Query{Server: in.Server, Tool: in.Tool, Text: in.Text, Outcome: journal.Outcome(in.Outcome)}
	if q.Outcome != "" && !slices.Contains(journal.Outcomes(), q.Outcome) {
		return q, wrong("outcome", in.Outcome, oneOf(journal.Outcomes()))
	}
	if len(q.Text) > maxText {
		return q, huma.NewError(http.StatusBadRequest, fmt.Sprintf("text is longer than %d bytes", maxText))
	}
	for _, kind := range strings.Split(strings.Join(in.Kind, ","), ",") {
		if kind == "" {
			continue
		}
		if !slices.Contains(journal.Kinds(), journal.Kind(kind)) {
			return q, wrong("kind", kind, oneOf(journal.Kinds()))
		}
		q.Kinds = append(q.Kinds, journal.Kind(kind))
	}
	switch in.Success {
	case "":
	case "true", "false":
		success := in.Success == "true"
		q.Success = &success
	default:
		return q, wrong("success", in.Success, "true or false")
	}
	return q, in.part(&q)
}

// part reads which part of the selected entries is wanted.
func (in *LogFilter) part(q *journal.Query) (err error) {
	if q.Since, err = moment("since", in.Since, 0); err != nil {
		return err
	}
	if q.Until, err = moment("until", in.Until, 1); err != nil {
		return err
	}
	for _, number := range []struct {
		name, text string
		set        func(int)
	}{
		{"before_id", in.Before, func(n int) { q.Before = int64(max(n, 1)) }},
		{"limit", in.Limit, func(n int) { q.Limit = n }},
		{"offset", in.Offset, func(n int) { q.Offset = max(n, 0) }},
	} {
		if number.text == "" {
			continue
		}
		n, err := strconv.Atoi(number.text)
		if err != nil {
			return wrong(number.name, number.text, "a whole number")
		}
		number.set(n)
	}
	return nil
}

// moment reads a point in time, or a day as its beginning and days later.
func moment(name, text string, days int) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return day.AddDate(0, 0, days), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, wrong(name, text, "a time as in 2026-01-31T08:00:00Z or a day as in 2026-01-31")
	}
	return at, nil
}

func wrong(name, value, want string) error {
	return huma.NewError(http.StatusBadRequest, fmt.Sprintf("%s is %q; it must be %s", name, value, want))
}

func oneOf[T ~string](values []T) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return "one of: " + strings.Join(words, ", ")
}
