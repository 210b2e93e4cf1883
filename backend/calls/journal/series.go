package journal

import (
	"context"
	"time"
)

// Span is a period of time that is divided into equal steps.
type Span struct {
	Since, Until time.Time // Since is included, Until is not
	Step         time.Duration
}

// Aligned returns the span widened to whole steps. A step is a whole number of
// seconds, at least one. Steps are counted from 1970 UTC, so that all spans
// with equal steps have the same boundaries.
func (s Span) Aligned() Span {
	step := max(int64(s.Step/time.Second), 1)
	since, until := s.Since.Unix(), s.Until.Add(time.Second-1).Unix()
	since -= modulo(since, step)
	until += modulo(-until, step)
	return Span{Since: time.Unix(since, 0).UTC(), Until: time.Unix(until, 0).UTC(), Step: time.Duration(step) * time.Second}
}

// modulo returns the non-negative remainder of n/by. n is negative for times
// before 1970.
func modulo(n, by int64) int64 { return (n%by + by) % by }

// Steps returns how many steps an aligned span has.
func (s Span) Steps() int64 {
	return (s.Until.Unix() - s.Since.Unix()) / max(int64(s.Step/time.Second), 1)
}

// Count is a number of calls, refused ones included. Errors is the number of
// those with an outcome other than OK.
type Count struct{ Calls, Errors int64 }

// Point counts the calls in one step of a span. The step begins at the time At.
type Point struct {
	At time.Time
	Count
}

// Series counts the calls of q.Server and q.Tool in each step of an aligned
// span, steps without calls included. It counts stored records, so that calls
// whose records were deleted are missing.
func (j *Journal) Series(ctx context.Context, q Query, span Span) ([]Point, error) {
	if err := j.Settle(ctx); err != nil {
		return nil, err
	}
	counts, err := j.store.CountSteps(ctx, q, span)
	if err != nil {
		return nil, err
	}
	out := make([]Point, span.Steps())
	for i := range out { // computed in seconds, because a time.Duration cannot exceed 292 years
		at := span.Since.Unix() + int64(i)*int64(span.Step/time.Second)
		out[i] = Point{time.Unix(at, 0).UTC(), counts[int64(i)]}
	}
	return out, nil
}

// ClientUse counts the calls of a tool by one client.
type ClientUse struct {
	Client string
	Calls  int64
	Last   time.Time // start of the last call
}

// UsedBy returns at most limit clients that called a tool, those with the most
// calls first. It counts stored records, as Series does.
func (j *Journal) UsedBy(ctx context.Context, server, tool string, limit int) ([]ClientUse, error) {
	if err := j.Settle(ctx); err != nil {
		return nil, err
	}
	return j.store.CountClients(ctx, Query{Server: server, Tool: tool, Limit: limit})
}
