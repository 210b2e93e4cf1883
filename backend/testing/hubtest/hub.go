package hubtest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// Deadline limits how long a test waits for an event. A working hub never needs that long.
const Deadline = 3 * time.Minute

// UserHome is the home folder of the person who runs the tests.
var UserHome = os.Getenv("HOME")

// RunHub runs a hub on a free port, in a new data folder unless o names one. env
// are additional environment variables, which stay set until the test ends. ended
// receives the error of Run and Close. The hub stops when the test ends.
func RunHub(t *testing.T, o hub.Options, env ...string) (h *hub.Hub, ended <-chan error) {
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
	if os.Getenv("HOME") == UserHome { // login shells must not read the start-up files in UserHome
		SetHomeTo(t, t.TempDir())
	}
	if o.Folder == "" {
		o.Folder = paths.Folder(t.TempDir())
	}
	o.Version, o.PassphraseWork, o.Encoder = "1.2.3", 10, encoder
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

// AwaitEnd waits until a hub has ended without an error.
func AwaitEnd(t *testing.T, ended <-chan error) {
	t.Helper()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the hub ended with the error %v", err)
		}
	case <-time.After(Deadline):
		t.Fatal("the hub did not end in time")
	}
}

// Do sends a request with the hub's token and decodes the answer into out, unless that
// is nil.
func Do(t *testing.T, h *hub.Hub, method, path string, body, out any) {
	t.Helper()
	if err := instance.NewClient(h.Info()).Do(t.Context(), method, path, body, out); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
}

// TryDo is like Do, but it discards the answer, and it returns an error instead of failing the test.
func TryDo(t *testing.T, h *hub.Hub, method, path string, body any) error {
	t.Helper()
	return instance.NewClient(h.Info()).Do(t.Context(), method, path, body, nil)
}

// CleanChanges are settings with which tools that a server adds or changes need no person's approval if the scan finds
// nothing in them.
const CleanChanges = "port: 0\ntrust: {changes: clean}\n"

// Reconfigure changes fields of the first server as a person does.
func Reconfigure(t *testing.T, h *hub.Hub, fields map[string]any) {
	t.Helper()
	s := &Scenario{T: t, Hub: h}
	if status, body := s.SendAsPerson("PUT", "/api/servers/1", s.JSON(fields)); status != 200 {
		t.Fatalf("%d: %s", status, body)
	}
}

// Row is a REST request with the hub's token, and the expected answer.
type Row struct {
	Name    string
	Method  string
	Path    string
	Body    string
	Headers map[string]string // added to the request; "" removes a header
	Status  int
	Want    []string // must be in the body or the headers
	Never   []string
	Person  bool // send the request in a dashboard session, as a person does, instead of with the hub's token
}

// NoToken is the Headers of a Row that sends no token.
var NoToken = map[string]string{"Authorization": ""}

