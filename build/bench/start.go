package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Targets for start and memory.
const (
	targetCompanionReady  = 50 // ms
	targetCompanionMemory = 15 // MB
	targetHubReady        = 80 // ms
	targetHubMemory       = 50 // MB, after a search
	targetHubUnused       = 40 // MB, before any session
)

// rest is longer than a hub needs to become idle and to release memory.
const rest = 12 * time.Second

// start measures the start time and the memory of hub and companion with a catalogue of realistic size.
func (b *bench) start(ctx context.Context) error {
	const folder = "start"
	files, tools, err := b.toolFiles()
	if err != nil {
		return err
	}
	began := time.Now()
	h, err := b.startHub(ctx, b.binary, folder)
	if err != nil {
		return err
	}
	if tools, err = h.fill(ctx, b.self, files, tools); err != nil {
		return errors.Join(err, h.stop(ctx))
	}
	fmt.Printf("\n%d tools of %d servers listed, stored and counted in %s\n", tools, len(files), time.Since(began).Round(time.Millisecond))
	if err := h.indexed(ctx); err != nil {
		return errors.Join(err, h.stop(ctx))
	}
	if err := h.stop(ctx); err != nil {
		return err
	}
	var ready, found, held []float64
	for range b.pick(2, 7) {
		began := time.Now()
		if h, err = b.startHub(ctx, b.binary, folder); err != nil {
			return err
		}
		err := h.firstHit(ctx)
		ready, found = append(ready, ms(h.ready)), append(found, ms(time.Since(began)))
		if err == nil && len(held) < b.pick(1, 3) {
			held = append(held, megabytes(memoryAtRest(h.pid())))
		}
		if err := errors.Join(err, h.stop(ctx)); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("hub with %d stored tools: ", tools)
	b.report.addTimes(name+"ready", ready, "ms", targetHubReady)
	b.report.addTimes(name+"find_tool through a new companion has a hit", found, "ms", 0)
	b.report.addTimes(name+"memory at rest, after a find_tool", held, "MB", targetHubMemory)
	if err := b.startCompanions(ctx, folder); err != nil {
		return err
	}
	return b.coldStart(ctx, folder)
}

// startCompanions measures start time and memory of companions of a running hub.
func (b *bench) startCompanions(ctx context.Context, folder string) error {
	h, err := b.startHub(ctx, b.binary, folder)
	if err != nil {
		return err
	}
	defer func() { _ = h.stop(ctx) }()
	untouched := memoryAtRest(h.pid())
	var ready, held []float64
	for range b.pick(5, 25) {
		began := time.Now()
		c, err := h.companion(ctx)
		if err != nil {
			return err
		}
		ready = append(ready, ms(time.Since(began)))
		time.Sleep(settle / 2)
		now, _ := memory(c.pid())
		held = append(held, megabytes(now))
		c.close()
	}
	_, peak := memory(h.pid())
	b.report.add("hub before any session: memory at rest", megabytes(untouched), "MB", targetHubUnused, "at most %.1f on the way",
		megabytes(peak))
	b.report.addTimes("companion of a running hub: initialize answered", ready, "ms", targetCompanionReady)
	b.report.addTimes("companion at rest: memory", held, "MB", targetCompanionMemory)
	return nil
}

// addTimes adds a figure with the median of several measurements.
func (r *report) addTimes(name string, values []float64, unit string, target float64) {
	slices.Sort(values)
	r.add(name, at(values, 0.5), unit, target, "median of %d, best %.1f, worst %.1f", len(values), values[0], values[len(values)-1])
}

func megabytes(n int64) float64 { return float64(n) / (1 << 20) }

// fill adds a server for each file; the program self serves the tools of the file. fill waits until the tokens of the
// tools are counted, and returns how many of the tools the hub lists. The number may be below tools, because the hub holds
// tools whose definitions look like instructions to a model.
func (h *hub) fill(ctx context.Context, self string, files []string, tools int) (int, error) {
	group, starting := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for i, file := range files {
		group.Go(func() error { return h.add(starting, fmt.Sprintf("server%d", i), self, "play-tools", file) })
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	for until := time.Now().Add(4 * readyTimeout); time.Now().Before(until); time.Sleep(settle) {
		servers, err := h.servers(ctx)
		if err != nil {
			return 0, err
		}
		known, counted := 0, true
		for _, s := range servers {
			known += s.Tools
			counted = counted && s.Tokens > 0 // the tools of a server are counted together
		}
		if counted && (known > tools || known < tools*99/100) {
			return 0, fmt.Errorf("%d of %d tools are known", known, tools)
		}
		if counted {
			return known, nil
		}
	}
	return 0, errors.New("the tokens of the tools were not counted in time")
}

// firstHit starts a companion and returns when find_tool has found a tool. It returns an error if it finds none.
func (h *hub) firstHit(ctx context.Context) error {
	c, err := h.companion(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	query := object("action", jsonrpc.Quote("find_tool"), "query", jsonrpc.Quote("create an issue in a repository"))
	line, err := c.call("tools/call", object("name", jsonrpc.Quote("registry"), "arguments", query))
	if err != nil {
		return err
	}
	var reply struct {
		Result struct {
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(line, &reply); err != nil {
		return err
	}
	var answer struct {
		Found   bool
		Closest []json.RawMessage // the vectors of a measurement may be random, so that no tool fits well enough
	}
	if len(reply.Result.Content) == 0 || json.Unmarshal([]byte(reply.Result.Content[0].Text), &answer) != nil ||
		!answer.Found && len(answer.Closest) == 0 {
		return fmt.Errorf("find_tool found nothing: %s", line)
	}
	return nil
}

// memoryAtRest returns the memory of a hub after it has been idle for the time rest.
func memoryAtRest(pid int) int64 {
	time.Sleep(rest)
	now, _ := memory(pid)
	return now
}

// settledMemory returns the memory of a process once it hardly changes any more.
func settledMemory(pid int) int64 {
	last := int64(0)
	for range 18 {
		time.Sleep(2 * settle)
		now, _ := memory(pid)
		if diff := now - last; diff < now/100 && diff > -now/100 {
			return now
		}
		last = now
	}
	return last
}
