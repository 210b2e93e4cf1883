package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// row contains the measured cost of calls in one way and with one payload size. Times are in milliseconds.
type row struct {
	Child        string  `json:"child"`
	Bytes        int     `json:"bytes"`
	Way          string  `json:"way"`
	Calls        int     `json:"calls"`
	Min          float64 `json:"min_ms"`
	Median       float64 `json:"median_ms"`
	P95          float64 `json:"p95_ms"`
	Added        float64 `json:"added_min_ms"`      // minimum minus the minimum of the direct way
	Ratio        float64 `json:"median_over_relay"` // median divided by the median of the relay; 0 for the direct way
	HubCPU       float64 `json:"hub_cpu_ms"`        // per call
	CompanionCPU float64 `json:"companion_cpu_ms"`  // per call
	bothTimes    []float64
}

// measure makes blocks of calls in each way in turn and returns a row for each way.
func (b *bench) measure(ways []*way, child string, size, rounds, block int) ([]row, error) {
	times := make([][]time.Duration, len(ways))
	params := make([]json.RawMessage, len(ways))
	for i, w := range ways {
		params[i] = w.params(message(size))
		if _, err := w.block(params[i], size, nil, block); err != nil { // warms up the connection
			return nil, err
		}
	}
	for round := range rounds {
		for k := range ways {
			i := (k + round) % len(ways) // start each round with another way
			var err error
			if times[i], err = ways[i].block(params[i], size, times[i], block); err != nil {
				return nil, err
			}
		}
	}
	rows := make([]row, len(ways))
	for i, w := range ways {
		slices.Sort(times[i])
		rows[i] = row{
			Child: child, Bytes: size, Way: w.name, Calls: len(times[i]), Min: ms(times[i][0]),
			Median: ms(at(times[i], 0.5)), P95: ms(at(times[i], 0.95)),
		}
		rows[i].Added = rows[i].Min - rows[0].Min
		if i > 0 {
			rows[i].Ratio = rows[i].Median / rows[1].Median
		}
	}
	return rows, b.measureCPU(ways, params, rows, size, rounds*block/3)
}

// block makes n calls one after another and appends the duration of each.
func (w *way) block(params json.RawMessage, size int, times []time.Duration, n int) ([]time.Duration, error) {
	for range n {
		began := time.Now()
		line, err := w.client.call("tools/call", params)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		if times = append(times, time.Since(began)); len(line) < size {
			return nil, fmt.Errorf("%s: answered %s", w.name, line)
		}
	}
	return times, nil
}

// measureCPU measures CPU time separately from latency, because the hub does part of its work after the answer.
func (b *bench) measureCPU(ways []*way, params []json.RawMessage, rows []row, size, n int) error {
	for range b.pick(1, 3) {
		for i, w := range ways {
			if w.hub == 0 {
				continue
			}
			time.Sleep(settle)
			hub, companion := cpuTime(w.hub), cpuTime(w.client.pid())
			if _, err := w.block(params[i], size, nil, n); err != nil {
				return err
			}
			time.Sleep(settle)
			perCall := func(pid int, before time.Duration) float64 { return ms(cpuTime(pid)-before) / float64(n) }
			h, c := perCall(w.hub, hub), perCall(w.client.pid(), companion)
			if both := slices.Concat(rows[i].bothTimes, []float64{h + c}); slices.Min(both) == h+c {
				rows[i].HubCPU, rows[i].CompanionCPU = h, c // other load on the machine can only increase the value
			}
			rows[i].bothTimes = append(rows[i].bothTimes, h+c)
		}
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// at returns a quantile of a sorted list.
func at[T cmp.Ordered](sorted []T, share float64) T {
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}
