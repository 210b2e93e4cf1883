package hub_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/hub"
)

// agent is an initialized MCP client, connected as a companion connects it.
type agent struct {
	t       *testing.T
	stream  io.ReadWriteCloser
	lines   *bufio.Reader
	id      int
	notices []string // notifications that exchange and await have read
}

// join connects and initializes a client with a name.
func join(t *testing.T, h *hub.Hub, name string) *agent {
	t.Helper()
	a := arrive(t, h)
	info, _ := json.Marshal(map[string]string{"name": name, "version": "7.1"})
	a.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":`+string(info)+`}`)
	a.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a
}

func (a *agent) leave() { _ = a.stream.Close() }

func (a *agent) write(line string) {
	a.t.Helper()
	if _, err := io.WriteString(a.stream, line+"\n"); err != nil {
		a.t.Fatal(err)
	}
}

// read returns the next message. It ends the test if the hub sends none for three
// minutes: a machine is never that slow, so the message that was expected does not come.
func (a *agent) read(expected string) string {
	a.t.Helper()
	silent := time.AfterFunc(3*time.Minute, a.leave)
	line, err := a.lines.ReadString('\n')
	if !silent.Stop() {
		err = errors.New("the hub sent nothing for three minutes")
	}
	if err != nil {
		a.t.Fatalf("waiting for %s: %v; before came %q", expected, err, a.notices)
	}
	return line
}

// ask sends a request and returns its result.
func (a *agent) ask(method, params string) json.RawMessage {
	a.t.Helper()
	a.id++
	a.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, a.id, method, params))
	for {
		line := a.read("the answer to " + method)
		var answer struct {
			ID     any
			Result json.RawMessage
		}
		if json.Unmarshal([]byte(line), &answer) == nil && fmt.Sprint(answer.ID) == fmt.Sprint(a.id) {
			return answer.Result
		}
	}
}

// registry calls the registry tool and returns the text of the result.
func (a *agent) registry(arguments string) string {
	a.t.Helper()
	var result struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(a.ask("tools/call", `{"name":"registry","arguments":`+arguments+`}`), &result); err != nil {
		a.t.Fatal(err)
	}
	return result.Content[0].Text
}

// question is a call of the registry tool, and texts that must and must not be in
// the reply.
type question struct {
	name        string
	arguments   string
	want, never []string
}

// ask sends questions in order. Replies must be on one line.
func (a *agent) checkReplies(rows ...question) {
	a.t.Helper()
	for _, row := range rows {
		reply := a.registry(row.arguments)
		if strings.Contains(reply, "\n") {
			a.t.Errorf("%s: the reply has more than one line: %s", row.name, reply)
		}
		for _, part := range row.want {
			if !strings.Contains(reply, part) {
				a.t.Errorf("%s: %s does not contain %s", row.name, reply, part)
			}
		}
		for _, part := range row.never {
			if strings.Contains(reply, part) {
				a.t.Errorf("%s: %s must not contain %s", row.name, reply, part)
			}
		}
	}
}

// call calls a listed tool and reports whether it succeeded.
func (a *agent) call(name, arguments string) bool {
	a.t.Helper()
	var result struct{ IsError bool }
	answer := a.ask("tools/call", `{"name":"`+name+`","arguments":`+arguments+`}`)
	return answer != nil && json.Unmarshal(answer, &result) == nil && !result.IsError
}

// registryCall calls the registry tool in a new session, and returns the text of the
// result.
func registryCall(t *testing.T, h *hub.Hub, arguments string) string {
	t.Helper()
	a := join(t, h, "agent")
	defer a.leave()
	return a.registry(arguments)
}
