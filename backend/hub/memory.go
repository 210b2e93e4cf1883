package hub

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

const (
	// restCheck is how often the hub checks whether it is at rest.
	restCheck = 3 * time.Second
	// restBytes is how much memory may be allocated between two checks while the
	// hub is at rest.
	restBytes = 256 << 10
	// startGarbage and restGarbage are the percentages by which the heap may grow before garbage is collected. The
	// percentage is high while the hub starts, because little of the memory that is then allocated becomes garbage. It is
	// low from the first start of a server on, because what follows, such as learning its tools, leaves much garbage, and
	// otherwise from the first rest on, because a hub is idle most of the time.
	startGarbage = 400
	restGarbage  = 60
)

// collectAt sets the percentage by which the heap may grow before garbage is
// collected, unless the user has set GOGC.
func collectAt(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// rest returns memory to the system each time the hub has become idle after some work. It returns nil when ctx ends.
func (c *chores) rest(ctx context.Context) error {
	tick := time.NewTicker(restCheck)
	defer tick.Stop()
	var work workMeter
	started := make(chan struct{}, 1)
	defer events.Signal[upstream.StateChanged](c.bus, started)()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-started:
			collectAt(restGarbage)
			started = nil // later signals stay in the channel
			continue
		case <-tick.C:
		}
		if !work.done(allocated()) {
			continue
		}
		collectAt(restGarbage)
		debug.FreeOSMemory()
		if err := process.ReleasePages(); err != nil {
			c.log.Debug("could not release memory", "error", err)
		}
		work.released(allocated())
	}
}

// workMeter detects the end of work from the number of bytes allocated so far.
type workMeter struct {
	before  uint64 // allocated bytes at the last check
	release uint64 // allocated bytes when memory was last released
}

// done reports whether work was done since memory was last released, and none
// since the last check.
func (w *workMeter) done(now uint64) bool {
	quiet := now-w.before < restBytes
	w.before = now
	return quiet && now-w.release > restBytes
}

func (w *workMeter) released(now uint64) { w.before, w.release = now, now }

// allocated returns the number of bytes that were ever allocated on the heap.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
