//go:build linux

package cli_test

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

var release = flag.String("release", "", "program of the last release, of which TestDataOfTheLastReleaseIsWritten writes a data folder")

// releaseConfig are the settings of the data folder of the last release.
const releaseConfig = `# mine
port: 0
limits: {call_timeout: 75s} # not longer
discovery:
  tool_rules:
    - {server: notes, pattern: ["forget"], enabled: false, tags: [dangerous]}
  approval:
    rules: [{server: notes, pattern: [write], ask: true}]
`

// releaseServer is the command of the servers in the data folder of the last release: a program in the home folder, which
// answers with a secret.
var releaseServer = []string{
	"sh", "-c", `exec "$HOME/server" "$@"`, "server", "-only", "-result", `{"content":[{"type":"text","text":"it is ${secret:TOKEN}"}]}`,
	"-definition", `{"name":"read","description":"Reads a note of a day","inputSchema":{"type":"object"}}`,
	"-definition", `{"name":"write","description":"Writes a note of a day","inputSchema":{"type":"object"}}`,
	"-definition", `{"name":"forget","description":"Removes all notes","inputSchema":{"type":"object"}}`,
}

// TestDataOfTheLastReleaseIsWritten writes the data folder that TestAnUpdateFromTheLastReleaseKeepsEverything updates. It
// also starts the release with the data of this program, which it must refuse.
func TestDataOfTheLastReleaseIsWritten(t *testing.T) {
	if *release == "" {
		t.Skip("run by build/release-data.sh")
	}
	h := programtest.NewHome(t)
	today := h.Program
	h.Program = *release
	prepareRelease(h)
	h.Settings(releaseConfig)
	s := h.Serve()
	configureServers(h)
	configureOthers(h)
	useTools(h, s)
	stop := func(s *programtest.Hub) {
		programtest.Signal(t, s.PID, syscall.SIGTERM)
		s.Exit()
	}
	stop(s)
	s = h.Serve()
	shown := make(map[string]any)
	for _, path := range []string{
		"/api/servers", "/api/tools", "/api/toolsets", "/api/tool-approvals", "/api/learned", "/api/secrets", "/api/logs?limit=500",
		"/api/personas", "/api/presets", "/api/tokens", "/api/audit?limit=500", "/api/servers/1/links", "/api/metrics",
	} {
		shown[path] = answerOf(h, path)
	}
	text, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	h.Write(filepath.Join(h.Dir, "shown.json"), string(text))
	stop(s)
	pack(h, lastRelease)

	h.Program = today
	stop(h.Serve())
	h.Program = *release
	if out := h.Run("start"); out.Code == 0 || !strings.Contains(out.Stderr, "newer version") {
		t.Errorf("the release with newer data: %+v", out)
	}
}

func configureServers(h *programtest.Home) {
	h.T.Helper()
	add := func(name string, flags ...string) {
		h.Must(append(append(append([]string{"servers", "add", name, "--no-start"}, flags...), "--"), releaseServer...)...)
	}
	add("notes", "--tag", "mine", "--tag", "text", "--description", "My notes", "--env", "LEVEL=3", "--account", "work", "--keep-running")
	h.SetSecret("notes", "TOKEN", "correct-horse")
	h.Must("servers", "refresh", "notes")
	h.Must("servers", "activate", "notes")
	add("boxed", "--sandbox", "guard", "--isolation", "session")
	h.AsPerson(http.MethodPut, "/api/servers/2/links/notes/TOKEN", nil, nil)
	h.Must("servers", "add", "remote", "--no-start", "--sse", "--url", "https://mcp.example/tickets?key=${secret:KEY}")
	h.SetSecret("remote", "KEY", "battery")
}

func configureOthers(h *programtest.Home) {
	h.T.Helper()
	h.Must("learned", "on")
	h.Must("toolset", "create", "daily", "notes.read", "notes.write", "--description", "Every day")
	note := map[string]string{"server": "notes", "tool": "read", "note": "Use it in the morning"}
	h.AsPerson(http.MethodPost, "/api/toolsets/daily/note", note, nil)
	h.Must("toolset", "equip", "daily", "--client", "cursor")
	h.AsPerson(http.MethodPost, "/api/tokens", map[string]string{"name": "phone", "surface": "toolset:daily"}, nil)
	folder := filepath.Join(h.Folder.Personas(), "reviewer")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		h.T.Fatal(err)
	}
	h.Write(filepath.Join(folder, "persona.yaml"),
		"name: reviewer\ndescription: Reads code\nversion: \"1.0\"\ntoolsets:\n  - {name: reading, tools: [desk.look, notes.read]}\n")
	h.Write(filepath.Join(folder, "mcp.json"), `{"mcpServers": {"desk": {"command": "nowhere", "args": ["--serve"]}}}`)
	h.Must("persona", "activate", "reviewer")
	preset := map[string]any{"server": "notes", "kind": "tool", "target": "read", "preset": "today", "payload": map[string]any{"text": "x"}}
	h.AsPerson(http.MethodPost, "/api/presets", preset, nil)
}

// useTools makes calls, of which one needs a person's approval, which is given for good, and one is refused.
func useTools(h *programtest.Home, s *programtest.Hub) {
	t := h.T
	t.Helper()
	window, _, err := websocket.Dial(t.Context(), "ws://"+s.Address()+"/ws?hub=1",
		&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + s.Token}}})
	if err != nil {
		t.Fatal(err)
	}
	window.SetReadLimit(-1)
	defer func() { _ = window.CloseNow() }()
	if _, _, err := window.Read(t.Context()); err != nil { // then the hub knows the window
		t.Fatal(err)
	}
	c := h.CompanionOf("--client", "cursor")
	c.Open(`{}`)
	c.Registry(`{"action":"find_tool","query":"read the note of a day"}`)
	c.Tool("notes__read", `{"text":"x"}`)
	c.FailingTool("notes__forget", `{}`)
	c.Registry(`{"action":"install","name":"proposed","command":"no-such-program","args":["--flag"]}`)
	id := c.StartTool("notes__write", `{"text":"y"}`)
	var questions struct{ Entries []struct{ ID string } }
	programtest.Eventually(t, "the call waits for approval", func() bool {
		h.AsPerson(http.MethodGet, "/api/elicitations", nil, &questions)
		return len(questions.Entries) > 0
	})
	answer := map[string]string{"action": "accept", "remember": "always"}
	h.AsPerson(http.MethodPost, "/api/elicitations/"+questions.Entries[0].ID+"/respond", answer, nil)
	c.ToolResult(id)
	programtest.Eventually(t, "the calls are stored", func() bool {
		var learned struct{ Total int }
		h.MustJSON(&learned, "learned", "--json")
		return learned.Total > 0 && strings.Count(h.Must("audit", "export"), "\n") >= 3
	})
}
