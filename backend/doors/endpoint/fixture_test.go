package endpoint_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/endpoint"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// deadline limits how long a test waits for a call.
const deadline = time.Minute

// script controls and records the sessions of a test.
type script struct {
	mu      sync.Mutex
	opened  []gateway.Opening
	notes   []string
	running chan *call    // receives calls of the tool wait and subscriptions
	closed  chan string   // receives the ids of closed sessions
	revoked chan struct{} // the test closes it to revoke the credential of "guest"
}

// call is a running call of the tool wait, or a subscription.
type call struct {
	ctx    context.Context
	peer   gateway.Peer
	finish chan string // the test sends the result; nil for a subscription
}

// scripted is a Session with tools that a test controls.
type scripted struct {
	*script
	gateway.Opening
}

// schema has the argument city, which clients must repeat in a header, and the argument n, whose x-mcp-header is
// invalid.
const schema = `{"type":"object","properties":{"city":{"type":"string","x-mcp-header":"City"},"n":{"type":"number","x-mcp-header":"N"}}}`

func (s *scripted) Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	modern := mcpversion.Detect(method, params, "") == mcpversion.Modern
	if modern {
		if _, err := mcpversion.CheckMeta(params); err != nil {
			return nil, err
		}
	}
	switch {
	case method == "initialize" && !modern && jsonrpc.Get(params, "fail") != nil:
		return nil, jsonrpc.NewError(jsonrpc.CodeInternalError, "the server does not start")
	case method == "initialize" && !modern:
		return json.RawMessage(fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"scripted","version":"1"}}`,
			mcpversion.Negotiate(jsonrpc.GetString(params, "protocolVersion")))), nil
	case method == "server/discover" && modern:
		return mcpversion.Discover{Capabilities: json.RawMessage(`{"tools":{}}`)}.Result(mcpversion.Hop{
			ServerInfo: json.RawMessage(`{"name":"scripted","version":"1"}`),
		}), nil
	case method == "ping" && !modern:
		return json.RawMessage("{}"), nil
	case method == "tools/list":
		return mcpversion.Complete(method,
			json.RawMessage(`{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"weather","inputSchema":`+schema+`}]}`),
			mcpversion.Hop{}), nil
	case method == "tools/call":
		return s.tool(ctx, params)
	case method == "subscriptions/listen" && modern:
		_ = s.Peer.Notify(ctx, "notifications/subscriptions/acknowledged", json.RawMessage(`{"notifications":{}}`))
		s.running <- &call{ctx, s.Peer, nil}
		<-ctx.Done()
		if context.Cause(ctx) == gateway.ErrStopping {
			return json.RawMessage(`{"resultType":"complete"}`), nil
		}
		return nil, context.Cause(ctx)
	}
	return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s", method)
}

func (s *scripted) tool(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	arguments := jsonrpc.Get(params, "arguments")
	switch jsonrpc.GetString(params, "name") {
	case "echo", "weather":
		return text(string(arguments)), nil
	case "progress": // sends progress before the result
		for i := range 3 {
			_ = s.Peer.Notify(ctx, "notifications/progress", json.RawMessage(fmt.Sprintf(`{"progressToken":%s,"progress":%d}`,
				jsonrpc.Get(jsonrpc.Get(params, "_meta"), "progressToken"), i+1)))
		}
		return text("done"), nil
	case "ask":
		// The context of a request that a server sends to the client is not the context of the client's request.
		answer, err := s.Peer.Call(context.WithoutCancel(context.Background()), jsonrpc.Call{
			Method: jsonrpc.GetString(arguments, "method"), Params: jsonrpc.Get(arguments, "params"),
		})
		if err != nil {
			return nil, err
		}
		return text(string(answer)), nil
	case "wait":
		c := &call{ctx, s.Peer, make(chan string, 1)}
		s.running <- c
		select {
		case result := <-c.finish:
			return json.RawMessage(result), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "unknown tool")
}

func text(s string) json.RawMessage {
	return json.RawMessage(`{"content":[{"type":"text","text":` + string(jsonrpc.Quote(s)) + `}],"resultType":"complete"}`)
}

func (s *scripted) Notification(method string, params json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, method+string(params))
}

func (s *scripted) InputSchema(tool string) json.RawMessage {
	if tool == "weather" {
		return json.RawMessage(schema)
	}
	return nil
}

func (s *scripted) Close(context.Context) {
	<-s.Peer.Done()
	select {
	case s.closed <- s.ID:
	default:
	}
}

// newEndpoint returns an endpoint whose principals have the token of a request as their id. The principal "bound" may
// use only the server "one"; a request without a token may use everything.
func newEndpoint() (*endpoint.Endpoint, *script) {
	s := &script{running: make(chan *call, 64), closed: make(chan string, 64), revoked: make(chan struct{})}
	return endpoint.New(endpoint.Options{
		Open: func(_ context.Context, o gateway.Opening) endpoint.Session {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.opened = append(s.opened, o)
			return &scripted{s, o}
		},
		Principal: func(r *http.Request) endpoint.Principal {
			id := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			p := endpoint.Principal{ID: id, Anything: id == "", Client: "cursor"}
			switch id {
			case "guest":
				p.Ended = s.revoked
			case "bound":
				p.Server = "one"
			}
			return p
		},
		Knows: func(server string) bool { return server == "one" },
		Usable: func(toolset string) error {
			return map[string]error{
				"absent":  fault.New(fault.NotFound, "there is no toolset absent"),
				"waiting": fault.New(fault.Denied, "it waits for approval"),
				"broken":  fault.New(fault.Failed, "the database is damaged"),
			}[toolset]
		},
		Log: slog.New(slog.DiscardHandler),
	}), s
}

// door is an endpoint behind an HTTP server.
type door struct {
	*script
	t        *testing.T
	endpoint *endpoint.Endpoint
	url      string
}

func open(t *testing.T) *door {
	t.Helper()
	e, s := newEndpoint()
	mux := http.NewServeMux()
	for _, path := range []string{endpoint.Path, endpoint.ServerPath, endpoint.SSEPath} {
		mux.Handle(path, e)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Cleanup(e.Close)
	return &door{s, t, e, server.URL}
}

// request is an HTTP request. Each header has the form "Name: value".
type request struct {
	method, path string
	headers      []string
	body         string
}

const (
	asJSON    = "Content-Type: application/json"
	accepting = "Accept: application/json, text/event-stream"
)

// send sends a request. A POST request has the usual headers, unless r.headers contains one of the same name. Headers
// without a value are not sent.
func (d *door) send(ctx context.Context, r request) *http.Response {
	d.t.Helper()
	if r.path == "" {
		r.path = "/mcp"
	}
	req, err := http.NewRequestWithContext(ctx, r.method, d.url+r.path, strings.NewReader(r.body))
	if err != nil {
		d.t.Fatal(err)
	}
	headers := r.headers
	if r.method == http.MethodPost {
		headers = append([]string{asJSON, accepting}, headers...)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ":")
		if req.Header.Del(name); strings.TrimSpace(value) != "" {
			req.Header.Set(name, strings.TrimSpace(value))
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// post sends a message and returns the response and its body.
func (d *door) post(body string, headers ...string) (*http.Response, string) {
	d.t.Helper()
	resp := d.send(d.t.Context(), request{http.MethodPost, "", headers, body})
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return resp, strings.TrimSpace(string(data))
}

// initialize begins a legacy session and returns the header Mcp-Session-Id that names it.
func (d *door) initialize(version string, headers ...string) string {
	d.t.Helper()
	resp, body := d.post(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"`+version+
		`","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, headers...)
	id := resp.Header.Get("Mcp-Session-Id")
	if resp.StatusCode != http.StatusOK || len(id) != 64 || !strings.Contains(body, `"protocolVersion":"`+version+`"`) {
		d.t.Fatalf("initialize: %d, session %q, %s", resp.StatusCode, id, body)
	}
	return "Mcp-Session-Id: " + id
}

// next waits for the next running call and returns it.
func (d *door) next() *call {
	d.t.Helper()
	select {
	case c := <-d.running:
		return c
	case <-time.After(deadline):
		d.t.Fatal("the call did not begin in time")
		return nil
	}
}

// feed reads the events of a response.
type feed struct {
	t     *testing.T
	lines *bufio.Reader
}

func newFeed(t *testing.T, resp *http.Response) *feed {
	t.Helper()
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || kind != "text/event-stream" {
		body, _ := io.ReadAll(resp.Body)
		t.Fatalf("status %d, %s: %s", resp.StatusCode, kind, body)
	}
	return &feed{t, bufio.NewReader(resp.Body)}
}

// sent is an event that the endpoint has sent.
type sent struct{ id, name, data string }

// next returns the next event; ok is false at the end of the stream.
func (f *feed) next() (e sent, ok bool) {
	f.t.Helper()
	for {
		line, err := f.lines.ReadString('\n')
		if err != nil {
			return e, false
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "\n" && e != sent{}:
			return e, true
		case field == "id":
			e.id = value
		case field == "event":
			e.name = value
		case field == "data":
			e.data += value
		}
	}
}

// await reads up to an event that contains text, and returns that event.
func (f *feed) await(text string) sent {
	f.t.Helper()
	for {
		e, ok := f.next()
		if !ok {
			f.t.Fatalf("the stream ended without %s", text)
		}
		if strings.Contains(e.data, text) {
			return e
		}
	}
}

// rest returns the data of the remaining events, one on each line.
func (f *feed) rest() string {
	f.t.Helper()
	var out bytes.Buffer
	for e, ok := f.next(); ok; e, ok = f.next() {
		fmt.Fprintln(&out, e.data)
	}
	return out.String()
}

// modernHeaders returns the headers of a modern request: its method, its name unless that is empty, and more.
func modernHeaders(method, name string, more ...string) []string {
	headers := []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
	if name != "" {
		headers = append(headers, "Mcp-Name: "+name)
	}
	return append(headers, more...)
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":"p"}`

func modernCall(id, tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `,` + meta +
		`}}`
}

func legacyCall(id, tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments +
		`,"_meta":{"progressToken":"p"}}}`
}
