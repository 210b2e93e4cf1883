//go:build linux

package programtest

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
	Line string
}

// client is an editor's end of a companion: it starts the process and speaks
// newline-delimited JSON-RPC with it, and knows nothing else.
type Client struct {
	t      *testing.T
	Cmd    *exec.Cmd
	in     io.WriteCloser
	Stderr *Output
	Ended  chan struct{} // closed when the process is gone

	Mu       sync.Mutex
	nextID   int
	Received []Message
	arrived  chan struct{} // closed and renewed with each message
}

// attach starts a companion and opens a session.
func (h *Home) Attach() *Client {
	h.T.Helper()
	c := h.Companion()
	c.Open(`{}`)
	return c
}

// companion starts a companion and says nothing to it.
func (h *Home) Companion(env ...string) *Client {
	h.T.Helper()
	cmd := h.Command("mcp")
	cmd.Env = append(append([]string{}, h.Env...), env...)
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

// close ends the session as an editor does, and waits for the companion.
func (c *Client) Close() {
	_ = c.in.Close()
	select {
	case <-c.Ended:
	case <-time.After(deadline):
		c.t.Error("the companion does not end with its input")
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
			_ = c.Cmd.Wait() // how it ended is no matter here
			return
		}
		m := Message{Line: strings.TrimSuffix(line, "\n")}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			c.t.Errorf("the companion wrote %q: %v", line, err)
		}
		c.Mu.Lock()
		c.Received = append(c.Received, m)
		close(c.arrived)
		c.arrived = make(chan struct{})
		c.Mu.Unlock()
	}
}

// send writes one line.
func (c *Client) Send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("send: %v", err)
	}
}

