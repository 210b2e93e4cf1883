//go:build linux

package soak

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// pipe connects a client with a companion.
type pipe struct {
	in     io.WriteCloser
	work   sync.WaitGroup
	cancel context.CancelFunc
}

// connectPipe starts a companion and opens a session.
func connectPipe(folder paths.Folder, report func(string, ...any)) (*client, error) {
	input, in := io.Pipe()
	out, output := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	c, p := newClient(report), &pipe{in: in, cancel: cancel}
	c.transport = p
	run := &companion.Companion{
		Folder: folder, Version: "1.0.0", In: input, Out: output, Log: slog.New(slog.DiscardHandler),
		Tools: []json.RawMessage{json.RawMessage(`{"name":"registry"}`)},
	}
	p.work.Go(func() {
		_ = run.Run(ctx) // the calls fail if it ends early
		_ = output.Close()
		_ = input.Close()
	})
	p.work.Go(func() {
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			c.take(line)
		}
	})
	return c, c.initialize()
}

func (p *pipe) send(m jsonrpc.Message) error {
	if m.Method == "" { // the goroutine that reads calls this, and must not wait for the companion
		p.work.Go(func() { _, _ = p.in.Write(lineOf(m)) })
		return nil
	}
	_, err := p.in.Write(lineOf(m))
	return err
}

func (p *pipe) stop() {
	_ = p.in.Close()
	p.work.Wait()
	p.cancel()
}

func (p *pipe) kill() {
	p.cancel()
	p.stop()
}
