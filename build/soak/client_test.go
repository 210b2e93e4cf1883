//go:build linux

package soak

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
)

// patience is how long a client waits for an answer before it counts as lost.
const patience = 90 * time.Second

// client is an MCP client at the other end of a companion.
type client struct {
	in     io.WriteCloser
	report func(format string, args ...any)
	stop   func()        // closes the companion's input and waits for its end
	kill   func()        // ends the companion at once, whatever it is doing, and waits for it
	killed chan struct{} // closed by kill

	mu      sync.Mutex
	last    int
	waiting map[string]chan answer
	ended   map[string]bool // requests that have been answered; false for those that were cancelled
}

type answer struct {
	ID     json.RawMessage
	Method string
	Params struct{ ProgressToken any }
	Result *struct {
		Content []struct{ Text string }
		IsError bool
	}
	Error *struct {
		Code    int
		Message string
	}
}

// connect starts a companion and opens a session.
func connect(folder paths.Folder, report func(string, ...any)) (*client, error) {
	input, in := io.Pipe()
	out, output := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	c := &client{in: in, report: report, killed: make(chan struct{}), waiting: make(map[string]chan answer), ended: make(map[string]bool)}
	run := &companion.Companion{Folder: folder, Version: "1.0.0", In: input, Out: output, Log: slog.New(slog.DiscardHandler), Tool: json.RawMessage(`{"name":"registry"}`)}
	var work sync.WaitGroup
	work.Go(func() {
		_ = run.Run(ctx) // that it ends early is seen by the calls
		_ = output.Close()
		_ = input.Close()
	})
	work.Go(func() { c.read(out) })
	c.stop = func() {
		_ = in.Close()
		work.Wait()
		cancel()
	}
	c.kill = func() {
		close(c.killed)
		cancel()
		c.stop()
	}
	_, err := c.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"soak","version":"`+rand.Text()+`"}}`)
	if err == nil {
		_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	return c, err
}

// read gives every answer to the request that waits for it, and reports the others.
func (c *client) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var a answer
		if err := json.Unmarshal(line, &a); err != nil {
			c.report("a line is not JSON: %.200s: %v", line, err)
			continue
		}
		switch {
		case a.Method == "notifications/progress":
			c.mu.Lock()
			_, known := c.waiting[fmt.Sprint(a.Params.ProgressToken)]
			_, ended := c.ended[fmt.Sprint(a.Params.ProgressToken)]
			c.mu.Unlock()
			if !known && !ended {
				c.report("progress for a call of another session: %.200s", line)
			}
		case a.Method == "":
			c.deliver(string(a.ID), a, line)
		}
	}
}

func (c *client) deliver(id string, a answer, line []byte) {
	c.mu.Lock()
	waiting := c.waiting[id]
	answered, known := c.ended[id]
	delete(c.waiting, id)
	c.ended[id] = true
	c.mu.Unlock()
	switch {
	case waiting != nil:
		waiting <- a
	case !known:
		c.report("an answer to a request that was not sent: %.200s", line)
	case answered:
		c.report("a second answer: %.200s", line)
	}
}

// start sends a request and returns its id and the channel for its answer. params is called with the id.
func (c *client) start(method string, params func(id string) string) (id string, answered <-chan answer, err error) {
	ch := make(chan answer, 1)
	c.mu.Lock()
	c.last++
	id = strconv.Itoa(c.last)
	c.waiting[id] = ch
	c.mu.Unlock()
	_, err = fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`+"\n", id, method, params(id))
	if err != nil && c.isKilled() {
		err = errKilled
	}
	return id, ch, err
}

func (c *client) isKilled() bool {
	select {
	case <-c.killed:
		return true
	default:
		return false
	}
}

// ask sends a request and waits for the answer.
func (c *client) ask(method, params string) (answer, error) {
	id, answered, err := c.start(method, func(string) string { return params })
	if err != nil {
		return answer{}, err
	}
	return c.await(id, method, answered)
}

// errKilled is the error of requests whose client has killed the companion.
var errKilled = errors.New("the companion was killed")

func (c *client) await(id, what string, answered <-chan answer) (answer, error) {
	select {
	case <-c.killed:
		return answer{}, errKilled
	case a := <-answered:
		return a, nil
	case <-time.After(patience):
		return answer{}, fmt.Errorf("no answer to request %s (%s) within %s", id, what, patience)
	}
}

// cancel cancels a request. An answer may be on its way.
func (c *client) cancel(id string) error {
	c.mu.Lock()
	if _, waits := c.waiting[id]; waits {
		delete(c.waiting, id)
		c.ended[id] = false
	}
	c.mu.Unlock()
	_, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`+"\n", id)
	return err
}
