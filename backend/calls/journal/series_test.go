package journal

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"
)

func TestSpansAreWidenedToWholeSteps(t *testing.T) {
	for _, c := range []struct {
		since, until string
		step         time.Duration
		wantSince    string
		wantUntil    string
		steps        int64
	}{
		{"2026-03-14T09:26:53Z", "2026-03-14T10:00:00Z", 15 * time.Minute, "2026-03-14T09:15:00Z", "2026-03-14T10:00:00Z", 3},
		{"2026-03-14T09:30:00Z", "2026-03-14T09:30:00.001Z", 15 * time.Minute, "2026-03-14T09:30:00Z", "2026-03-14T09:45:00Z", 1},
		{"1969-12-31T23:59:59Z", "1970-01-01T00:00:01Z", time.Minute, "1969-12-31T23:59:00Z", "1970-01-01T00:01:00Z", 2},
		{"2026-03-14T09:30:00+05:30", "2026-03-15T09:30:00+05:30", 24 * time.Hour, "2026-03-14T00:00:00Z", "2026-03-16T00:00:00Z", 2},
		{"0001-01-02T00:00:00Z", "9998-12-31T00:00:00Z", 366 * 24 * time.Hour, "", "", 9978},
		{"2026-03-14T09:30:00.9Z", "2026-03-14T09:30:02Z", 0, "2026-03-14T09:30:00Z", "2026-03-14T09:30:02Z", 2},
	} {
		since, err1 := time.Parse(time.RFC3339, c.since)
		until, err2 := time.Parse(time.RFC3339, c.until)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		got := Span{since, until, c.step}.Aligned()
		if got.Steps() != c.steps {
			t.Errorf("%s to %s: %d steps, want %d", c.since, c.until, got.Steps(), c.steps)
		}
		if s, u := got.Since.Format(time.RFC3339), got.Until.Format(time.RFC3339); c.wantSince != "" &&
			(s != c.wantSince || u != c.wantUntil) {
			t.Errorf("%s to %s became %s to %s", c.since, c.until, s, u)
		}
	}
}

func TestAlignedSpansContainTheOriginalSpan(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		since := time.UnixMilli(random.Int64N(4e12) - 2e12)
		s := Span{since, since.Add(time.Duration(random.Int64N(1e15))), time.Duration(random.Int64N(1e14))}
		got := s.Aligned()
		if got.Since.After(s.Since) || got.Until.Before(s.Until) || got.Aligned() != got ||
			got.Since.Add(got.Step).Before(s.Since) || got.Until.Add(-got.Step).After(s.Until) {
			t.Fatalf("%+v became %+v", s, got)
		}
	}
}

// counting is a store that has calls in step 1 only.
type counting struct{ memory }

func (c *counting) CountSteps(_ context.Context, q Query, _ Span) (map[int64]Count, error) {
	if c.broken {
		return nil, errors.New("disk gone")
	}
	return map[int64]Count{1: {7, int64(len(q.Tool))}}, nil
}

func TestSeriesHaveAPointForEveryStep(t *testing.T) {
	store := &counting{}
	j, stop := start(t, store)
	defer stop()
	since := time.Date(1200, 1, 1, 0, 0, 0, 0, time.UTC)
	span := Span{since, since.AddDate(800, 0, 0), 100_000 * time.Hour}.Aligned()
	points, err := j.Series(t.Context(), Query{Tool: "abc"}, span)
	if err != nil || int64(len(points)) != span.Steps() {
		t.Fatalf("%d points, %v", len(points), err)
	}
	for i, p := range points {
		want := Count{}
		if i == 1 {
			want = Count{7, 3}
		}
		if p.At.Unix() != span.Since.Unix()+int64(i)*360_000_000 || p.Count != want {
			t.Errorf("point %d is %+v", i, p)
		}
	}
	if !points[len(points)-1].At.Add(span.Step).Equal(span.Until) {
		t.Errorf("the last step begins at %s", points[len(points)-1].At)
	}
	store.broken = true
	if _, err := j.Series(t.Context(), Query{}, span); err == nil {
		t.Error("Series returned no error although the store failed")
	}
}
