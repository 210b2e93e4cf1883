package oauth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/oauth"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/store"
	"github.com/agent-discover/agent-discover/backend/testing/oidctest"
)

// world is a manager with its vault. Its clock can be set forward.
type world struct {
	*oauth.Manager
	t       *testing.T
	folder  paths.Folder
	vault   *vault.Vault
	given   *redact.KnownSecrets
	bus     *events.Bus
	servers map[string]oauth.Server
	options oauth.Options

	mu      sync.Mutex
	later   time.Duration
	changed []string // servers with which the manager called the OnChange function
	log     bytes.Buffer
}

func newWorld(t *testing.T, servers ...oauth.Server) *world {
	t.Helper()
	w := &world{
		t: t, folder: paths.Folder(t.TempDir()), given: redact.NewKnownSecrets(), bus: &events.Bus{},
		servers: make(map[string]oauth.Server),
	}
	db, err := store.Open(t.Context(), w.folder.Database())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	w.vault = vault.New(vault.Options{Store: db.Secrets, Bus: w.bus, Known: w.given, Folder: w.folder, NoKeychain: true, Work: 10})
	if err := w.vault.Unlock(t.Context(), "correct-horse"); err != nil {
		t.Fatal(err)
	}
	for i, s := range servers {
		s.ID = int64(i + 1)
		w.servers[s.Name] = s
	}
	w.options = oauth.Options{
		Vault: w.vault, File: w.folder.Sealed("sign-ins"), Bus: w.bus,
		Log: slog.New(slog.NewTextHandler(&locked{w: &w.log, mu: &w.mu}, nil)),
		Find: func(_ context.Context, name string) (oauth.Server, error) {
			s, ok := w.servers[name]
			if !ok {
				return s, fault.New(fault.NotFound, "no server %q", name)
			}
			return s, nil
		}, Learn: w.given.AddToken, Ports: []int{freePort(t), freePort(t)}, Now: w.now,
	}
	w.restart()
	t.Cleanup(func() { w.Close() })
	return w
}

// locked is a writer that several goroutines may use.
type locked struct {
	w  io.Writer
	mu *sync.Mutex
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// restart replaces the manager with a new one, which has only the stored data.
func (w *world) restart() {
	if w.Manager != nil {
		w.Close()
	}
	w.Manager = oauth.New(w.options)
	w.OnChange(func(server string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.changed = append(w.changed, server)
	})
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.later)
}

// pass sets the clock forward.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.later += d
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// header returns the Authorization header of the next request to a server.
func (w *world) header(server string) string {
	w.t.Helper()
	header, err := w.Access(w.servers[server]).Header(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return header
}

// call requests a path of a server, as mcphttp does: with a token, and once more after a
// challenge. It returns the body.
func (w *world) call(server, path string) (string, error) {
	access := w.Access(w.servers[server])
	for retried := false; ; retried = true {
		token, err := access.Header(context.Background())
		if err != nil {
			return "", err
		}
		r, _ := http.NewRequest(http.MethodPost, w.servers[server].URL+path, nil)
		if token != "" {
			r.Header.Set("Authorization", token)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return "", err
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return string(body), nil
		}
		retry, err := access.Challenged(context.Background(),
			mcphttp.Challenge{Status: response.StatusCode, Header: response.Header, Sent: token, Operation: path})
		if err != nil || !retry || retried {
			return "", fmt.Errorf("status %d: %w", response.StatusCode, err)
		}
	}
}

func (w *world) mustCall(server, path, want string) {
	w.t.Helper()
	if got, err := w.call(server, path); got != want || err != nil {
		w.t.Fatalf("%s answered %q, %v; want %q", server, got, err, want)
	}
}

func (w *world) login(server string) *oauth.Login {
	w.t.Helper()
	login, err := w.Login(w.t.Context(), server)
	if err != nil {
		w.t.Fatal(err)
	}
	return login
}

// signIn signs an account in to a server.
func (w *world) signIn(server, account string) {
	w.t.Helper()
	login := w.login(server)
	status, body, _ := oidctest.Browse(w.t, login.Address, account, "")
	if status != http.StatusOK || !strings.Contains(body, "Signed in") {
		w.t.Fatalf("the browser shows %d: %s", status, body)
	}
	if err := login.Wait(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func serverAt(r *oidctest.Resource, name string) oauth.Server {
	return oauth.Server{Name: name, URL: r.URL + "/mcp"}
}

func answerJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}
