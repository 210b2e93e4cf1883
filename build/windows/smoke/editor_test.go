//go:build smoke && windows

package smoke

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"testing"
	"time"
)

// editor is a client that has started a companion, as an editor does.
type editor struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan []byte // closed when the companion closes its output
	log   func() string
	next  int
}

// attach starts a companion and initializes a session.
func (u *user) attach() *editor {
	u.t.Helper()
	cmd, log := u.command("mcp")
	cmd.Stdout = nil
	e := &editor{t: u.t, cmd: cmd, lines: make(chan []byte), log: log}
	in, err := cmd.StdinPipe()
	if err != nil {
		u.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		u.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		u.t.Fatal(err)
	}
	e.in = in
	go func() {
		defer close(e.lines)
		reader := bufio.NewReader(out)
		for {
			line, err := reader.ReadBytes('\n')
			if err != nil {
				return
			}
			e.lines <- line
		}
	}()
	u.t.Cleanup(func() { _ = cmd.Process.Kill() })
	e.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test-editor","version":"9"}}`)
	e.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return e
}

func (e *editor) send(line string) {
	e.t.Helper()
	if _, err := io.WriteString(e.in, line+"\n"); err != nil {
		e.t.Fatalf("send: %v; the companion wrote:\n%s", err, e.log())
	}
}

// ask sends a request and returns its result.
func (e *editor) ask(method, params string) string {
	e.t.Helper()
	e.next++
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, e.next, method, params))
	timeout := time.After(deadline)
	for {
		select {
		case line, open := <-e.lines:
			var m struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
				Result json.RawMessage `json:"result"`
			}
			switch {
			case !open:
				e.t.Fatalf("the companion ended before it answered %s; it wrote:\n%s", method, e.log())
			case json.Unmarshal(line, &m) != nil:
				e.t.Fatalf("the companion wrote %s", line)
			case m.Method != "" || string(m.ID) != fmt.Sprint(e.next): // a notification
			case m.Result == nil:
				e.t.Fatalf("%s: %s", method, line)
			default:
				return string(m.Result)
			}
		case <-timeout:
			e.t.Fatalf("%s was not answered in time; the companion wrote:\n%s", method, e.log())
		}
	}
}

// tool calls a tool, which must succeed, and returns the text of its result.
func (e *editor) tool(name string, arguments map[string]any) string {
	e.t.Helper()
	params, err := json.Marshal(map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		e.t.Fatal(err)
	}
	answer := e.ask("tools/call", string(params))
	var result struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal([]byte(answer), &result); err != nil || result.IsError || len(result.Content) == 0 {
		e.t.Fatalf("%s: %v: %s", name, err, answer)
	}
	return result.Content[0].Text
}

// close ends the session as an editor does, by closing the companion's input, and waits until the companion has ended.
func (e *editor) close() {
	e.t.Helper()
	_ = e.in.Close()
	timeout := time.After(deadline)
	for open := true; open; {
		select {
		case _, open = <-e.lines:
		case <-timeout:
			e.t.Fatal("the companion did not end in time after its input was closed")
		}
	}
	if err := e.cmd.Wait(); err != nil {
		e.t.Errorf("the companion ended with %v:\n%s", err, e.log())
	}
}
