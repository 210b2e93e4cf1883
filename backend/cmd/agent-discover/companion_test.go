//go:build linux

package main_test

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestBadLinesAreAnsweredAndTheSessionLives(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	c := h.attach()
	rows := []struct {
		name, line string
		id         string
		code       int64
	}{
		{"cut off", `{"jsonrpc":"2.0","id":1001,"method":"ping"`, "null", -32700},
		{"no JSON", `hello`, "null", -32700},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1002,\"method\":\"ping\",\"params\":{\"x\":\"\xff\xfe\"}}", "null", -32700},
		{"an array", `[1]`, "null", -32600},
		{"neither request nor answer", `{"jsonrpc":"2.0","id":1003}`, "1003", -32600},
		{"over 64 MiB", `{"jsonrpc":"2.0","id":1004,"method":"ping","params":{"x":"` + strings.Repeat("x", 64<<20) + `"}}`, "null", -32600},
	}
	for _, row := range rows {
		c.mu.Lock()
		before := len(c.received)
		c.mu.Unlock()
		c.send(row.line)
		var m message
		eventually(t, "an answer to a line that is "+row.name, func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			if len(c.received) == before {
				return false
			}
			m = c.received[before]
			return true
		})
		if m.Error == nil || m.Error.Code != row.code || string(m.ID) != row.id {
			t.Errorf("%s: got %s, want code %d and id %s", row.name, m.line, row.code, row.id)
		}
		if m := c.ask("ping", `{}`); m.Error != nil {
			t.Errorf("ping after a line that is %s: %s", row.name, m.line)
		}
	}
}

func TestLineOfJustUnder64MiBPasses(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t))
	c := h.attach()
	size := 63 << 20
	if raced {
		size >>= 4 // a raced program takes a minute for so much
	}
	text := strings.Repeat("x", size)
	if got := c.tool("fake__echo", `{"text":"`+text+`"}`); got != text {
		t.Errorf("%d bytes came back of %d", len(got), len(text))
	}
}

func TestRequestsBeforeTheInputsEndAreAnswered(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	cmd := h.command() // no arguments and a pipe: an editor's way
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"pipe","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(out), `{"jsonrpc":"2.0","id":1,"result":`, `{"jsonrpc":"2.0","id":2,"result":{"tools":[`)
}

// stranger is a program of somebody else that listens where a hub was. It
// answers whoever comes, and keeps what they said.
type stranger struct {
	net.Listener
	mu    sync.Mutex
	heard strings.Builder
	calls int
}

func newStranger(t *testing.T, answer string) *stranger {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &stranger{Listener: listener}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.talk(conn, answer)
		}
	}()
	return s
}

