package hub_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// deadline limits how long a test waits for an event. Only a broken hub needs that
// long.
const deadline = 3 * time.Minute

// userHome is the home folder of the person who runs the tests.
var userHome = os.Getenv("HOME")

// runHub runs a hub on a free port, in a new data folder unless o names one. ended
// receives the error of Run and Close. The hub stops when the test ends. env are
// additional variables.
func runHub(t *testing.T, o hub.Options, env ...string) (h *hub.Hub, ended <-chan error) {
	t.Helper()
	t.Setenv("AGENT_DISCOVER_PORT", "0")
	t.Setenv("AGENT_DISCOVER_REGISTRY_URL", "off") // tests do not reach the internet
	if text, _ := os.ReadFile(o.Folder.Config()); strings.Contains(string(text), "registry_url") {
		t.Setenv("AGENT_DISCOVER_REGISTRY_URL", "")
	}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
	if os.Getenv("HOME") == userHome { // login shells must not read the start-up files of this person
		setHomeTo(t, t.TempDir())
	}
	if o.Folder == "" {
		o.Folder = paths.Folder(t.TempDir())
	}
	o.Version, o.PassphraseWork = "1.2.3", 10
	h, err := hub.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		err := h.Run(context.WithoutCancel(t.Context()))
		if closed := h.Close(); err == nil {
			err = closed
		}
		done <- err
	}()
	t.Cleanup(func() { h.Stop(); <-finished })
	return h, done
}

// awaitEnd waits until a hub has ended without an error.
func awaitEnd(t *testing.T, ended <-chan error) {
	t.Helper()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the hub ended with the error %v", err)
		}
	case <-time.After(deadline):
		t.Fatal("the hub did not end in time")
	}
}

// do sends a request with the hub's token and decodes the answer into out, unless that
// is nil.
func do(t *testing.T, h *hub.Hub, method, path string, body, out any) {
	t.Helper()
	if err := instance.NewClient(h.Info()).Do(t.Context(), method, path, body, out); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
}

// tryDo is do for requests that may fail.
func tryDo(t *testing.T, h *hub.Hub, method, path string, body any) error {
	t.Helper()
	return instance.NewClient(h.Info()).Do(t.Context(), method, path, body, nil)
}

// cleanChanges are settings with which tools that a server adds or changes are used without
// a person, if the scan finds nothing in them.
const cleanChanges = "port: 0\ntrust: {changes: clean}\n"

// reconfigure changes the first server as a person does.
func reconfigure(t *testing.T, h *hub.Hub, fields map[string]any) {
	t.Helper()
	s := &scenario{t: t, hub: h}
	if status, body := s.sendAsPerson("PUT", "/api/servers/1", s.json(fields)); status != 200 {
		t.Fatalf("%d: %s", status, body)
	}
}

// row is a REST request with the hub's token, and the expected answer.
type row struct {
	name    string
	method  string
	path    string
	body    string
	headers map[string]string // added to the request; "" removes a header
	status  int
	want    []string // in the body or the headers
	never   []string
}

// noToken removes the token from a request.
var noToken = map[string]string{"Authorization": ""}

func (r row) send(t *testing.T, h *hub.Hub) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), r.method, "http://"+h.Info().Address()+r.path, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.Info().Token)
	for k, v := range r.headers {
		switch {
		case k == "Host":
			req.Host = v
		case v == "":
			req.Header.Del(k)
		default:
			req.Header.Set(k, v)
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("%s: %v", r.name, err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	var head strings.Builder
	_ = resp.Header.Write(&head)
	all := head.String() + "\n" + string(body)
	if resp.StatusCode != r.status {
		t.Errorf("%s: status %d, want %d: %s", r.name, resp.StatusCode, r.status, body)
	}
	for _, want := range r.want {
		if !strings.Contains(all, want) {
			t.Errorf("%s: the answer does not contain %s:\n%s", r.name, want, all)
		}
	}
	for _, never := range append(r.never, h.Info().Token) {
		if strings.Contains(all, never) {
			t.Errorf("%s: the answer must not contain %s:\n%s", r.name, never, all)
		}
	}
}

// addFake adds an mcptest server named fake.
func addFake(t *testing.T, h *hub.Hub) {
	t.Helper()
	command := mcptest.Command(t)
	do(t, h, "POST", "/api/servers", map[string]any{"name": "fake", "command": command[0], "args": command[1:]}, nil)
}

// listed waits until the hub has n servers, and returns them.
func listed(t *testing.T, h *hub.Hub, n int) []map[string]any {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); time.Since(began) < deadline; <-tick.C {
		var servers []map[string]any
		do(t, h, http.MethodGet, "/api/servers", nil, &servers)
		if len(servers) == n {
			return servers
		}
	}
	t.Fatalf("the hub did not list %d servers in time", n)
	return nil
}

// setHome sets HOME to an empty folder, and a login shell that starts quickly.
func setHome(t *testing.T) {
	t.Helper()
	setHomeTo(t, t.TempDir())
	t.Setenv("SHELL", "/bin/sh")
}

// setHomeTo sets the home folder on every system.
func setHomeTo(t *testing.T, home string) {
	t.Helper()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
}

// newDataFolder creates a data folder with a config.yaml.
func newDataFolder(t *testing.T, settings string) paths.Folder {
	t.Helper()
	folder := paths.Folder(filepath.Join(t.TempDir(), "data"))
	if err := folder.Create(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder.Config(), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func writeFile(t *testing.T, file, text string) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// pinnedServers returns the path of the pinned Node and the folder of the pinned MCP
// servers. It skips the test if they are not installed.
func pinnedServers(t *testing.T) (node, servers string) {
	t.Helper()
	return mcptest.Node(t), mcptest.Package(t, "@modelcontextprotocol")
}

// recorded returns the answer in a recorded exchange with the original product, with
// the pairs in vars replaced.
func recorded(t *testing.T, name string, vars ...string) (response json.RawMessage) {
	t.Helper()
	data, err := os.ReadFile(reference.Path(t, "golden", "original", name))
	if err != nil {
		t.Fatal(err)
	}
	var exchange struct{ Response json.RawMessage }
	if err := json.Unmarshal([]byte(strings.NewReplacer(vars...).Replace(string(data))), &exchange); err != nil {
		t.Fatal(err)
	}
	return exchange.Response
}

// recordedBody decodes the body of a recorded answer into a value.
func recordedBody(t *testing.T, name string, into any) {
	t.Helper()
	var response struct{ Body json.RawMessage }
	if err := errors.Join(json.Unmarshal(recorded(t, name+".json"), &response), json.Unmarshal(response.Body, into)); err != nil {
		t.Fatal(err)
	}
}
