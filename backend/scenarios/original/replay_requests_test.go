//go:build linux

package original_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func (r *replay) sendREST(e exchange) json.RawMessage {
	r.T.Helper()
	var body []byte
	if len(e.Request.Body) > 0 {
		body = []byte(r.toActual.Replace(string(e.Request.Body)))
		var text string
		if json.Unmarshal(body, &text) == nil { // a body that is not JSON is recorded as a string
			body = []byte(text)
		}
	}
	if e.name == "rest-create-toolarge" { // only the beginning was recorded
		body = []byte(`{"name":"` + strings.Repeat("x", 200_000) + `"}`)
	}
	return r.rest(e.Request.Method, r.toActual.Replace(e.Request.Path), body, e.Request.Headers)
}

// rest sends a request with the path unchanged. It returns the status, the headers and the body in the form in
// which they were recorded.
func (r *replay) rest(method, path string, body []byte, headers map[string]string) json.RawMessage {
	r.T.Helper()
	req, err := http.NewRequest(method, "http://"+r.hub.Address()+"/", bytes.NewReader(body))
	if err != nil {
		r.T.Fatal(err)
	}
	req.URL.Opaque = "//" + r.hub.Address() + path
	token := r.hub.Token
	if path == "/api/transient" { // only a person starts servers that are not configured
		if token, err = instance.NewClient(r.hub).Session(r.T.Context()); err != nil {
			r.T.Fatal(err)
		}
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.T.Errorf("%s %s: %v", method, path, err)
		return nil
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		r.T.Errorf("%s %s: %v", method, path, err)
	}
	answer := map[string]any{"status": resp.StatusCode, "headers": map[string]string{"content-type": resp.Header.Get("Content-Type")}}
	if json.Valid(data) && strings.Contains(resp.Header.Get("Content-Type"), "json") {
		answer["body"] = json.RawMessage(data)
	} else {
		answer["body"] = string(data)
	}
	out, err := json.Marshal(answer)
	if err != nil {
		r.T.Fatal(err)
	}
	return out
}

// sendMCP sends a recorded MCP request through the companion.
func (r *replay) sendMCP(e exchange) json.RawMessage {
	r.T.Helper()
	var m programtest.Message
	if e.Request.Method == "<malformed line>" {
		r.client.Send("{malformed")
		m = r.client.Await("the answer to a malformed line", func(m programtest.Message) bool { return string(m.ID) == "null" })
		return json.RawMessage("[" + m.Line + "]")
	}
	m = r.client.Ask(e.Request.Method, r.toActual.Replace(string(e.Request.Params)))
	switch {
	case e.Request.Method == "initialize":
		r.client.Notify("notifications/initialized", "{}")
	case e.name == "mcp-registry-install-registry-unscoped":
		// Add the server that the original product has installed, so that later ids match.
		r.rest("POST", "/api/servers",
			[]byte(`{"name":"mcp-server-sqlite","command":"npx","args":["-y","mcp-server-sqlite"],"source":"registry"}`), nil)
	}
	return json.RawMessage(m.Line)
}

// model is a fake API of a language model that records the last request.
type model struct {
	*httptest.Server
	mu   sync.Mutex
	body json.RawMessage
}

func newModel(t *testing.T) *model {
	m := &model{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m.mu.Lock()
		m.body = body
		m.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer test-key" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(w,
			`{"model":"fake-model","choices":[{"message":{"role":"assistant","content":"sampled text"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(m.Close)
	return m
}

// last returns the body of the last request.
func (m *model) last() json.RawMessage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.body
}
