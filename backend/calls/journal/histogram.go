package journal

import (
	"maps"
	"math"
	"slices"
	"time"
)

// Histogram counts latencies in buckets whose bounds grow by a constant factor.
// Every quantile is accurate to a constant relative error, and any latency fits
// into a few hundred buckets. Two histograms are merged by adding their counts.
// Bucket i counts latencies over growth^(i-1) and up to growth^i microseconds.
//
// The algorithm is from C. Masson, J. E. Rim, H. K. Lee: DDSketch, a fast and
// fully-mergeable quantile sketch with relative-error guarantees, PVLDB 12 (12),
// 2019.
type Histogram map[int]int64

// accuracy is the maximum relative error of a quantile.
const accuracy = 0.05

// growth is the factor between the bounds of a bucket.
const growth = (1 + accuracy) / (1 - accuracy)

func (h Histogram) add(latency time.Duration) {
	micros := max(latency.Microseconds(), 1)
	h[int(math.Ceil(math.Log(float64(micros))/math.Log(growth)))]++
}

// quantile returns an estimate of the latency that a fraction q of all
// latencies does not exceed, and 0 for an empty histogram.
func (h Histogram) quantile(q float64) time.Duration {
	var n int64
	for _, count := range h {
		n += count
	}
	rank := max(int64(math.Ceil(q*float64(n))), 1) - 1
	for _, bucket := range slices.Sorted(maps.Keys(h)) {
		if rank -= h[bucket]; rank < 0 {
			micros := 2 * math.Pow(growth, float64(bucket)) / (growth + 1)
			return time.Duration(micros * float64(time.Microsecond))
		}
	}
	return 0
}
