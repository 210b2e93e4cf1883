//go:build linux

package soak

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// request is a request to a server under test.
type request struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Meta struct {
			ProgressToken json.RawMessage
			Version       string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
		Arguments call
		retry
		RequestID json.RawMessage // the request that notifications/cancelled names
	}
}

// call contains the arguments of a tool call.
type call struct {
	Value string `json:"value"` // unique to the call
	Act   string `json:"act"`
}

// misbehaving is an MCP server. The act in the arguments of a call chooses how it misbehaves.
type misbehaving struct {
	kind kind
	name string
	ran  *os.File // gets a line with the value of each call that is executed

	writing sync.Mutex
	out     io.Writer

	mu      sync.Mutex
	tools   int                          // number of tools besides the tool call
	listens map[string]func(line string) // functions that send a line to a listen request, by its id
}

func newMisbehaving(k kind, name, ran string, out io.Writer) (*misbehaving, error) {
	file, err := os.OpenFile(ran, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	return &misbehaving{kind: k, name: name, ran: file, out: out, listens: make(map[string]func(string))}, err
}

// serveStdio serves until standard input ends.
func serveStdio(k kind, name, ran string) error {
	s, err := newMisbehaving(k, name, ran, os.Stdout)
	if err != nil {
		return err
	}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var r request
		if json.Unmarshal(line, &r) != nil || r.Method == "" {
			continue
		}
		if r.ID == nil {
			s.forget(string(r.Params.RequestID))
			continue
		}
		if r.Params.Arguments.Act == "freeze" {
			time.Sleep(3 * time.Second) // the server reads nothing meanwhile
		}
		go s.answer(r)
	}
}

func (s *misbehaving) answer(r request) {
	if r.Method == "subscriptions/listen" && s.kind == modern {
		s.listen(r, s.write)
		return
	}
	if asked := s.question(r); r.Method != "tools/call" || asked != "" {
		s.write(cmp.Or(asked, s.reply(r)))
		return
	}
	s.record(r.Params.Arguments.Value)
	switch r.Params.Arguments.Act {
	case "slow":
		time.Sleep(50 * time.Millisecond)
	case "crash":
		syscall.Exit(3)
	case "answer-crash":
		s.write(s.reply(r))
		syscall.Exit(3)
	case "never":
		return
	case "stderr":
		_, _ = os.Stderr.WriteString(strings.Repeat("noise ", 40_000))
	case "progress":
		for i := range 300 {
			s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`,
				r.Params.Meta.ProgressToken, i))
		}
	case "junk":
		s.write("GET /status 200 {\"took\":\"1ms\"\n[\"half a batch\"\n\x00\xff\xfe\n" + strings.Repeat("x", 100_000))
	case "twice":
		s.write(s.reply(r))
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"a second answer"}]}}`, r.ID))
		return
	case "unasked":
		s.write(`{"jsonrpc":"2.0","id":"nobody-asked","result":{"content":[{"type":"text","text":"an answer to nobody"}]}}`)
		s.write(`{"jsonrpc":"2.0","id":987654321,"error":{"code":1,"message":"an error for nobody"}}`)
	case "malformed":
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":"not an object"}`, r.ID))
		return
	case "grow", "shrink":
		s.change(r.Params.Arguments.Act)
	}
	s.write(s.reply(r))
}

// record records that a call is executed. Appending a short line is one system call, so that a crash loses nothing.
func (s *misbehaving) record(value string) { _, _ = s.ran.WriteString(value + "\n") }

func (s *misbehaving) change(act string) {
	s.mu.Lock()
	if act == "grow" {
		s.tools = min(s.tools+1, 20)
	} else {
		s.tools = max(s.tools-1, 0)
	}
	s.mu.Unlock()
	s.announce()
}

// reply returns the correct answer to a request.
func (s *misbehaving) reply(r request) string {
	if s.kind == modern {
		return s.modernReply(r)
	}
	switch r.Method {
	case "initialize":
		return result(r,
			`"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"soak","version":"1"}`)
	case "ping":
		return result(r, "")
	case "tools/list":
		return result(r, s.list())
	case "tools/call":
		return result(r, s.content(r))
	}
	return failure(r, -32601, "Method not found")
}

// result returns the answer to a request with the members of a result.
func result(r request, members string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{%s}}`, r.ID, members)
}

func failure(r request, code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, r.ID, code, message)
}

func (s *misbehaving) content(r request) string {
	return fmt.Sprintf(`"content":[{"type":"text","text":%q}]`, answerOf(s.name, r.Params.Arguments))
}

// answerOf returns the text with which a server answers a call.
func answerOf(server string, c call) string {
	text := c.Value + " by " + server
	if c.Act == "big" {
		text += strings.Repeat(" big", 100_000)
	}
	return text
}

func (s *misbehaving) list() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := `"tools":[{"name":"call","description":"Give back the value","inputSchema":{"type":"object"}}`
	for i := range s.tools {
		list += fmt.Sprintf(`,{"name":"more%d","description":"Do nothing, number %[1]d","inputSchema":{"type":"object"}}`, i)
	}
	return list + "]"
}

func (s *misbehaving) write(line string) {
	s.writing.Lock()
	defer s.writing.Unlock()
	_, _ = io.WriteString(s.out, line+"\n") // without a reader, standard input ends too
}
