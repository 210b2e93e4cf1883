package upstream_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// everything is the reference server "server-everything" over HTTP. It keeps
// its address across restarts.
type everything struct {
	t         *testing.T
	transport string // argument on the command line of server-everything
	port      string
	url       string
	cmd       *exec.Cmd
}

func serveEverything(t *testing.T, transport, path string) *everything {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	_ = free.Close()
	e := &everything{t: t, transport: transport, port: port, url: "http://127.0.0.1:" + port + path}
	e.start()
	t.Cleanup(e.kill)
	return e
}

func script(t *testing.T) string {
	t.Helper()
	return mcptest.Package(t, "@modelcontextprotocol", "server-everything", "dist", "index.js")
}

// start starts the process and returns once it listens.
func (e *everything) start() {
	e.t.Helper()
	e.cmd = exec.Command("node", script(e.t), e.transport)
	e.cmd.Env = append(os.Environ(), "PORT="+e.port)
	stderr, err := e.cmd.StderrPipe()
	if err == nil {
		err = e.cmd.Start()
	}
	if err != nil {
		e.t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "on port") {
			go func() {
				for lines.Scan() { // a full pipe would block the server
				}
			}()
			return
		}
	}
	e.t.Fatal("server-everything did not start")
}

func (e *everything) kill() {
	_ = e.cmd.Process.Kill()
	_ = e.cmd.Wait()
}

