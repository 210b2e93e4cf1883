package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// begin calls a tool for a caller in a goroutine, and returns a channel with the error of the call.
func (b *bench) begin(ctx context.Context, s registry.Server, who upstream.Caller, tool, arguments string) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := b.Call(ctx, s, "", who,
			jsonrpc.Call{Method: "tools/call", Params: json.RawMessage(`{"name":"` + tool + `","arguments":` + arguments + `}`)})
		done <- err
	}()
	return done
}

// silent returns a caller that gives no answer until the question is cancelled.
func silent() *caller {
	return &caller{make(chan upstream.Question, 10), func(ctx context.Context, _ upstream.Question) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}}
}

func TestAnUnansweredQuestionLeavesTheTimeLimitOfOtherCallersAlone(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s")
	asker := silent()
	ctx, cancel := context.WithCancel(t.Context())
	asking := b.begin(ctx, s, asker, "ask", `{"method":"elicitation/create","params":{}}`)
	<-asker.asked
	_, err := b.Call(t.Context(), s, "", answering(`{}`), jsonrpc.Call{
		Method: "tools/call", Params: json.RawMessage(`{"name":"hold","arguments":{"key":"k"}}`), Idle: 50 * time.Millisecond,
	})
	if fault.KindOf(err) != fault.Timeout {
		t.Errorf("the other caller's call: %v", err)
	}
	cancel() // ends the question too
	<-asking
}

func TestAQuestionEndsWithTheCallThatCausedIt(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s")
	cancelled := make(chan struct{})
	asker := &caller{make(chan upstream.Question, 1), func(ctx context.Context, _ upstream.Question) (json.RawMessage, error) {
		<-ctx.Done()
		close(cancelled)
		return nil, context.Cause(ctx)
	}}
	ctx, cancel := context.WithCancel(t.Context())
	asking := b.begin(ctx, s, asker, "ask", `{"method":"elicitation/create","params":{}}`)
	<-asker.asked
	cancel()
	<-asking
	<-cancelled
}

func TestTheOnlyCallInFlightIsAskedWhoeverHasCalledBefore(t *testing.T) {
	window := answering(`{"action":"decline"}`)
	b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Window = window })
	s := b.add("s")
	if err := <-b.begin(t.Context(), s, answering(`{}`), "echo", `{"text":"x"}`); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"elicitation/create", "sampling/createMessage"} {
		asker := answering(`{"action":"accept"}`)
		if err := <-b.begin(t.Context(), s, asker, "ask", `{"method":"`+method+`","params":{}}`); err != nil {
			t.Fatal(err)
		}
		if len(asker.asked) != 1 || len(window.asked) != 0 {
			t.Errorf("%s: its caller got %d questions, the window %d", method, len(asker.asked), len(window.asked))
		}
	}
}

func TestAmongCallsOfSeveralClientsTheOneThatTheServerNamesIsAsked(t *testing.T) {
	window := answering(`{"action":"decline"}`)
	b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Window = window })
	s := b.add("s", "-tasks")
	holding, asker := answering(`{}`), answering(`{"action":"accept"}`)
	began := make(chan json.RawMessage, 1)
	held := make(chan error, 1)
	go func() {
		_, err := b.Call(t.Context(), s, "", holding, jsonrpc.Call{
			Method: "tools/call", Params: json.RawMessage(`{"name":"hold","arguments":{"key":"k"},"_meta":{"progressToken":1}}`),
			Progress: func(p json.RawMessage) { began <- p },
		})
		held <- err
	}()
	<-began
	if _, err := b.Call(t.Context(), s, "", asker, jsonrpc.Call{
		Method: "tools/call", Params: json.RawMessage(`{"name":"job","arguments":{},"task":{}}`),
	}); err != nil {
		t.Fatal(err)
	}
	const method = `{"method":"elicitation/create"`
	task := `,"params":{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"1"}}}}`
	for _, row := range []struct {
		name, arguments string
		asked           *caller
	}{
		{"by its progress token", method + `,"name":"token"}`, asker},
		{"by its id", method + `,"name":"id"}`, asker},
		{"by the task of the client", method + task, asker},
		{"not at all", method + `}`, window},
		{"by a token of the server's own", method + `,"params":{"_meta":{"progressToken":2}}}`, window},
		{"by an unknown task", method + strings.Replace(task, `"1"`, `"9"`, 1), window},
	} {
		if err := <-b.begin(t.Context(), s, asker, "ask", row.arguments); err != nil {
			t.Fatal(err)
		}
		if len(row.asked.asked) != 1 || len(asker.asked)+len(window.asked)+len(holding.asked) != 1 {
			t.Errorf("%s: the client got %d questions, the other %d, the window %d", row.name, len(asker.asked), len(holding.asked),
				len(window.asked))
		}
		for _, c := range []*caller{asker, window, holding} {
			for len(c.asked) > 0 {
				<-c.asked
			}
		}
	}
	if _, err := b.call(s, "release", `{"key":"k"}`); err != nil {
		t.Fatal(err)
	}
	if err := <-held; err != nil {
		t.Error(err)
	}
}