// Send sends the request and checks the answer.
func (r Row) Send(t *testing.T, h *hub.Hub) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), r.Method, "http://"+h.Info().Address()+r.Path, strings.NewReader(r.Body))
	if err != nil {
		t.Fatal(err)
	}
	token := h.Info().Token
	if r.Person {
		if token, err = instance.NewClient(h.Info()).Session(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for k, v := range r.Headers {
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
		t.Fatalf("%s: %v", r.Name, err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	var head strings.Builder
	_ = resp.Header.Write(&head)
	all := head.String() + "\n" + string(body)
	if resp.StatusCode != r.Status {
		t.Errorf("%s: status %d, want %d: %s", r.Name, resp.StatusCode, r.Status, body)
	}
	for _, want := range r.Want {
		if !strings.Contains(all, want) {
			t.Errorf("%s: the answer does not contain %s:\n%s", r.Name, want, all)
		}
	}
	for _, never := range append(r.Never, h.Info().Token) {
		if strings.Contains(all, never) {
			t.Errorf("%s: the answer must not contain %s:\n%s", r.Name, never, all)
		}
	}
}

// AddFake adds an mcptest server named fake.
func AddFake(t *testing.T, h *hub.Hub) {
	t.Helper()
	command := mcptest.Command(t)
	Do(t, h, "POST", "/api/servers", map[string]any{"name": "fake", "command": command[0], "args": command[1:]}, nil)
}

// SetHome sets HOME to an empty folder, and SHELL to a login shell that starts quickly.
func SetHome(t *testing.T) {
	t.Helper()
	SetHomeTo(t, t.TempDir())
	t.Setenv("SHELL", "/bin/sh")
}

// SetHomeTo sets the home folder on every system.
func SetHomeTo(t *testing.T, home string) {
	t.Helper()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
}

// NewDataFolder creates a data folder with a config.yaml.
func NewDataFolder(t *testing.T, settings string) paths.Folder {
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

// WriteFile writes a file and returns its path.
func WriteFile(t *testing.T, file, text string) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// PinnedServers returns the path of the pinned Node and the folder of the pinned MCP
// servers. It skips the test if they are not installed.
func PinnedServers(t *testing.T) (node, servers string) {
	t.Helper()
	return mcptest.Node(t), mcptest.Package(t, "@modelcontextprotocol")
}

// Recorded returns the answer in a recorded exchange with the original product. vars
// are pairs of a text in the recording and its replacement.
func Recorded(t *testing.T, name string, vars ...string) (response json.RawMessage) {
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

// Weather is a tool definition with every kind of member, one of which contains HTML.
const Weather = `{"name":"forecast","title":"Weather <b>now</b>","description":"Weather of the coming days for a city","inputSchema":{"type":"object","properties":{"city":{"type":"string","description":"where"}},"required":["city"]},"x":9007199254740993}`

// AwaitTokenCounts waits until the tokens of all tools are counted, and returns the
// tools by name.
func AwaitTokenCounts(t *testing.T, h *hub.Hub) map[string]operations.KnownTool {
	t.Helper()
	changes, stop := h.Counted()
	defer stop()
	for {
		var list []operations.KnownTool
		Do(t, h, http.MethodGet, "/api/tools?brief=true", nil, &list)
		out, done := make(map[string]operations.KnownTool), len(list) > 0
		for _, tool := range list {
			out[tool.Name], done = tool, done && tool.Tokens > 0
		}
		if done {
			return out
		}
		select {
		case <-changes:
		case <-time.After(Deadline):
			t.Fatal("the tokens of the tools were not counted in time")
		}
	}
}

// FirstCall is the time of the first call that RecordCalls records.
var FirstCall = time.Date(2026, 3, 14, 9, 26, 53, 589_000_000, time.UTC)

// RecordCalls adds six entries to the log, with the ids 1 to 6: four calls of one
// server, an hour apart, and later a notification and a progress message.
func RecordCalls(h *hub.Hub) {
	j := h.Journal()
	call := func(hours int, tool, args, result string, how journal.Outcome) {
		j.Record(journal.Record{
			At: FirstCall.Add(time.Duration(hours) * time.Hour), Client: "claude", Session: "s1", Server: "one", Tool: tool,
			Outcome: how, Latency: 1600 * time.Microsecond,
		}, json.RawMessage(args), json.RawMessage(result), nil)
	}
	call(0, "echo", `{"text":"=1+1"}`,
		`{"content":[{"type":"text","text":"=1+1"},{"type":"image","data":"AA=="},{"type":"text","text":"é"}]}`, journal.OK)
	call(1, "sum", `{"a":9007199254740993}`, `{"structuredContent":{"sum":1},"content":[]}`, journal.OK)
	call(2, "fail", ``, `{"content":[{"type":"text","text":"no luck"}],"isError":true}`, journal.ToolError)
	call(3, "long", `{"text":"`+strings.Repeat("x", 5000)+`"}`, `{"content":[]}`, journal.OK)
	j.Record(journal.Record{
		At: FirstCall.Add(24 * time.Hour), Kind: journal.Notification, Server: "two", Tool: "notifications/message",
		Response: `{"level":"info"}`, Outcome: journal.OK,
	}, json.RawMessage(`{"level":"info"}`), nil, nil)
	j.Record(journal.Record{
		At: FirstCall.Add(48 * time.Hour), Kind: journal.Progress, Server: "one", Tool: "progress", Outcome: journal.OK,
	}, json.RawMessage(`{"token":"sum","progress":1,"total":4}`), nil, nil)
}

// WriteSettings writes the config.yaml of a data folder.
func WriteSettings(t *testing.T, folder paths.Folder, text string) {
	t.Helper()
	if err := os.WriteFile(folder.Config(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Remembering is a hub with a server that asks questions, and the window in which a person answers them.
type Remembering struct {
	Scenario
	Window *Socket
}

// RunRemembering runs a hub with an always listed server called one. No window is open yet.
func RunRemembering(t *testing.T, folder paths.Folder) *Remembering {
	t.Helper()
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	h, ended := RunHub(t, hub.Options{Folder: folder}, "AGENT_DISCOVER_PASSPHRASE=correct horse")
	r := &Remembering{Scenario: Scenario{T: t, Hub: h, Ended: ended}}
	var servers []map[string]any
	Do(t, h, "GET", "/api/servers", nil, &servers)
	if len(servers) == 0 {
		command := mcptest.Command(t, "-offers")
		Do(t, h, "POST", "/api/servers", map[string]any{"name": "one", "command": command[0], "args": command[1:]}, nil)
		Do(t, h, "PUT", "/api/servers/1/secrets/SOME", map[string]any{"value": "creates the file with a passphrase"}, nil)
	}
	Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	return r
}

// OpenWindow connects a window that shows questions. It returns when the window has the hub's state: from then on, the
// window gets every event.
func (r *Remembering) OpenWindow() {
	r.T.Helper()
	r.Window = Connect(r.T, r.Hub, "/ws?hub=1")
	r.Window.Until("the state", func(m Message) bool { return m.Type == "state" })
}

// CloseWindow closes the window and waits until the hub has noticed it.
func (r *Remembering) CloseWindow() {
	r.T.Helper()
	_ = r.Window.Conn.Close(websocket.StatusNormalClosure, "")
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for r.Hub.Attended() {
		<-tick.C
	}
}

// Answered makes a call, answers the question that the server asks during it, and returns the result of the call.
func (r *Remembering) Answered(a *Agent, call, reply string) string {
	r.T.Helper()
	a.Write(`{"jsonrpc":"2.0","id":"asking","method":"tools/call","params":` + call + `}`)
	question := r.Window.Until("the question", func(m Message) bool { return m.Type == "elicitation_request" })
	status, body := r.SendAsPerson("POST", "/api/elicitations/"+Between(question.Raw, `"id":"`, `"`)+"/respond", reply)
	if status != 200 {
		r.T.Fatalf("the answer was refused with %d: %s", status, body)
	}
	return a.AwaitText(`"id":"asking"`)
}
