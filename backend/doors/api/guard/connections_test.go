package guard

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
)

// limited serves a guard behind a Connections on a free port, as the hub does.
func limited(t *testing.T, log *slog.Logger) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := NewServer(New(Options{
		Info:     instance.Info{Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port, Token: "the-token"},
		Sessions: OpenSessions(SessionOptions{}), Public: func(r *http.Request) bool { return r.URL.Path == "/public" },
		Next: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }),
	}), Timeouts{}, log)
	go func() { _ = server.Serve(Limit(listener, log)) }()
	t.Cleanup(func() { server.Close() })
	return listener.Addr().String()
}

// open sends a request, or the beginning of one, on a new connection and leaves the connection open. It replaces HOST
// in format with address.
func open(t *testing.T, address, format string, args ...any) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := fmt.Fprintf(conn, strings.ReplaceAll(format, "HOST", address), args...); err != nil {
		t.Fatal(err)
	}
	return conn
}

const unfinished = "POST /public HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1000\r\n\r\nx"

func TestTheOldestConnectionWithoutACredentialMakesRoom(t *testing.T) {
	address := limited(t, slog.New(slog.DiscardHandler))
	// A connection whose client has sent the token is exempt, even before the body of the request has arrived.
	trusted := open(t, address,
		"POST /x HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer the-token\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
	reader := bufio.NewReader(trusted)
	if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("the request is not read: %q, %v", line, err)
	}
	var strangers []net.Conn
	for range 3 * maxStrangers {
		strangers = append(strangers, open(t, address, unfinished))
	}
	for i, conn := range strangers[:2*maxStrangers] {
		if _, err := io.ReadAll(conn); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Fatalf("connection %d is open: %v", i, err)
		}
	}
	last := strangers[len(strangers)-1]
	if _, err := last.Write([]byte(strings.Repeat("x", 999))); err != nil {
		t.Fatal(err)
	}
	if resp, err := http.ReadResponse(bufio.NewReader(last), nil); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("the newest connection gets %v, %v", resp, err)
	}
	if _, err := io.WriteString(trusted, "{}"); err != nil {
		t.Fatal(err)
	}
	_, _ = reader.ReadString('\n') // the end of 100 Continue
	if resp, err := http.ReadResponse(reader, nil); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("the connection with a token gets %v, %v", resp, err)
	}
}

func TestABodyWithoutATokenIsShort(t *testing.T) {
	address := limited(t, slog.New(slog.DiscardHandler))
	for name, c := range map[string]struct {
		path, token string
		size, want  int
	}{
		"1 kB":               {"/public", "", maxPublicBody, 200},
		"more":               {"/public", "", maxPublicBody + 1, 413},
		"more, with a token": {"/public", "the-token", maxPublicBody + 1, 413},
		"another path":       {"/x", "the-token", 100 * maxPublicBody, 200},
	} {
		for _, chunked := range []bool{false, true} {
			var body io.Reader = strings.NewReader(strings.Repeat("x", c.size))
			if chunked {
				body = struct{ io.Reader }{body}
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+c.path, body)
			if err != nil {
				t.Fatal(err)
			}
			if c.token != "" {
				req.Header.Set("Authorization", "Bearer "+c.token)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != c.want {
				t.Errorf("%s, chunked %t: status %d, want %d", name, chunked, resp.StatusCode, c.want)
			}
		}
	}
}

func TestSettleWaitsForTheFirstRequestsOfNewConnections(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	all := Limit(listener, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = all.Close() })
	accept := func() net.Conn {
		t.Helper()
		client, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		conn, err := all.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	if all.Settle(time.Hour); all.expects(time.Time{}) {
		t.Error("no connection was made")
	}
	for name, end := range map[string]func(net.Conn){"a credential": Admit, "its end": func(conn net.Conn) { _ = conn.Close() }} {
		conn, settled := accept(), make(chan struct{})
		if !all.expects(time.Now().Add(-time.Hour)) {
			t.Errorf("before %s, the connection does not count", name)
		}
		go func() { defer close(settled); all.Settle(time.Hour) }()
		end(conn)
		<-settled
	}
	accept()
	all.Settle(time.Nanosecond) // the connection has had its time
}
