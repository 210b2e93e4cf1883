//go:build linux

package soak

import (
	"bufio"
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
		Meta      struct{ ProgressToken json.RawMessage } `json:"_meta"`
		Arguments call
	}
}

// call is the arguments of a call.
type call struct {
	Value string `json:"value"` // no other call has it
	Act   string `json:"act"`
}

// misbehaving is an MCP server. Its calls choose how it misbehaves.
type misbehaving struct {
	name string
	ran  *os.File // gets a line with the value of each call that is executed

	writing sync.Mutex
	out     io.Writer

	mu    sync.Mutex
	tools int // beside the tool call
}

func newMisbehaving(name, ran string, out io.Writer) (*misbehaving, error) {
	file, err := os.OpenFile(ran, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	return &misbehaving{name: name, ran: file, out: out}, err
}

// serveStdio serves until standard input ends.
func serveStdio(name, ran string) error {
	s, err := newMisbehaving(name, ran, os.Stdout)
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
		if json.Unmarshal(line, &r) != nil || r.ID == nil || r.Method == "" {
			continue
		}
		if r.Params.Arguments.Act == "freeze" {
			time.Sleep(3 * time.Second) // nothing is read meanwhile
		}
		go s.answer(r)
	}
}

func (s *misbehaving) answer(r request) {
	if r.Method != "tools/call" {
		s.write(s.reply(r))
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
			s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, r.Params.Meta.ProgressToken, i))
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

// record notes that a call is executed. Appending a short line is one system call, so that a crash loses nothing.
func (s *misbehaving) record(value string) { _, _ = s.ran.WriteString(value + "\n") }

func (s *misbehaving) change(act string) {
	s.mu.Lock()
	if act == "grow" {
		s.tools = min(s.tools+1, 20)
	} else {
		s.tools = max(s.tools-1, 0)
	}
	s.mu.Unlock()
	s.write(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
}

// reply returns the right answer to a request.
func (s *misbehaving) reply(r request) string {
	result := `{}`
	switch r.Method {
	case "initialize":
		result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"soak","version":"1"}}`
	case "ping":
	case "tools/list":
		result = `{"tools":[{"name":"call","description":"Give back the value","inputSchema":{"type":"object"}}` + s.more() + `]}`
	case "tools/call":
		text := answerOf(s.name, r.Params.Arguments)
		result = fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, text)
	default:
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, r.ID)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result)
}

// answerOf returns the text with which a server answers a call.
func answerOf(server string, c call) string {
	text := c.Value + " by " + server
	if c.Act == "big" {
		text += strings.Repeat(" big", 100_000)
	}
	return text
}

func (s *misbehaving) more() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list strings.Builder
	for i := range s.tools {
		_, _ = fmt.Fprintf(&list, `,{"name":"more%d","description":"Do nothing, number %d","inputSchema":{"type":"object"}}`, i, i)
	}
	return list.String()
}

func (s *misbehaving) write(line string) {
	s.writing.Lock()
	defer s.writing.Unlock()
	_, _ = io.WriteString(s.out, line+"\n") // without a reader, standard input ends too
}