func (s *stranger) talk(conn net.Conn, answer string) {
	defer func() { _ = conn.Close() }()
	s.mu.Lock()
	s.calls++
	s.mu.Unlock()
	_, _ = io.WriteString(conn, answer)
	buf := make([]byte, 4096)
	for {
		n, err := conn.Read(buf)
		s.mu.Lock()
		s.heard.Write(buf[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// said returns everything that was said to the stranger, by how many.
func (s *stranger) said() (string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard.String(), s.calls
}

// pretend writes a hub.json that names the stranger's port.
func (h *home) pretend(s *stranger, who process.ID) (token string) {
	h.t.Helper()
	info := instance.Info{
		ID: who, Version: "1.0.0", Protocol: instance.Protocol, Host: "127.0.0.1",
		Port: s.Addr().(*net.TCPAddr).Port, Token: instance.NewSecret(), Started: time.Now(),
	}
	data, err := json.Marshal(info)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.folder.Create(); err != nil {
		h.t.Fatal(err)
	}
	h.write(h.folder.Run("hub.json"), string(data))
	return info.Token
}

// upgraded is what a stranger says that knows the protocol but not the token.
const upgraded = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: agent-discover/1\r\n\r\n" +
	`{"protocol":1,"version":"1.0.0","nonce":"00","proof":"00"}` + "\n" + `{"ready":true}` + "\n"

func TestStrangerOnADeadHubsPortIsNotSpokenTo(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	dead := exec.Command("true")
	if err := dead.Start(); err != nil {
		t.Fatal(err)
	}
	who := process.ID{PID: dead.Process.Pid, Start: process.StartOf(dead.Process.Pid)}
	if err := dead.Wait(); err != nil {
		t.Fatal(err)
	}
	s := newStranger(t, upgraded)
	h.pretend(s, who)
	c := h.attach()
	contains(t, c.registry(`{"action":"status"}`), "active_count")
	if said, calls := s.said(); calls != 0 {
		t.Errorf("%d connections to the stranger: %s", calls, said)
	}
}

func TestStrangerOnALiveProcesssPortGetsNoTokenAndNoProof(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"knows the protocol": upgraded,
		"is a web server":    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
		"says nothing to us": "SSH-2.0-OpenSSH_9.9\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			s := newStranger(t, answer)
			token := h.pretend(s, process.Self())

			// The command line is told, and tells the stranger nothing.
			out := h.run("servers", "list")
			if out.code == 0 {
				t.Errorf("servers list took the stranger for the hub: %s", out.stdout)
			}
			// The companion finds out, and has a hub of its own.
			c := h.attach()
			contains(t, c.registry(`{"action":"status"}`), "active_count")

			if info := h.runningHub(); info.PID == os.Getpid() {
				t.Error("hub.json still names the stranger")
			}
			said, calls := s.said()
			if calls < 2 {
				t.Fatalf("the stranger was asked %d times; the test shows nothing", calls)
			}
			for _, secret := range []string{token, "Authorization", `"proof"`, "Bearer"} {
				if strings.Contains(said, secret) {
					t.Errorf("the stranger heard %q in:\n%s", secret, said)
				}
			}
		})
	}
}

func TestNewerCompanionReplacesAnIdleOlderHub(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	old := h.serve()
	h.add("fake", mcptest.Command(t))
	child := h.show("fake").PID
	h.program = programs.newer

	c := h.attach()

	if code := old.exit(); code != 0 {
		t.Errorf("the older hub ended with %d", code)
	}
	gone(t, child)
	if info := h.runningHub(); info.Version != "1.1.0" {
		t.Errorf("the hub is of version %s", info.Version)
	}
	contains(t, c.registry(`{"action":"list"}`), `"fake"`)
	contains(t, old.stderr.String(), "newer version")
}

func TestNewerCompanionLeavesABusyOlderHubAlone(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	old := h.serve()
	h.add("fake", mcptest.Command(t))
	user := h.attach()
	id := user.hold("fake", "k")
	h.program = programs.newer

	c := h.attach()

	if got := c.tool("fake__release", `{"key":"k"}`); got != "done" {
		t.Errorf("the newer companion got %q", got)
	}
	if got := user.endTool(id).text(); got != "released k" {
		t.Errorf("the call in flight got %q", got)
	}
	if info := h.runningHub(); info.PID != old.PID {
		t.Errorf("the hub is now %d, version %s", info.PID, info.Version)
	}
}

func TestOlderCompanionWorksWithANewerHub(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.program = programs.newer
	hub := h.serve()
	h.program = programs.current
	contains(t, h.attach().registry(`{"action":"status"}`), "active_count")
	if info := h.runningHub(); info.PID != hub.PID {
		t.Errorf("the newer hub was replaced by version %s", info.Version)
	}
}

func TestHubStartedByACompanionHasNothingOfTheEditorsEnvironment(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.companion("EDITOR_API_KEY=sk-editor", "ELECTRON_RUN_AS_NODE=1", "NODE_OPTIONS=--require ./x.js", "VSCODE_PID=4",
		"LD_LIBRARY_PATH=/editor/lib", "AGENT_DISCOVER_ROOTS=file:///project", "AGENT_DISCOVER_SECRET=s3cret")
	c.open(`{}`)
	info := h.runningHub()
	contains(t, commandLine(info.PID), "--started-by companion")
	h.add("fake", mcptest.Command(t), "--env", "OWN_KEY=own", "--env", "AGENT_DISCOVER_SMUGGLED=1")

	e := c.environment("fake")

	hub, err := os.ReadFile("/proc/" + strconv.Itoa(info.PID) + "/environ")
	if err != nil {
		t.Fatal(err)
	}
	for who, env := range map[string][]string{"child": e.Env, "hub": strings.Split(string(hub), "\x00")} {
		for _, kv := range env {
			name, _, _ := strings.Cut(kv, "=")
			if slices.Contains([]string{"EDITOR_API_KEY", "ELECTRON_RUN_AS_NODE", "NODE_OPTIONS", "VSCODE_PID", "LD_LIBRARY_PATH"}, name) ||
				who == "child" && strings.HasPrefix(name, "AGENT_DISCOVER_") {
				t.Errorf("the %s has %s", who, kv)
			}
		}
	}
	if !slices.Contains(e.Env, "OWN_KEY=own") || !slices.Contains(e.Env, "HOME="+h.dir) {
		t.Errorf("the child lacks its own variable or HOME: %v", e.Env)
	}
	if e.Dir != h.dir {
		t.Errorf("the child runs in %s", e.Dir)
	}
}

func TestCompanionEndsWithASignalAndLeavesTheHub(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	hub := h.serve()
	c := h.attach()
	signal(t, c.cmd.Process.Pid, syscall.SIGTERM)
	<-c.ended
	eventually(t, "the session is over", func() bool { return strings.Contains(h.must("status"), "0 clients") })
	if !alive(hub.PID) {
		t.Error("the hub is gone")
	}
}
