//go:build linux

package programtest

import (
	"bytes"
	"encoding/json"
	"strings"
)

// requested waits for a request of the hub and answers it.
func (c *Client) Requested(method, result string) Message {
	c.t.Helper()
	m := c.Await("a request "+method, func(m Message) bool { return m.Method == method && m.ID != nil })
	c.Send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}`)
	return m
}

// json runs a command that has to succeed and decodes its output.
func (h *Home) Json(answer any, args ...string) {
	h.T.Helper()
	if text := h.Must(args...); json.Unmarshal([]byte(text), answer) != nil {
		h.T.Fatalf("%v says\n%s", args, text)
	}
}

// set changes a variable of later commands.
func (h *Home) Set(name, value string) {
	h.Without(name)
	h.Env = append(h.Env, name+"="+value)
}

// without takes a variable out of the environment of later commands.
func (h *Home) Without(name string) {
	var env []string
	for _, kv := range h.Env {
		if !strings.HasPrefix(kv, name+"=") {
			env = append(env, kv)
		}
	}
	h.Env = env
}

// piped runs a command with a text on its standard input.
func (h *Home) piped(text string, args ...string) Outcome {
	h.T.Helper()
	cmd := h.Command(args...)
	cmd.Stdin = strings.NewReader(text)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // how it ended is in its state
	return Outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func (h *Home) SetSecret(server, name, value string) {
	h.T.Helper()
	if out := h.piped(value, "secrets", "set", server, name); out.Code != 0 {
		h.T.Fatalf("secrets set: exit %d\n%s%s", out.Code, out.Stdout, out.Stderr)
	}
}

// variable is what a server has in its environment.
func (c *Client) Variable(server, name string) string {
	c.t.Helper()
	environment := c.Tool(server+"__environment", `{}`)
	_, after, found := strings.Cut(environment, `"`+name+`=`)
	if !found {
		return ""
	}
	value, _, _ := strings.Cut(after, `"`)
	return value
}
