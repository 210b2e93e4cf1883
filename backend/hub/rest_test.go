package hub_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
)

var userHome = os.Getenv("HOME")

// runHub opens and runs a hub of its own on a free port.
func runHub(t *testing.T, o hub.Options) (h *hub.Hub, ended <-chan error) {
	t.Helper()
	t.Setenv("AGENT_DISCOVER_PORT", "0")
	if os.Getenv("HOME") == userHome { // children's login shell is not to read a person's start-up files
		t.Setenv("HOME", t.TempDir())
	}
	if o.Folder == "" {
		o.Folder = paths.Folder(t.TempDir())
	}
	o.Version = "1.2.3"
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

// row is a request and what its answer must look like.
type row struct {
	name    string
	method  string
	path    string
	body    string
	headers map[string]string // "" takes one away
	status  int
	want    []string // in the body or the headers
	never   []string
}

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
			t.Errorf("%s: the answer lacks %s:\n%s", r.name, want, all)
		}
	}
	for _, never := range append(r.never, h.Info().Token) {
		if strings.Contains(all, never) {
			t.Errorf("%s: the answer holds %s:\n%s", r.name, never, all)
		}
	}
}

var none = map[string]string{"Authorization": ""}

func TestServersAreManagedOverREST(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	for _, r := range []row{
		{"none at first", "GET", "/api/servers", "", nil, 200, []string{"[]"}, nil},
		{"not JSON", "POST", "/api/servers", `{bad`, nil, 422, []string{`{"error":"Invalid JSON in request body","code":`}, nil},
		{"no object", "POST", "/api/servers", `[1]`, nil, 422, []string{`{"error":"Request body must be a JSON object","code":`}, nil},
		{"null", "POST", "/api/servers", `null`, nil, 422, []string{`Request body must be a JSON object`}, nil},
		{"no name", "POST", "/api/servers", `{}`, nil, 422, []string{`{"error":"Name is required","code":`}, nil},
		{"a bad name", "POST", "/api/servers", `{"name":"bad name","command":"x"}`, nil, 422, []string{`Invalid name \"bad name\" — use alphanumeric`}, nil},
		{"created", "POST", "/api/servers", `{"name":"one","command":"no-such-program-xyz","args":["a"],"env":{"K":"v"},"tags":["t"],"description":"first"}`, nil, 201, []string{`"id":1`, `"source":"local"`, `"transport":"stdio"`, `"installed":true`, `"active":false`, `"package_name":null`, `"approved":true`}, nil},
		{"twice", "POST", "/api/servers", `{"name":"one"}`, nil, 409, []string{`Server \"one\" already exists`}, nil},
		{"without a command", "POST", "/api/servers", `{"name":"two"}`, nil, 201, []string{`"command":null`, `"installed":false`}, nil},
		{"found by its tag", "GET", "/api/servers?query=firs", "", nil, 200, []string{`"name":"one"`}, []string{`"name":"two"`}},
		{"only installed", "GET", "/api/servers?installed=true", "", nil, 200, []string{`"name":"one"`}, []string{`"name":"two"`}},
		{"by source", "GET", "/api/servers?source=other", "", nil, 200, []string{"[]"}, nil},
		{"one", "GET", "/api/servers/1", "", nil, 200, []string{`"tools":[]`}, nil},
		{"none of that id", "GET", "/api/servers/99", "", nil, 404, []string{`{"error":"Not found","code":`}, nil},
		{"no id", "GET", "/api/servers/abc", "", nil, 404, nil, nil},
		{"changed", "PUT", "/api/servers/1", `{"description":"changed","args":[],"keep_running":false}`, nil, 200, []string{`"description":"changed"`, `"args":[]`, `"no-such-program-xyz"`}, nil},
		{"changed without an object", "PUT", "/api/servers/1", ``, nil, 422, nil, nil},
		{"no command", "POST", "/api/servers/2/activate", "", nil, 400, []string{`{"error":"No command configured","code":`}, nil},
		{"a program that is not there", "POST", "/api/servers/1/activate", "", nil, 500, []string{`{"error":"Failed to activate \"one\": command \"no-such-program-xyz\" not found on PATH. Original: spawn no-such-program-xyz ENOENT","code":`}, nil},
		{"its failure is shown", "GET", "/api/servers/1", "", nil, 200, []string{`"health_status":"unknown"`, `"last_health_check":null`, `"error_count":1`, `"last_error":"Failed to activate`}, nil},
		{"not active", "POST", "/api/servers/1/deactivate", "", nil, 200, []string{`"status":"not_active"`}, nil},
		{"no calls yet", "GET", "/api/logs", "", nil, 200, []string{`"entries":[]`, `"total":0`}, nil},
		{"no tools yet", "GET", "/api/tools", "", nil, 200, []string{"[]"}, nil},
		{"nothing active", "GET", "/api/status", "", nil, 200, []string{`"active_count":0`, `"servers":[]`}, nil},
		{"nobody connected", "GET", "/api/clients", "", nil, 200, []string{"[]"}, nil},
		{"approved", "POST", "/api/servers/1/approve", "", nil, 200, []string{`"approved":true`, `"launch_hash":"`}, nil},
		{"approved as something else", "POST", "/api/servers/1/approve", `{"launch_hash":"0123"}`, nil, 409, []string{`has changed since it was shown; nothing was approved`}, nil},
		{"approved by no object", "POST", "/api/servers/1/approve", `[]`, nil, 422, nil, nil},
		{"deleted", "DELETE", "/api/servers/1", "", nil, 200, []string{`{"status":"deleted"}`}, nil},
		{"deleted twice", "DELETE", "/api/servers/1", "", nil, 404, nil, nil},
	} {
		r.send(t, h)
	}
}

func TestStopOverRESTEndsTheHub(t *testing.T) {
	h, ended := runHub(t, hub.Options{})
	row{"stop", "POST", "/api/stop", "", nil, 200, []string{"stopping"}, nil}.send(t, h)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAHubThatNobodyHoldsEnds(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	_, ended := runHub(t, hub.Options{Folder: folder, StartedBy: "companion", IdleEnd: time.Millisecond})
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := instance.Read(folder); err != instance.ErrNone {
		t.Errorf("hub.json is still there: %v", err)
	}
}

func TestAStoppedHubIsStartedByAPersonOnly(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	if err := folder.Create(); err != nil {
		t.Fatal(err)
	}
	if err := instance.SetStopped(folder, true); err != nil {
		t.Fatal(err)
	}
	_, err := hub.Open(t.Context(), hub.Options{Folder: folder, StartedBy: "companion"})
	if fault.KindOf(err) != fault.Denied {
		t.Fatalf("got %v", err)
	}
	runHub(t, hub.Options{Folder: folder})
	if instance.Stopped(folder) {
		t.Error("the wish outlives the start by a person")
	}
}
