//go:build clients

package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// model is a stub of the API of a language model. It records what a client sends, calls the tools of its script in turn,
// and then ends the conversation.
type model struct {
	t      *testing.T
	url    string
	script []modelCall

	mu    sync.Mutex
	turns []turn // requests with tools, in order
}

// modelCall is a call of the tool whose name in the client ends with the field tool. In arguments, {handle} stands for
// the handle of the long result that the model has read.
type modelCall struct{ tool, arguments string }

// handleOf matches the handle of a long result in the JSON of a request, which contains the result as an escaped
// string.
var handleOf = regexp.MustCompile(`\\+"handle\\+":\\+"([a-z0-9]+-[0-9]+)`)

// turn is a request of a client to its model, in the terms that all APIs share.
type turn struct {
	tools   []shownTool
	results int    // results of tools in the conversation so far
	body    string // the whole request
}

// shownTool is a tool as a client shows it to its model.
type shownTool struct {
	namespace, name, description string
	schema                       json.RawMessage
	deferred                     bool // the model gets only the name until it searches
}

// api describes the API of a vendor's models.
type api struct {
	path string // a part of the path of its requests
	read func(body []byte) turn
	// answer writes the answer: a call of a tool, or a text that ends the conversation if tool is nil. id is unique in
	// the conversation.
	answer func(w io.Writer, streams bool, id string, tool *shownTool, arguments string)
}

// serveModel starts a stub that runs until the test ends.
func serveModel(t *testing.T, script ...modelCall) *model {
	t.Helper()
	m := &model{t: t, script: script}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		m.t.Errorf("read a request to the model: %v", err)
	}
	for _, a := range apis {
		if r.Method == http.MethodPost && strings.HasSuffix(strings.ToLower(r.URL.Path), a.path) {
			m.converse(w, r, a, body)
			return
		}
	}
	http.Error(w, `{"error":{"message":"unknown operation of the model"}}`, http.StatusNotFound)
}

func (m *model) converse(w http.ResponseWriter, r *http.Request, a api, body []byte) {
	now := a.read(body)
	now.body = string(body)
	streams := strings.Contains(r.URL.Path, "stream") || streams(body)
	w.Header().Set("Content-Type", "application/json")
	if streams {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var next modelCall
	var tool *shownTool
	if now.results < len(m.script) {
		next = m.script[now.results]
		if handle := handleOf.FindSubmatch(body); handle != nil {
			next.arguments = strings.ReplaceAll(next.arguments, "{handle}", string(handle[1]))
		}
		tool = now.tool(next.tool)
	}
	if len(now.tools) > 0 {
		m.turns = append(m.turns, now)
	}
	a.answer(w, streams, fmt.Sprintf("call_%d", now.results), tool, next.arguments)
}

// tool returns the tool whose name in the client ends with a name, or nil.
func (t turn) tool(name string) *shownTool {
	for i := range t.tools {
		if shown := t.tools[i].name; shown == name || strings.HasSuffix(shown, "_"+name) || strings.HasSuffix(shown, "-"+name) {
			return &t.tools[i]
		}
	}
	return nil
}

func streams(body []byte) bool {
	var request struct{ Stream bool }
	return json.Unmarshal(body, &request) == nil && request.Stream
}

// seen returns the requests so far that offered tools to the model.
func (m *model) seen() []turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]turn{}, m.turns...)
}
