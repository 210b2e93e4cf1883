package companion

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// note parses lines of a client and passes them to memory.note.
func note(t *testing.T, m *memory, lines ...string) {
	t.Helper()
	for _, line := range lines {
		msg, err := jsonrpc.Parse([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		m.note(&msg, []byte(line))
	}
}

const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"x":1}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func TestAnOpenSessionIsReplayedWithOtherIDs(t *testing.T) {
	var m memory
	note(t, &m, initialize)
	m.settle("0")
	note(
		t, &m, initialized,
		`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"a:b"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"c:d"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/unsubscribe","params":{"uri":"c:d"}}`,
	)
	m.abandon(everything)
	want := `{"jsonrpc":"2.0","id":"companion-replay-initialize","method":"initialize","params":{"x":1}}` + "\n" + initialized + "\n" +
		`{"jsonrpc":"2.0","id":"companion-replay-level","method":"logging/setLevel","params":{"level":"info"}}` + "\n" +
		`{"jsonrpc":"2.0","id":"companion-replay-subscribe-a:b","method":"resources/subscribe","params":{"uri":"a:b"}}` + "\n"
	if got := string(m.replay()); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if len(m.pending()) != 0 {
		t.Errorf("pending: %s", m.pending())
	}
	if m.settle(`"companion-replay-level"`) || !m.settle("7") {
		t.Error("answers to replayed requests are not kept from the client")
	}
}

func TestAnUnfinishedInitializationContinuesWithTheNextHub(t *testing.T) {
	var m memory
	note(t, &m, initialize, initialized, `{"jsonrpc":"2.0","id":5,"method":"tools/list"}`)
	if got := m.replay(); got != nil {
		t.Errorf("replayed %s", got)
	}
	if got := m.pending(); len(got) != 2 || string(got[0]) != initialize+"\n" || string(got[1]) != initialized+"\n" {
		t.Errorf("pending %s", got)
	}
	again, lost := m.abandon(everything)
	if len(again) != 1 || len(lost) != 0 || !m.waits("0") {
		t.Errorf("again %s, lost %s, in flight %s", again, lost, m.inFlight)
	}
}

func TestACancelledRequestIsNotInFlight(t *testing.T) {
	var m memory
	note(
		t, &m, `{"jsonrpc":"2.0","id":"a","method":"tools/call"}`, `{"jsonrpc":"2.0","id":"b","method":"tools/call"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`,
	)
	if again, lost := m.abandon(everything); len(again) != 0 || strings.Join(lost, " ") != `"b"` {
		t.Errorf("again %s, lost %s", again, lost)
	}
}

func TestResponseIDIsFoundInAnyResponse(t *testing.T) {
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                          "1",
		`{"jsonrpc":"2.0","id":"x","error":{"code":1}}`:                 `"x"`,
		`{"jsonrpc":"2.0","id":"a,\"result\":","result":{}}`:            `"a,\"result\":"`,
		`{"id":3,"jsonrpc":"2.0","result":{}}`:                          "3",
		`{"jsonrpc":"2.0","id":"hub-1","method":"roots/list"}`:          "",
		`{"jsonrpc":"2.0","method":"n","params":{"id":1,"result":{}}}`:  "",
		`{"jsonrpc":"2.0","id":4,"extra":1,"result":{"id":5}}`:          "4",
		`{"jsonrpc":"2.0","id":"q","method":"x","params":{"result":1}}`: "",
	} {
		if got := string(responseID([]byte(line))); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}