func (c *Client) Notify(method, params string) {
	c.t.Helper()
	c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// start sends a request and returns its id.
func (c *Client) Start(method, params string) string {
	c.t.Helper()
	c.Mu.Lock()
	c.nextID++
	id := strconv.Itoa(c.nextID)
	c.Mu.Unlock()
	c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

// await returns the first message that fits, now or when it comes.
func (c *Client) Await(what string, fits func(Message) bool) Message {
	c.t.Helper()
	late := time.After(deadline)
	for next := 0; ; {
		c.Mu.Lock()
		received, arrived := c.Received[next:], c.arrived
		c.Mu.Unlock()
		for _, m := range received {
			if fits(m) {
				return m
			}
		}
		next += len(received)
		select {
		case <-arrived:
		case <-c.Ended:
			select {
			case <-arrived: // what it wrote last
				continue
			default:
			}
			c.t.Fatalf("the companion ended before %s came:\n%s", what, c.Stderr)
		case <-late:
			c.t.Fatalf("%s never came; stderr:\n%s", what, c.Stderr)
		}
	}
}

// answer waits for the answer to a request.
func (c *Client) Answer(id string) Message {
	c.t.Helper()
	return c.Await("the answer to request "+id, func(m Message) bool { return m.Method == "" && string(m.ID) == id })
}

// ask sends a request and waits for its answer.
func (c *Client) Ask(method, params string) Message {
	c.t.Helper()
	return c.Answer(c.Start(method, params))
}

// open does what a client does first, with capabilities.
func (c *Client) Open(capabilities string) Message {
	c.t.Helper()
	m := c.Ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":`+capabilities+`,"clientInfo":{"name":"test-editor","version":"9"}}`)
	if m.Error != nil {
		c.t.Fatalf("initialize: %s", m.Line)
	}
	c.Notify("notifications/initialized", "{}")
	return m
}

// count returns how many notifications of a method have come so far. An answer
// that the hub gave later than the notification was due makes it exact.
func (c *Client) Count(method string) int {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	n := 0
	for _, m := range c.Received {
		if m.Method == method {
			n++
		}
	}
	return n
}

const ToolListChanged = "notifications/tools/list_changed"

// awaitCount waits until so many notifications of a method have come.
func (c *Client) AwaitCount(method string, n int) {
	c.t.Helper()
	Eventually(c.t, fmt.Sprintf("%d × %s", n, method), func() bool { return c.Count(method) >= n })
}

// tools returns the names in tools/list.
func (c *Client) Tools() []string {
	c.t.Helper()
	m := c.Ask("tools/list", `{}`)
	var list struct {
		Tools []struct{ Name string } `json:"tools"`
	}
	if m.Error != nil || json.Unmarshal(m.Result, &list) != nil {
		c.t.Fatalf("tools/list: %s", m.Line)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// toolResult is what tools/call answers, read.
type Result struct {
	Content []struct{ Type, Text string } `json:"content"`
	IsError bool                          `json:"isError"`
}

func (r Result) Text() string {
	var texts []string
	for _, block := range r.Content {
		texts = append(texts, block.Text)
	}
	return strings.Join(texts, "\n")
}

func ToolParams(name, arguments string) string {
	return fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments)
}

// beginTool starts a call.
func (c *Client) StartTool(name, arguments string) (id string) {
	c.t.Helper()
	return c.Start("tools/call", ToolParams(name, arguments))
}

// endTool waits for the result of a call.
func (c *Client) ToolResult(id string) Result {
	c.t.Helper()
	m := c.Answer(id)
	if m.Error != nil {
		c.t.Fatalf("call %s failed: %d %s", id, m.Error.Code, m.Error.Message)
	}
	var r Result
	if err := json.Unmarshal(m.Result, &r); err != nil {
		c.t.Fatalf("call %s answered %s", id, m.Line)
	}
	return r
}

// tool calls a tool that has to succeed and returns its text.
func (c *Client) Tool(name, arguments string) string {
	c.t.Helper()
	r := c.ToolResult(c.StartTool(name, arguments))
	if r.IsError {
		c.t.Fatalf("%s failed: %s", name, r.Text())
	}
	return r.Text()
}

// failing calls a tool that has to fail and returns what it says.
func (c *Client) FailingTool(name, arguments string) string {
	c.t.Helper()
	r := c.ToolResult(c.StartTool(name, arguments))
	if !r.IsError {
		c.t.Fatalf("%s did not fail: %s", name, r.Text())
	}
	return r.Text()
}

// registry calls the registry tool and returns its text.
func (c *Client) Registry(arguments string) string {
	c.t.Helper()
	return c.Tool("registry", arguments)
}

// find asks for a tool and returns the call_as of the best one, "" for none.
func (c *Client) Find(query string) string {
	c.t.Helper()
	var found struct {
		CallAs string `json:"call_as"`
	}
	arguments, _ := json.Marshal(map[string]string{"action": "find_tool", "query": query})
	if err := json.Unmarshal([]byte(c.Registry(string(arguments))), &found); err != nil {
		c.t.Fatal(err)
	}
	return found.CallAs
}

// hold starts a call of a server's hold tool and returns when the server is at it.
func (c *Client) Hold(server, key string) (id string) {
	c.t.Helper()
	token := "hold-" + key + "-" + strconv.Itoa(int(time.Now().UnixNano()))
	id = c.Start("tools/call", fmt.Sprintf(`{"name":%q,"arguments":{"key":%q},"_meta":{"progressToken":%q}}`, server+"__hold", key, token))
	m := c.Await("the hold of "+key, func(m Message) bool {
		return m.Method == "notifications/progress" && strings.Contains(string(m.Params), token) || m.Method == "" && string(m.ID) == id
	})
	if m.Method == "" {
		c.t.Fatalf("the hold of %s was answered: %s", key, m.Line)
	}
	return id
}

// pid returns the process of an mcptest server.
func (c *Client) PID(server string) int {
	c.t.Helper()
	return c.Environment(server).PID
}

type environment struct {
	PID int      `json:"pid"`
	Dir string   `json:"dir"`
	Env []string `json:"env"`
}

func (c *Client) Environment(server string) environment {
	c.t.Helper()
	var e environment
	if err := json.Unmarshal([]byte(c.Tool(server+"__environment", `{}`)), &e); err != nil {
		c.t.Fatal(err)
	}
	return e
}
