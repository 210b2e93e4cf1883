package journal

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestQuantilesAreAccurate(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	h := make(Histogram)
	var all []time.Duration
	for range 10000 {
		d := time.Duration(math.Exp(random.NormFloat64()*3+9)) * time.Microsecond // from µs to hours
		h.add(d)
		all = append(all, max(d, time.Microsecond))
	}
	slices.Sort(all)
	for _, q := range []float64{0, 0.01, 0.5, 0.95, 0.999, 1} {
		want := all[max(int(math.Ceil(q*float64(len(all)))), 1)-1]
		got := h.quantile(q)
		if off := math.Abs(float64(got-want)) / float64(want); off > accuracy+1e-9 {
			t.Errorf("quantile %v: got %v, want %v: off by %.1f %%", q, got, want, 100*off)
		}
	}
	if len(h) > 300 {
		t.Errorf("got %d buckets, want at most 300", len(h))
	}
	two := make(Histogram)
	two.add(time.Millisecond)
	two.add(4 * time.Second)
	if median, most := two.quantile(0.5), two.quantile(0.95); median > 2*time.Millisecond || most < 3*time.Second {
		t.Errorf("of two latencies, the median is %v and the 95th percentile %v", median, most)
	}
	if Histogram(nil).quantile(0.5) != 0 {
		t.Error("an empty histogram has a median")
	}
}

func TestCallsAreMeasuredByTool(t *testing.T) {
	at := time.UnixMilli(1790000000000)
	m := &memory{tallies: []Tally{
		{Server: "old", Tool: "t", Calls: 3, Errors: 1, Latency: 3 * time.Second, Slowest: 2 * time.Second, Last: at},
	}}
	j, stop := start(t, m)
	call := func(server, tool string, ms int, how Outcome) {
		j.Record(Record{At: at, Server: server, Tool: tool, Latency: time.Duration(ms) * time.Millisecond, Outcome: how}, nil, nil, nil)
	}
	call("s", "b", 10, OK)
	call("s", "a", 20, OK)
	call("s", "a", 30, ToolError)
	call("s", "a", 40, Refused)
	call("__transient__1", "a", 10, OK)
	j.Record(Record{Server: "s", Tool: "a", Kind: Ping, Outcome: OK}, nil, nil, nil)
	call("old", "t", 1000, Failed)
	stop()

	got := j.Metrics("s")
	if len(got) != 2 || got[0].Tool != "a" || got[1].Tool != "b" {
		t.Fatalf("got %+v", got)
	}
	a := got[0]
	if a.Calls != 2 || a.Errors != 1 || a.Mean != 25*time.Millisecond || a.Max != 30*time.Millisecond || !a.Last.Equal(at) {
		t.Errorf("got %+v", a)
	}
	if near := func(d, want time.Duration) bool {
		return math.Abs(float64(d-want)) <= accuracy*float64(want)+1
	}; !near(a.P50, 20*time.Millisecond) {
		t.Errorf("median %v", a.P50)
	}
	totals := j.Totals()
	if len(totals) != 2 || totals[0].Server != "old" || totals[0].Calls != 4 || totals[0].Errors != 2 || totals[0].Mean != time.Second ||
		totals[0].Max != 2*time.Second || totals[1].Server != "s" || totals[1].Calls != 3 || totals[1].Mean != 20*time.Millisecond {
		t.Errorf("totals %+v", totals)
	}
	if usage := j.Usage(); !reflect.DeepEqual(usage, map[string]int{"old": 4, "s": 3}) {
		t.Errorf("usage %v", usage)
	}
}

func TestTheNumberOfMeasuredToolsIsLimited(t *testing.T) {
	j, stop := start(t, &memory{})
	for i := range 3 * maxTools {
		j.Record(Record{Server: "s", Tool: fmt.Sprint(i), Outcome: Failed}, nil, nil, nil)
		if i%maxTools == 0 {
			if _, _, err := j.Records(t.Context(), Query{}); err != nil { // stores the records so far as one batch
				t.Fatal(err)
			}
		}
	}
	stop()
	tools := j.Metrics("s")
	if len(tools) > 2*maxTools+1 || j.Usage()["s"] != 3*maxTools {
		t.Errorf("got %d tools with %d calls", len(tools), j.Usage()["s"])
	}
	if i := slices.IndexFunc(tools, func(m ToolMetrics) bool { return m.Tool == "…" }); i < 0 || tools[i].Calls < maxTools-1 {
		t.Error("the tools beyond the limit are not measured together")
	}
}

func TestCallsThatEndAfterForgetAreNotMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, stop := start(t, &memory{})
		defer stop()
		began := time.Now()
		j.Record(Record{Server: "s", Tool: "t", Outcome: OK}, nil, nil, nil)
		after(time.Second)
		if err := j.Forget(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
		j.Record(Record{At: began, Server: "s", Tool: "t", Outcome: Failed}, nil, nil, nil)
		after(time.Second)
		if got := j.Metrics("s"); len(got) != 0 {
			t.Errorf("got %+v", got)
		}
		j.Record(Record{Server: "s", Tool: "t", Outcome: OK}, nil, nil, nil) // a new server with the old name
		after(time.Second)
		if got := j.Metrics("s"); len(got) != 1 || got[0].Calls != 1 || got[0].Errors != 0 {
			t.Errorf("got %+v", got)
		}
	})
}
