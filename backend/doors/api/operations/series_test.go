package operations

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestTheDefaultStepKeepsASeriesWithinTheLimitOfPoints(t *testing.T) {
	now := time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)
	random := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		since := now.Add(-time.Duration(random.Int64N(int64(290*365*24*time.Hour))) >> random.IntN(30)).Add(-time.Second)
		span, err := (&seriesInput{Since: since.Format(time.RFC3339)}).span(now)
		if err != nil {
			t.Fatal(err)
		}
		points, shortest := span.Steps(), span.Step == defaultStep
		if points < 1 || points > maxPoints || !shortest && points < maxPoints/3 || span.Step%defaultStep != 0 {
			t.Fatalf("since %s: %d points of %s", since, points, span.Step)
		}
	}
}
