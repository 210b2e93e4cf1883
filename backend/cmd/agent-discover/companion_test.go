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
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestMalformedLinesAreAnsweredAndTheSessionContinues(t *testing.T) {
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
		{"not JSON", `hello`, "null", -32700},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1002,\"method\":\"ping\",\"params\":{\"x\":\"\xff\xfe\"}}", "null", -32700},
		{"an array", `[1]`, "null", -32600},
		{"neither a request nor an answer", `{"jsonrpc":"2.0","id":1003}`, "1003", -32600},
		{"over 64 MiB", `{"jsonrpc":"2.0","id":1004,"method":"ping","params":{"x":"` + strings.Repeat("x", 64<<20) + `"}}`, "null", -32600},
	}
	for _, row := range rows {
		before := len(c.Messages())
		c.Send(row.line)
		var m programtest.Message
		programtest.Eventually(t, "an answer to a line that is "+row.name, func() bool {
			messages := c.Messages()
			if len(messages) == before {
				return false
			}
			m = messages[before]
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

func TestLineOfJustUnder64MiBIsPassed(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	size := 63 << 20
	if programtest.Race {
		size >>= 4 // the race detector would need a minute for 63 MiB
	}
	text := strings.Repeat("x", size)
	if got := c.Tool("fake__echo", `{"text":"`+text+`"}`); got != text {
		t.Errorf("echo returned %d bytes, want %d", len(got), len(text))
	}
}

func TestRequestsBeforeTheEndOfInputAreAnswered(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	cmd := h.Command() // no arguments and a pipe: this is how an editor starts it
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

// impostor is another program that listens on the port of a hub. It sends the same
// answer on every connection and records what it receives.
type impostor struct {
	net.Listener
	mu          sync.Mutex
	received    strings.Builder
	connections int
}

func newImpostor(t *testing.T, answer string) *impostor {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &impostor{Listener: listener}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(conn, answer)
		}
	}()
	return s
}

func (s *impostor) serve(conn net.Conn, answer string) {
	defer func() { _ = conn.Close() }()
	s.mu.Lock()
	s.connections++
	s.mu.Unlock()
	_, _ = io.WriteString(conn, answer)
	buf := make([]byte, 4096)
	for {
		n, err := conn.Read(buf)
		s.mu.Lock()
		s.received.Write(buf[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// requests returns what all clients sent, and the number of connections.
func (s *impostor) requests() (text string, connections int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.received.String(), s.connections
}

// writeHubInfo writes a hub.json that describes a hub with the given process id and
// with the port of the impostor. It returns the token that it writes to the file.
func writeHubInfo(h *programtest.Home, s *impostor, id process.ID) (token string) {
	h.T.Helper()
	info := instance.Info{
		ID: id, Version: "1.0.0", Protocol: instance.Protocol, Host: "127.0.0.1",
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

// forgedUpgrade is the answer of an impostor that knows the protocol but not the
// token.
const forgedUpgrade = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: agent-discover/1\r\n\r\n" +
	`{"protocol":1,"version":"1.0.0","nonce":"00","proof":"00"}` + "\n" + `{"ready":true}` + "\n"

func TestCompanionDoesNotConnectToThePortOfADeadHub(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	dead := exec.Command("true")
	if err := dead.Start(); err != nil {
		t.Fatal(err)
	}
	id := process.ID{PID: dead.Process.Pid, Start: process.StartOf(dead.Process.Pid)}
	if err := dead.Wait(); err != nil {
		t.Fatal(err)
	}
	s := newImpostor(t, forgedUpgrade)
	writeHubInfo(h, s, id)
	c := h.Attach()
	programtest.Contains(t, c.Registry(`{"action":"status"}`), "active_count")
	if text, n := s.requests(); n != 0 {
		t.Errorf("%d connections to the impostor: %s", n, text)
	}
}

func TestImpostorOnTheHubsPortGetsNoTokenAndNoProof(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"knows the protocol": forgedUpgrade,
		"is a web server":    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
		"is an SSH server":   "SSH-2.0-OpenSSH_9.9\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := programtest.NewHome(t)
			s := newImpostor(t, answer)
			token := writeHubInfo(h, s, process.Self())

			// A command fails.
			out := h.Run("servers", "list")
			if out.Code == 0 {
				t.Errorf("servers list mistook the impostor for the hub: %s", out.Stdout)
			}
			// A companion starts a hub.
			c := h.Attach()
			programtest.Contains(t, c.Registry(`{"action":"status"}`), "active_count")

			if info := h.RunningHub(); info.PID == os.Getpid() {
				t.Error("hub.json still names the impostor")
			}
			text, n := s.requests()
			if n < 2 {
				t.Fatalf("%d connections to the impostor, want one of the command and one of the companion", n)
			}
			for _, secret := range []string{token, "Authorization", `"proof"`, "Bearer"} {
				if strings.Contains(text, secret) {
					t.Errorf("the impostor received %q in:\n%s", secret, text)
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
		t.Errorf("the older hub ended with exit code %d", code)
	}
	programtest.AwaitExit(t, child)
	if info := h.RunningHub(); info.Version != "1.1.0" {
		t.Errorf("the hub has version %s", info.Version)
	}
	programtest.Contains(t, c.Registry(`{"action":"list"}`), `"fake"`)
	programtest.Contains(t, old.Stderr.String(), "newer version")
}

func TestCommandsSayThatTheHubIsOfAnotherVersion(t *testing.T) {
	t.Parallel()
	h, newer := programtest.NewHome(t), programtest.Newer(t)
	old := h.Serve()
	older := "the hub is older (version " + old.Version + ") than this program (version 1.1.0)"
	if out := h.Run("servers"); strings.Contains(out.Stdout+out.Stderr, "version") {
		t.Errorf("without a difference: %+v", out)
	}
	h.Program = newer
	servers := h.Run("servers", "list", "--json")
	programtest.Contains(t, servers.Stderr, "Note: "+older, "agent-discover restart")
	if strings.TrimSpace(servers.Stdout) != "[]" {
		t.Errorf("the note is in the output of --json: %s", servers.Stdout)
	}
	programtest.Contains(t, h.Must("status"), "Note: "+older)
	programtest.Contains(t, h.Must("status", "--json"), `"difference": "`+older)
	programtest.Contains(t, h.Must("doctor"), "WARNING  hub:", older)
	programtest.Contains(t, h.Run("start").Stderr, older)
	fixed := h.Run("doctor", "--fix")
	if programtest.Contains(t, fixed.Stdout, "hub: version 1.1.0"); strings.Contains(fixed.Stdout, "hub is older") {
		t.Errorf("doctor --fix: %+v", fixed)
	}
	if out := h.Run("restart"); out.Code != 0 || strings.Contains(out.Stderr, "older") {
		t.Errorf("restart: %+v", out)
	}
	h.Program = programtest.Current(t)
	programtest.Contains(t, h.Run("servers").Stderr, "the hub is newer (version 1.1.0)")
}

func TestNewerCompanionKeepsABusyOlderHub(t *testing.T) {
	t.Parallel()
	h, newer := programtest.NewHome(t), programtest.Newer(t) // build the program first: that takes longer than a call may be silent
	old := h.Serve()
	h.Add("fake", mcptest.Command(t))
	user := h.Attach()
	id := user.Hold("fake", "k")
	h.Program = newer

	c := h.Attach()

	if got := c.Tool("fake__release", `{"key":"k"}`); got != "done" {
		t.Errorf("a call through the newer companion returned %q", got)
	}
	if got := user.ToolResult(id).Text(); got != "released k" {
		t.Errorf("the call in flight returned %q", got)
	}
	if info := h.RunningHub(); info.PID != old.PID {
		t.Errorf("the hub was replaced by process %d, version %s", info.PID, info.Version)
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

func TestHubStartedByACompanionDoesNotInheritTheEditorsEnvironment(t *testing.T) {
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
	for process, env := range map[string][]string{"server": e.Env, "hub": strings.Split(string(hub), "\x00")} {
		for _, kv := range env {
			name, _, _ := strings.Cut(kv, "=")
			if slices.Contains([]string{"EDITOR_API_KEY", "ELECTRON_RUN_AS_NODE", "NODE_OPTIONS", "VSCODE_PID", "LD_LIBRARY_PATH"}, name) ||
				process == "server" && strings.HasPrefix(name, "AGENT_DISCOVER_") {
				t.Errorf("the environment of the %s contains %s", process, kv)
			}
		}
	}
	if !slices.Contains(e.Env, "OWN_KEY=own") || !slices.Contains(e.Env, "HOME="+h.Dir) {
		t.Errorf("the server's environment lacks its own variable or HOME: %v", e.Env)
	}
	if e.Dir != h.Dir {
		t.Errorf("the server runs in %s, want %s", e.Dir, h.Dir)
	}
}

func TestSignalEndsTheCompanionButNotTheHub(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	hub := h.Serve()
	c := h.Attach()
	programtest.Signal(t, c.Cmd.Process.Pid, syscall.SIGTERM)
	<-c.Ended
	programtest.Eventually(t, "the session ends", func() bool { return strings.Contains(h.Must("status"), "0 clients") })
	if !programtest.Alive(hub.PID) {
		t.Error("the hub has ended too")
	}
}
