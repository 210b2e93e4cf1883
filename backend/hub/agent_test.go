package hub_test

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
)

// agent is an MCP client that has introduced itself.
type agent struct {
	t      *testing.T
	stream io.ReadWriteCloser
	lines  *bufio.Reader
	id     int
}

func join(t *testing.T, h *hub.Hub, name string) *agent {
	t.Helper()
	stream, err := companion.Dial(t.Context(), h.Info(), "1.2.3", rand.Text())
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{t: t, stream: stream, lines: bufio.NewReader(stream)}
	t.Cleanup(a.leave)
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

// ask sends a request and returns its result.
func (a *agent) ask(method, params string) json.RawMessage {
	a.t.Helper()
	a.id++
	a.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, a.id, method, params))
	for {
		line, err := a.lines.ReadString('\n')
		if err != nil {
			a.t.Fatal(err)
		}
		var answer struct {
			ID     any
			Result json.RawMessage
		}
		if json.Unmarshal([]byte(line), &answer) == nil && fmt.Sprint(answer.ID) == fmt.Sprint(a.id) {
			return answer.Result
		}
	}
}

// registry calls the tool that every agent has and returns its text.
func (a *agent) registry(arguments string) string {
	a.t.Helper()
	var result struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(a.ask("tools/call", `{"name":"registry","arguments":`+arguments+`}`), &result); err != nil {
		a.t.Fatal(err)
	}
	return result.Content[0].Text
}
