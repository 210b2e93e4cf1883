//go:build linux

package programtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Message is a JSON-RPC message that a companion wrote.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
	Line string // the message as it was written
}

// Client is an editor's end of a companion: it starts the process and exchanges
// newline-delimited JSON-RPC messages with it. Its methods fail the test on errors.
type Client struct {
	t      *testing.T
	Cmd    *exec.Cmd
	in     io.WriteCloser
	Stderr *Output
	Ended  chan struct{} // closed when the process has ended

	mu       sync.Mutex
	nextID   int
	received []Message
	arrived  chan struct{} // closed and replaced with each message
}

// Attach starts a companion and initializes a session.
func (h *Home) Attach() *Client {
	h.T.Helper()
	c := h.Companion()
	c.Open(`{}`)
	return c
}

// Companion starts a companion, with additional variables in its environment, and sends
// nothing.
func (h *Home) Companion(env ...string) *Client {
	h.T.Helper()
	cmd := h.Command("mcp")
	cmd.Env = append(append([]string{}, h.Env...), env...)
	return h.start(cmd)
}

// CompanionOf starts a companion with flags and sends nothing.
func (h *Home) CompanionOf(flags ...string) *Client {
	h.T.Helper()
	return h.start(h.Command(append([]string{"mcp"}, flags...)...))
}

func (h *Home) start(cmd *exec.Cmd) *Client {
	h.T.Helper()
	c := &Client{t: h.T, Cmd: cmd, Stderr: &Output{}, Ended: make(chan struct{}), arrived: make(chan struct{})}
	cmd.Stderr = c.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		h.T.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		h.T.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		h.T.Fatal(err)
	}
	c.in = in
	go c.read(out)
	h.T.Cleanup(c.Close)
	return c
}

// Close ends the session as an editor does, by closing the companion's input, and waits
// until the process has ended.
func (c *Client) Close() {
	_ = c.in.Close()
	select {
	case <-c.Ended:
	case <-time.After(deadline):
		c.t.Error("the companion did not end in time after its input was closed")
		_ = c.Cmd.Process.Kill()
		<-c.Ended
	}
}

func (c *Client) read(out io.Reader) {
	defer close(c.Ended)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			_ = c.Cmd.Wait() // tests that need it read the exit code from Cmd
			return
		}
		m := Message{Line: strings.TrimSuffix(line, "\n")}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			c.t.Errorf("the companion wrote %q: %v", line, err)
		}
		c.mu.Lock()
		c.received = append(c.received, m)
		close(c.arrived)
		c.arrived = make(chan struct{})
		c.mu.Unlock()
	}
}

// Send writes one line to the companion.
func (c *Client) Send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("send: %v", err)
	}
}

// Notify sends a notification with params as JSON.
func (c *Client) Notify(method, params string) {
	c.t.Helper()
	c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// Start sends a request with params as JSON and returns its id.
func (c *Client) Start(method, params string) string {
	c.t.Helper()
	c.mu.Lock()
	c.nextID++
	id := strconv.Itoa(c.nextID)
	c.mu.Unlock()
	c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

// Await returns the first message that matches. If none has been received yet, it
// waits for one. what describes the message in failures.
func (c *Client) Await(what string, matches func(Message) bool) Message {
	c.t.Helper()
	timeout := time.After(deadline)
	for next := 0; ; {
		c.mu.Lock()
		received, arrived := c.received[next:], c.arrived
		c.mu.Unlock()
		for _, m := range received {
			if matches(m) {
				return m
			}
		}
		next += len(received)
		select {
		case <-arrived:
		case <-c.Ended:
			select {
			case <-arrived: // a last message was received before the end
				continue
			default:
			}
			c.t.Fatalf("the companion ended before %s; its stderr:\n%s", what, c.Stderr)
		case <-timeout:
			c.t.Fatalf("timed out waiting for %s; stderr of the companion:\n%s", what, c.Stderr)
		}
	}
}

// Answer waits for the answer to the request with this id.
func (c *Client) Answer(id string) Message {
	c.t.Helper()
	return c.Await("the answer to request "+id, func(m Message) bool { return m.Method == "" && string(m.ID) == id })
}

// Ask sends a request and waits for its answer.
func (c *Client) Ask(method, params string) Message {
	c.t.Helper()
	return c.Answer(c.Start(method, params))
}

// Open initializes the session with capabilities as JSON and returns the answer.
func (c *Client) Open(capabilities string) Message {
	c.t.Helper()
	m := c.Ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":`+capabilities+
		`,"clientInfo":{"name":"test-editor","version":"9"}}`)
	if m.Error != nil {
		c.t.Fatalf("initialize: %s", m.Line)
	}
	c.Notify("notifications/initialized", "{}")
	return m
}

// Requested waits for a request from the hub and answers it with a result as JSON.
func (c *Client) Requested(method, result string) Message {
	c.t.Helper()
	m := c.Await("a request "+method, func(m Message) bool { return m.Method == method && m.ID != nil })
	c.Send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}`)
	return m
}

// ToolListChanged is the method of the notification that the tool list has changed.
const ToolListChanged = "notifications/tools/list_changed"

// Messages returns the messages received so far.
func (c *Client) Messages() []Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.received)
}

// Count returns the number of messages with a method received so far. To be sure
// that it includes a message, first wait for an answer that the hub sends later
// than the message.
func (c *Client) Count(method string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, m := range c.received {
		if m.Method == method {
			n++
		}
	}
	return n
}

// AwaitCount waits until at least n messages with a method were received.
func (c *Client) AwaitCount(method string, n int) {
	c.t.Helper()
	Eventually(c.t, fmt.Sprintf("%d messages %s are received", n, method), func() bool { return c.Count(method) >= n })
}
