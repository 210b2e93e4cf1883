package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

const targetIdle = 150 // kB of the hub for each idle session

// idle measures the memory of hubs for sessions that do nothing.
func (b *bench) idle(ctx context.Context) error {
	for _, d := range []door{
		{"HTTP without a stream", func(_ context.Context, h *hub) (session, error) { return openWeb(h) }},
		{"HTTP with a stream", func(_ context.Context, h *hub) (session, error) { return openListening(h) }},
		{"companion", dialCompanion},
	} {
		if err := b.idleAt(ctx, d); err != nil {
			return fmt.Errorf("idle sessions, %s: %w", d.name, err)
		}
	}
	return nil
}

func (b *bench) idleAt(ctx context.Context, d door) (err error) {
	h, err := b.startHub(ctx, b.binary, "idle-"+d.name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.stop(ctx)) }()
	if err := h.add(ctx, "child", b.self, "play-gateway"); err != nil {
		return err
	}
	var first session
	before := int64(0)
	count := b.pick(200, 1000)
	for i := range 1 + count {
		s, err := d.open(ctx, h)
		if err != nil {
			return err
		}
		defer s.close()
		if i == 0 { // the first session also allocates what all sessions share
			first, before = s, memoryAtRest(h.pid())
		}
	}
	after := memoryAtRest(h.pid())
	if _, err := first.call("ping", nil); err != nil {
		return fmt.Errorf("the first session: %w", err)
	}
	b.report.add(fmt.Sprintf("each of %d idle sessions, %s: memory of the hub", count, d.name),
		float64(after-before)/float64(count)/1000, "kB", targetIdle,
		"%.1f MB before, %.1f MB after", megabytes(before), megabytes(after))
	return nil
}

// dialCompanion opens a session as a companion does, without a process for it.
func dialCompanion(ctx context.Context, h *hub) (session, error) {
	conn, err := companion.Dial(ctx, h.info, "bench", rand.Text(), companion.Entry{})
	if err != nil {
		return nil, err
	}
	c := &client{in: conn, lines: jsonrpc.NewLineReader(conn, maxLine)}
	if err := c.greet(); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}
