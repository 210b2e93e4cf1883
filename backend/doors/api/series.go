package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/servers/journal"
)

// CallSeries are calls over time.
type CallSeries struct {
	Since  string      `json:"since" doc:"RFC 3339; where the first step begins"`
	Until  string      `json:"until" doc:"RFC 3339; where the last step ends"`
	Step   int64       `json:"step" doc:"seconds"`
	Points []CallPoint `json:"points" nullable:"false" doc:"one for each step, oldest first, also where nothing was called"`
}

// CallPoint is what was called in one step.
type CallPoint struct {
	At     string `json:"at" doc:"RFC 3339; where the step begins"`
	Calls  int64  `json:"calls" doc:"refused ones too"`
	Errors int64  `json:"errors" doc:"calls of any outcome but ok"`
}

// seriesInput are strings for the reason that those of LogFilter are.
type seriesInput struct {
	Since  string `query:"since" doc:"RFC 3339, or a day of the hub's time zone; a day before until if not said"`
	Until  string `query:"until" doc:"RFC 3339, before that moment; or the end of a day; now if not said"`
	Step   string `query:"step" doc:"seconds, up to 31622400; if not said 900, or as many as make at most 1,000 points. Both ends move out to multiples of it since 1970 UTC"`
	Server string `query:"server"`
	Tool   string `query:"tool"`
}

const (
	maxPoints   = 1000
	defaultStep = 15 * time.Minute
	maxStep     = 366 * 24 * time.Hour
)

func (s *server) seriesRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/metrics/series", "Calls and errors over time, from the log", s.series)
}

func (s *server) series(ctx context.Context, in *seriesInput) (*reply[CallSeries], error) {
	span, err := in.span(s.Now())
	if err != nil {
		return nil, err
	}
	points, err := s.Journal.Series(ctx, journal.Query{Server: in.Server, Tool: in.Tool}, span)
	if err != nil {
		return nil, err
	}
	out := CallSeries{
		Since: rfc3339(span.Since), Until: rfc3339(span.Until), Step: int64(span.Step / time.Second), Points: make([]CallPoint, len(points)),
	}
	for i, p := range points {
		out.Points[i] = CallPoint{rfc3339(p.At), p.Calls, p.Errors}
	}
	return ok(out)
}

func rfc3339(at time.Time) string { return at.UTC().Format(time.RFC3339) }

func (in *seriesInput) span(now time.Time) (span journal.Span, err error) {
	if span.Until, err = moment("until", in.Until, 1); err != nil {
		return span, err
	}
	if in.Until == "" {
		span.Until = now
	}
	if span.Since, err = moment("since", in.Since, 0); err != nil {
		return span, err
	}
	if in.Since == "" {
		span.Since = span.Until.AddDate(0, 0, -1)
	}
	if !span.Since.Before(span.Until) {
		return span, badRequest(fmt.Sprintf("since is %s and until is %s; since must be earlier", rfc3339(span.Since), rfc3339(span.Until)))
	}
	if in.Step == "" {
		return coarsened(span), nil
	}
	step, err := strconv.Atoi(in.Step)
	if err != nil || step < 1 || step > int(maxStep/time.Second) {
		return span, wrong("step", in.Step, "seconds, from 1 to 31622400")
	}
	span.Step = time.Duration(step) * time.Second
	if span = span.Aligned(); span.Steps() > maxPoints {
		return span, badRequest(fmt.Sprintf("that makes %d points, and at most %d are given; take a longer step or a shorter time", span.Steps(), maxPoints))
	}
	return span, nil
}

// coarsened gives a span the default step, or the shortest multiple of it that
// makes few enough points.
func coarsened(span journal.Span) journal.Span {
	span.Step = defaultStep
	// Both ends may move out by a step.
	if whole := span.Aligned().Steps(); whole > maxPoints {
		span.Step *= time.Duration((whole + maxPoints - 3) / (maxPoints - 2))
	}
	return span.Aligned()
}
