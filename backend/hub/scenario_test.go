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

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// step is one request of a scenario, the expected answer and the expected events. In
// path, body, want and events, {name} stands for a value that an earlier step kept.
type step struct {
	name   string
	method string
	path   string
	body   string
	status int
	want   []string // in the answer's body
	never  []string
	events []string // WebSocket messages that must follow: a type, a space and a part of the message
	person bool     // the request comes from a session, as those of the dashboard
	keep   string   // path of the value in the answer to keep, such as changes.0.id
}

// scenario sends the requests of steps to a hub, in order, and records its WebSocket
// messages.
type scenario struct {
	t      *testing.T
	hub    *hub.Hub
	ended  <-chan error // receives the error of Run
	events *eventRecorder
	kept   []string // pairs of {name} and value
}

// newScenario runs a hub as runHub does.
func newScenario(t *testing.T, o hub.Options) *scenario {
	t.Helper()
	h, ended := runHub(t, o)
	return &scenario{t: t, hub: h, ended: ended, events: recordEvents(t, h)}
}

// server returns a request body that configures an mcptest server.
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
	mark := s.events.mark()
	send := s.send
	if next.person {
		send = s.sendAsPerson
	}
	status, body := send(next.method, names.Replace(next.path), names.Replace(next.body))
	if status != next.status {
		s.t.Errorf("%s: status %d, want %d: %.2000s", next.name, status, next.status, body)
	}
	for _, part := range next.want {
		if !strings.Contains(body, names.Replace(part)) {
			s.t.Errorf("%s: the answer does not contain %s: %.2000s", next.name, part, body)
		}
	}
	for _, part := range append(slices.Clone(next.never), s.hub.Info().Token) {
		if strings.Contains(body, part) {
			s.t.Errorf("%s: the answer must not contain %s: %.2000s", next.name, part, body)
		}
	}
	for _, event := range next.events {
		kind, part, _ := strings.Cut(names.Replace(event), " ")
		s.events.await(s.t, next.name, mark, kind, part)
	}
	if next.keep != "" {
		var answer any
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			s.t.Fatalf("%s: %v", next.name, err)
		}
		value, _ := json.Marshal(memberOf(answer, next.keep))
		s.kept = append([]string{"{" + next.keep + "}", strings.Trim(string(value), `"`)}, s.kept...) // the first one wins
	}
}

// memberOf returns the value at a path in an answer; nil if there is none.
func memberOf(answer any, path string) any {
	for part := range strings.SplitSeq(path, ".") {
		switch parent := answer.(type) {
		case map[string]any:
			answer = parent[part]
		case []any:
			at, err := strconv.Atoi(part)
			if err != nil || at >= len(parent) {
				return nil
			}
			answer = parent[at]
		default:
			return nil
		}
	}
	return answer
}

func (s *scenario) send(method, path, body string) (status int, answer string) {
	s.t.Helper()
	return s.sendWith(s.hub.Info().Token, method, path, body)
}

// sendAsPerson is like send, with the token of a new session.
func (s *scenario) sendAsPerson(method, path, body string) (status int, answer string) {
	s.t.Helper()
	token, err := instance.NewClient(s.hub.Info()).Session(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return s.sendWith(token, method, path, body)
}

func (s *scenario) sendWith(token, method, path, body string) (status int, answer string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.hub.Info().Address()+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
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

// eventRecorder is a WebSocket client that records all messages.
type eventRecorder struct {
	mu       sync.Mutex
	messages []string
	arrived  chan struct{} // closed and renewed with each message
}

// recordEvents opens a WebSocket and waits for the first state.
func recordEvents(t *testing.T, h *hub.Hub) *eventRecorder {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), "ws://"+h.Info().Address()+"/", &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + h.Info().Token}},
	})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	l := &eventRecorder{arrived: make(chan struct{})}
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
	l.await(t, "a new socket", 0, "state", "") // earlier events are not sent to this socket
	return l
}

// abbreviated returns messages without the middle of long ones.
func abbreviated(messages []string) string {
	var out strings.Builder
	for _, m := range messages {
		if len(m) > 600 {
			m = m[:300] + " … " + m[len(m)-300:]
		}
		out.WriteString("\n" + m)
	}
	return out.String()
}

// received returns the messages received so far.
func (l *eventRecorder) received() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.messages)
}

// mark returns a position after all messages received so far, for await.
func (l *eventRecorder) mark() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.messages)
}

// await waits for a message of a type that contains part, after a mark.
func (l *eventRecorder) await(t *testing.T, name string, mark int, kind, part string) {
	t.Helper()
	timeout := time.After(deadline)
	for {
		l.mu.Lock()
		received, arrived := l.messages[mark:], l.arrived
		l.mu.Unlock()
		for _, m := range received {
			if strings.HasPrefix(m, `{"type":"`+kind+`"`) && strings.Contains(m, part) {
				return
			}
		}
		select {
		case <-arrived:
		case <-timeout:
			t.Errorf("%s: no event %s with %q; received: %s", name, kind, part, abbreviated(received))
			return
		}
	}
}
