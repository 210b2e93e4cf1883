package api

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/inspector"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/store"
)

// bench is a door over real rooms, whose events a test publishes itself.
type bench struct {
	*Door
	t       testing.TB
	address string
	bus     *events.Bus
	servers *registry.Registry
	tools   *catalog.Catalog
	names   map[string][]string // of secrets
	stop    func()
}

func serve(t testing.TB, times Times) *bench {
	t.Helper()
	kept, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "discover.db"))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, bus: &events.Bus{}, names: make(map[string][]string)}
	log := slog.New(slog.DiscardHandler)
	if b.servers, err = registry.Open(t.Context(), kept, b.bus); err != nil {
		t.Fatal(err)
	}
	if b.tools, err = catalog.Open(t.Context(), kept, b.bus, log); err != nil {
		t.Fatal(err)
	}
	calls, err := journal.Open(t.Context(), journal.Options{Store: kept, Bus: b.bus, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	b.address = server.Listener.Addr().String()
	b.Door = New(Options{
		Registry: b.servers, Catalog: b.tools, Bus: b.bus, Log: log, Times: times, Journal: calls,
		Upstream:    upstream.New(upstream.Options{Registry: b.servers, Catalog: b.tools, Bus: b.bus, Log: log, Children: filepath.Join(t.TempDir(), "children.json")}),
		SecretNames: func(server string) []string { return b.names[server] },
		Registrar:   registration.New(registration.Options{Machine: table.Here(func(string) string { return "" }), Folder: t.TempDir(), Bus: b.bus, Log: log}),
		Companion:   http.NotFoundHandler(),
		Info:        instance.Info{Version: "1.2.3", Token: "the-token", Host: "127.0.0.1", Port: server.Listener.Addr().(*net.TCPAddr).Port},
	})
	server.Config.Handler = b.Door
	server.Start()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	b.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		ended <- nil
	}
	t.Cleanup(func() {
		b.stop()
		server.Close()
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// dial opens a WebSocket and reads the state.
func (b *bench) dial() *websocket.Conn { return b.connect("/ws", &websocket.DialOptions{}) }

func (b *bench) connect(path string, o *websocket.DialOptions) *websocket.Conn {
	b.t.Helper()
	o.HTTPHeader = http.Header{"Authorization": {"Bearer the-token"}}
	conn, _, err := websocket.Dial(b.t.Context(), "ws://"+b.address+path, o)
	if err != nil {
		b.t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	b.t.Cleanup(func() { _ = conn.CloseNow() })
	if first := b.read(conn); !strings.HasPrefix(first, `{"type":"state","version":"1.2.3",`) {
		b.t.Fatalf("the first message is %s", first)
	}
	return conn
}

func (b *bench) read(conn *websocket.Conn) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 30*time.Second)
	defer cancel()
	_, data, err := conn.Read(ctx)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// dialSmall dials a connection that the system buffers little for.
func dialSmall(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return conn, conn.(*net.TCPConn).SetReadBuffer(64 << 10)
}

// silent opens a WebSocket, reads the state, and does nothing by itself.
func (b *bench) silent() io.Reader {
	b.t.Helper()
	conn, err := dialSmall(b.t.Context(), "tcp", b.address)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	_, err = fmt.Fprintf(conn, "GET /ws HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer the-token\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", b.address)
	if err != nil {
		b.t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	resp, err := http.ReadResponse(reader, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		b.t.Fatalf("no WebSocket: %v, %v", resp, err)
	}
	if _, state, err := readFrame(reader); err != nil || !strings.HasPrefix(string(state), `{"type":"state"`) {
		b.t.Fatalf("the first message is %s, %v", state, err)
	}
	return reader
}

func TestWhatHappensIsPushedInTheShapesThatClientsKnow(t *testing.T) {
	b := serve(t, Times{})
	conn := b.dial()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6_700_000, time.FixedZone("", 3600))
	for _, c := range []struct {
		publish func()
		want    string
	}{
		{
			func() {
				events.Publish(b.bus, upstream.Notified{Server: "s", Method: "notifications/message", Params: json.RawMessage(`{"level":"info","data":"<b>"}`), At: at})
			},
			`{"type":"notification","serverName":"s","method":"notifications/message","params":{"level":"info","data":"<b>"},"ts":"2026-01-02T02:04:05.006Z"}`,
		},
		{
			func() { events.Publish(b.bus, upstream.Notified{Server: "s", Method: "m", At: at}) },
			`{"type":"notification","serverName":"s","method":"m","params":{},"ts":"2026-01-02T02:04:05.006Z"}`,
		},
		{
			func() {
				events.Publish(b.bus, upstream.Progressed{Server: "s", Params: json.RawMessage(`{"progressToken":"tool","progress":1,"total":4}`), At: at})
			},
			`{"type":"progress","serverName":"s","payload":{"token":"tool","progress":1,"total":4},"ts":"2026-01-02T02:04:05.006Z"}`,
		},
		{
			func() {
				events.Publish(b.bus, inspector.Asked{Elicitation: inspector.Elicitation{ID: "e-1", Server: "s", Message: "Who?", Schema: json.RawMessage(`{"type":"object"}`), At: at}})
			},
			`{"type":"elicitation_request","id":"e-1","serverName":"s","message":"Who?","requestedSchema":{"type":"object"},"ts":"2026-01-02T02:04:05.006Z"}`,
		},
		{
			func() { events.Publish(b.bus, inspector.Answered{ID: "e-1"}) },
			`{"type":"elicitation_answered","id":"e-1"}`,
		},
		{
			func() { // what is no UTF-8 no WebSocket may carry
				events.Publish(b.bus, upstream.Notified{Server: "s", Method: "m", Params: json.RawMessage("{\"x\":\"\xff\"}"), At: at})
			},
			"{\"type\":\"notification\",\"serverName\":\"s\",\"method\":\"m\",\"params\":{\"x\":\"\uFFFD\"},\"ts\":\"2026-01-02T02:04:05.006Z\"}",
		},
	} {
		c.publish()
		if got := b.read(conn); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	events.Publish(b.bus, journal.Recorded{Record: journal.Record{Server: "s", Tool: "t", Kind: "call", Outcome: journal.OK, At: at}})
	if got := b.read(conn); !strings.HasPrefix(got, `{"type":"log_entry","entry":{`) || !strings.Contains(got, `"tool":"t"`) {
		t.Errorf("a call is pushed as %s", got)
	}
}

func TestAServersSecretsArePushedByName(t *testing.T) {
	b := serve(t, Times{})
	if _, err := b.servers.Add(t.Context(), registry.Server{Name: "s"}); err != nil {
		t.Fatal(err)
	}
	conn := b.dial()
	b.names["s"] = []string{"API_KEY"}
	events.Publish(b.bus, secrets.Changed{Server: "s"})
	if got := b.read(conn); !strings.Contains(got, `"delta":true`) || !strings.Contains(got, `"secret_names":["API_KEY"]`) {
		t.Errorf("after a secret was set: %s", got)
	}
}

func TestEventsOfOneMomentAreOneDelta(t *testing.T) {
	b := serve(t, Times{})
	conn := b.dial()
	b.pusher.mu.Lock() // the moment lasts until it is given back
	for _, name := range []string{"a", "b", "c"} {
		if _, err := b.servers.Add(t.Context(), registry.Server{Name: name}); err != nil {
			t.Fatal(err)
		}
		events.Publish(b.bus, catalog.Changed{Server: name})
		events.Publish(b.bus, upstream.StateChanged{Name: name})
	}
	b.pusher.mu.Unlock()
	if got := b.read(conn); strings.Count(got, `"launch_hash"`) != 3 {
		t.Errorf("the delta is %s", got)
	}
	events.Publish(b.bus, inspector.Answered{ID: "last"})
	if got := b.read(conn); !strings.Contains(got, "last") {
		t.Errorf("it is followed by %s", got)
	}
}

func TestASlowClientIsSentAwayAndToldWhy(t *testing.T) {
	b := serve(t, Times{})
	quick := b.dial()
	slow := b.connect("/ws", &websocket.DialOptions{HTTPClient: &http.Client{Transport: &http.Transport{DialContext: dialSmall}}})
	// More than a socket's buffers and a client's queue hold.
	const size, count = 64 << 10, 400
	params := json.RawMessage(`{"x":"` + strings.Repeat("x", size) + `"}`)
	for i := range count {
		events.Publish(b.bus, upstream.Notified{Server: "s", Method: "m", Params: params})
		if got := b.read(quick); !strings.Contains(got, `"notification"`) {
			t.Fatalf("message %d of the quick one is %.100s", i, got)
		}
	}
	for read := 0; ; read++ {
		_, _, err := slow.Read(t.Context())
		var end websocket.CloseError
		switch {
		case err == nil && read < count:
			continue
		case !errors.As(err, &end) || end.Code != websocket.StatusTryAgainLater || !strings.Contains(end.Reason, "fetch the state anew"):
			t.Errorf("after %d messages the slow one ends with %v", read, err)
		}
		return
	}
}

func TestAClientThatTakesNothingIsDropped(t *testing.T) {
	b := serve(t, Times{Send: 20 * time.Millisecond})
	b.silent()
	// One message that is more than the system's buffers hold.
	if _, err := b.servers.Add(t.Context(), registry.Server{Name: "x", Description: strings.Repeat("x", 16<<20)}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if b.AwaitUnwatched(ctx); ctx.Err() != nil {
		t.Error("it is still there")
	}
}

func TestAClientThatAnswersNoPingIsDropped(t *testing.T) {
	b := serve(t, Times{Ping: 5 * time.Millisecond, Pong: 20 * time.Millisecond})
	silent := b.silent()
	for pings := 0; ; {
		opcode, _, err := readFrame(silent)
		if opcode == 9 {
			pings++
		}
		if err != nil {
			if pings == 0 || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("after %d pings: %v", pings, err)
			}
			return
		}
	}
}

func TestAClientThatAnswersPingsStays(t *testing.T) {
	b := serve(t, Times{Ping: time.Millisecond})
	pinged := make(chan struct{}, 100)
	conn := b.connect("/ws", &websocket.DialOptions{OnPingReceived: func(context.Context, []byte) bool {
		select {
		case pinged <- struct{}{}:
		default:
		}
		return true
	}})
	reading := make(chan string)
	go func() { reading <- b.read(conn) }()
	for range 5 {
		<-pinged
	}
	events.Publish(b.bus, inspector.Answered{ID: "x"})
	if got := <-reading; !strings.Contains(got, "elicitation_answered") {
		t.Errorf("it gets %s", got)
	}
}

// readFrame reads one frame of a server's.
func readFrame(r io.Reader) (opcode byte, payload []byte, err error) {
	var head [2]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	length := uint64(head[1] & 0x7f)
	switch length {
	case 126:
		var n uint16
		err = binary.Read(r, binary.BigEndian, &n)
		length = uint64(n)
	case 127:
		err = binary.Read(r, binary.BigEndian, &length)
	}
	if err != nil {
		return 0, nil, err
	}
	payload = make([]byte, length)
	_, err = io.ReadFull(r, payload)
	return head[0] & 0x0f, payload, err
}

func TestTheHubIsListenedToWhileSomebodyLooks(t *testing.T) {
	b := serve(t, Times{})
	if n := listeners(); n != 0 {
		t.Fatalf("%d listen before anybody looks", n)
	}
	conn := b.dial()
	if n := listeners(); n == 0 {
		t.Error("nobody listens for a client")
	}
	_ = conn.CloseNow()
	for listeners() > 0 { // it is noticed when it is noticed
		runtime.Gosched()
	}
	b.dial()
	b.stop()
	if n := listeners(); n != 0 {
		t.Errorf("%d listen when the door is closed", n)
	}
}

// listeners counts the goroutines that listen to a hub.
func listeners() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "api.listen[...].func1")
}

func TestEventsThatWereLostMakeAWholeState(t *testing.T) {
	b := serve(t, Times{})
	conn := b.dial()
	b.pusher.pass(behind{}, nil)
	events.Publish(b.bus, registry.Changed{Name: "x"})
	if got := b.read(conn); got != `{"type":"state","version":"1.2.3","servers":[],"active":[]}` {
		t.Errorf("it gets %s", got)
	}
}
