//go:build market && linux

package market

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startTime is how long PostgreSQL and the registry may take to start; the registry imports all servers first.
const startTime = 2 * time.Minute

// real is the official registry server with its own database.
type real struct {
	url     string
	token   string
	sockets string // folder of PostgreSQL's socket
	stops   []func()
}

func TestTheClientAndTheCopyWorkWithTheRealRegistry(t *testing.T) {
	program, err := filepath.Abs("bin/registry")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		t.Skip("the registry server is missing: run make test-market")
	}
	run(t, newReal(t, program))
}

func newReal(t *testing.T, program string) *real {
	t.Helper()
	r := &real{}
	t.Cleanup(r.stop)
	r.startDatabase(t)
	seed := filepath.Join(t.TempDir(), "seed.json")
	data, err := json.Marshal(servers())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(seed, data, 0o600); err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	r.url = "http://" + address
	database := url.URL{
		Scheme: "postgres", User: url.User("postgres"), Path: "/postgres", RawQuery: url.Values{"host": {r.sockets}}.Encode(),
	}
	command := exec.Command(program)
	command.Env = append(os.Environ(),
		"MCP_REGISTRY_DATABASE_URL="+database.String(), "MCP_REGISTRY_DATABASE_MAX_CONNECTIONS=8",
		"MCP_REGISTRY_DATABASE_MIN_CONNECTIONS=1",
		"MCP_REGISTRY_SEED_FROM="+seed, "MCP_REGISTRY_SERVER_ADDRESS="+address, "MCP_REGISTRY_ENABLE_REGISTRY_VALIDATION=false",
		"MCP_REGISTRY_ENABLE_ANONYMOUS_AUTH=true", "MCP_REGISTRY_JWT_PRIVATE_KEY="+strings.Repeat("5a", 32),
	)
	r.run(t, command)
	waitFor(t, "the registry", func() error {
		response, err := http.Get(r.url + "/v0.1/ping")
		if err == nil {
			_ = response.Body.Close()
		}
		return err
	})
	var token struct {
		Token string `json:"registry_token"`
	}
	r.request(t, http.MethodPost, "/v0.1/auth/none", nil, &token)
	r.token = token.Token
	return r
}

// startDatabase starts PostgreSQL with an empty database. PostgreSQL refuses to run as root.
func (r *real) startDatabase(t *testing.T) {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres") // the pattern is well-formed
	if len(found) == 0 {
		t.Skip("PostgreSQL is missing: run make test-market")
	}
	programs := filepath.Dir(slices.Max(found))
	folder, err := os.MkdirTemp("", "market-") // the path of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	r.stops = append(r.stops, func() { _ = os.RemoveAll(folder) })
	attributes := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		attributes.Credential = postgresUser(t)
		if err := os.Chown(folder, int(attributes.Credential.Uid), int(attributes.Credential.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	data := filepath.Join(folder, "data")
	initialize := exec.Command(filepath.Join(programs, "initdb"), "--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync",
		"--pgdata="+data)
	initialize.SysProcAttr, initialize.Dir = attributes, folder
	if output, err := initialize.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, output)
	}
	server := exec.Command(filepath.Join(programs, "postgres"), "-D", data, "-k", folder, "-c", "listen_addresses=", "-c",
		"fsync=off", "-c", "timezone=UTC")
	server.SysProcAttr, server.Dir = attributes, folder
	r.sockets = folder
	r.run(t, server)
	waitFor(t, "PostgreSQL", func() error { return r.sql("SELECT 1") })
}

// postgresUser returns the user that Debian's package of PostgreSQL has added.
func postgresUser(t *testing.T) *syscall.Credential {
	t.Helper()
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Skip(err)
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid) // both are numbers on Unix
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// run starts a program that stop ends. Its output is logged if the test fails.
func (r *real) run(t *testing.T, command *exec.Cmd) {
	t.Helper()
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	r.stops = append(r.stops, func() {
		_ = command.Process.Signal(syscall.SIGINT) // PostgreSQL takes it as a fast shutdown
		_ = command.Wait()                         // its exit code does not matter
		if text := output.String(); t.Failed() {
			t.Logf("%s:\n%s", filepath.Base(command.Path), text[max(0, len(text)-3000):])
		}
	})
}

func (r *real) URL() string { return r.url }

// stop ends the registry and its database, in this order.
func (r *real) stop() {
	for _, stop := range slices.Backward(r.stops) {
		stop()
	}
	r.stops = nil
}

// waitFor tries something until it succeeds.
func waitFor(t *testing.T, what string, try func() error) {
	t.Helper()
	var err error
	for until := time.Now().Add(startTime); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		if err = try(); err == nil {
			return
		}
	}
	t.Fatalf("%s: %v", what, err)
}

// sql runs a statement in the database.
func (r *real) sql(statement string) error {
	output, err := exec.Command("psql", "-h", r.sockets, "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-c", statement).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	return nil
}

func (r *real) age(t *testing.T) {
	t.Helper()
	if err := r.sql("UPDATE servers SET updated_at = updated_at - interval '2 days', published_at = published_at - interval '2 days', " +
		"status_changed_at = status_changed_at - interval '2 days'"); err != nil {
		t.Fatal(err)
	}
}

func (r *real) publish(t *testing.T, server map[string]any) {
	t.Helper()
	r.request(t, http.MethodPost, "/v0.1/publish", server, nil)
}

func (r *real) mark(t *testing.T, name, version, status, message string) {
	t.Helper()
	path := "/v0.1/servers/" + url.PathEscape(name)
	if version != "" {
		path += "/versions/" + url.PathEscape(version)
	}
	body := map[string]any{"status": status}
	if message != "" {
		body["statusMessage"] = message
	}
	r.request(t, http.MethodPatch, path+"/status", body, nil)
}

// request sends a request with the token of the test, and decodes the answer into out unless it is nil.
func (r *real) request(t *testing.T, method, path string, body, out any) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(method, r.url+path, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+r.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: status %d, %v: %s", method, path, response.StatusCode, err, answer)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(answer, out); err != nil {
		t.Fatal(err)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
