//go:build linux

package hub_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/base/instance"
)

// replaySocket is a WebSocket client that keeps all it is told.
type replaySocket struct {
	conn *websocket.Conn

	mu       sync.Mutex
	messages []map[string]any
	err      error // why it ended
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

// of returns the messages of a type that have come.
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

// compareSocket compares what the WebSocket told during the replay. Deltas
// come with each change here and every two seconds there, so of them only the
// last is compared.
func (r *replay) compareSocket(t *testing.T, all []exchange) (matched, differed int) {
	t.Helper()
	var recorded []map[string]any
	for _, e := range all {
		if e.name == "ws-all-messages" {
			if err := json.Unmarshal([]byte(r.back.Replace(string(e.Response))), &recorded); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, text := range []string{"not json", "[1]", `{"type":"zz<b>"}`, `{"type":"refresh"}`} {
		r.socket.send(t, text)
	}
	programtest.Eventually(t, "the refreshed state comes", func() bool {
		return len(wholeStates(r.socket.of("state"))) == 2 && len(r.socket.of("error")) == 3
	})
	r.socket.send(t, `{"type":"`+strings.Repeat("x", 5000)+`"}`)
	programtest.Eventually(t, "the socket is closed", func() bool { return r.socket.closed() != nil })
	var closed websocket.CloseError
	if !errors.As(r.socket.closed(), &closed) || closed.Code != websocket.StatusMessageTooBig {
		t.Errorf("246: an oversized message gave %v", r.socket.closed())
	}
	r.compareMessages(t, recorded)
	r.compareStates(t, recorded)
	return 1, 2 // the close; the stream and its summary, whose deltas are pushed
}

// compareMessages compares, for each type, what was said in which order.
func (r *replay) compareMessages(t *testing.T, recorded []map[string]any) {
	t.Helper()
	for _, kind := range []string{"log_entry", "progress", "elicitation_request", "error"} {
		theirs, own := said(recorded, kind), said(r.translated(t, r.socket.of(kind)), kind)
		if d := diff(kind, theirs, own); d != "" {
			t.Errorf("244: %s", d)
		}
	}
	// A server says some things by its own clock; all that the original told
	// is told here too.
	own := said(r.translated(t, r.socket.of("notification")), "notification")
	for _, notice := range said(recorded, "notification") {
		if !containsItem(own, notice) {
			t.Errorf("244: no notification %v among %.2000v", notice, own)
		}
	}
}

func (r *replay) compareStates(t *testing.T, recorded []map[string]any) {
	t.Helper()
	theirs, own := wholeStates(ofType(recorded, "state")), wholeStates(r.translated(t, r.socket.of("state")))
	if d := diff("state", withoutSampling(theirs[0]), withoutSampling(own[0])); d != "" {
		t.Errorf("245: the first %s", d)
	}
	deltas := len(r.socket.of("state")) - len(own)
	if deltas < 13 {
		t.Errorf("245: %d deltas came, of the original 13", deltas)
	}
	var shown []any
	var listed struct{ Body []any }
	answer := r.back.Replace(string(r.rest("GET", "/api/servers", nil, nil)))
	if err := json.Unmarshal([]byte(answer), &listed); err != nil {
		t.Fatal(err)
	}
	for _, v := range own[1]["servers"].([]any) {
		delete(v.(map[string]any), "tools")
		shown = append(shown, v)
	}
	if d := diff("servers", listed.Body, shown); d != "" {
		t.Errorf("245: the refreshed state is not what REST shows: %s", d)
	}
}

// translated returns messages in the words of the recording.
func (r *replay) translated(t *testing.T, messages []map[string]any) []map[string]any {
	t.Helper()
	data, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]any
	if err := json.Unmarshal([]byte(r.back.Replace(string(data))), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func wholeStates(states []map[string]any) []map[string]any {
	var out []map[string]any
	for _, s := range states {
		if s["delta"] == nil {
			out = append(out, s)
		}
	}
	return out
}

// said is what messages of a type say, without what is of the moment.
func said(messages []map[string]any, kind string) []any {
	var out []any
	for _, m := range ofType(messages, kind) {
		if entry, isEntry := m["entry"].(map[string]any); isEntry {
			if entry["kind"] == "notification" || untold(entry) {
				continue
			}
			delete(entry, "id")
		}
		if payload, isProgress := m["payload"].(map[string]any); isProgress && payload["progress"] == payload["total"] {
			continue // the last came too late for the original
		}
		params, _ := m["params"].(map[string]any)
		if text, _ := params["data"].(string); strings.HasSuffix(text, "-level message") {
			continue // of the simulated logging: at random
		}
		delete(m, "t")
		out = append(out, m)
	}
	return out
}

func containsItem(list []any, wanted any) bool {
	for _, item := range list {
		if reflect.DeepEqual(bare(item), bare(wanted)) {
			return true
		}
	}
	return false
}

// bare is a notification without its time and made-up names.
func bare(v any) map[string]any {
	m, _ := v.(map[string]any)
	out := make(map[string]any)
	for key, value := range m {
		if !volatile[key] {
			out[key] = masked(value)
		}
	}
	return out
}
