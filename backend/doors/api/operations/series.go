package operations

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

const (
	maxPoints   = 1000
	defaultStep = 15 * time.Minute
	maxStep     = 366 * 24 * time.Hour
)

// seriesInput holds the query parameters. Numbers and times are strings, so that an error can name the parameter and
// the values that it accepts.
type seriesInput struct {
	Since  string `query:"since" doc:"Start of the period: a time in RFC 3339, or a day in the hub's time zone; by default, one day before until."`
	Until  string `query:"until" doc:"End of the period: a time in RFC 3339, which is excluded, or a day, which is included; now by default."`
	Step   string `query:"step" doc:"Length of a step in seconds, up to 31622400. By default, 900 or, if that gives more than 1,000 points, a multiple of 900 that gives at most 1,000. The period is extended so that it starts and ends at a multiple of the step since 1970 UTC."`
	Server string `query:"server" doc:"Only calls of the server with this name."`
	Tool   string `query:"tool" doc:"Only calls of tools with this name."`
}

// callSeries contains the numbers of calls over time.
type callSeries struct {
	Since  string      `json:"since" doc:"Start of the first step, in RFC 3339."`
	Until  string      `json:"until" doc:"End of the last step, in RFC 3339."`
	Step   int64       `json:"step" doc:"Length of a step, in seconds."`
	Points []callPoint `json:"points" nullable:"false" doc:"One point for each step, oldest first, including steps without calls."`
}

// callPoint contains the numbers of calls in one step of a series.
type callPoint struct {
	At     string `json:"at" doc:"Start of the step, in RFC 3339."`
	Calls  int64  `json:"calls" doc:"Number of calls, refused ones included."`
	Errors int64  `json:"errors" doc:"Number of calls with an outcome other than ok."`
}

func (m *Metrics) series(ctx context.Context, in *seriesInput) (*route.Reply[callSeries], error) {
	span, err := in.span(m.Now())
	if err != nil {
		return nil, err
	}
	points, err := m.Journal.Series(ctx, journal.Query{Server: in.Server, Tool: in.Tool}, span)
	if err != nil {
		return nil, err
	}
	out := callSeries{
		Since: rfc3339(span.Since), Until: rfc3339(span.Until), Step: int64(span.Step / time.Second),
		Points: make([]callPoint, len(points)),
	}
	for i, p := range points {
		out.Points[i] = callPoint{rfc3339(p.At), p.Calls, p.Errors}
	}
	return route.OK(out)
}

// span returns the requested period and step, or an error if the period has more than maxPoints steps.
func (in *seriesInput) span(now time.Time) (span journal.Span, err error) {
	if span.Until, err = parseTime("until", in.Until, 1); err != nil {
		return span, err
	}
	if in.Until == "" {
		span.Until = now
	}
	if span.Since, err = parseTime("since", in.Since, 0); err != nil {
		return span, err
	}
	if in.Since == "" {
		span.Since = span.Until.AddDate(0, 0, -1)
	}
	if !span.Since.Before(span.Until) {
		return span, route.BadRequest(fmt.Sprintf("since is %s and until is %s; since must be earlier",
			rfc3339(span.Since), rfc3339(span.Until)))
	}
	if in.Step == "" {
		return withDefaultStep(span), nil
	}
	step, err := strconv.Atoi(in.Step)
	if err != nil || step < 1 || step > int(maxStep/time.Second) {
		return span, invalidParameter("step", in.Step, "seconds, from 1 to 31622400")
	}
	span.Step = time.Duration(step) * time.Second
	if span = span.Aligned(); span.Steps() > maxPoints {
		return span, route.BadRequest(
			fmt.Sprintf("the period has %d points, and at most %d are returned; use a longer step or a shorter period",
				span.Steps(), maxPoints),
		)
	}
	return span, nil
}

// withDefaultStep sets the step of a span to the default step or, if that gives more than maxPoints points, to a
// multiple of it.
func withDefaultStep(span journal.Span) journal.Span {
	span.Step = defaultStep
	// Aligned may extend the span at both ends by almost one step, so leave room for two points.
	if whole := span.Aligned().Steps(); whole > maxPoints {
		span.Step *= time.Duration((whole + maxPoints - 3) / (maxPoints - 2))
	}
	return span.Aligned()
}
