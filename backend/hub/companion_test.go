//go:build linux

package hub_test

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

	"github.com/agent-discover/agent-discover/backend/testing/programtest"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestBadLinesAreAnsweredAndTheSessionLives(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	c := h.Attach()
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
		c.Mu.Lock()
		before := len(c.Received)
		c.Mu.Unlock()
		c.Send(row.line)
		var m programtest.Message
		programtest.Eventually(t, "an answer to a line that is "+row.name, func() bool {
			c.Mu.Lock()
			defer c.Mu.Unlock()
			if len(c.Received) == before {
				return false
			}
			m = c.Received[before]
			return true
		})
		if m.Error == nil || m.Error.Code != row.code || string(m.ID) != row.id {
			t.Errorf("%s: got %s, want code %d and id %s", row.name, m.Line, row.code, row.id)
		}
		if m := c.Ask("ping", `{}`); m.Error != nil {
			t.Errorf("ping after a line that is %s: %s", row.name, m.Line)
		}
	}
}

func TestLineOfJustUnder64MiBPasses(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	size := 63 << 20
	if programtest.Race {
		size >>= 4 // a raced program takes a minute for so much
	}
	text := strings.Repeat("x", size)
	if got := c.Tool("fake__echo", `{"text":"`+text+`"}`); got != text {
		t.Errorf("%d bytes came back of %d", len(got), len(text))
	}
}

func TestRequestsBeforeTheInputsEndAreAnswered(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	cmd := h.Command() // no arguments and a pipe: an editor's way
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"pipe","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	programtest.Contains(t, string(out), `{"jsonrpc":"2.0","id":1,"result":`, `{"jsonrpc":"2.0","id":2,"result":{"tools":[`)
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

// writeHubInfo writes a hub.json that names the stranger's port.
func writeHubInfo(h *programtest.Home, s *stranger, who process.ID) (token string) {
	h.T.Helper()
	info := instance.Info{
		ID: who, Version: "1.0.0", Protocol: instance.Protocol, Host: "127.0.0.1",
		Port: s.Addr().(*net.TCPAddr).Port, Token: instance.NewSecret(), Started: time.Now(),
	}
	data, err := json.Marshal(info)
	if err != nil {
		h.T.Fatal(err)
	}
	if err := h.Folder.Create(); err != nil {
		h.T.Fatal(err)
	}
	h.Write(h.Folder.Run("hub.json"), string(data))
	return info.Token
}

// upgraded is what a stranger says that knows the protocol but not the token.
const upgraded = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: agent-discover/1\r\n\r\n" +
	`{"protocol":1,"version":"1.0.0","nonce":"00","proof":"00"}` + "\n" + `{"ready":true}` + "\n"

func TestStrangerOnADeadHubsPortIsNotSpokenTo(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	dead := exec.Command("true")
	if err := dead.Start(); err != nil {
		t.Fatal(err)
	}
	who := process.ID{PID: dead.Process.Pid, Start: process.StartOf(dead.Process.Pid)}
	if err := dead.Wait(); err != nil {
		t.Fatal(err)
	}
	s := newStranger(t, upgraded)
	writeHubInfo(h, s, who)
	c := h.Attach()
	programtest.Contains(t, c.Registry(`{"action":"status"}`), "active_count")
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
			h := programtest.NewHome(t)
			s := newStranger(t, answer)
			token := writeHubInfo(h, s, process.Self())

			// The command line is told, and tells the stranger nothing.
			out := h.Run("servers", "list")
			if out.Code == 0 {
				t.Errorf("servers list took the stranger for the hub: %s", out.Stdout)
			}
			// The companion finds out, and has a hub of its own.
			c := h.Attach()
			programtest.Contains(t, c.Registry(`{"action":"status"}`), "active_count")

			if info := h.RunningHub(); info.PID == os.Getpid() {
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
	h := programtest.NewHome(t)
	old := h.Serve()
	h.Add("fake", mcptest.Command(t))
	child := h.Server("fake").PID
	h.Program = programtest.Newer(t)

	c := h.Attach()

	if code := old.Exit(); code != 0 {
		t.Errorf("the older hub ended with %d", code)
	}
	programtest.AwaitExit(t, child)
	if info := h.RunningHub(); info.Version != "1.1.0" {
		t.Errorf("the hub is of version %s", info.Version)
	}
	programtest.Contains(t, c.Registry(`{"action":"list"}`), `"fake"`)
	programtest.Contains(t, old.Stderr.String(), "newer version")
}

func TestNewerCompanionLeavesABusyOlderHubAlone(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	old := h.Serve()
	h.Add("fake", mcptest.Command(t))
	user := h.Attach()
	id := user.Hold("fake", "k")
	h.Program = programtest.Newer(t)

	c := h.Attach()

	if got := c.Tool("fake__release", `{"key":"k"}`); got != "done" {
		t.Errorf("the newer companion got %q", got)
	}
	if got := user.ToolResult(id).Text(); got != "released k" {
		t.Errorf("the call in flight got %q", got)
	}
	if info := h.RunningHub(); info.PID != old.PID {
		t.Errorf("the hub is now %d, version %s", info.PID, info.Version)
	}
}

func TestOlderCompanionWorksWithANewerHub(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Program = programtest.Newer(t)
	hub := h.Serve()
	h.Program = programtest.Current(t)
	programtest.Contains(t, h.Attach().Registry(`{"action":"status"}`), "active_count")
	if info := h.RunningHub(); info.PID != hub.PID {
		t.Errorf("the newer hub was replaced by version %s", info.Version)
	}
}

func TestHubStartedByACompanionHasNothingOfTheEditorsEnvironment(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	c := h.Companion("EDITOR_API_KEY=sk-editor", "ELECTRON_RUN_AS_NODE=1", "NODE_OPTIONS=--require ./x.js", "VSCODE_PID=4",
		"LD_LIBRARY_PATH=/editor/lib", "AGENT_DISCOVER_ROOTS=file:///project", "AGENT_DISCOVER_SECRET=s3cret")
	c.Open(`{}`)
	info := h.RunningHub()
	programtest.Contains(t, programtest.CommandLine(info.PID), "--started-by companion")
	h.Add("fake", mcptest.Command(t), "--env", "OWN_KEY=own", "--env", "AGENT_DISCOVER_SMUGGLED=1")

	e := c.Environment("fake")

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
	if !slices.Contains(e.Env, "OWN_KEY=own") || !slices.Contains(e.Env, "HOME="+h.Dir) {
		t.Errorf("the child lacks its own variable or HOME: %v", e.Env)
	}
	if e.Dir != h.Dir {
		t.Errorf("the child runs in %s", e.Dir)
	}
}

func TestCompanionEndsWithASignalAndLeavesTheHub(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	hub := h.Serve()
	c := h.Attach()
	programtest.Signal(t, c.Cmd.Process.Pid, syscall.SIGTERM)
	<-c.Ended
	programtest.Eventually(t, "the session is over", func() bool { return strings.Contains(h.Must("status"), "0 clients") })
	if !programtest.Alive(hub.PID) {
		t.Error("the hub is gone")
	}
}
