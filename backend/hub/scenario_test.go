package hub_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// step is one request of a scenario and what must come of it. In path and body
// {name} stands for what an earlier answer gave under that name.
type step struct {
	name   string
	method string
	path   string
	body   string
	status int
	want   []string // in the answer's body
	never  []string
	events []string // what the WebSocket tells then: types, with a part of the message after a space
	keep   string   // member of the answer's body to remember; a way to it has points, as changes.0.id
}

// scenario plays steps to one hub, one after the other, with somebody at the
// WebSocket.
type scenario struct {
	t      *testing.T
	hub    *hub.Hub
	ended  <-chan error // what its run returned
	listen *listener
	kept   []string // pairs for a replacer
}

func newScenario(t *testing.T, o hub.Options) *scenario {
	t.Helper()
	h, ended := runHub(t, o)
	return &scenario{t: t, hub: h, ended: ended, listen: listen(t, h)}
}

// server is a body that configures a fake server.
func (s *scenario) server(name string, flags ...string) string {
	s.t.Helper()
	command := mcptest.Command(s.t, flags...)
	return s.json(map[string]any{"name": name, "command": command[0], "args": command[1:]})
}

func (s *scenario) json(v any) string {
	s.t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

func (s *scenario) play(steps ...step) {
	s.t.Helper()
	for _, next := range steps {
		s.step(next)
	}
}

func (s *scenario) step(next step) {
	s.t.Helper()
	names := strings.NewReplacer(s.kept...)
	mark := s.listen.mark()
	status, body := s.send(next.method, names.Replace(next.path), names.Replace(next.body))
	if status != next.status {
		s.t.Errorf("%s: status %d, want %d: %.2000s", next.name, status, next.status, body)
	}
	for _, part := range next.want {
		if !strings.Contains(body, names.Replace(part)) {
			s.t.Errorf("%s: the answer lacks %s: %.2000s", next.name, part, body)
		}
	}
	for _, part := range append(slices.Clone(next.never), s.hub.Info().Token) {
		if strings.Contains(body, part) {
			s.t.Errorf("%s: the answer holds %s: %.2000s", next.name, part, body)
		}
	}
	for _, event := range next.events {
		kind, part, _ := strings.Cut(names.Replace(event), " ")
		s.listen.await(s.t, next.name, mark, kind, part)
	}
	if next.keep != "" {
		var answer any
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			s.t.Fatalf("%s: %v", next.name, err)
		}
		value, _ := json.Marshal(memberOf(answer, next.keep))
		s.kept = append(s.kept, "{"+next.keep+"}", strings.Trim(string(value), `"`))
	}
}

// memberOf follows a way into an answer; nil where that does not lead on.
func memberOf(answer any, way string) any {
	for part := range strings.SplitSeq(way, ".") {
		switch here := answer.(type) {
		case map[string]any:
			answer = here[part]
		case []any:
			at, err := strconv.Atoi(part)
			if err != nil || at >= len(here) {
				return nil
			}
			answer = here[at]
		default:
			return nil
		}
	}
	return answer
}

func (s *scenario) send(method, path, body string) (status int, answer string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.hub.Info().Address()+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.hub.Info().Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// listener is a WebSocket client that keeps what it is told.
type listener struct {
	mu       sync.Mutex
	messages []string
	arrived  chan struct{} // closed and renewed with each message
}

func listen(t *testing.T, h *hub.Hub) *listener {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), "ws://"+h.Info().Address()+"/", &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + h.Info().Token}},
	})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	l := &listener{arrived: make(chan struct{})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			_, data, err := conn.Read(t.Context())
			if err != nil {
				return
			}
			l.mu.Lock()
			l.messages = append(l.messages, string(data))
			close(l.arrived)
			l.arrived = make(chan struct{})
			l.mu.Unlock()
		}
	}()
	t.Cleanup(func() { _ = conn.CloseNow(); <-ended })
	l.await(t, "a new socket", 0, "state", "") // what happens before is in the state, or told to nobody
	return l
}

// shortened is messages by their first and last bytes: what differs stands there.
func shortened(messages []string) string {
	var out strings.Builder
	for _, m := range messages {
		if len(m) > 600 {
			m = m[:300] + " … " + m[len(m)-300:]
		}
		out.WriteString("\n" + m)
	}
	return out.String()
}

// mark is the place after all that has come.
func (l *listener) mark() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.messages)
}

// await waits for a message of a type, with part in it, after a mark.
func (l *listener) await(t *testing.T, name string, mark int, kind, part string) {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		l.mu.Lock()
		came, arrived := l.messages[mark:], l.arrived
		l.mu.Unlock()
		for _, m := range came {
			if strings.HasPrefix(m, `{"type":"`+kind+`"`) && strings.Contains(m, part) {
				return
			}
		}
		select {
		case <-arrived:
		case <-late:
			t.Errorf("%s: no event %s with %q; there came: %s", name, kind, part, shortened(came))
			return
		}
	}
}
