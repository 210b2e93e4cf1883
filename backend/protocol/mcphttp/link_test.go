package mcphttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// TestMain fails if a goroutine of a link outlives the tests.
func TestMain(m *testing.M) {
	code := m.Run()
	for _, stack := range running("mcphttp.(*") {
		fmt.Printf("still running: %s\n", stack)
		code = 1
	}
	os.Exit(code)
}

// running returns the stacks of the goroutines that call a function.
func running(function string) (found []string) {
	stacks := make([]byte, 4<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for _, stack := range strings.Split(string(stacks), "\n\n") {
		if strings.Contains(stack, function) {
			found = append(found, stack)
		}
	}
	return found
}

// exchange is one request to a fake server.
type exchange struct {
	w               http.ResponseWriter
	r               *http.Request
	jsonrpc.Message        // the message in the body of a POST
	line            []byte // the body of a POST
}

// answer sends a result as a JSON body.
func (e *exchange) answer(result string) {
	e.w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(e.w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, e.ID, result)
}

func (e *exchange) status(code int, body string) {
	e.w.WriteHeader(code)
	_, _ = io.WriteString(e.w, body)
}

// events starts an event stream.
func (e *exchange) events() {
	e.w.Header().Set("Content-Type", "text/event-stream")
	e.event("")
}

// event sends a part of an event stream.
func (e *exchange) event(format string, args ...any) {
	_, _ = fmt.Fprintf(e.w, format, args...)
	e.w.(http.Flusher).Flush()
}

// hangUp closes the connection without completing the response.
func (e *exchange) hangUp() { panic(http.ErrAbortHandler) }

// wait keeps the response open until the client ends the request.
func (e *exchange) wait() { <-e.r.Context().Done() }

// serve starts a fake server. handle reports whether it answered a request. The
// server answers the requests that handle did not: initialize with a session,
// other requests with an empty result, notifications with 202 and GET with 405.
func serve(t *testing.T, handle func(*exchange) bool) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e := &exchange{w: w, r: r}
		if r.Method == http.MethodPost {
			e.line, _ = io.ReadAll(r.Body)
			e.Message, _ = jsonrpc.Parse(e.line)
		}
		switch {
		case handle(e):
		case e.Method == "initialize":
			w.Header().Set("Mcp-Session-Id", "s-1")
			e.answer(`{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"fake","version":"1"}}`)
		case r.Method == http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case e.ID != nil:
			e.answer(`{}`)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// client is a JSON-RPC connection over a link.
type client struct {
	*jsonrpc.Conn
	t     *testing.T
	link  *Link
	notes chan string
	ended chan error // receives the result of Link.Run
	lost  chan struct{}
}

func (c *client) Request(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(`{"asked":` + string(jsonrpc.Quote(method)) + `,"with":` + string(params) + `}`), nil
}

func (c *client) Notification(method string, params json.RawMessage) {
	c.notes <- method + string(params)
}

func (c *client) Bad(line []byte, _ error) *jsonrpc.Error {
	c.notes <- "bad: " + string(line[:min(len(line), 100)])
	return nil
}

// dial returns an initialized connection over a new link.
func dial(t *testing.T, url string, edit ...func(*Options)) *client {
	t.Helper()
	c := connect(t, url, edit...)
	if _, err := c.call("initialize", `{"protocolVersion":"2025-11-25"}`); err != nil {
		t.Fatal(err)
	}
	if err := c.Notify("notifications/initialized", nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// connect returns a connection over a new link. Unlike dial, it does not send initialize.
func connect(t *testing.T, url string, edit ...func(*Options)) *client {
	t.Helper()
	c := &client{t: t, notes: make(chan string, 1000), ended: make(chan error, 1), lost: make(chan struct{})}
	o := Options{
		URL: url, Shown: Show(url), Agent: "test/1", Limit: 1 << 20, Log: slog.New(slog.DiscardHandler),
		Failed: func(id json.RawMessage, why error) { c.Fail(id, why) },
		Lost:   func() { close(c.lost) },
	}
	for _, e := range edit {
		e(&o)
	}
	var err error
	if c.link, err = New(o); err != nil {
		t.Fatal(err)
	}
	c.Conn = jsonrpc.NewConn(c.link, c.link, c, jsonrpc.Options{LineLimit: o.Limit})
	var running sync.WaitGroup
	running.Go(func() { c.ended <- c.link.Run(context.Background()) })
	running.Go(func() { _ = c.Run(context.Background()) })
	t.Cleanup(func() { _ = c.link.Close(); running.Wait() })
	return c
}

func overSSE(o *Options) { o.Transport = SSE }

func (c *client) call(method, params string) (string, error) {
	result, err := c.Call(c.t.Context(), jsonrpc.Call{Method: method, Params: json.RawMessage(params)})
	return string(result), err
}

// fails makes a call that must fail with an error that contains all texts.
func (c *client) fails(method string, texts ...string) error {
	c.t.Helper()
	result, err := c.call(method, `{}`)
	if err == nil {
		c.t.Fatalf("%s succeeded with %s", method, result)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			c.t.Errorf("%s: the error %q does not contain %q", method, err, text)
		}
	}
	return err
}

// note waits for the next notification, and returns its method and params as one text.
func (c *client) note() string {
	c.t.Helper()
	select {
	case note := <-c.notes:
		return note
	case <-time.After(time.Minute):
		c.t.Fatal("no notification came")
	}
	return ""
}

const odd = `{"content":[{"type":"hologram","n":9007199254740993,"data":"***"}], "x" : {"y":[ 1 ]},"u":"\u2028é"}`

func TestAResultArrivesByteForByte(t *testing.T) {
	s := serve(t, func(e *exchange) bool {
		switch e.Method {
		case "json":
			e.answer(odd)
		case "spread":
			e.w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = fmt.Fprintf(e.w, "{\n  \"id\": %s,\r\n\t\"result\": %s\n}\n", e.ID, odd)
		case "batch":
			e.w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(e.w, `[{"jsonrpc":"2.0","method":"n"}, {"id":%s,"result":%s}]`, e.ID, odd)
		case "stream":
			e.events()
			e.event(": hello\r\n\r\nid: 1\r\ndata:\r\n\r\nevent: other\ndata: {}\n\n")
			e.event("data: {\"method\":\"n\"}\n\n")
			e.event("event: message\ndata: {\"id\":%s,\ndata: \"result\":%s}\n\n", e.ID, odd)
		default:
			return false
		}
		return true
	})
	c := dial(t, s.URL)
	for _, method := range []string{"json", "spread", "batch", "stream"} {
		if got, err := c.call(method, `{}`); err != nil || got != odd {
			t.Errorf("%s: got %s, %v", method, got, err)
		}
	}
	for range 2 {
		if got := c.note(); got != "n" {
			t.Errorf("got %s", got)
		}
	}
}

func TestARequestInTheResponseToACallNamesTheCall(t *testing.T) {
	s := serve(t, func(e *exchange) bool {
		if e.Method == "m" {
			e.events()
			e.event(`data: {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}`+"\n\ndata: "+
				`{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n\n", e.ID)
		}
		return e.Method == "m"
	})
	asked := make(chan [2]string, 1)
	c := dial(t, s.URL, func(o *Options) {
		o.Asked = func(request, call json.RawMessage) { asked <- [2]string{string(request), string(call)} }
	})
	if _, err := c.call("m", `{}`); err != nil {
		t.Fatal(err)
	}
	if got := <-asked; got != [2]string{`"q"`, "2"} {
		t.Errorf("got %v", got)
	}
}

func TestParamsArriveByteForByte(t *testing.T) {
	lines := make(chan string, 1)
	s := serve(t, func(e *exchange) bool {
		if e.Method == "m" {
			lines <- string(e.line)
		}
		return false
	})
	c := dial(t, s.URL)
	for _, params := range []string{odd, `{"x":"` + strings.Repeat("long ", 60000) + `"}`} {
		if _, err := c.call("m", params); err != nil {
			t.Fatal(err)
		}
		if got := <-lines; !strings.HasSuffix(got, `,"method":"m","params":`+params+`}`) {
			t.Errorf("the server got %.300s", got)
		}
	}
}

func TestRequestsHaveTheHeadersOfMCP(t *testing.T) {
	type request struct {
		what   string
		header http.Header
	}
	requests := make(chan request, 10)
	s := serve(t, func(e *exchange) bool {
		requests <- request{e.r.Method + " " + e.Method, e.r.Header.Clone()}
		return false
	})
	c := dial(t, s.URL, func(o *Options) {
		o.Headers = map[string]string{"Authorization": "Bearer b", "X-Own": "1", "Accept": "text/plain"}
	})
	if _, err := c.call("m", `{}`); err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]http.Header)
	take := func(n int) {
		for range n {
			r := <-requests
			seen[r.what] = r.header
		}
	}
	take(4)
	_ = c.link.Close()
	take(1)
	for what, want := range map[string]map[string]string{
		"POST initialize": {
			"Accept": "application/json, text/event-stream", "Content-Type": "application/json", "Mcp-Session-Id": "",
			"Mcp-Protocol-Version": "",
		},
		"POST notifications/initialized": {"Mcp-Session-Id": "s-1", "Mcp-Protocol-Version": "2025-06-18"},
		"POST m": {
			"Accept": "application/json, text/event-stream", "Mcp-Session-Id": "s-1", "Mcp-Protocol-Version": "2025-06-18",
		},
		"GET ":    {"Accept": "text/event-stream", "Mcp-Session-Id": "s-1", "Mcp-Protocol-Version": "2025-06-18", "Content-Type": ""},
		"DELETE ": {"Mcp-Session-Id": "s-1", "Mcp-Protocol-Version": "2025-06-18"},
	} {
		header := seen[what]
		want["Authorization"], want["X-Own"], want["User-Agent"] = "Bearer b", "1", "test/1"
		for name, value := range want {
			if got := header.Get(name); got != value {
				t.Errorf("%s: %s is %q, want %q", what, name, got, value)
			}
		}
	}
}

func TestRequestsAreSentConcurrently(t *testing.T) {
	arrived := make(chan struct{}, 3)
	release := make(chan struct{})
	s := serve(t, func(e *exchange) bool {
		if e.Method == "m" {
			arrived <- struct{}{}
			<-release
		}
		return false
	})
	c := dial(t, s.URL)
	var calls sync.WaitGroup
	for range 3 {
		calls.Go(func() {
			if _, err := c.call("m", `{}`); err != nil {
				t.Error(err)
			}
		})
	}
	for range 3 {
		<-arrived
	}
	close(release)
	calls.Wait()
}

func TestRequestsOfTheServerAreAnswered(t *testing.T) {
	answers := make(chan string, 1)
	s := serve(t, func(e *exchange) bool {
		switch {
		case e.Method == "m":
			e.events()
			e.event(`data: {"jsonrpc":"2.0","id":"q","method":"roots/list","params":{"n":9007199254740993}}` + "\n\n")
			e.event("data: {\"id\":%s,\"result\":{\"said\":%s}}\n\n", e.ID, <-answers)
		case e.IsResponse():
			answers <- string(e.Result)
			e.w.WriteHeader(http.StatusAccepted)
		default:
			return false
		}
		return true
	})
	got, err := dial(t, s.URL).call("m", `{}`)
	if want := `{"said":{"asked":"roots/list","with":{"n":9007199254740993}}}`; err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestCancellingACallNotifiesTheServerAndEndsTheRequest(t *testing.T) {
	began, gone := make(chan struct{}), make(chan struct{})
	notified := make(chan string, 1)
	s := serve(t, func(e *exchange) bool {
		switch e.Method {
		case "slow":
			e.events()
			close(began)
			e.wait()
			close(gone)
		case "notifications/cancelled":
			notified <- string(e.Params)
			e.w.WriteHeader(http.StatusAccepted)
		default:
			return false
		}
		return true
	})
	c := dial(t, s.URL)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-began; cancel(&jsonrpc.Cancelled{Params: json.RawMessage(`{"reason":"enough"}`)}) }()
	_, err := c.Call(ctx, jsonrpc.Call{Method: "slow"})
	var cancelled *jsonrpc.Cancelled
	if !errors.As(err, &cancelled) {
		t.Errorf("got %v", err)
	}
	if got := <-notified; got != `{"reason":"enough","requestId":2}` {
		t.Errorf("the server received %s", got)
	}
	<-gone // blocks forever unless the request ends
}

type order struct {
	mu   sync.Mutex
	what []string
}

func (o *order) add(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.what = append(o.what, what)
}

func (o *order) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.what, ", ")
}

func TestACancellationIsSentAfterItsRequest(t *testing.T) {
	var seen order
	begun, release, cancelled := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > 1<<20 {
			close(begun)
			<-release // a part of the body is not sent yet
		}
		line, _ := io.ReadAll(r.Body)
		m, _ := jsonrpc.Parse(line)
		e := &exchange{w: w, r: r, Message: m}
		switch m.Method {
		case "notifications/cancelled":
			seen.add("cancellation")
			close(cancelled)
		case "initialize", "other":
			e.answer(`{}`)
		}
	}))
	t.Cleanup(s.Close)
	c := dial(t, s.URL)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := c.Call(ctx, jsonrpc.Call{Method: "large", Params: json.RawMessage(`"` + strings.Repeat("x", 32<<20) + `"`)})
		done <- err
	}()
	<-begun // a call that is cancelled before this is never sent
	cancel()
	<-done
	for range 30 { // a cancellation that does not wait for its request would arrive in this time
		if _, err := c.call("other", `{}`); err != nil {
			t.Fatal(err)
		}
	}
	seen.add("rest of the request")
	close(release)
	<-cancelled
	if got := seen.String(); got != "rest of the request, cancellation" {
		t.Errorf("the server received: %s", got)
	}
}

func TestCallsWaitForTheInitializedNotification(t *testing.T) {
	var seen order
	release := make(chan struct{})
	s := serve(t, func(e *exchange) bool {
		switch e.Method {
		case "notifications/initialized":
			<-release
			seen.add("initialized")
		case "m":
			seen.add("call")
		}
		return false
	})
	c := connect(t, s.URL)
	if _, err := c.call("initialize", `{}`); err != nil {
		t.Fatal(err)
	}
	_ = c.Notify("notifications/initialized", nil)
	done := make(chan error, 1)
	go func() { _, err := c.call("m", `{}`); done <- err }()
	for c.InFlight() == 0 {
		runtime.Gosched()
	}
	for range 30 { // a call that does not wait for the notification would arrive in this time
		if _, err := connect(t, s.URL).call("initialize", `{}`); err != nil {
			t.Fatal(err)
		}
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := seen.String(); got != "initialized, call" {
		t.Errorf("the server received: %s", got)
	}
}
