package guard

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// lockedBuffer is a buffer that the server may write to while the test reads it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// asOther sends a request as another user and returns the response.
func asOther(t *testing.T, address, request string) string {
	t.Helper()
	_, port, _ := net.SplitHostPort(address)
	number, _ := strconv.Atoi(port)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Setfsuid(65534); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	_ = unix.Setfsuid(os.Geteuid())
	if err != nil {
		t.Fatal(err)
	}
	conn := os.NewFile(uintptr(fd), "conn")
	defer conn.Close()
	if err := unix.Connect(fd, &unix.SockaddrInet4{Port: number, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(conn, request) // fails if the hub has closed the connection already
	answer, _ := io.ReadAll(conn)
	return string(answer)
}

func TestAnotherUserGetsNothingWithTheTokenEither(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can connect as another user")
	}
	var log lockedBuffer
	address := limited(t, slog.New(slog.NewTextHandler(&log, nil)))
	request := "POST /x HTTP/1.1\r\nHost: " + address +
		"\r\nAuthorization: Bearer the-token\r\nConnection: close\r\nContent-Length: 4\r\n\r\necho"
	for range 3 {
		answer := asOther(t, address, request)
		if strings.Contains(answer, "echo") || answer != "" && !strings.HasPrefix(answer, "HTTP/1.1 403 ") {
			t.Errorf("another user got %s", answer)
		}
	}
	if n := strings.Count(log.String(), "another user"); n != 1 || !strings.Contains(log.String(), "user=65534") {
		t.Errorf("%d warnings: %s", n, log.String())
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/x", strings.NewReader("echo"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer the-token")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "echo" {
		t.Errorf("the same user got %s, %v", body, err)
	}
}
