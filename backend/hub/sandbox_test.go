//go:build linux

package hub_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

// confining runs a hub that confines servers, in a home folder that contains a key and is
// prepared before the hub starts. The test is skipped where the kernel cannot enforce a strict
// sandbox.
func confining(t *testing.T, prepare ...func(home string)) (s *scenario, home string) {
	t.Helper()
	helper := []string{programtest.Current(t), sandbox.HelperCommand}
	if text, complete := sandbox.Describe(helper); !complete {
		t.Skip(text)
	}
	home, err := os.MkdirTemp("/var", "home-of-a-test-") // temporary folders may be written
	if err != nil {
		t.Skipf("no home folder outside of the temporary folders: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	for name, text := range map[string]string{".ssh/id_ed25519": "the key", "files/a.txt": "an ordinary file"} {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	setHomeTo(t, home)
	for _, each := range prepare {
		each(home)
	}
	return newScenario(t, hub.Options{Helper: helper, Folder: paths.Folder(filepath.Join(home, ".agent-discover"))}), home
}

func (s *scenario) confined(name, level string, command ...string) string {
	return s.json(map[string]any{"name": name, "sandbox": level, "warm": false, "command": command[0], "args": command[1:]})
}

func call(tool, arguments string) string { return `{"tool":"` + tool + `","args":` + arguments + `}` }

func TestAConfinedNPMServerWorksAndGetsWhatAPersonGrants(t *testing.T) {
	s, home := confining(t)
	node := mcptest.Node(t)
	everything := mcptest.Package(t, "@modelcontextprotocol/server-everything", "dist", "index.js")
	filesystem := mcptest.Package(t, "@modelcontextprotocol/server-filesystem", "dist", "index.js")
	read := func(path string) string { return call("read_text_file", `{"path":"`+filepath.Join(home, path)+`"}`) }
	write := call("write_file", `{"path":"`+home+`/files/b.txt","content":"new"}`)
	s.play(
		step{name: "a strict server", method: "POST", path: "/api/servers", body: s.confined("strict", "strict", node, everything), status: 201, want: []string{`"level":"strict"`, `"enforced":"enforced"`}},
		step{name: "it starts", method: "POST", path: "/api/servers/1/activate", status: 200},
		step{name: "it works", method: "POST", path: "/api/servers/1/call", body: call("echo", `{"message":"hello"}`), status: 200, want: []string{"Echo: hello"}},
		step{name: "a guarded server", method: "POST", path: "/api/servers", body: s.confined("guard", "guard", node, filesystem, filepath.Join(home, "files"), filepath.Join(home, ".ssh")), status: 201, want: []string{`"level":"guard"`}},
		step{name: "it starts, too", method: "POST", path: "/api/servers/2/activate", status: 200},
		step{name: "it reads", method: "POST", path: "/api/servers/2/call", body: read("files/a.txt"), status: 200, want: []string{"an ordinary file"}},
		step{name: "but no secret", method: "POST", path: "/api/servers/2/call", body: read(".ssh/id_ed25519"), status: 200, want: []string{"EACCES"}, never: []string{"the key"}, events: []string{"state id_ed25519"}},
		step{name: "and it does not write", method: "POST", path: "/api/servers/2/call", body: write, status: 200, want: []string{"EACCES"}, events: []string{"state files/b.txt"}},
		step{name: "what it wanted", method: "GET", path: "/api/servers/2", status: 200, want: []string{`"access":"write"`, `"grant":"` + home + `/files"`, `"target":"` + home + `/.ssh/id_ed25519","count"`}},
		step{name: "a program may not grant that", method: "PUT", path: "/api/servers/2/sandbox", body: `{"grants":{"read":[],"network":[],"write":["~/files"]}}`, status: 403, want: []string{"person_required"}},
		step{name: "nor loosen it", method: "PUT", path: "/api/servers/2/sandbox", body: `{"level":"off"}`, status: 403},
		step{name: "a wrong grant", method: "PUT", path: "/api/servers/2/sandbox", body: `{"grants":{"read":["files"],"network":[],"write":[]}}`, status: 422, person: true},
		step{name: "a person may", method: "PUT", path: "/api/servers/2/sandbox", body: `{"grants":{"read":[],"network":[],"write":["~/files"]}}`, status: 200, person: true},
		step{name: "now it writes", method: "POST", path: "/api/servers/2/call", body: write, status: 200, never: []string{"EACCES"}},
		step{name: "and still reads no secret", method: "POST", path: "/api/servers/2/call", body: read(".ssh/id_ed25519"), status: 200, want: []string{"EACCES"}, never: []string{"the key"}},
		step{name: "the grant is no longer offered", method: "GET", path: "/api/servers/2", status: 200, never: []string{`"access":"write"`}},
		step{name: "tighter", method: "PUT", path: "/api/servers/2/sandbox", body: `{"level":"strict","grants":{"read":[],"network":[],"write":[]}}`, status: 200, want: []string{`"level":"strict"`}},
	)
	if text, err := os.ReadFile(filepath.Join(home, "files", "b.txt")); string(text) != "new" {
		t.Errorf("the granted file is %q, %v", text, err)
	}
}

func TestAConfinedPythonServerIsInstalledBeforeAndWorks(t *testing.T) {
	env := make(map[string]string) // how this machine reaches its package registry
	for _, name := range []string{"SSL_CERT_FILE", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "HTTPS_PROXY", "UV_NATIVE_TLS", "UV_SYSTEM_CERTS"} {
		if value := os.Getenv(name); value != "" {
			env[name] = value
		}
	}
	s, _ := confining(t, func(home string) { profile(t, home, mcptest.UV(t), env) })
	for i, level := range []string{"guard", "strict"} {
		server := map[string]any{"name": level, "sandbox": level, "warm": false, "command": filepath.Join(mcptest.UV(t), "uvx"), "args": []string{"mcp-server-time", "--local-timezone", "UTC"}}
		_, _ = s.send("POST", "/api/servers", s.json(server))
		status, body := s.send("POST", fmt.Sprintf("/api/servers/%d/activate", i+1), "")
		if _, shown := s.send("GET", fmt.Sprintf("/api/servers/%d", i+1), ""); status != 200 && strings.Contains(shown, "could not install") {
			t.Skipf("the package registry of uv cannot be used here: %.300s", body)
		}
		s.play(
			step{name: level, method: "POST", path: fmt.Sprintf("/api/servers/%d/call", i+1), body: call("get_current_time", `{"timezone":"UTC"}`), status: 200, want: []string{"datetime"}},
			step{name: level, method: "GET", path: fmt.Sprintf("/api/servers/%d", i+1), status: 200, want: []string{`"denied":[]`}, never: []string{"through its launcher"}},
		)
	}
}

func TestAStrictServerReachesNoAddressThatIsNotGranted(t *testing.T) {
	s, home := confining(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	port := listener.Addr().(*net.TCPAddr).Port
	// A server whose start writes the result of a connection to its standard error.
	script := filepath.Join(home, "server", "index.mjs")
	if err := os.MkdirAll(filepath.Dir(script), 0o700); err != nil {
		t.Fatal(err)
	}
	program := fmt.Sprintf(`import net from "node:net";
net.connect(%d, "127.0.0.1").on("connect", () => { console.error("connected"); process.exit(3) }).on("error", (e) => { console.error("Error: " + e.message); process.exit(4) });
`, port)
	if err := os.WriteFile(script, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	s.play(
		step{name: "added", method: "POST", path: "/api/servers", body: s.confined("caller", "strict", mcptest.Node(t), script), status: 201},
		step{name: "its connection fails", method: "POST", path: "/api/servers/1/start", status: 500, want: []string{"connect EACCES 127.0.0.1"}, events: []string{fmt.Sprintf(`state 127.0.0.1:%d`, port)}},
		step{name: "it is offered", method: "GET", path: "/api/servers/1", status: 200, want: []string{`"access":"network"`, fmt.Sprintf(`"grant":"127.0.0.1:%d"`, port)}},
		step{name: "granted", method: "PUT", path: "/api/servers/1/sandbox", body: fmt.Sprintf(`{"grants":{"read":[],"write":[],"network":["127.0.0.1:%d"]}}`, port), status: 200, person: true, want: []string{"filtered by port only"}},
		step{name: "it connects", method: "POST", path: "/api/servers/1/start", status: 500, want: []string{"connected"}},
	)
}

func TestWhatAgentsProposeIsConfined(t *testing.T) {
	s, _ := confining(t)
	a := join(t, s.hub, "agent")
	defer a.leave()
	a.exchange("tools/call", `{"name":"registry","arguments":{"action":"install","name":"proposed","command":"node","args":["x.js"]}}`)
	s.play(
		step{name: "guard", method: "GET", path: "/api/servers/1", status: 200, want: []string{`"level":"guard"`, `"approved":false`}},
		step{name: "not by its own file either", method: "POST", path: "/api/servers", body: s.confined("added", "", "true"), status: 201, want: []string{`"level":"off"`}},
		step{name: "no such level", method: "POST", path: "/api/servers", body: s.confined("other", "some", "true"), status: 422},
	)
}
