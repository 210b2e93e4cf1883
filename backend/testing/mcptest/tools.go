package mcptest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// call is a tools/call request.
type call struct {
	server    *server
	id        json.RawMessage
	token     json.RawMessage // the progress token; nil if the client wants no progress
	arguments json.RawMessage
	cancelled <-chan struct{}

	Text   string          `json:"text"`
	Key    string          `json:"key"`
	Name   string          `json:"name"`
	Path   string          `json:"path"`
	Count  int             `json:"count"`
	Code   int             `json:"code"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

const (
	noArguments = `{"type":"object"}`
	textArgs    = `{"type":"object","properties":{"text":{"type":"string","description":"any text"}},"required":["text"]}`
	keyArgs     = `{"type":"object","properties":{"key":{"type":"string"}},"required":["key"]}`
	countArgs   = `{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}`
)

// behaviours are the tools of every server, except with the flag -only.
var behaviours = []struct {
	name, description, schema string
	do                        func(*call)
}{
	{"echo", "Give back the text", textArgs, func(c *call) { c.text(c.Text) }},
	{"fail", "Answer that the tool failed, with the text", textArgs, (*call).fail},
	{"arguments", "Give back all arguments as they came", noArguments, func(c *call) { c.text(string(c.arguments)) }},
	{"hold", "Report progress once and answer when release is called with the same key", keyArgs, (*call).hold},
	{"release", "Let the calls of hold with a key answer", keyArgs, (*call).release},
	{
		"read", "Return the text of a file, or that of a named pipe once its writer has closed it",
		`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`, (*call).read,
	},
	{"steps", "Report progress a number of times, then answer", countArgs, (*call).steps},
	{"seen", "List the notifications that came, in order", noArguments, (*call).sights},
	{"die", "Write the text to stderr and exit with the code, without an answer", textArgs, (*call).die},
	{"flood", "Write a number of bytes to stderr, then answer", countArgs, func(c *call) { flood(os.Stderr, c.Count); c.text("done") }},
	{"big", "Answer with a number of bytes", countArgs, func(c *call) { c.text(strings.Repeat("x", c.Count)) }},
	{"environment", "Tell pid, folder, environment and arguments", noArguments, (*call).environment},
	{"grandchild", "Start a process that outlives this one, and tell its pid", noArguments, (*call).grandchild},
	{"helper", "Start a process in its own session that keeps standard output, and tell its pid", noArguments, (*call).helper},
	{
		"grow", "Add a tool with a name and a text, and say that the list has changed",
		`{"type":"object","properties":{"name":{"type":"string"},"text":{"type":"string"}},"required":["name"]}`, (*call).grow,
	},
	{
		"tell", "Send a notification with a method and params a number of times, then answer",
		`{"type":"object","properties":{"method":{"type":"string"},"params":{"type":"object"},"count":{"type":"integer"}},"required":["method"]}`,
		(*call).tell,
	},
	{
		"ask", "Send a request with a method and params to the client and give back what it says",
		`{"type":"object","properties":{"method":{"type":"string"},"params":{"type":"object"}},"required":["method"]}`, (*call).askClient,
	},
}

func (s *server) call(m message, cancelled <-chan struct{}) {
	var params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &params) // invalid params lead to an unknown tool below
	c := &call{server: s, id: m.ID, token: params.Meta.ProgressToken, arguments: params.Arguments, cancelled: cancelled}
	_ = json.Unmarshal(params.Arguments, c)
	for _, b := range behaviours {
		if b.name == params.Name && !s.only {
			b.do(c)
			return
		}
	}
	switch {
	case s.tasks && params.Name == "job":
		s.startJob(m)
		return
	case s.heavy && params.Name == "keep":
		c.keep()
		return
	case s.both != "" && params.Name == "era":
		c.tellEra()
		return
	case params.Name == "later" && !s.only: // a tool that the server does not list
		c.askLater()
		return
	case s.tasks && params.Name == "jobs":
		c.text(s.statuses())
		return
	}
	if s.lax {
		c.runAny(params.Name)
		return
	}
	if params.Name == "refused" || !s.lists(params.Name) {
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"Unknown tool: %s","data":{"made":"by mcptest"}}}`,
			m.ID, params.Name))
		return
	}
	if s.options.result != "" {
		s.result(m.ID, s.options.result)
		return
	}
	c.text(string(c.arguments))
}

// lists reports whether a tool was defined by a flag or by the tool grow.
func (s *server) lists(tool string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.definitions, func(d json.RawMessage) bool { return nameOf(d) == tool })
}

// nameOf returns the name in a tool's definition, or "" if it has none.
func nameOf(definition json.RawMessage) string {
	var t struct{ Name string }
	_ = json.Unmarshal(definition, &t) // a definition that cannot be decoded has no name
	return t.Name
}

func (c *call) text(text string) {
	c.server.result(c.id, `{"content":[{"type":"text","text":`+quote(text)+`}]}`)
}

func (c *call) fail() {
	c.server.result(c.id, `{"content":[{"type":"text","text":`+quote(c.Text)+`}],"isError":true}`)
}

