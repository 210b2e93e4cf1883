package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	loadSessions = 20
	loadCalls    = 25  // concurrent calls of each companion
	targetLoad   = 100 // ms until all calls are answered
)

// load measures many concurrent calls from several companions to one child.
func (b *bench) load(ctx context.Context) (err error) {
	for i, binary := range []string{b.binary, b.against} {
		if binary == "" {
			continue
		}
		target, label := float64(targetLoad), ""
		if i > 0 {
			target, label = 0, " (against)"
		}
		if err := b.loadOn(ctx, binary, target, label); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) loadOn(ctx context.Context, binary string, target float64, label string) error {
	h, err := b.startHub(ctx, binary, "load"+label)
	if err != nil {
		return err
	}
	defer func() { _ = h.stop(ctx) }()
	if err := h.add(ctx, "child", b.self, "play-echo"); err != nil {
		return err
	}
	companions := make([]*client, loadSessions)
	for i := range companions {
		if companions[i], err = h.companion(ctx); err != nil {
			return err
		}
		defer companions[i].close()
	}
	if _, err := burst(companions); err != nil { // warms up the connections
		return err
	}
	var times []time.Duration
	for range b.pick(4, 15) {
		time.Sleep(settle)
		took, err := burst(companions)
		if err != nil {
			return err
		}
		times = append(times, took)
	}
	slices.Sort(times)
	b.report.add(fmt.Sprintf("%d calls at once from %d sessions%s", loadSessions*loadCalls, loadSessions, label),
		ms(at(times, 0.5)), "ms", target, "median of %d, best %.1f, worst %.1f, no error", len(times), ms(times[0]),
		ms(times[len(times)-1]))
	return nil
}

// burst makes all calls at once and returns the time until the last answer.
func burst(companions []*client) (time.Duration, error) {
	params := call("child__echo")(message(100))
	var group errgroup.Group
	began := time.Now()
	for _, c := range companions {
		group.Go(func() error {
			for range loadCalls {
				if err := c.send("tools/call", params); err != nil {
					return err
				}
			}
			for range loadCalls {
				if _, err := c.receive(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	return time.Since(began), err
}