// addRemote configures a server over HTTP.
func (b *bench) addRemote(name, transport, url string, headers map[string]string) registry.Server {
	b.t.Helper()
	s, err := b.servers.Add(b.t.Context(), registry.Server{Name: name, Approved: true, Transport: transport, URL: url, Headers: headers})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func (b *bench) ask(s registry.Server, method, params string) (string, error) {
	result, err := b.Call(b.t.Context(), s, "", nil, jsonrpc.Call{Method: method, Params: json.RawMessage(params)})
	return string(result.JSON), err
}

// must sends a request to a server. The result must contain the given texts.
func (b *bench) must(s registry.Server, method, params string, holds ...string) {
	b.t.Helper()
	result, err := b.ask(s, method, params)
	if err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for _, text := range holds {
		if !strings.Contains(result, text) {
			b.t.Errorf("%s gave %.500s without %q", method, result, text)
		}
	}
}

// caller is an upstream.Caller that records questions.
type caller struct {
	asked  chan upstream.Question
	answer func(context.Context, upstream.Question) (json.RawMessage, error)
}

func answering(result string) *caller {
	return &caller{make(chan upstream.Question, 10), func(context.Context, upstream.Question) (json.RawMessage, error) {
		return json.RawMessage(result), nil
	}}
}

func (c *caller) Ask(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	c.asked <- q
	return c.answer(ctx, q)
}

// awaitNotification waits for a notification and returns its params.
func awaitNotification(t *testing.T, notes <-chan upstream.Notified, method string) string {
	t.Helper()
	for {
		select {
		case n := <-notes:
			if n.Method == method {
				return string(n.Params)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s was not published", method)
		}
	}
}

// TestEverythingWorksOverEveryTransport uses all features of the reference server
// over each transport.
func TestEverythingWorksOverEveryTransport(t *testing.T) {
	program := script(t)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	for _, transport := range []string{"stdio", "streamable-http", "sse"} {
		t.Run(transport, func(t *testing.T) {
			b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Roots = []string{"file:///a"} })
			notes, stop := events.Subscribe[upstream.Notified](b.bus, 1000)
			defer stop()
			var s registry.Server
			switch transport {
			case "stdio":
				s, _ = b.servers.Add(t.Context(), registry.Server{Name: "e", Approved: true, Command: node, Args: []string{program}})
			case "streamable-http":
				s = b.addRemote("e", "http", serveEverything(t, "streamableHttp", "/mcp").url, nil)
			case "sse":
				s = b.addRemote("e", "sse", serveEverything(t, "sse", "/sse").url, nil)
			}
			if err := b.Start(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			b.describesEverything(s)
			b.must(s, "tools/call", `{"name":"echo","arguments":{"message":"é"}}`, "Echo: é")
			b.must(s, "resources/list", `{}`, "demo://resource/static/document/architecture.md")
			b.must(s, "resources/templates/list", `{}`, "uriTemplate")
			b.must(s, "prompts/get", `{"name":"args-prompt","arguments":{"city":"Bern"}}`, "Bern")
			b.must(s, "ping", `{}`, "{}")
			b.must(s, "logging/setLevel", `{"level":"debug"}`, "{}")
			var rpc *jsonrpc.Error
			if _, err := b.ask(s, "no/such", `{}`); !asError(err, &rpc) || rpc.Code != -32601 {
				t.Errorf("unknown method: %v", err)
			}
			if transport != "streamable-http" { // streamable HTTP has no stream yet when this notification is sent
				awaitNotification(t, notes, "notifications/tools/list_changed")
			}
			if got := awaitNotification(t, notes, "notifications/message"); !strings.Contains(got, "Roots updated: 1 root(s)") {
				t.Errorf("the notification is %s", got)
			}
			b.must(s, "tools/call", `{"name":"get-roots-list","arguments":{}}`, "1. file:///a", "URI: file:///a")

			b.must(s, "resources/subscribe", `{"uri":"demo://resource/static/document/features.md"}`)
			b.must(s, "tools/call", `{"name":"toggle-subscriber-updates","arguments":{}}`)
			if got := awaitNotification(t, notes,
				"notifications/resources/updated"); got != `{"uri":"demo://resource/static/document/features.md"}` {
				t.Errorf("got %s", got)
			}
			b.reportsProgress(s)
			b.asksItsCaller(s)
		})
	}
}

func asError(err error, rpc **jsonrpc.Error) bool {
	e, ok := err.(*jsonrpc.Error)
	*rpc = e
	return ok
}

func (b *bench) describesEverything(s registry.Server) {
	b.t.Helper()
	d, ok := b.Describe(s.Name)
	if !ok || d.Name != "mcp-servers/everything" || d.Version != "2.0.0" || !strings.Contains(d.Instructions, "Everything Server") ||
		d.ProtocolVersion != "2025-11-25" || string(jsonrpc.Get(d.Capabilities, "resources")) != `{"subscribe":true,"listChanged":true}` {
		b.t.Errorf("the description is %+v", d)
	}
	tools, err := b.ListTools(b.t.Context(), s)
	if err != nil || len(tools) < 15 || len(tools) != len(b.tools.Snapshot().Of(s.Name)) ||
		!strings.Contains(string(tools[0]), `"execution"`) {
		b.t.Errorf("%d tools, %d known, %v; the first is %.300s", len(tools), len(b.tools.Snapshot().Of(s.Name)), err, tools[0])
	}
	if d, _ = b.Describe(s.Name); !slices.EqualFunc(d.Tools, tools, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
		b.t.Errorf("the description has %d tools", len(d.Tools))
	}
	if state := b.State(s.Name); !state.Running || (state.PID != 0) != (s.Transport == "stdio") || state.Version != "2.0.0" {
		b.t.Errorf("state %+v", state)
	}
}

func (b *bench) reportsProgress(s registry.Server) {
	b.t.Helper()
	shown, stop := events.Subscribe[upstream.Progressed](b.bus, 10)
	defer stop()
	_, err := b.Call(b.t.Context(), s, "", nil, jsonrpc.Call{
		Method: "tools/call",
		Params: json.RawMessage(
			`{"name":"trigger-long-running-operation","arguments":{"duration":0.03,"steps":3},"_meta":{"progressToken":"mine"}}`,
		),
		Progress: b.Progress(s.Name),
	})
	if err != nil {
		b.t.Fatal(err)
	}
	for i := range 3 {
		p := <-shown
		if want := fmt.Sprintf(`"progress":%d,"total":3`, i+1); p.Server != s.Name || !strings.Contains(string(p.Params), want) ||
			jsonrpc.GetString(p.Params, "progressToken") != "mine" {
			b.t.Errorf("progress %d was published as %s", i+1, p.Params)
		}
	}
}

func (b *bench) asksItsCaller(s registry.Server) {
	b.t.Helper()
	for tool, row := range map[string][3]string{
		"trigger-elicitation-request": {`{}`, "elicitation/create", `{"action":"accept","content":{"name":"Ada Lovelace"}}`},
		"trigger-sampling-request": {
			`{"prompt":"p"}`, "sampling/createMessage", `{"model":"m","role":"assistant","content":{"type":"text","text":"Ada Lovelace"}}`,
		},
	} {
		who := answering(row[2])
		if s.Transport != "http" { // else the stream of the call names the caller
			b.Stop(s.Name) // in a new session, only this caller can have caused the question
		}
		result, err := b.Call(b.t.Context(), s, "", who,
			jsonrpc.Call{Method: "tools/call", Params: json.RawMessage(`{"name":"` + tool + `","arguments":` + row[0] + `}`)})
		if err != nil || !strings.Contains(string(result.JSON), "Ada Lovelace") {
			b.t.Errorf("%s: %.300s, %v", tool, result.JSON, err)
		}
		if q := <-who.asked; q.Server != s.Name || q.Method != row[1] {
			b.t.Errorf("%s asked %+v", tool, q)
		}
	}
}

func TestARemoteServerThatIsRestartedIsUsedAgain(t *testing.T) {
	for transport, path := range map[string]string{"streamableHttp": "/mcp", "sse": "/sse"} {
		t.Run(transport, func(t *testing.T) {
			e := serveEverything(t, transport, path)
			b := start(t, settings.Limits{})
			name := "streamable"
			if transport == "sse" {
				name = "sse"
			}
			s := b.addRemote("e", name, e.url, nil)
			if err := b.Start(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			e.kill()
			e.start()
			// Either this call notices that the session is lost, or the stream has noticed
			// it before, when it reconnected.
			if _, err := b.call(s, "echo", `{"message":"x"}`); err != nil && !strings.Contains(fault.MessageOf(err), `server "e"`) {
				t.Errorf("got %v", err)
			}
			if result, err := b.call(s, "echo", `{"message":"again"}`); err != nil || !strings.Contains(string(result), "again") {
				t.Errorf("afterwards: %s, %v", result, err)
			}
		})
	}
}

func TestARemoteServerThatDiesDuringACallIsNoLongerRunning(t *testing.T) {
	for transport, path := range map[string]string{"streamableHttp": "/mcp", "sse": "/sse"} {
		t.Run(transport, func(t *testing.T) {
			e := serveEverything(t, transport, path)
			b := start(t, settings.Limits{})
			name := map[string]string{"streamableHttp": "streamable", "sse": "sse"}[transport]
			s := b.addRemote("e", name, e.url, nil)
			progress := make(chan struct{}, 100)
			params := json.RawMessage(
				`{"name":"trigger-long-running-operation","arguments":{"duration":60,"steps":600},"_meta":{"progressToken":1}}`,
			)
			failed := make(chan error, 1)
			go func() {
				_, err := b.Call(t.Context(), s, "", nil, jsonrpc.Call{
					Method: "tools/call", Params: params, Progress: func(json.RawMessage) { progress <- struct{}{} },
				})
				failed <- err
			}()
			<-progress // the call has begun
			e.kill()
			if err := <-failed; err == nil || strings.Contains(fault.MessageOf(err), "still runs") ||
				!strings.Contains(fault.MessageOf(err), "took effect is unknown") {
				t.Errorf("call: %v", err)
			}
			b.await(upstream.StateChanged{Name: "e"})
			if state := b.State("e"); state.Running {
				t.Errorf("the state is still running: %+v", state)
			}
		})
	}
}

// answers are the scripted responses of an HTTP server to methods of MCP, for
// behavior that no real server shows.
type answers map[string]func(w http.ResponseWriter, id string)

// fake runs an HTTP server that answers some methods as scripted, and all
// others successfully.
func fake(t *testing.T, script answers) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		_ = json.NewDecoder(r.Body).Decode(&m)
		answer, scripted := script[m.Method]
		w.Header().Set("Content-Type", "application/json")
		switch {
		case scripted:
			answer(w, string(m.ID))
		case m.Method == "initialize":
			w.Header().Set("Mcp-Session-Id", "s")
			_, _ = fmt.Fprintf(w, `{"id":%s,"result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"fake"}}}`,
				m.ID)
		case m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		default:
			_, _ = fmt.Fprintf(w, `{"id":%s,"result":{}}`, m.ID)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/mcp?key=in-the-query"
}

func status(code int, body string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, _ string) {
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

func TestARemoteResultArrivesByteForByte(t *testing.T) {
	const odd = `{"content":[{"type":"hologram","n":9007199254740993,"data":"***"}], "x" : {"y":[ 1 ]}}`
	b := start(t, settings.Limits{})
	s := b.addRemote("r", "streamable-http", fake(t, answers{"tools/call": func(w http.ResponseWriter, id string) {
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, odd)
	}}), nil)
	if got, err := b.call(s, "t", `{}`); string(got) != odd || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

// filler is an upstream.Secrets with fixed values.
type filler struct{}

func (filler) Fill(_ context.Context, _ string, l launch.Launch) (launch.Launch, error) {
	l.Headers = map[string]string{"Authorization": "Bearer top-secret-value"}
	l.URL = strings.ReplaceAll(l.URL, "${secret:PATH}", "path-secret-value")
	return l, nil
}

func TestErrorsOfRemoteServersContainNoSecrets(t *testing.T) {
	echo := func(w http.ResponseWriter, _ string) { status(500, "you sent Bearer top-secret-value")(w, "") }
	rows := map[string]struct {
		url   string
		start string // error of the start; empty if the start succeeds
		call  string
	}{
		"unauthorized": {
			fake(t, answers{"initialize": status(401, "")}),
			`Failed to activate "s": http://127.0.0.1:PORT/mcp answered 401 Unauthorized; it requires credentials: set the secret AUTHORIZATION`,
			"",
		},
		"not there": {
			"http://127.0.0.1:9/${secret:PATH}?key=in-the-query",
			`Failed to activate "s": http://127.0.0.1:9/${secret:PATH} cannot be reached: connection refused`, "",
		},
		"no address": {"ftp://x/${secret:PATH}", `Failed to activate "s": its URL must begin with http:// or https://`, ""},
		"its own error": {
			fake(t, answers{"initialize": status(400, `{"error":{"code":-32602,"message":"too old"},"id":2}`)}),
			`Failed to activate "s": it answered with MCP error -32602: too old`, "",
		},
		"a call": {
			fake(t, answers{"tools/call": echo}), "",
			`the call of tool "t" on server "s" failed: http://127.0.0.1:PORT/mcp answered 500 Internal Server Error: you sent [redacted]`,
		},
		"a lost session": {
			fake(t, answers{"tools/call": status(404, "not for top-secret-value")}), "",
			`the call of tool "t" on server "s" failed: the session had already ended, so the server ran nothing (http://127.0.0.1:PORT/mcp answered 404 Not Found: not for [redacted])`,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Secrets = filler{} })
			s := b.addRemote("s", "http", row.url, nil)
			said, want := b.Start(t.Context(), s), row.start
			if want == "" {
				if said != nil {
					t.Fatal(said)
				}
				_, said = b.call(s, "t", `{}`)
				want = row.call
			}
			text := fault.MessageOf(said)
			if _, port, ok := strings.Cut(row.url, "127.0.0.1:"); ok {
				port, _, _ = strings.Cut(port, "/")
				want = strings.ReplaceAll(want, "PORT", port)
			}
			if !strings.HasPrefix(text, want) {
				t.Errorf("got  %s\nwant %s", text, want)
			}
			for _, secret := range []string{"top-secret", "path-secret", "in-the-query"} {
				if strings.Contains(fmt.Sprint(said), secret) {
					t.Errorf("%v shows %s", said, secret)
				}
			}
		})
	}
}