func (c *call) progress(step, total int) {
	if c.token != nil {
		c.server.notify("notifications/progress",
			fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":%d,"message":"step %d"}`, c.token, step, total, step))
	}
}

// gate returns the channel that blocks the calls of hold with the same key.
func (c *call) gate() chan struct{} {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	if c.server.gates[c.Key] == nil {
		c.server.gates[c.Key] = make(chan struct{})
	}
	return c.server.gates[c.Key]
}

func (c *call) hold() {
	gate := c.gate()
	c.progress(1, 2)
	select {
	case <-gate:
		c.text("released " + c.Key)
	case <-c.cancelled: // a cancelled call gets no answer
	}
}

func (c *call) release() {
	close(c.gate())
	c.server.mu.Lock()
	delete(c.server.gates, c.Key)
	c.server.mu.Unlock()
	c.text("done")
}

func (c *call) read() {
	data, err := os.ReadFile(c.Path)
	if err != nil {
		c.text(err.Error())
		return
	}
	c.text(string(data))
}

func (c *call) steps() {
	for i := range c.Count {
		c.progress(i+1, c.Count)
	}
	c.text("done")
}

func (c *call) sights() {
	c.server.mu.Lock()
	list := "[" + strings.Join(c.server.seen, ",") + "]"
	c.server.mu.Unlock()
	c.text(list)
}

func (c *call) die() {
	fmt.Fprintln(os.Stderr, c.Text)
	exit(c.Code)
}

// keep allocates c.Count bytes until the process ends.
func (c *call) keep() {
	memory := make([]byte, c.Count)
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1
	}
	c.server.mu.Lock()
	c.server.kept = append(c.server.kept, memory)
	c.server.mu.Unlock()
	c.text("done")
}

func (c *call) environment() {
	dir, _ := os.Getwd() // an unknown folder is reported as empty
	data, _ := json.Marshal(map[string]any{"pid": os.Getpid(), "dir": dir, "env": os.Environ(), "args": os.Args[1:]})
	c.text(string(data))
}

func (c *call) grandchild() { c.start(nil, func(*exec.Cmd) {}) }

func (c *call) helper() { c.start(os.Stdout, ownSession) }

// start starts a process that sleeps, and answers with its pid.
func (c *call) start(out *os.File, prepare func(*exec.Cmd)) {
	program, err := os.Executable()
	if err != nil {
		c.text(err.Error())
		return
	}
	cmd := exec.Command(program, name, "-linger")
	if out != nil {
		cmd.Stdout = out
	}
	prepare(cmd)
	if err := cmd.Start(); err != nil {
		c.text(err.Error())
		return
	}
	c.text(fmt.Sprint(cmd.Process.Pid))
}

func (c *call) grow() {
	c.server.mu.Lock()
	c.server.definitions = slices.DeleteFunc(slices.Clone(c.server.definitions), func(d json.RawMessage) bool {
		return nameOf(d) == c.Name
	})
	c.server.definitions = append(c.server.definitions, define(c.Name, c.Text, noArguments))
	c.server.mu.Unlock()
	if !c.server.silent {
		c.server.notify("notifications/tools/list_changed", "{}")
	}
	c.text("done")
}

func (c *call) tell() {
	line := `{"jsonrpc":"2.0","method":` + quote(c.Method)
	if c.Params != nil {
		line += `,"params":` + string(c.Params)
	}
	for range max(c.Count, 1) {
		c.server.write(line + "}")
	}
	c.text("done")
}

// askClient sends a request to the client and returns the client's answer as the result of the call. If the argument
// "name" is "token" or "id", the request names the call by its progress token or its id.
func (c *call) askClient() {
	if c.server.both != "" && c.server.inModern() {
		c.server.failure(c.id, -32600, "Cannot send "+c.Method+": no back-channel in MCP 2026-07-28")
		return
	}
	c.text(c.server.ask(c.Method, c.question()))
}

// tellEra answers with the era of the connection and the process id.
func (c *call) tellEra() {
	c.server.mu.Lock()
	era := c.server.era
	c.server.mu.Unlock()
	c.text(fmt.Sprint(era, " ", os.Getpid()))
}

// askLater answers the call, and then sends the request of askClient and writes the client's answer to stderr.
func (c *call) askLater() {
	c.text("done")
	fmt.Fprintln(os.Stderr, "answer: "+c.server.ask(c.Method, c.question()))
}

// question returns the params of a request to the client. The params may name the call; see askClient.
func (c *call) question() string {
	params := make(map[string]json.RawMessage)
	_ = json.Unmarshal(c.Params, &params) // missing params stay empty
	switch c.Name {
	case "token":
		params["_meta"] = json.RawMessage(`{"progressToken":` + string(c.token) + `}`)
	case "id":
		params["_meta"] = json.RawMessage(`{"relatedRequestId":` + string(c.id) + `}`)
	default:
		if c.Params != nil {
			return string(c.Params)
		}
	}
	text, _ := json.Marshal(params) // cannot fail: it was decoded from JSON
	return string(text)
}
