//go:build linux

package main_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// message is one line that a companion wrote.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
	line string
}

// client is an editor's end of a companion: it starts the process and speaks
// newline-delimited JSON-RPC with it, and knows nothing else.
type client struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	stderr *transcript
	ended  chan struct{} // closed when the process is gone

	mu       sync.Mutex
	nextID   int
	received []message
	arrived  chan struct{} // closed and renewed with each message
}

// attach starts a companion and opens a session.
func (h *home) attach() *client {
	h.t.Helper()
	c := h.companion()
	c.open(`{}`)
	return c
}

// companion starts a companion and says nothing to it.
func (h *home) companion(env ...string) *client {
	h.t.Helper()
	cmd := h.command("mcp")
	cmd.Env = append(append([]string{}, h.env...), env...)
	c := &client{t: h.t, cmd: cmd, stderr: &transcript{}, ended: make(chan struct{}), arrived: make(chan struct{})}
	cmd.Stderr = c.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	c.in = in
	go c.read(out)
	h.t.Cleanup(c.close)
	return c
}

// close ends the session as an editor does, and waits for the companion.
func (c *client) close() {
	_ = c.in.Close()
	select {
	case <-c.ended:
	case <-time.After(deadline):
		c.t.Error("the companion does not end with its input")
		_ = c.cmd.Process.Kill()
		<-c.ended
	}
}

func (c *client) read(out io.Reader) {
	defer close(c.ended)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			_ = c.cmd.Wait() // how it ended is no matter here
			return
		}
		m := message{line: strings.TrimSuffix(line, "\n")}
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

// send writes one line.
func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("send: %v", err)
	}
}

func (c *client) notify(method, params string) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// start sends a request and returns its id.
func (c *client) start(method, params string) string {
	c.t.Helper()
	c.mu.Lock()
	c.nextID++
	id := strconv.Itoa(c.nextID)
	c.mu.Unlock()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

// await returns the first message that fits, now or when it comes.
func (c *client) await(what string, fits func(message) bool) message {
	c.t.Helper()
	late := time.After(deadline)
	for next := 0; ; {
		c.mu.Lock()
		received, arrived := c.received[next:], c.arrived
		c.mu.Unlock()
		for _, m := range received {
			if fits(m) {
				return m
			}
		}
		next += len(received)
		select {
		case <-arrived:
		case <-c.ended:
			select {
			case <-arrived: // what it wrote last
				continue
			default:
			}
			c.t.Fatalf("the companion ended before %s came:\n%s", what, c.stderr)
		case <-late:
			c.t.Fatalf("%s never came; stderr:\n%s", what, c.stderr)
		}
	}
}

// answer waits for the answer to a request.
func (c *client) answer(id string) message {
	c.t.Helper()
	return c.await("the answer to request "+id, func(m message) bool { return m.Method == "" && string(m.ID) == id })
}

// ask sends a request and waits for its answer.
func (c *client) ask(method, params string) message {
	c.t.Helper()
	return c.answer(c.start(method, params))
}

// open does what a client does first, with capabilities.
func (c *client) open(capabilities string) message {
	c.t.Helper()
	m := c.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":`+capabilities+`,"clientInfo":{"name":"test-editor","version":"9"}}`)
	if m.Error != nil {
		c.t.Fatalf("initialize: %s", m.line)
	}
	c.notify("notifications/initialized", "{}")
	return m
}

// count returns how many notifications of a method have come so far. An answer
// that the hub gave later than the notification was due makes it exact.
func (c *client) count(method string) int {
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

const listChanged = "notifications/tools/list_changed"

// awaitCount waits until so many notifications of a method have come.
func (c *client) awaitCount(method string, n int) {
	c.t.Helper()
	eventually(c.t, fmt.Sprintf("%d × %s", n, method), func() bool { return c.count(method) >= n })
}

// tools returns the names in tools/list.
func (c *client) tools() []string {
	c.t.Helper()
	m := c.ask("tools/list", `{}`)
	var list struct {
		Tools []struct{ Name string } `json:"tools"`
	}
	if m.Error != nil || json.Unmarshal(m.Result, &list) != nil {
		c.t.Fatalf("tools/list: %s", m.line)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// toolResult is what tools/call answers, read.
type toolResult struct {
	Content []struct{ Type, Text string } `json:"content"`
	IsError bool                          `json:"isError"`
}

func (r toolResult) text() string {
	var texts []string
	for _, block := range r.Content {
		texts = append(texts, block.Text)
	}
	return strings.Join(texts, "\n")
}

func toolParams(name, arguments string) string {
	return fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments)
}

// beginTool starts a call.
func (c *client) beginTool(name, arguments string) (id string) {
	c.t.Helper()
	return c.start("tools/call", toolParams(name, arguments))
}

// endTool waits for the result of a call.
func (c *client) endTool(id string) toolResult {
	c.t.Helper()
	m := c.answer(id)
	if m.Error != nil {
		c.t.Fatalf("call %s failed: %d %s", id, m.Error.Code, m.Error.Message)
	}
	var r toolResult
	if err := json.Unmarshal(m.Result, &r); err != nil {
		c.t.Fatalf("call %s answered %s", id, m.line)
	}
	return r
}

// tool calls a tool that has to succeed and returns its text.
func (c *client) tool(name, arguments string) string {
	c.t.Helper()
	r := c.endTool(c.beginTool(name, arguments))
	if r.IsError {
		c.t.Fatalf("%s failed: %s", name, r.text())
	}
	return r.text()
}

// failing calls a tool that has to fail and returns what it says.
func (c *client) failing(name, arguments string) string {
	c.t.Helper()
	r := c.endTool(c.beginTool(name, arguments))
	if !r.IsError {
		c.t.Fatalf("%s did not fail: %s", name, r.text())
	}
	return r.text()
}

// registry calls the registry tool and returns its text.
func (c *client) registry(arguments string) string {
	c.t.Helper()
	return c.tool("registry", arguments)
}

// find asks for a tool and returns the call_as of the best one, "" for none.
func (c *client) find(query string) string {
	c.t.Helper()
	var found struct {
		CallAs string `json:"call_as"`
	}
	arguments, _ := json.Marshal(map[string]string{"action": "find_tool", "query": query})
	if err := json.Unmarshal([]byte(c.registry(string(arguments))), &found); err != nil {
		c.t.Fatal(err)
	}
	return found.CallAs
}

// hold starts a call of a server's hold tool and returns when the server is at it.
func (c *client) hold(server, key string) (id string) {
	c.t.Helper()
	token := "hold-" + key + "-" + strconv.Itoa(int(time.Now().UnixNano()))
	id = c.start("tools/call", fmt.Sprintf(`{"name":%q,"arguments":{"key":%q},"_meta":{"progressToken":%q}}`, server+"__hold", key, token))
	m := c.await("the hold of "+key, func(m message) bool {
		return m.Method == "notifications/progress" && strings.Contains(string(m.Params), token) || m.Method == "" && string(m.ID) == id
	})
	if m.Method == "" {
		c.t.Fatalf("the hold of %s was answered: %s", key, m.line)
	}
	return id
}

// pid returns the process of an mcptest server.
func (c *client) pid(server string) int {
	c.t.Helper()
	return c.environment(server).PID
}

type environment struct {
	PID int      `json:"pid"`
	Dir string   `json:"dir"`
	Env []string `json:"env"`
}

func (c *client) environment(server string) environment {
	c.t.Helper()
	var e environment
	if err := json.Unmarshal([]byte(c.tool(server+"__environment", `{}`)), &e); err != nil {
		c.t.Fatal(err)
	}
	return e
}
