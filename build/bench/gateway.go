package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Targets for the memory and the time that the hub adds between clients and servers.
const (
	largeSize      = 100 << 20 // bytes of the text in a large result
	targetLarge    = 4         // memory of the hub, in multiples of the size of the result
	targetProgress = 1         // ms
)

// session is an MCP session of a client.
type session interface {
	call(method string, params json.RawMessage) ([]byte, error)
	// notify sets the function that gets the line of each notification.
	notify(func(line []byte))
	close()
}

// door is a named way to open a session with a hub.
type door struct {
	name string
	open func(context.Context, *hub) (session, error)
}

var doors = []door{
	{"companion", func(ctx context.Context, h *hub) (session, error) { return h.companion(ctx) }},
	{"HTTP, legacy", func(_ context.Context, h *hub) (session, error) { return openWeb(h) }},
	{"HTTP, modern", func(_ context.Context, h *hub) (session, error) { return &web{hub: h, modern: true}, nil }},
}

// gateway measures large results, progress notifications and idle sessions.
func (b *bench) gateway(ctx context.Context) error {
	for _, d := range doors {
		if err := b.large(ctx, d); err != nil {
			return fmt.Errorf("large result, %s: %w", d.name, err)
		}
	}
	if err := b.progress(ctx); err != nil {
		return fmt.Errorf("progress: %w", err)
	}
	return b.idle(ctx)
}

// large measures the maximal memory of hubs that pass on one large result each.
func (b *bench) large(ctx context.Context, d door) error {
	var relative []float64
	for i := range b.pick(1, 3) {
		h, err := b.startHub(ctx, b.binary, fmt.Sprintf("large-%s-%d", d.name, i))
		if err != nil {
			return err
		}
		err = errors.Join(h.add(ctx, "child", b.self, "play-gateway"), d.callLarge(ctx, h))
		_, peak := memory(h.pid())
		relative = append(relative, float64(peak)/largeSize)
		if err := errors.Join(err, h.stop(ctx)); err != nil {
			return err
		}
	}
	b.report.addTimes(fmt.Sprintf("hub that passes on a result of %s, %s: memory, relative to it", bytesText(largeSize), d.name),
		relative, "×", targetLarge)
	return nil
}

// callLarge calls a tool with a large result and checks that the result arrives whole.
func (d door) callLarge(ctx context.Context, h *hub) error {
	s, err := d.open(ctx, h)
	if err != nil {
		return err
	}
	defer s.close()
	line, err := s.call("tools/call", object("name", jsonrpc.Quote("child__large"), "arguments", json.RawMessage("{}")))
	if err != nil {
		return err
	}
	var text []byte
	for block := range jsonrpc.Items(jsonrpc.Get(jsonrpc.Get(line, "result"), "content")) {
		text = bytes.Trim(jsonrpc.Get(block, "text"), `"`)
	}
	if sha256.Sum256(text) != sha256.Sum256(largeText()) {
		return fmt.Errorf("the result has changed: its text has %d bytes", len(text))
	}
	return nil
}

// largeText returns the text of a large result: numbers, so that every part differs.
func largeText() []byte {
	text := make([]byte, 0, largeSize+20)
	for n := int64(0); len(text) < largeSize; n++ {
		text = append(strconv.AppendInt(text, n, 10), ' ')
	}
	return text[:largeSize]
}

// progress measures how long a progress notification takes from the child that writes it to the client that reads it.
func (b *bench) progress(ctx context.Context) (err error) {
	h, err := b.startHub(ctx, b.binary, "progress")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.stop(ctx)) }()
	if err := h.add(ctx, "child", b.self, "play-gateway"); err != nil {
		return err
	}
	direct, err := open(ctx, nil, b.self, "play-gateway")
	if err != nil {
		return err
	}
	defer direct.close()
	for _, d := range doors {
		s, err := d.open(ctx, h)
		if err != nil {
			return err
		}
		defer s.close()
		var times, plain []time.Duration
		for range b.pick(2, 10) { // alternate, because the load of the machine changes
			if times, err = follow(s, "child__progress", times); err != nil {
				return fmt.Errorf("%s: %w", d.name, err)
			}
			if plain, err = follow(direct, "progress", plain); err != nil {
				return err
			}
		}
		slices.Sort(times)
		slices.Sort(plain)
		b.report.add("a progress notification reaches the client, "+d.name, ms(at(times, 0.5)), "ms", targetProgress,
			"median of %d, best %.3f, p95 %.3f; directly %.3f, p95 %.3f", len(times), ms(times[0]), ms(at(times, 0.95)), ms(at(plain, 0.5)),
			ms(at(plain, 0.95)))
	}
	return nil
}

// follow calls a tool that notifies of its progress, and appends how long each notification took.
func follow(s session, tool string, times []time.Duration) ([]time.Duration, error) {
	before := len(times)
	s.notify(func(line []byte) {
		now := time.Now().UnixNano()
		if sent, err := strconv.ParseInt(jsonrpc.GetString(jsonrpc.Get(line, "params"), "message"), 10, 64); err == nil {
			times = append(times, time.Duration(now-sent))
		}
	})
	defer s.notify(nil)
	params := object("name", jsonrpc.Quote(tool), "arguments", json.RawMessage("{}"), "_meta", json.RawMessage(`{"progressToken":"bench"}`))
	_, err := s.call("tools/call", params)
	if n := len(times) - before; err == nil && n != progressSteps {
		err = fmt.Errorf("%d of %d notifications arrived", n, progressSteps)
	}
	return times, err
}
