package hub

import (
	"context"
	"log/slog"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

func TestMemoryIsReleasedOnceAfterWork(t *testing.T) {
	const some = 10 * restBytes
	var w workMeter
	total := uint64(0)
	for i, check := range []struct {
		allocated uint64 // since the last check
		want      bool
		why       string
	}{
		{some, false, "the hub works"},
		{some, false, "the hub still works"},
		{restBytes / 2, true, "the work has ended"},
		{restBytes / 2, false, "memory was released a moment ago"},
		{0, false, "nothing happened"},
		{restBytes / 4, false, "hardly anything was allocated since the release"},
		{some, false, "the hub works again"},
		{0, true, "the work has ended again"},
	} {
		total += check.allocated
		got := w.done(total)
		if got != check.want {
			t.Errorf("check %d: %v, want %v: %s", i, got, check.want, check.why)
		}
		if got {
			w.released(total)
		}
	}
}

func TestGarbageIsCollectedOftenOnceAServerHasStarted(t *testing.T) {
	if os.Getenv("GOGC") != "" {
		t.Skip("GOGC is set")
	}
	before := debug.SetGCPercent(startGarbage)
	defer debug.SetGCPercent(before)
	percent := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	bus := new(events.Bus)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	c := &chores{bus: bus, log: slog.New(slog.DiscardHandler)}
	go func() { ended <- c.rest(ctx) }()
	for percent() == startGarbage {
		events.Publish(bus, upstream.StateChanged{Name: "one", Running: true}) // rest may not have subscribed yet
	}
	if got := percent(); got != restGarbage {
		t.Errorf("garbage is collected at %d percent", got)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
