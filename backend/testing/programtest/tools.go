//go:build linux

package programtest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Tools returns the names of the listed tools.
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

// Result is a result of tools/call.
type Result struct {
	Content []struct{ Type, Text string } `json:"content"`
	IsError bool                          `json:"isError"`
}

// Text returns the texts of the content, one per line.
func (r Result) Text() string {
	var texts []string
	for _, block := range r.Content {
		texts = append(texts, block.Text)
	}
	return strings.Join(texts, "\n")
}

// ToolParams returns the parameters of tools/call, for arguments as JSON.
func ToolParams(name, arguments string) string {
	return fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments)
}

// StartTool starts a tool call, without waiting, and returns its id.
func (c *Client) StartTool(name, arguments string) (id string) {
	c.t.Helper()
	return c.Start("tools/call", ToolParams(name, arguments))
}

// ToolResult waits for the result of a call.
func (c *Client) ToolResult(id string) Result {
	c.t.Helper()
	m := c.Answer(id)
	if m.Error != nil {
		c.t.Fatalf("call %s failed: %d %s", id, m.Error.Code, m.Error.Message)
	}
	var r Result
	if err := json.Unmarshal(m.Result, &r); err != nil {
		c.t.Fatalf("call %s returned an invalid result: %s", id, m.Line)
	}
	return r
}

// Tool calls a tool that must succeed, and returns the text of the result.
func (c *Client) Tool(name, arguments string) string {
	c.t.Helper()
	r := c.ToolResult(c.StartTool(name, arguments))
	if r.IsError {
		c.t.Fatalf("%s failed: %s", name, r.Text())
	}
	return r.Text()
}

// FailingTool calls a tool that must fail, and returns the text of the error.
func (c *Client) FailingTool(name, arguments string) string {
	c.t.Helper()
	r := c.ToolResult(c.StartTool(name, arguments))
	if !r.IsError {
		c.t.Fatalf("%s did not fail: %s", name, r.Text())
	}
	return r.Text()
}

// Registry calls the registry tool and returns the text of the result.
func (c *Client) Registry(arguments string) string {
	c.t.Helper()
	return c.Tool("registry", arguments)
}

// Find runs find_tool and returns the call_as of the best match, "" for none.
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

// Hold starts a call of the hold tool of an mcptest server, which returns after a call
// of release with the same key. Hold returns once the server executes the call.
func (c *Client) Hold(server, key string) (id string) {
	c.t.Helper()
	token := "hold-" + key + "-" + strconv.Itoa(int(time.Now().UnixNano()))
	id = c.Start("tools/call", fmt.Sprintf(`{"name":%q,"arguments":{"key":%q},"_meta":{"progressToken":%q}}`, server+"__hold", key, token))
	m := c.Await("the progress of hold "+key, func(m Message) bool {
		return m.Method == "notifications/progress" && strings.Contains(string(m.Params), token) || m.Method == "" && string(m.ID) == id
	})
	if m.Method == "" {
		c.t.Fatalf("hold %s returned before its release: %s", key, m.Line)
	}
	return id
}

// PID returns the process id of an mcptest server, which it starts if necessary.
func (c *Client) PID(server string) int {
	c.t.Helper()
	return c.Environment(server).PID
}

// environment is the result of the environment tool of an mcptest server.
type environment struct {
	PID int      `json:"pid"`
	Dir string   `json:"dir"`
	Env []string `json:"env"`
}

// Environment returns the process id, working directory and environment of an mcptest
// server.
func (c *Client) Environment(server string) environment {
	c.t.Helper()
	var e environment
	if err := json.Unmarshal([]byte(c.Tool(server+"__environment", `{}`)), &e); err != nil {
		c.t.Fatal(err)
	}
	return e
}

// Variable returns a variable in the environment of an mcptest server, "" if it is not
// set.
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
