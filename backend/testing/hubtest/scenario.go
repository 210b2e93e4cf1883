package hubtest

import (
	"encoding/json"
	"fmt"
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
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// Step is one request of a scenario, the expected answer and the expected events. In Path, Body, Want and Events,
// {name} stands for a value that an earlier step kept.
type Step struct {
	Name   string
	Method string
	Path   string
	Body   string
	Status int
	Want   []string // must be in the body of the answer
	Never  []string
	Events []string // WebSocket messages that must follow: a type, a space and a part of the message
	Person bool     // send the request in a dashboard session, as a person does, instead of with the hub's token
	Keep   string   // path of the value in the answer to keep, such as changes.0.id
}

// Scenario sends the requests of steps to a hub, in order, and records its WebSocket
// messages.
type Scenario struct {
	T      *testing.T
	Hub    *hub.Hub
	Ended  <-chan error // receives the error of Run and Close
	Events *EventRecorder
	Kept   []string // pairs of {name} and value
}

// NewScenario runs a hub with RunHub and records its events.
func NewScenario(t *testing.T, o hub.Options) *Scenario {
	t.Helper()
	h, ended := RunHub(t, o)
	return &Scenario{T: t, Hub: h, Ended: ended, Events: RecordEvents(t, h)}
}

// StoppedServer returns the request body of Server with the additional member "start": false, so that the server starts
// only for a call.
func (s *Scenario) StoppedServer(name string, flags ...string) string {
	s.T.Helper()
	return strings.Replace(s.Server(name, flags...), "{", `{"start":false,`, 1)
}

// Server returns a request body that configures an mcptest server. A hub that adds it may start it once in the background.
func (s *Scenario) Server(name string, flags ...string) string {
	s.T.Helper()
	command := mcptest.Command(s.T, flags...)
	return s.JSON(map[string]any{"name": name, "command": command[0], "args": command[1:]})
}

// JSON encodes a value and fails the test if it cannot.
func (s *Scenario) JSON(v any) string {
	s.T.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		s.T.Fatal(err)
	}
	return string(data)
}

// Play sends the requests of steps in order and checks the answers and the events.
func (s *Scenario) Play(steps ...Step) {
	s.T.Helper()
	for _, next := range steps {
		s.step(next)
	}
}

func (s *Scenario) step(next Step) {
	s.T.Helper()
	names := strings.NewReplacer(s.Kept...)
	mark := s.Events.Mark()
	send := s.Send
	if next.Person {
		send = s.SendAsPerson
	}
	status, body := send(next.Method, names.Replace(next.Path), names.Replace(next.Body))
	if status != next.Status {
		s.T.Errorf("%s: status %d, want %d: %.2000s", next.Name, status, next.Status, body)
	}
	for _, part := range next.Want {
		if !strings.Contains(body, names.Replace(part)) {
			s.T.Errorf("%s: the answer does not contain %s: %.2000s", next.Name, part, body)
		}
	}
	for _, part := range append(slices.Clone(next.Never), s.Hub.Info().Token) {
		if strings.Contains(body, part) {
			s.T.Errorf("%s: the answer must not contain %s: %.2000s", next.Name, part, body)
		}
	}
	for _, event := range next.Events {
		kind, part, _ := strings.Cut(names.Replace(event), " ")
		s.Events.Await(s.T, next.Name, mark, kind, part)
	}
	if next.Keep != "" {
		var answer any
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			s.T.Fatalf("%s: %v", next.Name, err)
		}
		value, _ := json.Marshal(MemberOf(answer, next.Keep))
		s.Kept = append([]string{"{" + next.Keep + "}", strings.Trim(string(value), `"`)}, s.Kept...) // the newest value wins
	}
}

// MemberOf returns the value at a path in an answer; nil if there is none.
func MemberOf(answer any, path string) any {
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

// Send sends a request with the hub's token and returns the status and the body of the answer.
func (s *Scenario) Send(method, path, body string) (status int, answer string) {
	s.T.Helper()
	return s.sendWith(s.Hub.Info().Token, method, path, body)
}

// SendAsPerson is like Send, but uses the token of a new dashboard session instead of the hub's token.
func (s *Scenario) SendAsPerson(method, path, body string) (status int, answer string) {
	s.T.Helper()
	token, err := instance.NewClient(s.Hub.Info()).Session(s.T.Context())
	if err != nil {
		s.T.Fatal(err)
	}
	return s.sendWith(token, method, path, body)
}

func (s *Scenario) sendWith(token, method, path, body string) (status int, answer string) {
	s.T.Helper()
	req, err := http.NewRequestWithContext(s.T.Context(), method, "http://"+s.Hub.Info().Address()+path, strings.NewReader(body))
	if err != nil {
		s.T.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.T.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// EventRecorder is a WebSocket client that records all messages.
type EventRecorder struct {
	mu       sync.Mutex
	messages []string
	arrived  chan struct{} // closed and renewed with each message
}

// RecordEvents opens a WebSocket and waits for the first message of the type state.
func RecordEvents(t *testing.T, h *hub.Hub) *EventRecorder {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), "ws://"+h.Info().Address()+"/", &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + h.Info().Token}},
	})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	l := &EventRecorder{arrived: make(chan struct{})}
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
	l.Await(t, "a new socket", 0, "state", "") // earlier events are not sent to this socket
	return l
}

