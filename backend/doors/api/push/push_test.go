package push

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/credentials"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

func TestEventsArePushedInTheFormatOfTheOriginalProduct(t *testing.T) {
	f := serve(t, guard.Timeouts{})
	conn := f.dial()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6_700_000, time.FixedZone("", 3600))
	for _, c := range []struct {
		publish func()
		want    string
	}{
		{
			func() {
				events.Publish(f.bus, upstream.Notified{
					Server: "s", Method: "notifications/message", Params: json.RawMessage(`{"level":"info","data":"<b>"}`), At: at,
				})
			},
			`{"type":"notification","serverName":"s","method":"notifications/message","params":{"level":"info","data":"<b>"},"ts":"2026-01-02T02:04:05.006Z"}`,
		},
		{
			func() { events.Publish(f.bus, upstream.Notified{Server: "s", Method: "m", At: at}) },
			`{"type":"notification","serverName":"s","method":"m","params":{},"ts":"2026-01-02T02:04:05.006Z"}`,
		},
		{
			func() {
				events.Publish(f.bus, upstream.Progressed{
					Server: "s", Params: json.RawMessage(`{"progressToken":"tool","progress":1,"total":4}`), At: at,
				})
			},
			`{"type":"progress","serverName":"s","payload":{"token":"tool","progress":1,"total":4},"ts":"2026-01-02T02:04:05.006Z"}`,
		},
		{
			func() {
				events.Publish(f.bus, inspector.Asked{
					Elicitation: inspector.Elicitation{
						ID: "e-1", Server: "s", Message: "Who?", Schema: json.RawMessage(`{"type":"object"}`),
						Client: "c", At: at, Expires: at.Add(time.Minute),
					},
				})
			},
			`{"type":"elicitation_request","id":"e-1","serverName":"s","message":"Who?","requestedSchema":{"type":"object"},"client":"c","ts":"2026-01-02T02:04:05.006Z","expiresAt":1767319505006}`,
		},
		{
			func() { events.Publish(f.bus, inspector.Answered{ID: "e-1"}) },
			`{"type":"elicitation_answered","id":"e-1"}`,
		},
		{
			func() { events.Publish(f.bus, inspector.Answered{ID: "e-2", Unanswered: inspector.Expired}) },
			`{"type":"elicitation_answered","id":"e-2","unanswered":"expired"}`,
		},
		{func() { events.Publish(f.bus, registration.Changed{}) }, `{"type":"editors"}`},
		{func() { events.Publish(f.bus, credentials.Changed{}) }, `{"type":"tokens"}`},
		{func() { events.Publish(f.bus, toolset.Changed{}) }, `{"type":"toolsets"}`},
		{
			func() { // invalid UTF-8 is replaced
				events.Publish(f.bus, upstream.Notified{Server: "s", Method: "m", Params: json.RawMessage("{\"x\":\"\xff\"}"), At: at})
			},
			"{\"type\":\"notification\",\"serverName\":\"s\",\"method\":\"m\",\"params\":{\"x\":\"\uFFFD\"},\"ts\":\"2026-01-02T02:04:05.006Z\"}",
		},
	} {
		c.publish()
		if got := f.read(conn); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	events.Publish(f.bus, journal.Recorded{Record: journal.Record{Server: "s", Tool: "t", Kind: "call", Outcome: journal.OK, At: at}})
	if got := f.read(conn); !strings.HasPrefix(got, `{"type":"log_entry","entry":{`) || !strings.Contains(got, `"tool":"t"`) {
		t.Errorf("the message of a call is %s", got)
	}
}

func TestNamesOfSecretsArePushed(t *testing.T) {
	f := serve(t, guard.Timeouts{})
	if _, err := f.servers.Add(t.Context(), registry.Server{Name: "s"}); err != nil {
		t.Fatal(err)
	}
	conn := f.dial()
	f.names["s"] = []string{"API_KEY"}
	events.Publish(f.bus, vault.Changed{Server: "s"})
	if got := f.read(conn); !strings.Contains(got, `"delta":true`) || !strings.Contains(got, `"secret_names":["API_KEY"]`) {
		t.Errorf("message after a secret was set: %s", got)
	}
}

func TestEventsOfTheSameMomentCauseOneMessage(t *testing.T) {
	f := serve(t, guard.Timeouts{})
	conn := f.dial()
	f.mu.Lock() // blocks sending until f.mu is unlocked
	for _, name := range []string{"a", "b", "c"} {
		if _, err := f.servers.Add(t.Context(), registry.Server{Name: name}); err != nil {
			t.Fatal(err)
		}
		events.Publish(f.bus, catalog.Changed{Server: name})
		events.Publish(f.bus, upstream.StateChanged{Name: name})
	}
	f.mu.Unlock()
	if got := f.read(conn); strings.Count(got, `"launch_hash"`) != 3 {
		t.Errorf("message = %s", got)
	}
	events.Publish(f.bus, inspector.Answered{ID: "last"})
	if got := f.read(conn); !strings.Contains(got, "last") {
		t.Errorf("next message = %s", got)
	}
}

