package oauth_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/oauth"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/store"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// world is a manager with its vault. Its clock can be set forward.
type world struct {
	*oauth.Manager
	t       *testing.T
	folder  paths.Folder
	vault   *secrets.Vault
	given   *secrets.Given
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
	w := &world{t: t, folder: paths.Folder(t.TempDir()), given: secrets.NewGiven(), bus: &events.Bus{}, servers: make(map[string]oauth.Server)}
	db, err := store.Open(t.Context(), w.folder.Database())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	w.vault = secrets.NewVault(secrets.Options{Store: db, Bus: w.bus, Given: w.given, Folder: w.folder, NoKeychain: true, Work: 10})
	if err := w.vault.Unlock(t.Context(), "correct-horse"); err != nil {
		t.Fatal(err)
	}
	for i, s := range servers {
		s.ID = int64(i + 1)
		w.servers[s.Name] = s
	}
	w.options = oauth.Options{
		Vault: w.vault, File: w.folder.Sealed("sign-ins"), Bus: w.bus, Log: slog.New(slog.NewTextHandler(&locked{w: &w.log, mu: &w.mu}, nil)),
		Find: func(_ context.Context, name string) (oauth.Server, error) {
			s, ok := w.servers[name]
			if !ok {
				return s, fault.New(fault.NotFound, "no server %q", name)
			}
			return s, nil
		},
		Learn: w.given.KnowToken, Ports: []int{freePort(t), freePort(t)}, Now: w.now,
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

// restart replaces the manager with one that has only what was stored.
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
		retry, err := access.Challenged(context.Background(), mcphttp.Challenge{Status: response.StatusCode, Header: response.Header, Sent: token, Operation: path})
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

// login begins a sign-in.
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
	status, body, _ := browse(w.t, login.Address, account, "")
	if status != http.StatusOK || !strings.Contains(body, "Signed in") {
		w.t.Fatalf("the browser shows %d: %s", status, body)
	}
	if err := login.Wait(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// browse opens an address as the browser of a person would who signs in as an account. It
// returns what the last page shows, or the address at which it stopped because it begins
// with stop.
func browse(t *testing.T, address, account, stop string) (status int, body, last string) {
	t.Helper()
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar, CheckRedirect: func(next *http.Request, _ []*http.Request) error {
		last = next.URL.String()
		if stop != "" && strings.HasPrefix(last, stop) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Account", account)
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text), last
}

// provider is oidc-provider in a process of its own.
type provider struct {
	t      *testing.T
	file   string // with its data
	issuer string
	stop   func()
}

func startProvider(t *testing.T) *provider {
	t.Helper()
	mcptest.Package(t, "oidc-provider")
	p := &provider{t: t, file: filepath.Join(t.TempDir(), "provider.json")}
	p.start("0")
	t.Cleanup(func() { p.stop() })
	return p
}

func (p *provider) start(port string) {
	p.t.Helper()
	packages := filepath.Dir(filepath.Dir(mcptest.Package(p.t, "oidc-provider")))
	cmd := exec.Command(mcptest.Node(p.t), filepath.Join("testdata", "provider.mjs"), packages, port, p.file)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.stop = func() { _ = in.Close(); _ = cmd.Wait() }
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "http://") {
			p.issuer = lines.Text()
			return
		}
	}
	p.t.Fatal("the provider did not start")
}

// restart stops the provider and starts it at the same address.
func (p *provider) restart() {
	p.t.Helper()
	u, _ := url.Parse(p.issuer)
	p.stop()
	p.start(u.Port())
}

// ask sends a request to the test operations of the provider.
func (p *provider) ask(path string, query url.Values) (answer map[string]any) {
	response, err := http.Get(p.issuer + path + "?" + query.Encode())
	if err != nil {
		return nil
	}
	defer func() { _ = response.Body.Close() }()
	_ = json.NewDecoder(response.Body).Decode(&answer)
	return answer
}

// revoke revokes the token in a header; all also the grant with its refresh token.
func (p *provider) revoke(header string, all bool) {
	query := url.Values{"value": {strings.TrimPrefix(header, "Bearer ")}}
	if all {
		query.Set("all", "1")
	}
	p.ask("/test/revoke", query)
}

// resource is an MCP server, as far as tokens are concerned. It answers requests with the
// account that the token belongs to. Below /write it wants the scope write.
type resource struct {
	*httptest.Server
	mu       sync.Mutex
	provider *provider
	sent     []string // tokens
}

func newResource(t *testing.T, p *provider) *resource {
	s := &resource{provider: p}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Server.Close)
	return s
}

func (s *resource) of(name string) oauth.Server { return oauth.Server{Name: name, URL: s.URL + "/mcp"} }

func (s *resource) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	p := s.provider
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.sent = append(s.sent, token)
	s.mu.Unlock()
	if r.URL.Path == "/.well-known/oauth-protected-resource/mcp" {
		answerJSON(w, map[string]any{"resource": s.URL + "/mcp", "authorization_servers": []string{p.issuer}, "scopes_supported": []string{"read"}})
		return
	}
	if !strings.HasPrefix(r.URL.Path, "/mcp") {
		http.NotFound(w, r)
		return
	}
	is := map[string]any{}
	if token != "" {
		is = p.ask("/test/token", url.Values{"value": {token}})
	}
	scope, _ := is["scope"].(string)
	switch {
	case is["active"] != true || is["aud"] != s.URL+"/mcp":
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.URL+`/.well-known/oauth-protected-resource/mcp"`)
		w.WriteHeader(http.StatusUnauthorized)
	case strings.HasSuffix(r.URL.Path, "/write") && !strings.Contains(scope, "write"):
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="write"`)
		w.WriteHeader(http.StatusForbidden)
	default:
		_, _ = fmt.Fprint(w, is["account"])
	}
}

func (s *resource) tokens() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.sent...)
}

func answerJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}
