package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

// Targets for the catalogue of manyTools tools.
const (
	targetHash    = 150  // ms to hash all tools and to compare them with different tools
	targetCompare = 50   // ms to compare all tools with the same tools
	targetCount   = 3000 // ms to count the tokens of all tools once
)

// catalog measures what the catalogue does when servers list their tools.
func (b *bench) catalog(ctx context.Context) error {
	servers, err := b.manyServers()
	if err != nil {
		return err
	}
	bus := &events.Bus{}
	c, err := catalog.Open(ctx, &catalogtest.Store{}, bus, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	var listed, changed []json.RawMessage
	var texts []string
	size, sum := 0, 0
	for _, tools := range servers {
		for _, t := range tools {
			listed = append(listed, t.Definition)
			other := append([]byte(`{"title":"Changed",`), t.Definition[1:]...)
			changed = append(changed, other)
			size += len(t.Definition)
			texts = append(texts, string(t.Definition))
		}
	}
	counting := busy(func() {
		counter := tokens.NewCounter()
		for _, text := range texts {
			sum += counter.Count(text)
		}
	})
	b.report.add(fmt.Sprintf("count the tokens of %d tools", manyTools),
		ms(counting), "ms", targetCount, "CPU time, %d tokens in %d KiB", sum, size>>10)
	if _, err := list(ctx, c, listed); err != nil {
		return err
	}
	var hashing, comparing []time.Duration
	for i := range b.pick(4, 10) {
		next := changed
		if i%2 == 1 {
			next = listed
		}
		took, err := list(ctx, c, next)
		if err != nil {
			return err
		}
		hashing = append(hashing, took)
		if took, err = list(ctx, c, next); err != nil {
			return err
		}
		comparing = append(comparing, took)
	}
	b.report.add(fmt.Sprintf("hash and compare %d tools that have all changed", manyTools), ms(least(hashing)), "ms", targetHash,
		"CPU time, best of %d", len(hashing))
	b.report.add(fmt.Sprintf("compare %d tools that have not changed", manyTools),
		ms(least(comparing)), "ms", targetCompare, "CPU time, best of %d", len(comparing))
	return nil
}

// list replaces the tools of one server and returns how long the catalogue took.
func list(ctx context.Context, c *catalog.Catalog, definitions []json.RawMessage) (took time.Duration, err error) {
	took = busy(func() { _, err = c.Replace(ctx, "server", definitions) })
	return took, err
}

// busy returns the CPU time of this process during work, because other programs may use the machine, too. Where CPU
// time is unknown, it returns the elapsed time. The result includes the work of the garbage collector.
func busy(work func()) time.Duration {
	began, used := time.Now(), cpuTime(os.Getpid())
	work()
	if took := cpuTime(os.Getpid()) - used; took > 0 {
		return took
	}
	return time.Since(began)
}

func least(of []time.Duration) time.Duration {
	best := of[0]
	for _, d := range of {
		best = min(best, d)
	}
	return best
}
