//go:build linux

package trust_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

// confining runs a hub that confines servers. The home folder contains a key. The functions in prepare change this
// folder before the hub starts. confining skips the test if the kernel cannot enforce a strict sandbox.
func confining(t *testing.T, prepare ...func(home string)) (s *hubtest.Scenario, home string) {
	t.Helper()
	helper := []string{programtest.Current(t), confinement.HelperCommand}
	if text, complete := sandbox.Describe(helper); !complete {
		t.Skip(text)
	}
	home, err := os.MkdirTemp("/var", "home-of-a-test-") // not a temporary folder, because confined servers may write there
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
	hubtest.SetHomeTo(t, home)
	for _, each := range prepare {
		each(home)
	}
	return hubtest.NewScenario(t, hub.Options{Helper: helper, Folder: paths.Folder(filepath.Join(home, ".agent-discover"))}), home
}

func call(tool, arguments string) string { return `{"tool":"` + tool + `","args":` + arguments + `}` }

func TestAConfinedNPMServerWorksAndGetsWhatAPersonGrants(t *testing.T) {
	s, home := confining(t)
	node := mcptest.Node(t)
	everything := mcptest.Package(t, "@modelcontextprotocol/server-everything", "dist", "index.js")
	filesystem := mcptest.Package(t, "@modelcontextprotocol/server-filesystem", "dist", "index.js")
	read := func(path string) string { return call("read_text_file", `{"path":"`+filepath.Join(home, path)+`"}`) }
	write := call("write_file", `{"path":"`+home+`/files/b.txt","content":"new"}`)
	s.Play(
		hubtest.Step{
			Name: "a strict server", Method: "POST", Path: "/api/servers", Body: s.Confined("strict", "strict", node, everything),
			Status: 201, Want: []string{`"level":"strict"`, `"enforced":"enforced"`},
		},
		hubtest.Step{Name: "it starts", Method: "POST", Path: "/api/servers/1/activate", Status: 200},
		hubtest.Step{
			Name: "it works", Method: "POST", Path: "/api/servers/1/call", Body: call("echo", `{"message":"hello"}`),
			Status: 200, Want: []string{"Echo: hello"},
		},
		hubtest.Step{
			Name: "a guarded server", Method: "POST", Path: "/api/servers",
			Body:   s.Confined("guard", "guard", node, filesystem, filepath.Join(home, "files"), filepath.Join(home, ".ssh")),
			Status: 201, Want: []string{`"level":"guard"`},
		},
		hubtest.Step{
			Name: "it does not find its folders", Method: "POST", Path: "/api/servers/2/activate", Status: 500,
			Want: []string{"Its sandbox (guard) denies it files that its configuration names", "servers grant guard --write " + home + "/files\""},
		},
		hubtest.Step{
			Name: "they are offered, but no secret", Method: "GET", Path: "/api/servers/2", Status: 200,
			Want: []string{`"access":"write"`, `"grant":"` + home + `/files"`, `"target":"` + home + `/.ssh","count"`},
		},
		hubtest.Step{
			Name: "a program may not grant that", Method: "PUT", Path: "/api/servers/2/sandbox",
			Body: `{"grants":{"read":["~/files"],"network":[],"write":[]}}`, Status: 403, Want: []string{"person_required"},
		},
		hubtest.Step{Name: "nor loosen it", Method: "PUT", Path: "/api/servers/2/sandbox", Body: `{"level":"off"}`, Status: 403},
		hubtest.Step{
			Name: "a wrong grant", Method: "PUT", Path: "/api/servers/2/sandbox",
			Body: `{"grants":{"read":["files"],"network":[],"write":[]}}`, Status: 422, Person: true,
		},
		hubtest.Step{
			Name: "a person may", Method: "PUT", Path: "/api/servers/2/sandbox",
			Body: `{"grants":{"read":["~/files"],"network":[],"write":[]}}`, Status: 200, Person: true,
		},
		hubtest.Step{
			Name: "it is recorded", Method: "GET", Path: "/api/audit", Status: 200,
			Want: []string{`"code":"changed its sandbox from guard to guard, reads ~/files"`},
		},
		hubtest.Step{Name: "now it starts", Method: "POST", Path: "/api/servers/2/activate", Status: 200},
		hubtest.Step{
			Name: "it reads", Method: "POST", Path: "/api/servers/2/call", Body: read("files/a.txt"), Status: 200,
			Want: []string{"an ordinary file"},
		},
		hubtest.Step{
			Name: "but no secret", Method: "POST", Path: "/api/servers/2/call", Body: read(".ssh/id_ed25519"), Status: 200,
			Want: []string{`"isError":true`}, Never: []string{"the key"},
		},
		hubtest.Step{
			Name: "and it does not write", Method: "POST", Path: "/api/servers/2/call", Body: write, Status: 200, Want: []string{"EROFS"},
			Events: []string{"state files/b.txt"},
		},
		hubtest.Step{
			Name: "a person may allow that, too", Method: "PUT", Path: "/api/servers/2/sandbox",
			Body: `{"grants":{"read":[],"network":[],"write":["~/files"]}}`, Status: 200, Person: true,
		},
		hubtest.Step{
			Name: "now it writes", Method: "POST", Path: "/api/servers/2/call", Body: write, Status: 200, Never: []string{`"isError":true`},
		},
		hubtest.Step{
			Name: "and still reads no secret", Method: "POST", Path: "/api/servers/2/call", Body: read(".ssh/id_ed25519"), Status: 200,
			Want: []string{`"isError":true`}, Never: []string{"the key"},
		},
		hubtest.Step{
			Name: "the grant is no longer offered", Method: "GET", Path: "/api/servers/2", Status: 200,
			Never: []string{`"grant":"` + home + `/files"`},
		},
		hubtest.Step{
			Name: "tighter", Method: "PUT", Path: "/api/servers/2/sandbox",
			Body: `{"level":"strict","grants":{"read":[],"network":[],"write":[]}}`, Status: 200, Want: []string{`"level":"strict"`},
		},
	)
	if text, err := os.ReadFile(filepath.Join(home, "files", "b.txt")); string(text) != "new" {
		t.Errorf("the granted file is %q, %v", text, err)
	}
}