// resident is a client that answers questions at any time until left is true.
type resident struct {
	*caller
	left bool
}

func (r *resident) AnswersAnyTime() bool { return !r.left }
func (r *resident) Folder() string       { return "" }
func (r *resident) HasRoots() bool       { return true }

// answered calls the tool named "later" for a client. The tool asks a question after the call has ended. answered
// returns the answer that the tool got.
func (b *bench) answered(s registry.Server, who upstream.Caller, arguments string) string {
	b.t.Helper()
	wrote, stop := events.Subscribe[upstream.Wrote](b.bus, 64)
	defer stop()
	if err := <-b.begin(b.t.Context(), s, who, "later", arguments); err != nil {
		b.t.Fatal(err)
	}
	for range wrote {
		if _, answer, found := strings.Cut(b.Stderr(s.Name), "answer: "); found && strings.HasSuffix(answer, "\n") {
			return answer
		}
	}
	return ""
}

func TestALateQuestionGoesToTheOnlyClientOrToAPerson(t *testing.T) {
	const arguments = `{"method":"elicitation/create","params":{}}`
	window := answering(`{"action":"decline"}`)
	for _, row := range []struct {
		name, want string
		before     upstream.Caller
		client     *resident
		window     upstream.Caller
	}{
		{"only client", `"accept"`, nil, &resident{}, window},
		{"of two clients", `"decline"`, answering(`{}`), &resident{}, window},
		{
			"of two clients, and nobody else", "no call is in flight, and several clients have called the server since it started",
			answering(`{}`), &resident{}, nil,
		},
		{"only client, which has left", `"decline"`, nil, &resident{left: true}, window},
		{
			"only client, which has left, and nobody else", "the only client that has called the server can no longer be asked", nil,
			&resident{left: true}, nil,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Window = row.window })
			s := b.add("s")
			if row.before != nil {
				if err := <-b.begin(t.Context(), s, row.before, "echo", `{"text":"x"}`); err != nil {
					t.Fatal(err)
				}
			}
			row.client.caller = answering(`{"action":"accept"}`)
			if got := b.answered(s, row.client, arguments); !strings.Contains(got, row.want) {
				t.Errorf("the server got %s", got)
			}
		})
	}
}

func TestALateQuestionThatNamesItsCallGoesToItsClient(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s")
	if err := <-b.begin(t.Context(), s, answering(`{}`), "echo", `{"text":"x"}`); err != nil {
		t.Fatal(err)
	}
	if got := b.answered(s, answering(`{"action":"accept"}`), `{"method":"elicitation/create","name":"id"}`); !strings.Contains(got,
		`"accept"`) {
		t.Errorf("the server got %s", got)
	}
}

func TestTheRootsOfAClientAreToldDuringItsCallOnly(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s")
	client := &resident{caller: answering(`{"roots":[{"uri":"file:///its"}]}`)}
	result, err := b.Call(t.Context(), s, "", client,
		jsonrpc.Call{Method: "tools/call", Params: json.RawMessage(`{"name":"ask","arguments":{"method":"roots/list"}}`)})
	if err != nil || !strings.Contains(string(result.JSON), "file:///its") {
		t.Errorf("during its call: %s, %v", result.JSON, err)
	}
	if got := b.answered(s, client, `{"method":"roots/list"}`); !strings.Contains(got, `{"roots":[]}`) {
		t.Errorf("after it: %s", got)
	}
}

// fakeRemote is a remote server whose tool calls a test answers.
type fakeRemote struct {
	*httptest.Server
	mu       sync.Mutex
	sessions int
	valid    string // the current session
	refused  int    // the status for calls of other sessions
	calls    func(w http.ResponseWriter, id json.RawMessage, tool string)
}