func TestARemoteServerThatDoesNotAnswerTimesOut(t *testing.T) {
	held := make(chan struct{})
	defer close(held)
	hold := func(http.ResponseWriter, string) { <-held }
	b := start(t, settings.Limits{StartTimeout: 200 * time.Millisecond})
	mute := b.addRemote("mute", "http", fake(t, answers{"initialize": hold}), nil)
	if err := b.Start(t.Context(), mute); fault.KindOf(err) != fault.Timeout ||
		!strings.Contains(fault.MessageOf(err), "did not finish the MCP handshake within 200ms") {
		t.Errorf("got %v", err)
	}
	b = start(t, settings.Limits{CallTimeout: 200 * time.Millisecond})
	slow := b.addRemote("slow", "http", fake(t, answers{"tools/call": hold}), nil)
	if _, err := b.call(slow, "t", `{}`); fault.KindOf(err) != fault.Timeout ||
		!strings.Contains(fault.MessageOf(err), "neither an answer nor progress") {
		t.Errorf("got %v", err)
	}
	if !b.State("slow").Running {
		t.Error("the timeout of a call ended the session")
	}
}

func TestErrorsNameWhyAServerCannotStart(t *testing.T) {
	b := start(t, settings.Limits{})
	for says, s := range map[string]registry.Server{
		`Server "remote2" has no URL configured for remote transport`: {
			Name:      "remote2",
			Transport: "sse",
		},
		`Server "weird" has an unknown transport "weird": use stdio, streamable-http or sse`: {
			Name: "weird", Transport: "weird", Command: "x", URL: "http://h",
		},
		`Server "nocmd" has no command configured`: {Name: "nocmd"},
		`Failed to activate "badcmd": command "definitely-not-a-cmd-xyz" not found on PATH. Original: spawn definitely-not-a-cmd-xyz ENOENT`: {
			Name: "badcmd", Command: "definitely-not-a-cmd-xyz",
		},
		`Failed to activate "uv": command "/no/uvx" not found on PATH — install uv (its uvx must be on your login shell's PATH). ` +
			`Original: spawn /no/uvx ENOENT`: {Name: "uv", Command: "/no/uvx"},
		`Failed to activate "box": command "/no/docker" not found on PATH — install Docker or Podman. Original: spawn /no/docker ENOENT`: {
			Name: "box", Command: "/no/docker",
		},
	} {
		s.Approved = true
		added, err := b.servers.Add(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Start(t.Context(), added); fault.MessageOf(err) != says || !upstream.NotStarted(err) {
			t.Errorf("got  %v\nwant %s", err, says)
		}
	}
}