func TestAConfinedPythonServerIsInstalledBeforeAndWorks(t *testing.T) {
	env := make(map[string]string) // variables with which this machine reaches its package registry
	for _, name := range []string{"SSL_CERT_FILE", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "HTTPS_PROXY", "UV_NATIVE_TLS", "UV_SYSTEM_CERTS"} {
		if value := os.Getenv(name); value != "" {
			env[name] = value
		}
	}
	t.Setenv("PATH", mcptest.UV(t)+":"+os.Getenv("PATH")) // uvx counts as installed
	s, _ := confining(t, func(home string) { hubtest.Profile(t, home, mcptest.UV(t), env) })
	for i, level := range []string{"guard", "strict"} {
		server := map[string]any{
			"name": level, "sandbox": level, "warm": false, "command": filepath.Join(mcptest.UV(t), "uvx"),
			"args": []string{"mcp-server-time", "--local-timezone", "UTC"},
		}
		_, _ = s.Send("POST", "/api/servers", s.JSON(server))
		status, body := s.Send("POST", fmt.Sprintf("/api/servers/%d/activate", i+1), "")
		if _, shown := s.Send("GET", fmt.Sprintf("/api/servers/%d", i+1), ""); status != 200 &&
			strings.Contains(shown, "could not install") {
			t.Skipf("the package registry of uv cannot be used here: %.300s", body)
		}
		s.Play(
			hubtest.Step{
				Name: level, Method: "POST", Path: fmt.Sprintf("/api/servers/%d/call", i+1),
				Body: call("get_current_time", `{"timezone":"UTC"}`), Status: 200, Want: []string{"datetime"},
			},
			hubtest.Step{
				Name: level, Method: "GET", Path: fmt.Sprintf("/api/servers/%d", i+1), Status: 200, Want: []string{`"denied":[]`},
				Never: []string{"through its launcher"},
			},
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
	// A server that connects to the port at its start, writes the result to its standard error, and exits.
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
	s.Play(
		hubtest.Step{
			Name: "added", Method: "POST", Path: "/api/servers", Body: s.Confined("caller", "strict", mcptest.Node(t), script), Status: 201,
		},
		hubtest.Step{
			Name: "its connection fails", Method: "POST", Path: "/api/servers/1/start", Status: 500,
			Want: []string{"connect EACCES 127.0.0.1"}, Events: []string{fmt.Sprintf(`state 127.0.0.1:%d`, port)},
		},
		hubtest.Step{
			Name: "it is offered", Method: "GET", Path: "/api/servers/1", Status: 200,
			Want: []string{`"access":"network"`, fmt.Sprintf(`"grant":"127.0.0.1:%d"`, port)},
		},
		hubtest.Step{
			Name: "granted", Method: "PUT", Path: "/api/servers/1/sandbox",
			Body:   fmt.Sprintf(`{"grants":{"read":[],"write":[],"network":["127.0.0.1:%d"]}}`, port),
			Status: 200, Person: true, Want: []string{"by their names"},
		},
		hubtest.Step{Name: "it connects", Method: "POST", Path: "/api/servers/1/start", Status: 500, Want: []string{"connected"}},
	)
}

func TestWhatAgentsProposeIsConfined(t *testing.T) {
	s, _ := confining(t)
	a := hubtest.Join(t, s.Hub, "agent")
	defer a.Leave()
	a.Exchange("tools/call", `{"name":"registry","arguments":{"action":"install","name":"proposed","command":"node","args":["x.js"]}}`)
	s.Play(
		hubtest.Step{
			Name: "guard", Method: "GET", Path: "/api/servers/1", Status: 200, Want: []string{`"level":"guard"`, `"approved":false`},
		},
		hubtest.Step{
			Name: "not by its own file either", Method: "POST", Path: "/api/servers", Body: s.Confined("added", "", "true"), Status: 201,
			Want: []string{`"level":"off"`},
		},
		hubtest.Step{Name: "no such level", Method: "POST", Path: "/api/servers", Body: s.Confined("other", "some", "true"), Status: 422},
	)
}
