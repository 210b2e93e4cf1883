package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestSocketAnswersInvalidMessages(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	s := hubtest.Connect(t, h, "/")
	s.Next()
	for _, c := range []struct{ text, want string }{
		{`{bad`, `{"type":"error","message":"Invalid JSON"}`},
		{``, `{"type":"error","message":"Invalid JSON"}`},
		{`[1]`, `{"type":"error","message":"Message must be a JSON object"}`},
		{`null`, `{"type":"error","message":"Message must be a JSON object"}`},
		{`"x"`, `{"type":"error","message":"Message must be a JSON object"}`},
		{`{"type":"zz<b>"}`, `{"type":"error","message":"Unknown message type: zzb"}`},
		{`{"type":"&\"'<>"}`, `{"type":"error","message":"Unknown message type: "}`},
		{
			`{"type":"` + strings.Repeat("é", 100) + `"}`, `{"type":"error","message":"Unknown message type: ` + strings.Repeat("é", 64) +
				`"}`,
		},
		{`{}`, `{"type":"error","message":"Unknown message type: undefined"}`},
		{`{"type":7}`, `{"type":"error","message":"Unknown message type: 7"}`},
	} {
		s.Write(c.text)
		if m := s.Next(); m.Raw != c.want {
			t.Errorf("%q is answered with %s, want %s", c.text, m.Raw, c.want)
		}
	}
	s.Write(`{"type":"refresh"}`)
	if m := s.Next(); m.Raw != `{"type":"state","version":"1.2.3","servers":[],"active":[]}` {
		t.Errorf("the state afterwards is %s", m.Raw)
	}
}

func TestOversizedMessageClosesTheSocket(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	s := hubtest.Connect(t, h, "/")
	s.Write(`{"type":"` + strings.Repeat("x", 4096-11) + `"}`)
	s.Until("the answer to a message of 4096 bytes", func(m hubtest.Message) bool { return m.Type == "error" })
	s.Write(`{"type":"` + strings.Repeat("x", 5000-11) + `"}`)
	if code, reason := s.AwaitClose(); code != 1009 || reason != "" {
		t.Errorf("a message of 5000 bytes closed the socket with %d %q", code, reason)
	}
}

func TestFiftyFirstSocketIsRefused(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	var first *hubtest.Socket
	for range 50 {
		first = hubtest.Connect(t, h, "/")
		first.Next()
	}
	if code, reason := hubtest.Connect(t, h, "/").AwaitClose(); code != 1013 || reason == "" {
		t.Errorf("the 51st socket was closed with %d %q", code, reason)
	}
	if err := first.Conn.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Fatal(err)
	}
	for { // the hub may notice the close later
		conn, _, err := hubtest.Dial(t, h, "/", http.Header{"Authorization": {"Bearer " + h.Info().Token}})
		if err != nil {
			t.Fatal(err)
		}
		again := &hubtest.Socket{T: t, Conn: conn}
		if _, err := again.Read(); err == nil {
			_ = conn.CloseNow()
			return
		}
	}
}

func TestStoppingHubClosesSockets(t *testing.T) {
	h, ended := hubtest.RunHub(t, hub.Options{})
	hubtest.AddFake(t, h)
	hubtest.Do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
	s := hubtest.Connect(t, h, "/")
	if m := s.Next(); !m.Servers[0].Running {
		t.Fatalf("the server does not run: %s", m.Raw)
	}
	h.Stop()
	s.Until("the server has ended", func(m hubtest.Message) bool { return !m.Servers[0].Running })
	if code, reason := s.AwaitClose(); code != 1001 || reason != "the hub is stopping" {
		t.Errorf("the socket was closed with %d %q", code, reason)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestSocketNeedsATokenOrASocketTicket(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	ticket := func(purpose string) string {
		var issued struct{ Ticket string }
		hubtest.Do(t, h, "POST", "/api/tickets", map[string]string{"purpose": purpose}, &issued)
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
		{"no credential", "/", nil, 401},
		{"the token in the query", "/?token=" + h.Info().Token, nil, 401},
		{"the token as a ticket", "/?ticket=" + h.Info().Token, nil, 401},
		{"a ticket", "/?ticket=" + used, nil, 101},
		{"a ticket that was used", "/?ticket=" + used, nil, 401},
		{"a ticket for a page", "/?ticket=" + ticket("page"), nil, 401},
		{"the token", "/", token, 101},
		{"the token at /ws", "/ws", token, 101},
		{"the token at a path without a socket", "/api/servers", token, 200},
		{"a ticket in the hub's own page", "/ws?ticket=" + ticket("socket"), page(own), 101},
		{"a ticket in the window", "/ws?ticket=" + ticket("socket"), page("wails://wails"), 101},
		{"a ticket in a foreign page", "/ws?ticket=" + ticket("socket"), page("http://evil.example"), 403},
		{"a ticket in a page on another port", "/ws?ticket=" + ticket("socket"), page("http://127.0.0.1:1"), 403},
		{"the token in a foreign page", "/", http.Header{"Authorization": token["Authorization"], "Origin": {"http://evil.example"}}, 403},
	} {
		conn, resp, err := hubtest.Dial(t, h, c.path, c.header)
		if resp == nil || resp.StatusCode != c.status {
			t.Errorf("%s: %v, want %d", c.name, err, c.status)
		}
		if err == nil {
			_ = conn.CloseNow()
		}
	}
}
