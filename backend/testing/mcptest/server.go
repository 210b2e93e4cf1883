package mcptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// message is a JSON-RPC message of any kind.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// server is one session on stdio. Each request is handled in its own goroutine,
// which ends with the process at the latest.
type server struct {
	options
	out io.Writer

	mu        sync.Mutex
	seen      []string                   // received notifications as JSON
	gates     map[string]chan struct{}   // channels that block calls of the tool hold, by key
	followers map[string]json.RawMessage // ids of the listen requests of the modern era, by the id of the task
	kept      [][]byte                   // memory that the tool keep allocated
	calls     map[string]chan struct{}   // closed when the call with an id is cancelled
	waiting   map[string]chan message    // channels for the answers to the server's requests, by id
	asked     int                        // requests sent to the client
	pageList  int                        // pages of tools/list sent
	listings  int                        // answers to tools/list
	ran       []string                   // requests carried out for names that no list contains, as JSON
	jobs      []*job                     // jobs by id; the first has the id 1
	level     string                     // level of log messages that the client has set
	era       string                     // era of the connection, with the flag -both: "legacy" or "modern"
	probed    bool                       // server/discover was the only request so far
}

func newServer(o options, out io.Writer) *server {
	return &server{
		options: o, out: out, gates: make(map[string]chan struct{}),
		calls: make(map[string]chan struct{}), waiting: make(map[string]chan message),
	}
}

// serve reads messages until the input ends.
func (s *server) serve(in io.Reader) {
	s.noise("Welcome to the server!")
	s.askOnSignal()
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(line, &m) != nil {
			fmt.Fprintf(os.Stderr, "not JSON: %s", line)
			continue
		}
		s.dispatch(m)
	}
}

func (s *server) dispatch(m message) {
	switch {
	case m.Method == "":
		s.mu.Lock()
		answer := s.waiting[string(m.ID)]
		delete(s.waiting, string(m.ID))
		s.mu.Unlock()
		if answer != nil {
			answer <- m
		}
	case m.ID == nil:
		s.note(m)
	default:
		if s.strict && m.Method != "initialize" {
			fmt.Fprintln(os.Stderr, "expected initialize, got "+m.Method)
			exit(1)
		}
		s.strict = false
		if s.both != "" && !s.admits(m) {
			return
		}
		cancelled := make(chan struct{})
		s.mu.Lock()
		s.calls[string(m.ID)] = cancelled
		s.mu.Unlock()
		go s.request(m, cancelled)
	}
}

// note records a notification, and ends the call that it cancels.
func (s *server) note(m message) {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(m.Params, &params) // most notifications have no requestId
	if m.Params == nil {
		m.Params = json.RawMessage("null")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, fmt.Sprintf(`{"method":%s,"params":%s}`, quote(m.Method), m.Params))
	if call, ok := s.calls[string(params.RequestID)]; ok && m.Method == "notifications/cancelled" {
		close(call)
		delete(s.calls, string(params.RequestID))
	}
}

func (s *server) request(m message, cancelled <-chan struct{}) {
	switch {
	case s.odd && !(s.modern && m.Method == "initialize") && s.oddRequest(m):
	case (s.modern || s.inModern()) && s.modernRequest(m, cancelled):
	case m.Method == "initialize":
		if s.mute {
			return
		}
		more := ""
		if s.offers || s.lax {
			more = `,"resources":{"subscribe":true},"prompts":{},"logging":{}`
		}
		if s.tasks {
			more += tasksCapability
		}
		capabilities := `{"tools":{"listChanged":` + strconv.FormatBool(!s.silent) + `}` + more + `}`
		if s.undeclared {
			capabilities = "{}"
		}
		instructions := `,"instructions":"Be kind."`
		if s.wordless {
			instructions = ""
		}
		s.result(m.ID, `{"protocolVersion":"2025-06-18","capabilities":`+capabilities+
			`,"serverInfo":{"name":"mcptest","version":"1.2.3"}`+instructions+`}`)
	case m.Method == "ping" && !s.noPing:
		s.result(m.ID, `{}`)
	case m.Method == "tools/list":
		s.result(m.ID, s.list())
	case m.Method == "tools/call":
		s.call(m, cancelled)
	default:
		if !s.deaf && !(s.lax && s.offerAny(m)) && !(s.offers && s.offer(m)) && !(s.tasks && s.taskRequest(m)) {
			s.failure(m.ID, -32601, "Method not found: "+m.Method)
		}
	}
}

