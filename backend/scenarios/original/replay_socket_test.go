//go:build linux

package original_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// replaySocket is a WebSocket client that records all messages.
type replaySocket struct {
	conn *websocket.Conn

	mu       sync.Mutex
	messages []map[string]any
	err      error // why the socket was closed
}

func dialSocket(t *testing.T, info instance.Info) *replaySocket {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), "ws://"+info.Address()+"/", &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + info.Token}},
	})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	s := &replaySocket{conn: conn}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.read(context.WithoutCancel(t.Context()))
	}()
	t.Cleanup(func() { _ = conn.CloseNow(); <-ended })
	return s
}

func (s *replaySocket) read(ctx context.Context) {
	for {
		_, data, err := s.conn.Read(ctx)
		var m map[string]any
		if err == nil {
			err = json.Unmarshal(data, &m)
		}
		s.mu.Lock()
		if err != nil {
			s.err = err
		} else {
			s.messages = append(s.messages, m)
		}
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// of returns the messages of a type received so far.
func (s *replaySocket) of(kind string) []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ofType(s.messages, kind)
}

func (s *replaySocket) closed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *replaySocket) send(t *testing.T, text string) {
	t.Helper()
	if err := s.conn.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
		t.Error(err)
	}
}

func ofType(messages []map[string]any, kind string) []map[string]any {
	var out []map[string]any
	for _, m := range messages {
		if m["type"] == kind {
			out = append(out, m)
		}
	}
	return out
}

// compareSocket compares the WebSocket messages of the replay with the recorded ones.
// The original sent deltas every two seconds and this hub sends one for each change, so
// only whole states are compared.
func (r *replay) compareSocket(t *testing.T, all []exchange) (matched, differed int) {
	t.Helper()
	var recorded []map[string]any
	for _, e := range all {
		if e.name == "ws-all-messages" {
			if err := json.Unmarshal([]byte(r.toRecorded.Replace(string(e.Response))), &recorded); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, text := range []string{"not json", "[1]", `{"type":"zz<b>"}`, `{"type":"refresh"}`} {
		r.socket.send(t, text)
	}
	programtest.Eventually(t, "the refreshed state is received", func() bool {
		return len(wholeStates(r.socket.of("state"))) == 2 && len(r.socket.of("error")) == 3
	})
	r.socket.send(t, `{"type":"`+strings.Repeat("x", 5000)+`"}`)
	programtest.Eventually(t, "the socket is closed", func() bool { return r.socket.closed() != nil })
	var closed websocket.CloseError
	if !errors.As(r.socket.closed(), &closed) || closed.Code != websocket.StatusMessageTooBig {
		t.Errorf("246: an oversized message closed the socket with %v", r.socket.closed())
	}
	r.compareMessages(t, recorded)
	r.compareStates(t, recorded)
	return 1, 2 // the close matches; the messages and their summary differ, because they contain deltas
}

// compareMessages compares the messages of each type in order.
func (r *replay) compareMessages(t *testing.T, recorded []map[string]any) {
	t.Helper()
	for _, kind := range []string{"log_entry", "progress", "elicitation_request", "error"} {
		sent := slices.DeleteFunc(r.socket.of(kind), isDecision)
		want, got := contentOf(recorded, kind), contentOf(r.inRecordedNames(t, sent), kind)
		if d := r.diff(kind, want, got); d != "" {
			t.Errorf("244: %s", d)
		}
	}
	// Servers send some notifications at arbitrary times, so the order is not compared.
	got := contentOf(r.inRecordedNames(t, r.socket.of("notification")), "notification")
	for _, want := range contentOf(recorded, "notification") {
		if !containsItem(got, want) {
			t.Errorf("244: no notification %v among %.2000v", want, got)
		}
	}
}

// isDecision reports whether a message is the log entry of a person's decision. The original had no such entries.
func isDecision(message map[string]any) bool {
	entry, _ := message["entry"].(map[string]any)
	return entry["kind"] == "trust"
}

// compareStates compares the first state with the recorded one, and the state that was sent after a refresh
// with the answer over REST.
func (r *replay) compareStates(t *testing.T, recorded []map[string]any) {
	t.Helper()
	want, got := wholeStates(ofType(recorded, "state")), wholeStates(r.inRecordedNames(t, r.socket.of("state")))
	if d := r.diff("state", withoutClientTools(want[0]), withoutClientTools(got[0])); d != "" {
		t.Errorf("245: the first %s", d)
	}
	deltas := len(r.socket.of("state")) - len(got)
	if deltas < 13 {
		t.Errorf("245: %d deltas were received, the original sent 13", deltas)
	}
	var shown []any
	var listed struct{ Body []any }
	answer := r.toRecorded.Replace(string(r.rest("GET", "/api/servers", nil, nil)))
	if err := json.Unmarshal([]byte(answer), &listed); err != nil {
		t.Fatal(err)
	}
	for _, v := range got[1]["servers"].([]any) {
		delete(v.(map[string]any), "tools")
		shown = append(shown, v)
	}
	if d := r.diff("servers", listed.Body, shown); d != "" {
		t.Errorf("245: the refreshed state differs from the answer over REST: %s", d)
	}
}

// inRecordedNames returns messages in which the names of this run are replaced with those of the recording.
func (r *replay) inRecordedNames(t *testing.T, messages []map[string]any) []map[string]any {
	t.Helper()
	data, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]any
	if err := json.Unmarshal([]byte(r.toRecorded.Replace(string(data))), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// wholeStates returns the states that are complete, not deltas.
func wholeStates(states []map[string]any) []map[string]any {
	var out []map[string]any
	for _, s := range states {
		if s["delta"] == nil {
			out = append(out, s)
		}
	}
	return out
}

// contentOf returns the messages of the given type after deleting, in place, the members that differ from
// run to run. It leaves out messages that the original did not send and messages that servers send at
// random.
func contentOf(messages []map[string]any, kind string) []any {
	var out []any
	for _, m := range ofType(messages, kind) {
		if entry, isEntry := m["entry"].(map[string]any); isEntry {
			if entry["kind"] == "notification" || unknownToOriginal(entry) {
				continue
			}
			delete(entry, "id")
			withoutRepetition(entry)
		}
		if payload, isProgress := m["payload"].(map[string]any); isProgress && payload["progress"] == payload["total"] {
			continue // the original did not send the last progress
		}
		params, _ := m["params"].(map[string]any)
		if text, _ := params["data"].(string); strings.HasSuffix(text, "-level message") {
			continue // server-everything sends these at random
		}
		delete(m, "t")
		out = append(out, m)
	}
	return out
}

// containsItem reports whether a list contains a message. It ignores members that differ from run to run.
func containsItem(list []any, wanted any) bool {
	for _, item := range list {
		if reflect.DeepEqual(stableMembers(item), stableMembers(wanted)) {
			return true
		}
	}
	return false
}

// stableMembers returns the members of a notification that are the same in every run.
func stableMembers(v any) map[string]any {
	m, _ := v.(map[string]any)
	out := make(map[string]any)
	for key, value := range m {
		if !volatile[key] {
			out[key] = normalizeText(value)
		}
	}
	return out
}