// Abbreviated returns messages, one per line, without the middle of long ones.
func Abbreviated(messages []string) string {
	var out strings.Builder
	for _, m := range messages {
		if len(m) > 600 {
			m = m[:300] + " … " + m[len(m)-300:]
		}
		out.WriteString("\n" + m)
	}
	return out.String()
}

// Received returns the messages received so far.
func (l *EventRecorder) Received() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.messages)
}

// Mark returns a position after all messages received so far, for Await.
func (l *EventRecorder) Mark() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.messages)
}

// Await waits for a message that has the type kind, contains part and arrives after mark. name identifies the step in
// failures.
func (l *EventRecorder) Await(t *testing.T, name string, mark int, kind, part string) {
	t.Helper()
	timeout := time.After(Deadline)
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
			t.Errorf("%s: no event %s with %q; received: %s", name, kind, part, Abbreviated(received))
			return
		}
	}
}

// Question makes the transient server with the kept {handle} send an elicitation to its client. It returns the id of
// the question in the inbox and a channel that receives the result of the call. The question must contain want.
func (s *Scenario) Question(t *testing.T, request, want string) (id string, result <-chan string) {
	t.Helper()
	answered := make(chan string, 1)
	mark := s.Events.Mark()
	path := strings.NewReplacer(s.Kept...).Replace("/api/transient/{handle}/call")
	go func() {
		_, body := s.Send("POST", path, `{"tool":"ask","args":`+request+`}`)
		answered <- body
	}()
	s.Events.Await(t, "the question", mark, "elicitation_request", want)
	_, pending := s.Send("GET", "/api/elicitations", "")
	if !strings.Contains(pending, want) {
		t.Fatalf("the waiting questions %s do not contain %s", pending, want)
	}
	return Between(pending, `"id":"`, `"`), answered
}

// Between returns the part of text between the first occurrence of before and the next occurrence of after.
func Between(text, before, after string) string {
	_, text, _ = strings.Cut(text, before)
	text, _, _ = strings.Cut(text, after)
	return text
}

// Learned returns the entries that the search has learned from calls.
func (s *Scenario) Learned() operations.LearnedList {
	s.T.Helper()
	var list operations.LearnedList
	Do(s.T, s.Hub, "GET", "/api/learned", nil, &list)
	return list
}

// SearchStatus is the answer to GET /api/search/status.
type SearchStatus struct {
	Tools, Ready int
	Working      bool
	Problem      string
}

// AwaitSearch waits until the search status meets a condition.
func AwaitSearch(t *testing.T, s *Scenario, meets func(SearchStatus) bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(Deadline)
	for {
		var now SearchStatus
		_, body := s.Send("GET", "/api/search/status", "")
		if json.Unmarshal([]byte(body), &now) == nil && meets(now) {
			return
		}
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("the search status stays %s", body)
		}
	}
}

// TrustItem returns the state of a tool of server one and the reason for the state, and keeps the {id} and {hash} of the
// tool.
func (s *Scenario) TrustItem(tool string) (state, reason string) {
	s.T.Helper()
	var list struct {
		Items []struct {
			ID                        int64
			Kind, Name, State, Reason string
			Hash                      string
		}
	}
	Do(s.T, s.Hub, "GET", "/api/trust?server=one&all=true", nil, &list)
	for _, i := range list.Items {
		if i.Name == tool {
			s.Kept = append([]string{"{id}", fmt.Sprint(i.ID), "{hash}", i.Hash}, s.Kept...)
			return i.State, i.Reason
		}
	}
	s.T.Fatalf("there is no item %s: %+v", tool, list)
	return "", ""
}

// Release checks that a program cannot release the only result that is kept back, and then releases it as a
// person. Finally it clears s.Kept.
func (s *Scenario) Release(subject string) {
	s.T.Helper()
	s.Play(
		Step{Name: "what is kept", Method: "GET", Path: "/api/trust/results", Status: 200, Want: []string{subject}, Keep: "0.id"},
		Step{Name: "a program releases it", Method: "POST", Path: "/api/trust/results/{0.id}/release", Status: 403},
		Step{Name: "a person releases it", Method: "POST", Path: "/api/trust/results/{0.id}/release", Person: true, Status: 200},
	)
	s.Kept = nil
}
