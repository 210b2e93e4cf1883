//go:build linux

package soak

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// patience is how long a client waits for an answer before the answer counts as lost.
const patience = 90 * time.Second

// transport carries messages to the hub.
type transport interface {
	send(m jsonrpc.Message) error // does not block for an answer to a request of the hub
	stop()                        // ends the connection as a client does, and waits for its end
	kill()                        // ends the connection at once, also during requests, and waits for its end
}

// client is an MCP client that reports an answer that is lost, is repeated or belongs to another client.
type client struct {
	transport
	report func(format string, args ...any)
	killed chan struct{} // closed by end

	mu      sync.Mutex
	last    int
	waiting map[string]chan answer
	ended   map[string]bool // by request id: true if the request was answered, false if it was cancelled
	calls   map[string]bool // the values of the calls that this client has made
}

// answer is a message that the hub sends.
type answer struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ProgressToken any
		Message       string // message of a question
	}
	Result *struct {
		ResultType    string
		InputRequests map[string]struct{ Params struct{ Message string } }
		RequestState  *string
		Content       []struct{ Text string }
		IsError       bool
	}
	Error *struct {
		Code    int
		Message string
	}
}

func newClient(report func(string, ...any)) *client {
	return &client{
		report: report, killed: make(chan struct{}), waiting: make(map[string]chan answer), ended: make(map[string]bool),
		calls: make(map[string]bool),
	}
}

// declared has the capabilities that all clients declare.
const declared = `{"elicitation":{}}`

// lineOf returns a message as a line: a request, a notification or the answer to a request of the hub.
func lineOf(m jsonrpc.Message) []byte {
	if m.Method == "" {
		return jsonrpc.AppendResponse(nil, m.ID, m.Result, nil)
	}
	return jsonrpc.AppendRequest(nil, m.ID, m.Method, m.Params)
}

// initialize opens a legacy session.
func (c *client) initialize() error {
	a, err := c.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":`+declared+`,"clientInfo":{"name":"soak","version":"1"}}`)
	if err == nil && a.Error != nil {
		err = errors.New(a.Error.Message)
	}
	if err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	return c.send(jsonrpc.Message{Method: "notifications/initialized"})
}

// take passes an answer to the request that waits for it, and reports messages that do not belong to this client.
func (c *client) take(line []byte) {
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		c.report("a line is not JSON: %.200s: %v", line, err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.Method == "notifications/progress" {
		if token := fmt.Sprint(a.Params.ProgressToken); c.waiting[token] == nil && !has(c.ended, token) {
			c.report("progress for a call of another session: %.200s", line)
		}
	}
	if a.Method == "elicitation/create" {
		c.checkQuestion(a.Params.Message)
		result, _ := json.Marshal(agree(a.Params.Message))    // encoding strings cannot fail
		_ = c.send(jsonrpc.Message{ID: a.ID, Result: result}) // without the answer, the call fails
	}
	if a.Method != "" {
		return
	}
	id := string(a.ID)
	answered, known := c.ended[id]
	switch waiting := c.waiting[id]; {
	case waiting != nil:
		waiting <- a
	case !known:
		c.report("an answer to a request that was not sent: %.200s", line)
	case answered:
		c.report("a second answer: %.200s", line)
	}
	delete(c.waiting, id)
	c.ended[id] = true
}

// checkQuestion reports a question about a call of another session. The caller holds mu.
func (c *client) checkQuestion(value string) {
	if !c.calls[value] {
		c.report("a question about a call of another session: %.200s", value)
	}
}

// retryOf returns the retry that answers the questions in a result, and nil if the result asks nothing.
func (c *client) retryOf(a answer) *retry {
	if a.Result == nil || a.Result.ResultType != "input_required" {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	again := retry{RequestState: a.Result.RequestState}
	for key, q := range a.Result.InputRequests {
		c.checkQuestion(q.Params.Message)
		again.InputResponses = map[string]elicited{key: agree(q.Params.Message)}
	}
	return &again
}

// owns records that the call with a value belongs to this client.
func (c *client) owns(value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[value] = true
}

func has(m map[string]bool, key string) bool {
	_, ok := m[key]
	return ok
}

// start sends a request and returns its id and the channel for its answer. params is called with the id.
func (c *client) start(method string, params func(id string) string) (id string, answered <-chan answer, err error) {
	ch := make(chan answer, 1)
	c.mu.Lock()
	c.last++
	id = strconv.Itoa(c.last)
	c.waiting[id] = ch
	c.mu.Unlock()
	return id, ch, c.sendUnlessKilled(jsonrpc.Message{ID: json.RawMessage(id), Method: method, Params: json.RawMessage(params(id))})
}

// sendUnlessKilled sends a message. The error is errKilled if the client was killed.
func (c *client) sendUnlessKilled(m jsonrpc.Message) error {
	err := c.send(m)
	if err != nil && c.isKilled() {
		err = errKilled
	}
	return err
}

// end ends the session as if the client's editor were killed.
func (c *client) end() {
	close(c.killed)
	c.kill()
}

func (c *client) isKilled() bool {
	select {
	case <-c.killed:
		return true
	default:
		return false
	}
}

// ask sends a request and waits for the answer.
func (c *client) ask(method, params string) (answer, error) {
	id, answered, err := c.start(method, func(string) string { return params })
	if err != nil {
		return answer{}, err
	}
	return c.await(id, method, answered)
}

// errKilled is the error of requests whose client was killed.
var errKilled = errors.New("the client was killed")

func (c *client) await(id, what string, answered <-chan answer) (answer, error) {
	select {
	case a := <-answered:
		return a, nil
	case <-c.killed:
		return answer{}, errKilled
	case <-time.After(patience):
		return answer{}, fmt.Errorf("no answer to request %s (%s) within %s", id, what, patience)
	}
}

// cancel cancels a request. The answer may still arrive.
func (c *client) cancel(id string) error {
	c.mu.Lock()
	if c.waiting[id] != nil {
		delete(c.waiting, id)
		c.ended[id] = false
	}
	c.mu.Unlock()
	return c.sendUnlessKilled(jsonrpc.Message{Method: "notifications/cancelled", Params: json.RawMessage(`{"requestId":` + id + `}`)})
}
