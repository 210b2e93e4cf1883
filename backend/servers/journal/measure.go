package journal

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"
)

// maxTools is how many tools of one server are measured by name. Callers may
// invent names; what goes beyond is measured together, as tool "…".
const maxTools = 1024

// transient begins the name of a server that exists for one test only. Its
// calls are recorded and not measured.
const transient = "__transient__"

// Tally is what is kept about all calls of one tool, whatever becomes of their
// records.
type Tally struct {
	Server, Tool  string
	Calls, Errors int64
	Latency       time.Duration // of all calls together
	Slowest       time.Duration
	Last          time.Time // when the last one began
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

// Stats are the numbers of a tool's or a server's calls. P50 and P95 are zero
// while they are unknown, else within 5 % of the true quantile.
type Stats struct {
	Calls, Errors       int64
	Mean, P50, P95, Max time.Duration
	Last                time.Time // when the last call began
}

func (t *Tally) stats() Stats {
	s := Stats{
		Calls: t.Calls, Errors: t.Errors, Max: t.Slowest, Last: t.Last,
		// A bucket's middle may be beyond the slowest in it.
		P50: atMost(t.Histogram.quantile(0.5), t.Slowest), P95: atMost(t.Histogram.quantile(0.95), t.Slowest),
	}
	if t.Calls > 0 {
		s.Mean = t.Latency / time.Duration(t.Calls)
	}
	return s
}

// atMost bounds a quantile by the slowest call, where that is known.
func atMost(quantile, slowest time.Duration) time.Duration {
	if slowest == 0 {
		return quantile
	}
	return min(quantile, slowest)
}

// ToolMetrics are the numbers of one tool.
type ToolMetrics struct {
	Tool string
	Stats
}

// ServerMetrics are the numbers of all tools of one server.
type ServerMetrics struct {
	Server string
	Stats
}

// Metrics returns the numbers of a server's tools, sorted by name. What waits
// for its batch is not in it; see Settle.
func (j *Journal) Metrics(server string) []ToolMetrics {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []ToolMetrics
	for _, tool := range slices.Sorted(maps.Keys(j.tallies[server])) {
		out = append(out, ToolMetrics{tool, j.tallies[server][tool].stats()})
	}
	return out
}

// ServerTool are the numbers of one tool, with its server.
type ServerTool struct {
	Server string
	ToolMetrics
}

// AllMetrics returns the numbers of all tools that were called, sorted by
// server and name, as Metrics does.
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

// MetricsOf returns the numbers of one tool, as Metrics does; false when it was
// never called.
func (j *Journal) MetricsOf(server, tool string) (ToolMetrics, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	t := j.tallies[server][tool]
	if t == nil {
		return ToolMetrics{}, false
	}
	return ToolMetrics{tool, t.stats()}, true
}

// Totals returns the numbers of all servers that were called, sorted by name,
// as Metrics does.
func (j *Journal) Totals() []ServerMetrics {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []ServerMetrics
	for _, server := range slices.Sorted(maps.Keys(j.tallies)) {
		whole := Tally{Histogram: make(Histogram)}
		for _, t := range j.tallies[server] {
			whole.Calls += t.Calls
			whole.Errors += t.Errors
			whole.Latency += t.Latency
			whole.Slowest = max(whole.Slowest, t.Slowest)
			if t.Last.After(whole.Last) {
				whole.Last = t.Last
			}
			for bucket, n := range t.Histogram {
				whole.Histogram[bucket] += n
			}
		}
		out = append(out, ServerMetrics{server, whole.stats()})
	}
	return out
}

// Usage returns how often each server was called in this installation.
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

// measure returns the tallies that a batch changes, as they will be. Those in
// memory stay as they are until the store has the new ones.
func (j *Journal) measure(batch []Record) []Tally {
	j.mu.Lock()
	defer j.mu.Unlock()
	changed := make(map[[2]string]*Tally)
	for _, r := range batch {
		if !j.measured(r) {
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

// measured reports whether a record counts. A refusal says nothing about the
// server, and may name anything. A call that began before its server was
// forgotten belongs to one that is no more.
func (j *Journal) measured(r Record) bool {
	return r.Kind == Call && r.Outcome != Refused && !strings.HasPrefix(r.Server, transient) &&
		!r.At.Before(j.forgotten[r.Server])
}

// Add keeps the numbers of a tool that has none yet, as another program measured
// them, and reports whether that is so. A dry one only reports.
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
	if err := j.Store.AppendRecords(ctx, nil, []Tally{t}); err != nil {
		return false, err
	}
	j.adopt([]Tally{t})
	return true, nil
}

// adopt makes tallies the present ones.
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
