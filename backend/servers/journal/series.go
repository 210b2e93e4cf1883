package journal

import (
	"context"
	"time"
)

// Span is a stretch of time in equal steps.
type Span struct {
	Since, Until time.Time // from Since on, and before Until
	Step         time.Duration
}

// Aligned returns the span widened to whole steps, which are counted in whole
// seconds since 1970 UTC: spans of one step share their borders.
func (s Span) Aligned() Span {
	step := max(int64(s.Step/time.Second), 1)
	since, until := s.Since.Unix(), s.Until.Add(time.Second-1).Unix()
	since -= modulo(since, step)
	until += modulo(-until, step)
	return Span{Since: time.Unix(since, 0).UTC(), Until: time.Unix(until, 0).UTC(), Step: time.Duration(step) * time.Second}
}

// modulo is never negative, also before 1970.
func modulo(n, by int64) int64 { return (n%by + by) % by }

// Steps returns how many steps an aligned span has.
func (s Span) Steps() int64 {
	return (s.Until.Unix() - s.Since.Unix()) / max(int64(s.Step/time.Second), 1)
}

// Count is how many calls there were, refused ones too, and how many of them
// did not go well.
type Count struct{ Calls, Errors int64 }

// Point is what was called in the step of a span that begins at At.
type Point struct {
	At time.Time
	Count
}

// Series counts the calls of an aligned span that q selects by server and tool,
// for each step, also where there were none. It looks at the records: what was
// cleared or is too old is not in it.
func (j *Journal) Series(ctx context.Context, q Query, span Span) ([]Point, error) {
	if err := j.Settle(ctx); err != nil {
		return nil, err
	}
	counts, err := j.Store.CountSteps(ctx, q, span)
	if err != nil {
		return nil, err
	}
	out := make([]Point, span.Steps())
	for i := range out { // in seconds: a duration holds 292 years
		at := span.Since.Unix() + int64(i)*int64(span.Step/time.Second)
		out[i] = Point{time.Unix(at, 0).UTC(), counts[int64(i)]}
	}
	return out, nil
}

// ClientUse is how much a client called a tool.
type ClientUse struct {
	Client string
	Calls  int64
	Last   time.Time // when the last call began
}

// UsedBy returns the clients that called a tool, by the records, those with
// the most calls first; at most limit.
func (j *Journal) UsedBy(ctx context.Context, server, tool string, limit int) ([]ClientUse, error) {
	if err := j.Settle(ctx); err != nil {
		return nil, err
	}
	return j.Store.CountClients(ctx, Query{Server: server, Tool: tool, Limit: limit})
}
