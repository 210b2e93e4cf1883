package hub_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// socket is a client's end of a WebSocket.
type socket struct {
	t    *testing.T
	conn *websocket.Conn
}

func dial(t *testing.T, h *hub.Hub, path string, header http.Header) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	return websocket.Dial(t.Context(), "ws://"+h.Info().Address()+path, &websocket.DialOptions{HTTPHeader: header})
}

// connect opens a WebSocket with the hub's own token.
func connect(t *testing.T, h *hub.Hub, path string) *socket {
	t.Helper()
	conn, _, err := dial(t, h, path, http.Header{"Authorization": {"Bearer " + h.Info().Token}})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &socket{t, conn}
}

// message is what sockets get, as far as tests look at it.
type message struct {
	Type    string
	Delta   bool
	Version string
	Names   []string
	Servers []struct {
		Name    string
		Active  bool
		Running bool
		Tokens  int `json:"tool_tokens"`
		Tools   []struct {
			ID          int64
			ServerID    int64 `json:"server_id"`
			Name        string
			InputSchema json.RawMessage `json:"input_schema"`
		}
	}
	Active []struct {
		Name  string
		Tools []struct {
			Name        string
			InputSchema json.RawMessage `json:"inputSchema"`
		}
	}
	Entry   struct{ Server, Tool, Kind string }
	Message string

	raw string
}

