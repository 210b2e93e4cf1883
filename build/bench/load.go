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
	loadCalls    = 25  // of each, at once
	targetLoad   = 100 // ms until all are answered
)

// load sends many calls at once, from several companions to one Go child.
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
	if _, err := burst(companions); err != nil { // warms up
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
		ms(at(times, 0.5)), "ms", target, "median of %d, best %.1f, worst %.1f, no error", len(times), ms(times[0]), ms(times[len(times)-1]))
	return nil
}

// burst returns how long it took until every call was answered.
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