// list returns the result of tools/list.
func (s *server) list() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listings++
	tools := slices.Clone(s.definitions)
	if s.lax {
		for _, name := range slices.Sorted(maps.Keys(laxTools)) {
			tools = append(tools, define(name, laxTools[name].description, laxTools[name].schema))
		}
	}
	if s.tasks {
		tools = append(tools, json.RawMessage(jobTool), define("jobs", "Tell the states of all jobs", noArguments))
	}
	if s.both != "" {
		tools = append(tools, define("era", "Tell the era of the connection and the pid", noArguments))
	}
	if s.modern && !s.only {
		tools = append(tools, define("require", "Ask for input", noArguments),
			define("meta", "Give back the metadata of the request", noArguments))
	}
	if s.heavy {
		tools = append(tools, define("keep", "Keep a number of bytes in memory until the process ends", countArgs))
	}
	if !s.only {
		for _, t := range behaviours {
			tools = append(tools, define(t.name, t.description, t.schema))
		}
	}
	list := "["
	for i, t := range tools {
		if i > 0 {
			list += ","
		}
		list += string(t)
	}
	list += "]"
	if s.pages == "" {
		return `{"tools":` + list + `}`
	}
	if s.pages == "big" {
		var big strings.Builder
		for n := range 6000 {
			big.WriteString("," + string(define("big"+strconv.Itoa(n), "A tool", `{"type":"object"}`)))
		}
		return `{"tools":` + strings.TrimSuffix(list, "]") + big.String() + "]}"
	}
	s.pageList++
	page := strconv.Itoa(s.pageList)
	cursor := "again"
	if s.pages == "new" {
		cursor = "after " + page
	}
	name := "page" + page
	if s.pageList == 1 {
		name = "echo" // a tool that can be called
	}
	return `{"tools":[` + string(define(name, "The tool of page "+page, `{"type":"object"}`)) + `],"nextCursor":` + quote(cursor) + `}`
}

// ask sends a request to the client and returns the answer as JSON: the result, or
// an object with the error.
func (s *server) ask(method, params string) string {
	answer := make(chan message, 1)
	s.mu.Lock()
	s.asked++
	id := quote("ask-" + strconv.Itoa(s.asked))
	s.waiting[id] = answer
	s.mu.Unlock()
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}`, id, quote(method), params))
	m := <-answer
	if m.Error != nil {
		return `{"error":` + string(m.Error) + `}`
	}
	return string(m.Result)
}

// askOnSignal sends a sampling request at each SIGUSR1, also without a call in
// flight, and writes the answer to stderr.
func (s *server) askOnSignal() {
	asked := askSignals()
	go func() {
		for range asked {
			fmt.Fprintln(os.Stderr, "answer: "+s.ask("sampling/createMessage", `{"messages":[],"maxTokens":1}`))
		}
	}()
}

func (s *server) result(id json.RawMessage, result string) {
	s.write(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + result + `}`)
	s.noise("GET /status 200 {\"took\":\"1ms\"")
}

func (s *server) notify(method, params string) {
	s.write(`{"jsonrpc":"2.0","method":` + quote(method) + `,"params":` + params + `}`)
}

func (s *server) write(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(s.out, line+"\n") // if the client has closed its end, the input ends too
}

// noise writes lines that are not messages, with the flag -junk.
func (s *server) noise(line string) {
	if s.junk {
		s.write(line)
		s.write(`["half a batch"`)
		s.write("\x00\xff\xfe")
	}
}
