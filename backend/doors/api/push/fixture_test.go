package push

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/servers/oauth"
	"github.com/agent-discover/agent-discover/backend/servers/readiness"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/store"
)

// fixture is a Pusher with real stores and a guard. Tests publish the events themselves.
type fixture struct {
	*Pusher
	t       testing.TB
	address string
	bus     *events.Bus
	servers *registry.Registry
	tools   *catalog.Catalog
	names   map[string][]string // names of secrets, by server
	stop    func()
}

func serve(t testing.TB, timeouts guard.Timeouts) *fixture {
	t.Helper()
	stored, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "discover.db"))
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, bus: &events.Bus{}, names: make(map[string][]string)}
	log := slog.New(slog.DiscardHandler)
	if f.servers, err = registry.Open(t.Context(), stored.Servers, f.bus); err != nil {
		t.Fatal(err)
	}
	if f.tools, err = catalog.Open(t.Context(), stored.Tools, f.bus, log); err != nil {
		t.Fatal(err)
	}
	calls, err := journal.Open(t.Context(), journal.Options{Store: stored.Calls, Bus: f.bus, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	processes := upstream.New(upstream.Options{
		Registry: f.servers, Catalog: f.tools, Bus: f.bus, Log: log, Children: filepath.Join(t.TempDir(), "children.json"),
	})
	sessions := guard.OpenSessions(guard.SessionOptions{})
	f.Pusher = New(Options{
		Version: "1.2.3",
		State: State{
			Servers: f.servers, Tools: f.tools, Totals: calls.Totals, Running: processes.State,
			View: operations.NewViews(operations.ViewOptions{
				States: processes, Readiness: stopped{}, Tools: f.tools, Calls: calls,
				SignIns: oauth.New(oauth.Options{File: filepath.Join(t.TempDir(), "sign-ins")}),
			}).Server,
			SecretNames: func(server string) []string { return f.names[server] },
		},
		Editors: idleEditors{}, Attend: func() func() { return func() {} }, Output: processes.Traces, Sessions: sessions,
		Timeouts: timeouts, Bus: f.bus,
	})
	server := httptest.NewUnstartedServer(nil)
	f.address = server.Listener.Addr().String()
	server.Config.Handler = guard.New(guard.Options{
		Info:     instance.Info{Token: "the-token", Host: "127.0.0.1", Port: server.Listener.Addr().(*net.TCPAddr).Port},
		Timeouts: timeouts, Sessions: sessions, Public: func(*http.Request) bool { return false }, Next: f.Pusher,
	})
	server.Start()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	f.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		ended <- nil
	}
	t.Cleanup(func() {
		f.stop()
		server.Close()
		if err := stored.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

type idleEditors struct{}

func (idleEditors) PollOften() (stop func()) { return func() {} }

// dial opens a WebSocket and reads the first message.
func (f *fixture) dial() *websocket.Conn { return f.connect("/ws", &websocket.DialOptions{}) }

func (f *fixture) connect(path string, o *websocket.DialOptions) *websocket.Conn {
	f.t.Helper()
	o.HTTPHeader = http.Header{"Authorization": {"Bearer the-token"}}
	conn, _, err := websocket.Dial(f.t.Context(), "ws://"+f.address+path, o)
	if err != nil {
		f.t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	f.t.Cleanup(func() { _ = conn.CloseNow() })
	if first := f.read(conn); !strings.HasPrefix(first, `{"type":"state","version":"1.2.3",`) {
		f.t.Fatalf("first message = %s", first)
	}
	return conn
}

func (f *fixture) read(conn *websocket.Conn) string {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	_, data, err := conn.Read(ctx)
	if err != nil {
		f.t.Fatal(err)
	}
	return string(data)
}

// dialSmall opens a connection with a small receive buffer.
func dialSmall(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return conn, conn.(*net.TCPConn).SetReadBuffer(64 << 10)
}

// silent opens a WebSocket and reads the first message, but answers no pings. It returns the reader of the
// connection, and the number of pings before the first message.
func (f *fixture) silent() (reader io.Reader, pings int) {
	f.t.Helper()
	conn, err := dialSmall(f.t.Context(), "tcp", f.address)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	_, err = fmt.Fprintf(conn,
		"GET /ws HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer the-token\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", f.address)
	if err != nil {
		f.t.Fatal(err)
	}
	buffered := bufio.NewReader(conn)
	resp, err := http.ReadResponse(buffered, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		f.t.Fatalf("opening the WebSocket: %v, %v", resp, err)
	}
	for ; ; pings++ {
		opcode, state, err := readFrame(buffered)
		if opcode == pingFrame {
			continue
		}
		if err != nil || !strings.HasPrefix(string(state), `{"type":"state"`) {
			f.t.Fatalf("first message = %s, %v", state, err)
		}
		return buffered, pings
	}
}

// pingFrame is the opcode of a WebSocket ping.
const pingFrame = 9

// readFrame reads one WebSocket frame from a server.
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

// stopped reports every server as stopped.
type stopped struct{}

func (stopped) Of(registry.Server) readiness.State { return readiness.State{ID: words.Stopped} }