func newFakeRemote(t *testing.T, calls func(w http.ResponseWriter, id json.RawMessage, tool string)) *fakeRemote {
	f := &fakeRemote{refused: http.StatusNotFound, calls: calls}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// expire makes the server forget its session.
func (f *fakeRemote) expire() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.valid = ""
}

func (f *fakeRemote) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, _ := io.ReadAll(r.Body)
	m, _ := jsonrpc.Parse(body)
	f.mu.Lock()
	if m.Method == "initialize" {
		f.sessions++
		f.valid = fmt.Sprint("session-", f.sessions)
		w.Header().Set("Mcp-Session-Id", f.valid)
	}
	known := m.Method == "initialize" || r.Header.Get("Mcp-Session-Id") == f.valid
	f.mu.Unlock()
	switch {
	case !known:
		w.WriteHeader(f.refused)
	case m.Method == "initialize":
		respond(w, m.ID, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"f","version":"1"}}`)
	case m.Method == "tools/list":
		respond(w, m.ID, `{"tools":[]}`)
	case m.Method == "tools/call":
		f.calls(w, m.ID, jsonrpc.GetString(m.Params, "name"))
	case m.ID != nil && m.Method != "":
		respond(w, m.ID, `{}`)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

func respond(w http.ResponseWriter, id json.RawMessage, result string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(id)+`,"result":`+result+`}`)
}

func TestAnExpiredRemoteSessionIsRenewedOnceForAllCalls(t *testing.T) {
	for _, status := range []int{http.StatusNotFound, http.StatusGone} {
		accepted, finish := make(chan struct{}), make(chan struct{})
		f := newFakeRemote(t, func(w http.ResponseWriter, id json.RawMessage, tool string) {
			if tool == "slow" {
				close(accepted)
				<-finish
			}
			respond(w, id, `{"content":[]}`)
		})
		f.refused = status
		b := start(t, settings.Limits{})
		s := b.addRemote("f", "http", f.URL, nil)
		running := b.begin(t.Context(), s, nil, "slow", `{}`)
		<-accepted
		f.expire()
		var waiting []<-chan error
		for range 40 {
			waiting = append(waiting, b.begin(t.Context(), s, nil, "quick", `{}`))
		}
		for _, done := range waiting {
			if err := <-done; err != nil {
				t.Errorf("%d: %v", status, err)
			}
		}
		close(finish)
		if err := <-running; err != nil {
			t.Errorf("%d: the running call: %v", status, err)
		}
		if f.sessions != 2 {
			t.Errorf("%d: %d sessions", status, f.sessions)
		}
	}
}

func TestOverHTTPAQuestionGoesToTheCallerOfItsStream(t *testing.T) {
	holding, finish := make(chan struct{}), make(chan struct{})
	f := newFakeRemote(t, func(w http.ResponseWriter, id json.RawMessage, tool string) {
		if tool == "hold" {
			close(holding)
			<-finish
			respond(w, id, `{"content":[]}`)
			return
		}
		// The tool sends its question after the result, on the same stream.
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}\n\n", id)
		_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}`+"\n\n")
	})
	b := start(t, settings.Limits{})
	s := b.addRemote("f", "http", f.URL, nil)
	one, other := answering(`{"action":"accept"}`), answering(`{"action":"accept"}`)
	held := b.begin(t.Context(), s, other, "hold", `{}`)
	<-holding
	if err := <-b.begin(t.Context(), s, one, "asks", `{}`); err != nil {
		t.Fatal(err)
	}
	<-one.asked
	close(finish)
	if err := <-held; err != nil || len(other.asked) != 0 {
		t.Errorf("%v; the other caller got %d questions", err, len(other.asked))
	}
}

func TestAMalformedAnswerNamesTheServer(t *testing.T) {
	f := newFakeRemote(t, func(w http.ResponseWriter, id json.RawMessage, _ string) { respond(w, id, `null`) })
	b := start(t, settings.Limits{})
	err := <-b.begin(t.Context(), b.addRemote("odd", "http", f.URL, nil), nil, "x", `{}`)
	if rpc, ok := err.(*jsonrpc.Error); !ok || rpc.Code != jsonrpc.CodeInternalError ||
		!strings.Contains(rpc.Message, `server "odd" sent a malformed answer to tool "x": its result is not an object: null`) {
		t.Errorf("got %v", err)
	}
}
