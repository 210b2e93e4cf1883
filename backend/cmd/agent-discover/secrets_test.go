//go:build linux

package main_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/testing/keyringtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// piped runs a command with a text on its standard input.
func (h *home) piped(text string, args ...string) outcome {
	h.t.Helper()
	cmd := h.command(args...)
	cmd.Stdin = strings.NewReader(text)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // how it ended is in its state
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func (h *home) setSecret(server, name, value string) {
	h.t.Helper()
	if out := h.piped(value, "secrets", "set", server, name); out.code != 0 {
		h.t.Fatalf("secrets set: exit %d\n%s%s", out.code, out.stdout, out.stderr)
	}
}

// variable is what a server has in its environment.
func (c *client) variable(server, name string) string {
	c.t.Helper()
	environment := c.tool(server+"__environment", `{}`)
	_, after, found := strings.Cut(environment, `"`+name+`=`)
	if !found {
		return ""
	}
	value, _, _ := strings.Cut(after, `"`)
	return value
}

func TestSecretsInTheKeychainReachTheirServer(t *testing.T) {
	t.Parallel()
	session := keyringtest.Start(t)
	session.Unlock()
	h := newHome(t)
	h.env = append(h.env, session.Env()...)
	s := h.serve()
	h.must(append([]string{"servers", "add", "fake", "--no-start", "--env", "NOTE=as ${secret:A/B}", "--"}, mcptest.Command(t)...)...)
	h.setSecret("fake", "A/B", "staple")
	c := h.attach()
	if got := c.variable("fake", "TOKEN"); got != "" {
		t.Fatalf("it has %q", got)
	}
	h.setSecret("fake", "TOKEN", "correct-horse\n")
	h.setSecret("fake", "AGENT_DISCOVER_SECRET", "of ours only")
	for name, want := range map[string]string{"TOKEN": "correct-horse", "NOTE": "as staple", "A/B": "staple", "AGENT_DISCOVER_SECRET": ""} {
		if got := c.variable("fake", name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	child := c.pid("fake")
	h.setSecret("fake", "TOKEN", "correct-horse")
	if again := c.pid("fake"); again != child {
		t.Error("the same value again starts the server anew")
	}
	h.setSecret("fake", "TOKEN", "battery")
	if got := c.variable("fake", "TOKEN"); got != "battery" {
		t.Errorf("after a change TOKEN is %q", got)
	}
	if items := session.Items(); len(items) != 3 {
		t.Errorf("the keychain has %v", items)
	}

	c.close()
	signal(t, s.cmd.Process.Pid, syscall.SIGTERM)
	s.exit()
	session.Unlock() // it is started anew
	h.serve()
	c = h.attach()
	if got := c.variable("fake", "TOKEN"); got != "battery" {
		t.Errorf("after a restart of all TOKEN is %q", got)
	}
	h.must("servers", "remove", "fake")
	if items := session.Items(); len(items) != 0 {
		t.Errorf("after its removal the keychain has %v", items)
	}
}

func TestStartThatNeedsALockedKeychainSaysSo(t *testing.T) {
	t.Parallel()
	session := keyringtest.Start(t)
	session.Unlock()
	h := newHome(t)
	h.env = append(h.env, session.Env()...)
	h.serve()
	h.add("fake", mcptest.Command(t))
	h.setSecret("fake", "TOKEN", "correct-horse")
	session.Freeze()
	c := h.attach()
	for range 3 {
		text := c.failing("fake__echo", `{"text":"x"}`)
		contains(t, text, `server "fake"`, `"TOKEN"`, "locked or waits for you")
	}
	session.Thaw()
	eventually(t, "the server starts", func() bool { return h.run("call", "fake__echo", "text=x").code == 0 })
}

func TestPassphraseReachesAHubThatACommandStarts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	// A service manager would show the variable to everybody.
	manager := filepath.Join(h.dir, "manager")
	for _, dir := range []string{filepath.Join(manager, "systemd"), filepath.Join(manager, "bin")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h.write(filepath.Join(manager, "systemd", "private"), "")
	h.write(filepath.Join(manager, "bin", "systemd-run"), "#!/bin/sh\n: > "+manager+"/asked\nexit 1\n")
	if err := os.Chmod(filepath.Join(manager, "bin", "systemd-run"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.env = append(h.env, "AGENT_DISCOVER_PASSPHRASE=correct-horse", "XDG_RUNTIME_DIR="+manager, "PATH="+manager+"/bin:"+os.Getenv("PATH"))
	h.must("servers", "add", "one", "--no-start", "--", "true")
	h.setSecret("one", "KEY", "battery")
	contains(t, h.must("secrets", "list", "one"), "KEY", "batt****")
	h.must("stop")
	if _, err := os.Stat(filepath.Join(manager, "asked")); err == nil {
		t.Error("the service manager was asked")
	}
	files := h.contents(t)
	for _, value := range []string{"correct-horse", "battery"} {
		if strings.Contains(files, value) {
			t.Errorf("%s is in a file", value)
		}
	}
}

// contents is what all files of the data folder hold.
func (h *home) contents(t *testing.T) string {
	t.Helper()
	var all bytes.Buffer
	err := filepath.WalkDir(string(h.folder), func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // files come and go beside a running hub
		}
		data, err := os.ReadFile(file)
		fmt.Fprintf(&all, "\n== %s\n%s", file, data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestNothingOfOursHoldsASecret(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.env = append(h.env, "AGENT_DISCOVER_PASSPHRASE=unlocks-what-is-planted")
	s := h.serve()
	// No shape, no name gives these away.
	planted := map[string]string{
		"MODE": "correct-horse-of-mode", "RESULT": "correct-horse-of-result", "LINES": "correct-horse-line-1\ncorrect-horse-line-2\n",
		"ODD": `correct-"horse"<odd>&\ück`, "Authorization": "Bearer correct-horse-of-header",
	}
	fake := mcptest.Command(t, "-tool", "greet=Say hello", "-result", `{"content":[{"type":"text","text":"it is ${secret:RESULT}"}]}`)
	crashing := mcptest.Command(t, "-crash", "cannot log in with ${secret:CRASH}")
	h.must(append([]string{"servers", "add", "owner", "--no-start", "--"}, fake...)...)
	h.must(append([]string{"servers", "add", "fake", "--no-start", "--env", "SHARED=${secret:owner/SHARED}", "--"}, fake...)...)
	h.must(append([]string{"servers", "add", "crashing", "--no-start", "--"}, crashing...)...)
	h.must("servers", "add", "junk", "--no-start", "--", "/bin/sh", "-c", `echo "hello $JUNK"; echo "$JUNK was refused" >&2; exit 3`)
	for name, value := range planted {
		h.setSecret("fake", name, value)
		h.setSecret("owner", name, value)
	}
	h.setSecret("owner", "SHARED", "correct-horse-of-owner")
	h.must("secrets", "link", "fake", "owner", "SHARED")
	h.setSecret("crashing", "CRASH", "correct-horse-of-crash")
	h.setSecret("junk", "JUNK", "correct-horse-of-junk")
	api := instance.NewClient(s.Info)
	var remote struct{ ID int }
	body := map[string]any{"name": "remote", "transport": "streamable-http", "homepage": "http://127.0.0.1:1/mcp?k=${secret:url:k}"}
	if err := api.Do(t.Context(), http.MethodPost, "/api/servers", body, &remote); err != nil {
		t.Fatal(err)
	}
	h.setSecret("remote", "X-Mode", "correct-horse-of-x-mode")
	h.setSecret("remote", "url:k", "correct-horse-of-url")

	// All of them come back on every way that a server has.
	c := h.attach()
	var said []string // texts of ours
	secrets := []string{"correct-horse-of-owner", "correct-horse-line-1", "correct-horse-line-2", `correct-\"horse\"<odd>&\\ück`, "correct-horse-of-mode", "correct-horse-of-result", "correct-horse-of-header"}
	for _, value := range secrets {
		arguments := `{"text":"` + value + `"}`
		if got := c.tool("fake__echo", arguments); !strings.Contains(got, "horse") {
			t.Errorf("the asking session gets %q instead of the result", got)
		}
		c.failing("fake__fail", arguments) // a result of the server, faithful
		said = append(said, c.failing("fake__die", arguments))
		h.must("servers", "refresh", "fake") // it has failed, and need not wait
		said = append(said, h.run("call", "fake__die", "text="+value).stderr)
		h.must("servers", "refresh", "fake")
	}
	if got := c.tool("fake__greet", `{}`); got != "it is correct-horse-of-result" {
		t.Errorf("greet gave %q", got)
	}
	c.tool("fake__environment", `{}`)
	c.tool("fake__ask", `{"method":"correct-horse-of-mode","params":{"a":"correct-horse-of-result"}}`)
	h.setSecret("fake", "MODE", "correct-horse-of-the-new-mode")
	c.tool("fake__environment", `{}`)
	c.tool("fake__echo", `{"text":"the old correct-horse-of-mode, the new correct-horse-of-the-new-mode"}`)
	said = append(said, h.run("servers", "refresh", "crashing").stderr, h.run("servers", "refresh", "junk").stderr, h.run("servers", "refresh", "remote").stderr, h.run("servers", "activate", "crashing").stderr)
	h.must("secrets", "delete", "fake", "MODE")
	c.tool("fake__echo", `{"text":"one that was deleted, correct-horse-of-mode"}`)

	for _, path := range []string{"/api/logs?limit=500", "/api/servers", "/api/servers/1", "/api/servers/2", "/api/servers/3", "/api/servers/4", "/api/servers/5", "/api/secrets", "/api/servers/2/secrets", "/api/tools", "/api/status"} {
		var answer jsonText
		if err := api.Do(t.Context(), http.MethodGet, path, nil, &answer); err != nil {
			t.Fatal(err)
		}
		if path == "/api/logs?limit=500" {
			contains(t, string(answer), "echo", "[redacted]")
		}
		said = append(said, string(answer))
	}
	said = append(said, h.must("servers", "show", "fake"), h.must("servers", "list"), h.must("logs"), h.run("doctor").stdout, h.must("secrets", "list"))
	contains(t, s.stderr.String(), "hello [redacted]")
	said = append(said, h.contents(t), s.stderr.String(), c.stderr.String())
	c.close()
	signal(t, s.cmd.Process.Pid, syscall.SIGTERM)
	s.exit()
	said = append(said, h.contents(t), s.stderr.String())
	for _, text := range said {
		if i := strings.Index(text, "horse"); i >= 0 {
			t.Errorf("here it stands: %s", text[max(0, i-200):min(len(text), i+100)])
		}
	}
}

// jsonText is an answer as it came.
type jsonText string

func (j *jsonText) UnmarshalJSON(data []byte) error {
	*j = jsonText(data)
	return nil
}
