package journal

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"
)

// maxTools is how many tools of one server have metrics of their own; a batch of
// records may exceed it. Clients may call tools by invented names, so all further
// names share the metrics of a tool named "…".
const maxTools = 1024

// transient is the prefix of the names of transient servers, which package
// inspector starts for a short time. Their calls are recorded but not measured.
const transient = "__transient__"

// Tally sums up the calls of one tool, except for refused ones and those with an unknown outcome. It includes calls whose
// records were deleted.
type Tally struct {
	Server, Tool  string
	Calls, Errors int64
	Latency       time.Duration // sum over all calls
	Slowest       time.Duration
	Last          time.Time // start of the last call
	Histogram     Histogram
}

func (t *Tally) add(r Record) {
	t.Calls++
	if r.Outcome != OK {
		t.Errors++
	}
	t.Latency += r.Latency
	t.Slowest = max(t.Slowest, r.Latency)
	if r.At.After(t.Last) {
		t.Last = r.At
	}
	t.Histogram.add(r.Latency)
}

// Stats summarize the calls of a tool or of a server. P50 and P95 are within 5 % of the true quantiles, and zero if
// they are unknown.
type Stats struct {
	Calls, Errors       int64
	Mean, P50, P95, Max time.Duration
	Last                time.Time // start of the last call
}

func (t *Tally) stats() Stats {
	s := Stats{
		Calls: t.Calls, Errors: t.Errors, Max: t.Slowest, Last: t.Last,
		P50: t.quantile(0.5), P95: t.quantile(0.95),
	}
	if t.Calls > 0 {
		s.Mean = t.Latency / time.Duration(t.Calls)
	}
	return s
}

// quantile returns the histogram's estimate of a quantile, but never more than
// the latency of the slowest call, if that is known.
func (t *Tally) quantile(q float64) time.Duration {
	estimate := t.Histogram.quantile(q)
	if t.Slowest == 0 {
		return estimate
	}
	return min(estimate, t.Slowest)
}

// ToolMetrics are the metrics of one tool.
type ToolMetrics struct {
	Tool string
	Stats
}

// ServerMetrics are the metrics of all tools of one server together.
type ServerMetrics struct {
	Server string
	Stats
}

// Metrics returns the metrics of a server's tools, sorted by name. Calls whose
// records are still queued are not included; Settle stores them.
func (j *Journal) Metrics(server string) []ToolMetrics {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []ToolMetrics
	for _, tool := range slices.Sorted(maps.Keys(j.tallies[server])) {
		out = append(out, ToolMetrics{tool, j.tallies[server][tool].stats()})
	}
	return out
}

// ServerTool are the metrics of one tool, with the name of its server.
type ServerTool struct {
	Server string
	ToolMetrics
}

// AllMetrics returns the metrics of all tools that were ever called, sorted by
// server and tool. As with Metrics, queued records are not included.
func (j *Journal) AllMetrics() []ServerTool {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []ServerTool
	for _, server := range slices.Sorted(maps.Keys(j.tallies)) {
		for _, tool := range slices.Sorted(maps.Keys(j.tallies[server])) {
			out = append(out, ServerTool{server, ToolMetrics{tool, j.tallies[server][tool].stats()}})
		}
	}
	return out
}

// MetricsOf returns the metrics of one tool, and false when it was never called.
// As with Metrics, queued records are not included.
func (j *Journal) MetricsOf(server, tool string) (ToolMetrics, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	t := j.tallies[server][tool]
	if t == nil {
		return ToolMetrics{}, false
	}
	return ToolMetrics{tool, t.stats()}, true
}

// Totals returns the metrics of all servers that were ever called, sorted by
// name. As with Metrics, queued records are not included.
func (j *Journal) Totals() []ServerMetrics {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []ServerMetrics
	for _, server := range slices.Sorted(maps.Keys(j.tallies)) {
		sum := Tally{Histogram: make(Histogram)}
		for _, t := range j.tallies[server] {
			sum.Calls += t.Calls
			sum.Errors += t.Errors
			sum.Latency += t.Latency
			sum.Slowest = max(sum.Slowest, t.Slowest)
			if t.Last.After(sum.Last) {
				sum.Last = t.Last
			}
			for bucket, n := range t.Histogram {
				sum.Histogram[bucket] += n
			}
		}
		out = append(out, ServerMetrics{server, sum.stats()})
	}
	return out
}

// Usage returns the total number of calls of each server's tools.
func (j *Journal) Usage() map[string]int {
	j.mu.Lock()
	defer j.mu.Unlock()
	usage := make(map[string]int, len(j.tallies))
	for server, tools := range j.tallies {
		for _, t := range tools {
			usage[server] += int(t.Calls)
		}
	}
	return usage
}

// measure returns the new tallies of the tools that are called in a batch. It
// does not change the tallies in memory: adopt does that after the new tallies
// have been stored.
func (j *Journal) measure(batch []Record) []Tally {
	j.mu.Lock()
	defer j.mu.Unlock()
	changed := make(map[[2]string]*Tally)
	for _, r := range batch {
		// A refused call says nothing about the server and may name any tool. Of a call with an unknown outcome, the latency
		// is unknown, too. A call that began before Forget belongs to a removed server.
		if r.Kind != Call || r.Outcome == Refused || r.Outcome == Unknown || strings.HasPrefix(r.Server, transient) ||
			r.At.Before(j.forgotten[r.Server]) {
			continue
		}
		tools := j.tallies[r.Server]
		if tools[r.Tool] == nil && len(tools) >= maxTools {
			r.Tool = "…"
		}
		t := changed[[2]string{r.Server, r.Tool}]
		if t == nil {
			t = &Tally{Server: r.Server, Tool: r.Tool}
			if before := tools[r.Tool]; before != nil {
				*t = *before
			}
			t.Histogram = maps.Clone(t.Histogram)
			if t.Histogram == nil {
				t.Histogram = make(Histogram)
			}
			changed[[2]string{r.Server, r.Tool}] = t
		}
		t.add(r)
	}
	out := make([]Tally, 0, len(changed))
	for _, t := range changed {
		out = append(out, *t)
	}
	return out
}

// Add stores a tally from another source, such as an imported database, unless
// the tool already has one. It reports whether the tool had none. If dry is
// set, Add stores nothing.
func (j *Journal) Add(ctx context.Context, t Tally, dry bool) (bool, error) {
	j.writing.Lock()
	defer j.writing.Unlock()
	j.mu.Lock()
	known := j.tallies[t.Server][t.Tool] != nil
	j.mu.Unlock()
	if known || dry {
		return !known, nil
	}
	if t.Histogram == nil {
		t.Histogram = make(Histogram)
	}
	if err := j.store.AppendRecords(ctx, nil, []Tally{t}, nil); err != nil {
		return false, err
	}
	j.adopt([]Tally{t})
	return true, nil
}

// adopt puts tallies into memory, in place of those of the same tools.
func (j *Journal) adopt(tallies []Tally) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, t := range tallies {
		if j.tallies[t.Server] == nil {
			j.tallies[t.Server] = make(map[string]*Tally)
		}
		j.tallies[t.Server][t.Tool] = &t
	}
}
