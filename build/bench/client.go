package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// client is an MCP client that starts a process and talks to it over the standard input and output of the process. It
// is minimal, so that it adds little to the measured times.
type client struct {
	cmd   *exec.Cmd // nil for a client on a socket
	in    io.WriteCloser
	lines *jsonrpc.LineReader
	id    int
	out   []byte

	notified func(line []byte) // gets notifications; may be nil
}

const clientGreeting = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`

// open starts a process and opens an MCP session with it.
func open(ctx context.Context, env []string, command ...string) (*client, error) {
	c := &client{cmd: exec.CommandContext(ctx, command[0], command[1:]...)}
	c.cmd.Env = append(os.Environ(), env...)
	c.cmd.WaitDelay = time.Second
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	c.in, c.lines = in, jsonrpc.NewLineReader(out, maxLine)
	if err := c.greet(); err != nil {
		c.close()
		return nil, fmt.Errorf("open a session with %v: %w", command, err)
	}
	return c, nil
}

// greet performs the initialize handshake.
func (c *client) greet() error {
	if _, err := c.call("initialize", json.RawMessage(clientGreeting)); err != nil {
		return err
	}
	_, err := c.in.Write(jsonrpc.AppendRequest(nil, nil, "notifications/initialized", nil))
	return err
}

func (c *client) notify(notified func(line []byte)) { c.notified = notified }

// call sends a request and returns the line with its answer, which is valid until the next call.
func (c *client) call(method string, params json.RawMessage) ([]byte, error) {
	if err := c.send(method, params); err != nil {
		return nil, err
	}
	for {
		line, err := c.receive()
		if err != nil || bytes.HasPrefix(line[idAt(line):], strconv.AppendInt(nil, int64(c.id), 10)) {
			return line, err
		}
	}
}

func (c *client) send(method string, params json.RawMessage) error {
	c.id++
	c.out = jsonrpc.AppendRequest(c.out[:0], strconv.AppendInt(nil, int64(c.id), 10), method, params)
	_, err := c.in.Write(c.out)
	return err
}

// receive returns the next answer. It returns an error for an error response.
func (c *client) receive() ([]byte, error) {
	for {
		line, err := c.lines.Next()
		if err != nil {
			return nil, err
		}
		if isNotification(line) {
			if c.notified != nil {
				c.notified(line)
			}
			continue
		}
		if err := failure(line); err != nil {
			return nil, err
		}
		return line, nil
	}
}

func isNotification(line []byte) bool { return bytes.Contains(headOf(line), []byte(`"method":`)) }

// failure returns an error for an answer that reports one.
func failure(line []byte) error {
	head := headOf(line)
	if bytes.Contains(head, []byte(`"error":{`)) || bytes.Contains(head, []byte(`"isError":true`)) {
		return fmt.Errorf("answered: %s", head)
	}
	return nil
}

func headOf(line []byte) []byte { return line[:min(len(line), 300)] }

// idAt returns the offset of the value of the member id in a message. It searches the beginning of the message, and
// then the end, because servers that run on Node write id as the last member.
func idAt(line []byte) int {
	mark := []byte(`"id":`)
	if i := bytes.Index(line[:min(len(line), 60)], mark); i >= 0 {
		return i + len(mark)
	}
	return max(0, bytes.LastIndex(line, mark)+len(mark))
}

func (c *client) pid() int { return c.cmd.Process.Pid }

func (c *client) close() {
	_ = c.in.Close()
	if c.cmd != nil {
		_ = c.cmd.Wait() // its exit code does not matter
	}
}
