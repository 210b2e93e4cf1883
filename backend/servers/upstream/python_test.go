package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// knowing returns a legacy client that answers the questions of the tools in testdata/asking.py.
func knowing() *resident {
	return &resident{caller: &caller{make(chan upstream.Question, 10), func(_ context.Context,
		q upstream.Question,
	) (json.RawMessage, error) {
		return map[string]json.RawMessage{
			"elicitation/create":     json.RawMessage(`{"action":"accept","content":{"name":"Ada"}}`),
			"sampling/createMessage": json.RawMessage(`{"role":"assistant","content":{"type":"text","text":"a text"},"model":"m"}`),
			"roots/list":             json.RawMessage(`{"roots":[{"uri":"file:///its/root"}]}`),
		}[q.Method], nil
	}}}
}

func testdata(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// wants calls a tool without arguments and looks for a text in its result.
func (b *bench) wants(s registry.Server, who upstream.Caller, tool, want string) {
	b.t.Helper()
	result, err := b.Call(b.t.Context(), s, "", who,
		jsonrpc.Call{Method: "tools/call", Params: json.RawMessage(`{"name":"` + tool + `","arguments":{}}`)})
	if err != nil || !strings.Contains(string(result.JSON), want) {
		b.t.Errorf("%s: got %s, %v, want %s", tool, result.JSON, err, want)
	}
}

// asks checks that questions of the tools in testdata/asking.py reach a legacy client, whichever client has used the
// server before.
func (b *bench) asks(s registry.Server) {
	b.t.Helper()
	if err := b.Start(b.t.Context(), s); err != nil {
		b.t.Fatal(err)
	}
	for range 2 {
		who := knowing()
		b.wants(s, who, "ask", "Ada")
		b.wants(s, who, "sample", "a text")
		b.wants(s, who, "roots", "file:///its/root")
		b.wants(s, who, "era", "2025-11-25")
		b.wants(s, modernClient(), "era", "2026-07-28")
		b.wants(s, who, "ask", "Ada")
		if got := b.protocols("s"); !strings.Contains(got, "2025-11-25") || !strings.Contains(got, "2026-07-28") {
			b.t.Errorf("the state shows %q", got)
		}
	}
}

func TestAServerOfThePythonSDKAsksLegacyClients(t *testing.T) {
	python, env := mcptest.Python(t)
	b := start(t, settings.Limits{})
	s, err := b.servers.Add(t.Context(),
		registry.Server{Name: "s", Approved: true, Command: python, Args: []string{testdata(t, "asking.py")}, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	b.asks(s)
}

func TestARemoteServerOfThePythonSDKAsksLegacyClients(t *testing.T) {
	python, env := mcptest.Python(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command(python, testdata(t, "asking.py"), port)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+env["PYTHONPATH"])
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
			break
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal(err)
		}
	}
	b := start(t, settings.Limits{})
	b.asks(b.addRemote("s", "streamable-http", fmt.Sprintf("http://%s/mcp", address), nil))
}

func TestAServerOfTheTypeScriptSDKAsksLegacyClients(t *testing.T) {
	sdk := mcptest.Package(t, "@modelcontextprotocol", "server")
	b := start(t, settings.Limits{})
	s, err := b.servers.Add(t.Context(),
		registry.Server{Name: "s", Approved: true, Command: mcptest.Node(t), Args: []string{testdata(t, "asking.mjs"), sdk}})
	if err != nil {
		t.Fatal(err)
	}
	who := knowing()
	b.wants(s, who, "ask", "Ada")
	pid := b.State("s").PID
	if err := b.Start(t.Context(), s); err != nil || b.State("s").PID != pid || b.State("s").Connections != nil {
		t.Errorf("%v, %+v", err, b.State("s"))
	}
	lease, err := b.Lease(t.Context(), s, "", modernClient())
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	b.wants(s, who, "ask", "Ada")
	if got := b.protocols("s"); got != "2025-11-25 2026-07-28" {
		t.Errorf("the state shows %q", got)
	}
}