// next reads one message; a socket that is silent for long fails the test.
func (s *socket) next() message {
	s.t.Helper()
	var m message
	data, err := s.read()
	if err != nil {
		s.t.Fatalf("the socket ended: %v", err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		s.t.Fatalf("%v in %s", err, data)
	}
	m.raw = string(data)
	return m
}

func (s *socket) read() ([]byte, error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer cancel()
	_, data, err := s.conn.Read(ctx)
	return data, err
}

// until reads up to a message that meets a condition.
func (s *socket) until(what string, meets func(message) bool) message {
	s.t.Helper()
	for range 1000 {
		if m := s.next(); meets(m) {
			return m
		}
	}
	s.t.Fatalf("it never came: %s", what)
	return message{}
}

func (s *socket) write(text string) {
	s.t.Helper()
	if err := s.conn.Write(s.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

// ends reads up to the end and returns the code and the reason.
func (s *socket) ends() (websocket.StatusCode, string) {
	s.t.Helper()
	for {
		if _, err := s.read(); err != nil {
			return closeOf(err)
		}
	}
}

func closeOf(err error) (websocket.StatusCode, string) {
	var end websocket.CloseError
	if errors.As(err, &end) {
		return end.Code, end.Reason
	}
	return -1, err.Error()
}

// addFake configures a server that works.
func addFake(t *testing.T, h *hub.Hub) {
	t.Helper()
	command := mcptest.Command(t)
	do(t, h, "POST", "/api/servers", map[string]any{"name": "fake", "command": command[0], "args": command[1:]}, nil)
}

func TestASocketShowsTheStateAndEveryChangeOfIt(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	s := connect(t, h, "/")
	if m := s.next(); m.raw != `{"type":"state","version":"1.2.3","servers":[],"active":[]}` {
		t.Errorf("at first it says %s", m.raw)
	}
	addFake(t, h)
	m := s.next()
	if m.Type != "state" || !m.Delta || len(m.Servers) != 1 || m.Servers[0].Name != "fake" || len(m.Active) != 0 {
		t.Errorf("after a server was added: %s", m.raw)
	}
	do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	m = s.until("the server is active", func(m message) bool { return len(m.Active) == 1 && m.Servers[0].Running })
	tool := m.Servers[0].Tools[0]
	if tool.ID == 0 || tool.ServerID != 1 || tool.Name == "" || !strings.HasPrefix(string(tool.InputSchema), "{") {
		t.Errorf("the first tool is %+v", tool)
	}
	if shown := m.Active[0].Tools[0]; shown.Name != "echo" || !strings.HasPrefix(string(shown.InputSchema), "{") {
		t.Errorf("the first active tool is %+v", shown)
	}
	if m.Servers[0].Tokens == 0 {
		s.until("its tools are weighed", func(m message) bool { return m.Servers[0].Tokens > 0 })
	}
	do(t, h, "DELETE", "/api/servers/1", nil, nil)
	s.until("the server is gone", func(m message) bool { return m.Delta && len(m.Servers) == 0 })
}

func TestAServerThatStopsForIdlenessShowsAsStopped(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	if err := os.WriteFile(folder.Config(), []byte("limits:\n  idle_stop: 20ms\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, _ := runHub(t, hub.Options{Folder: folder})
	addFake(t, h)
	s := connect(t, h, "/ws")
	do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
	s.until("it runs", func(m message) bool { return m.Servers[0].Running })
	s.until("it has stopped", func(m message) bool { return !m.Servers[0].Running })
}

func TestASocketMayAskForChangesOnly(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	for _, name := range []string{"a", "b"} {
		do(t, h, "POST", "/api/servers", map[string]any{"name": name}, nil)
	}
	s := connect(t, h, "/ws?deltas=changed")
	if m := s.next(); m.Delta || len(m.Servers) != 2 {
		t.Fatalf("at first it says %s", m.raw)
	}
	do(t, h, "PUT", "/api/servers/2", map[string]any{"description": "new"}, nil)
	if m := s.next(); !m.Delta || len(m.Servers) != 1 || m.Servers[0].Name != "b" || strings.Join(m.Names, " ") != "a b" {
		t.Errorf("after a change it says %s", m.raw)
	}
	do(t, h, "DELETE", "/api/servers/1", nil, nil)
	if m := s.next(); !m.Delta || len(m.Servers) != 0 || strings.Join(m.Names, " ") != "b" {
		t.Errorf("after one was removed it says %s", m.raw)
	}
	s.write(`{"type":"refresh"}`)
	if m := s.next(); m.Delta || len(m.Servers) != 1 {
		t.Errorf("asked for all it says %s", m.raw)
	}
}

func TestTheStateShowsWhatWasCalledAndWhichSecretsThereAre(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	t.Setenv("AGENT_DISCOVER_PASSPHRASE", "a passphrase")
	h, _ := runHub(t, hub.Options{})
	addFake(t, h)
	do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	s := connect(t, h, "/")
	// Once its tools are weighed, nothing but the call makes a delta.
	for m := s.next(); strings.Contains(m.raw, `"tool_tokens":0`); {
		m = s.next()
	}
	do(t, h, "POST", "/api/servers/1/call", map[string]any{"tool": "fail"}, nil)
	s.until("the call is measured", func(m message) bool {
		return m.Delta && strings.Contains(m.raw, `"metrics":{"server_name":"fake","total_calls":1,"total_errors":1,`)
	})
	do(t, h, "PUT", "/api/servers/1/secrets/API_KEY", map[string]any{"value": "correct-horse"}, nil)
	m := s.until("the secret is named", func(m message) bool { return m.Delta && strings.Contains(m.raw, `"secret_names":["API_KEY"]`) })
	if strings.Contains(m.raw, "correct-horse") {
		t.Error("and shown")
	}
}

func TestADeltaLeavesOutManyToolsThatAClientHas(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	addFake(t, h)
	do(t, h, "POST", "/api/servers", map[string]any{"name": "other"}, nil)
	do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	s := connect(t, h, "/")
	s.next()
	do(t, h, "PUT", "/api/servers/2", map[string]any{"description": "few tools"}, nil)
	has := func(part string) func(message) bool {
		return func(m message) bool { return strings.Contains(m.raw, part) }
	}
	if m := s.until("a change", has("few tools")); len(m.Servers[0].Tools) == 0 || len(m.Active[0].Tools) == 0 {
		t.Errorf("few tools are left out: %s", m.raw)
	}
	for _, tool := range []string{"one", "two", "three"} { // together more than goes into each delta
		grown := map[string]any{"tool": "grow", "args": map[string]string{"name": tool, "text": strings.Repeat("x", 100_000)}}
		do(t, h, "POST", "/api/servers/1/call", grown, nil)
		s.until("the new tool", has(`"name":"`+tool+`"`))
	}
	do(t, h, "PUT", "/api/servers/2", map[string]any{"description": "many tools"}, nil)
	m := s.until("another change", has("many tools"))
	if len(m.Servers) != 2 || strings.Contains(m.raw, `"tools"`) {
		t.Errorf("a delta of %d bytes has tools that the client has already", len(m.raw))
	}
	s.write(`{"type":"refresh"}`)
	if m := s.until("the whole state", func(m message) bool { return m.Type == "state" && !m.Delta }); len(m.Servers[0].Tools) == 0 || len(m.Active[0].Tools) == 0 {
		t.Error("the whole state is not whole")
	}
}

func TestASocketAnswersWhatItDoesNotUnderstand(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	s := connect(t, h, "/")
	s.next()
	for _, c := range []struct{ says, want string }{
		{`{bad`, `{"type":"error","message":"Invalid JSON"}`},
		{``, `{"type":"error","message":"Invalid JSON"}`},
		{`[1]`, `{"type":"error","message":"Message must be a JSON object"}`},
		{`null`, `{"type":"error","message":"Message must be a JSON object"}`},
		{`"x"`, `{"type":"error","message":"Message must be a JSON object"}`},
		{`{"type":"zz<b>"}`, `{"type":"error","message":"Unknown message type: zzb"}`},
		{`{"type":"&\"'<>"}`, `{"type":"error","message":"Unknown message type: "}`},
		{`{"type":"` + strings.Repeat("é", 100) + `"}`, `{"type":"error","message":"Unknown message type: ` + strings.Repeat("é", 64) + `"}`},
		{`{}`, `{"type":"error","message":"Unknown message type: undefined"}`},
		{`{"type":7}`, `{"type":"error","message":"Unknown message type: 7"}`},
	} {
		s.write(c.says)
		if m := s.next(); m.raw != c.want {
			t.Errorf("%q is answered with %s, want %s", c.says, m.raw, c.want)
		}
	}
	s.write(`{"type":"refresh"}`)
	if m := s.next(); m.raw != `{"type":"state","version":"1.2.3","servers":[],"active":[]}` {
		t.Errorf("after all that it says %s", m.raw)
	}
}

func TestAMessageThatIsTooLongEndsTheSocket(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	s := connect(t, h, "/")
	s.write(`{"type":"` + strings.Repeat("x", 4096-11) + `"}`)
	s.until("the answer to one of 4096 bytes", func(m message) bool { return m.Type == "error" })
	s.write(`{"type":"` + strings.Repeat("x", 5000-11) + `"}`)
	if code, reason := s.ends(); code != 1009 || reason != "" {
		t.Errorf("5000 bytes end it with %d %q", code, reason)
	}
}

func TestTheFiftyFirstSocketIsSentAway(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	var first *socket
	for range 50 {
		first = connect(t, h, "/")
		first.next()
	}
	if code, reason := connect(t, h, "/").ends(); code != 1013 || reason == "" {
		t.Errorf("it ends with %d %q", code, reason)
	}
	if err := first.conn.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Fatal(err)
	}
	for { // the hub may hear of it later than we
		conn, _, err := dial(t, h, "/", http.Header{"Authorization": {"Bearer " + h.Info().Token}})
		if err != nil {
			t.Fatal(err)
		}
		again := &socket{t, conn}
		if _, err := again.read(); err == nil {
			_ = conn.CloseNow()
			return
		}
	}
}

func TestAStoppingHubSaysGoodbye(t *testing.T) {
	h, ended := runHub(t, hub.Options{})
	addFake(t, h)
	do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
	s := connect(t, h, "/")
	if m := s.next(); !m.Servers[0].Running {
		t.Fatalf("it does not run: %s", m.raw)
	}
	h.Stop()
	s.until("the server has ended", func(m message) bool { return !m.Servers[0].Running })
	if code, reason := s.ends(); code != 1001 || reason != "the hub is stopping" {
		t.Errorf("it ends with %d %q", code, reason)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAWebSocketNeedsATokenOrATicketOfItsOwn(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	ticket := func(purpose string) string {
		var issued struct{ Ticket string }
		do(t, h, "POST", "/api/tickets", map[string]string{"purpose": purpose}, &issued)
		return issued.Ticket
	}
	used := ticket("socket")
	token := http.Header{"Authorization": {"Bearer " + h.Info().Token}}
	page := func(origin string) http.Header { return http.Header{"Origin": {origin}} }
	own := "http://" + h.Info().Address()
	for _, c := range []struct {
		name, path string
		header     http.Header
		status     int
	}{
		{"nothing", "/", nil, 401},
		{"the token in the query", "/?token=" + h.Info().Token, nil, 401},
		{"the token as a ticket", "/?ticket=" + h.Info().Token, nil, 401},
		{"a ticket", "/?ticket=" + used, nil, 101},
		{"a ticket that was used", "/?ticket=" + used, nil, 401},
		{"a page's ticket", "/?ticket=" + ticket("page"), nil, 401},
		{"the token", "/", token, 101},
		{"the token at the other place", "/ws", token, 101},
		{"the token where there is no socket", "/api/servers", token, 200},
		{"a ticket of our page", "/ws?ticket=" + ticket("socket"), page(own), 101},
		{"a ticket of the window", "/ws?ticket=" + ticket("socket"), page("wails://wails"), 101},
		{"a ticket of a foreign page", "/ws?ticket=" + ticket("socket"), page("http://evil.example"), 403},
		{"a ticket of another port", "/ws?ticket=" + ticket("socket"), page("http://127.0.0.1:1"), 403},
		{"the token of a foreign page", "/", http.Header{"Authorization": token["Authorization"], "Origin": {"http://evil.example"}}, 403},
	} {
		conn, resp, err := dial(t, h, c.path, c.header)
		if resp == nil || resp.StatusCode != c.status {
			t.Errorf("%s: %v, want %d", c.name, err, c.status)
		}
		if err == nil {
			_ = conn.CloseNow()
		}
	}
}

func TestAPageComesInWithATicket(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	post := func(path, token, body string) (int, map[string]any) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+h.Info().Address()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var out map[string]any
		if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, out
	}
	expect := func(what string, want, got int, out map[string]any) {
		t.Helper()
		if got != want || want >= 400 && out["error"] == nil {
			t.Errorf("%s: %d %v, want %d", what, got, out, want)
		}
	}

	code, out := post("/api/tickets", h.Info().Token, `{"purpose":"page"}`)
	expect("a ticket", 201, code, out)
	ticket, _ := out["ticket"].(string)
	code, out = post("/api/session", "", `{"ticket":"`+ticket+`"}`)
	expect("its exchange", 200, code, out)
	session, _ := out["token"].(string)
	if len(session) != 64 || session == h.Info().Token || out["expires_at"] == nil {
		t.Errorf("the session is %v", out)
	}
	code, out = post("/api/session", "", `{"ticket":"`+ticket+`"}`)
	expect("its second exchange", 401, code, out)
	code, out = post("/api/session", "", `{}`)
	expect("no ticket", 401, code, out)
	code, out = post("/api/session", "", `[]`)
	expect("no object", 422, code, out)
	code, out = post("/api/tickets", h.Info().Token, `{"purpose":"all"}`)
	expect("another purpose", 422, code, out)
	code, out = post("/api/tickets", "", `{"purpose":"page"}`)
	expect("a ticket for a stranger", 401, code, out)
	code, out = post("/api/tickets", session, `{"purpose":"page"}`)
	expect("a page that lets others in", 403, code, out)
	code, out = post("/api/servers", session, `{"name":"one"}`)
	if code != 201 {
		t.Errorf("the session may not write: %d %v", code, out)
	}
	code, out = post("/api/tickets", session, `{"purpose":"socket"}`)
	expect("a socket of the session", 201, code, out)
	conn, _, err := dial(t, h, "/?ticket="+out["ticket"].(string), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &socket{t, conn}
	s.next()

	code, out = post("/api/session/end", h.Info().Token, ``)
	expect("an end of the hub's own token", 422, code, out)
	code, out = post("/api/session/end", session, ``)
	expect("the end", 200, code, out)
	if code, reason := s.ends(); code != 1008 || reason != "the session has ended" {
		t.Errorf("the socket of the session ends with %d %q", code, reason)
	}
	code, out = post("/api/servers", session, `{"name":"two"}`)
	expect("a write after it", 401, code, out)
}

func TestAnOpenPageHoldsAHubThatNobodyElseUses(t *testing.T) {
	const unheld = time.Second // in which the page comes, on a busy machine too
	h, ended := runHub(t, hub.Options{StartedBy: "companion", IdleEnd: unheld, Timeouts: guard.Timeouts{Ping: unheld / 10}})
	s := connect(t, h, "/")
	for range 2 { // each takes its time
		began := time.Now()
		for time.Since(began) < unheld {
			s.write(`{"type":"refresh"}`)
			s.next()
		}
	}
	select {
	case <-ended:
		t.Fatal("the hub ended beneath a page")
	default:
	}
	if err := s.conn.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