func TestASlowClientIsDisconnectedWithAReason(t *testing.T) {
	f := serve(t, guard.Timeouts{Send: 10 * time.Minute}) // long enough to send all messages on a busy machine
	quick := f.dial()
	slow := f.connect("/ws", &websocket.DialOptions{HTTPClient: &http.Client{Transport: &http.Transport{DialContext: dialSmall}}})
	// Send more than fits into the buffers of a socket and the queue of a client.
	const size, count = 64 << 10, 400
	params := json.RawMessage(`{"x":"` + strings.Repeat("x", size) + `"}`)
	for i := range count {
		events.Publish(f.bus, upstream.Notified{Server: "s", Method: "m", Params: params})
		if got := f.read(quick); !strings.Contains(got, `"notification"`) {
			t.Fatalf("message %d to the quick client = %.100s", i, got)
		}
	}
	for read := 0; ; read++ {
		_, _, err := slow.Read(t.Context())
		var end websocket.CloseError
		switch {
		case err == nil && read < count:
			continue
		case !errors.As(err, &end) || end.Code != websocket.StatusTryAgainLater || !strings.Contains(end.Reason, "fetch the state anew"):
			t.Errorf("the slow client ends after %d messages with %v", read, err)
		}
		return
	}
}

func TestAClientThatDoesNotReadIsDisconnected(t *testing.T) {
	f := serve(t, guard.Timeouts{Send: 20 * time.Millisecond})
	f.silent()
	// Send one message that is larger than the system's socket buffers.
	if _, err := f.servers.Add(t.Context(), registry.Server{Name: "x", Description: strings.Repeat("x", 16<<20)}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if f.AwaitNone(ctx); ctx.Err() != nil {
		t.Error("the client is still connected")
	}
}

func TestAClientThatDoesNotAnswerPingsIsDisconnected(t *testing.T) {
	f := serve(t, guard.Timeouts{Ping: 5 * time.Millisecond, Pong: 20 * time.Millisecond})
	silent, pings := f.silent()
	for {
		opcode, _, err := readFrame(silent)
		if opcode == pingFrame {
			pings++
		}
		if err != nil {
			if pings == 0 || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the connection ends after %d pings with %v", pings, err)
			}
			return
		}
	}
}

func TestAClientThatAnswersPingsStaysConnected(t *testing.T) {
	f := serve(t, guard.Timeouts{Ping: time.Millisecond})
	pinged := make(chan struct{}, 100)
	conn := f.connect("/ws", &websocket.DialOptions{OnPingReceived: func(context.Context, []byte) bool {
		select {
		case pinged <- struct{}{}:
		default:
		}
		return true
	}})
	reading := make(chan string)
	go func() { reading <- f.read(conn) }()
	for range 5 {
		<-pinged
	}
	events.Publish(f.bus, inspector.Answered{ID: "x"})
	if got := <-reading; !strings.Contains(got, "elicitation_answered") {
		t.Errorf("message = %s", got)
	}
}

func TestEventsAreSubscribedOnlyWhileAClientIsConnected(t *testing.T) {
	f := serve(t, guard.Timeouts{})
	if f.subscribed() {
		t.Fatal("events are subscribed before a client connects")
	}
	conn := f.dial()
	if !f.subscribed() {
		t.Error("events are not subscribed while a client is connected")
	}
	_ = conn.CloseNow()
	for f.subscribed() {
		runtime.Gosched()
	}
	f.dial()
	f.stop()
	if f.subscribed() {
		t.Error("events are subscribed after the pusher stopped")
	}
}

// subscribed reports whether anything subscribes to events that only the pusher uses.
func (f *fixture) subscribed() bool {
	return events.HasSubscribers[catalog.ShownChanged](f.bus) || events.HasSubscribers[upstream.StateChanged](f.bus) ||
		events.HasSubscribers[catalog.Changed](f.bus) || events.HasSubscribers[journal.Recorded](f.bus) ||
		events.HasSubscribers[vault.Changed](f.bus) || events.HasSubscribers[upstream.Wrote](f.bus)
}

func TestMissedEventsCauseAMessageWithTheWholeState(t *testing.T) {
	f := serve(t, guard.Timeouts{})
	conn := f.dial()
	f.pass(missed{}, nil)
	events.Publish(f.bus, registry.Changed{Name: "x"})
	if got := f.read(conn); got != `{"type":"state","version":"1.2.3","servers":[],"active":[]}` {
		t.Errorf("message = %s", got)
	}
}
