//go:build linux

package main_test

import (
	"bytes"
	"errors"
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
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestSecretsInTheKeychainReachTheirServer(t *testing.T) {
	t.Parallel()
	session := keyringtest.Start(t)
	session.Unlock()
	h := programtest.NewHome(t)
	h.Env = append(h.Env, session.Env()...)
	s := h.Serve()
	h.Must(append([]string{"servers", "add", "fake", "--no-start", "--env", "NOTE=as ${secret:A/B}", "--"}, mcptest.Command(t)...)...)
	h.SetSecret("fake", "A/B", "staple")
	c := h.Attach()
	if got := c.Variable("fake", "TOKEN"); got != "" {
		t.Fatalf("TOKEN is %q before it was set", got)
	}
	h.SetSecret("fake", "TOKEN", "correct-horse\n")
	h.SetSecret("fake", "AGENT_DISCOVER_SECRET", "not for servers")
	for name, want := range map[string]string{"TOKEN": "correct-horse", "NOTE": "as staple", "A/B": "staple", "AGENT_DISCOVER_SECRET": ""} {
		if got := c.Variable("fake", name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	child := c.PID("fake")
	h.SetSecret("fake", "TOKEN", "correct-horse")
	if again := c.PID("fake"); again != child {
		t.Error("setting the same value restarted the server")
	}
	h.SetSecret("fake", "TOKEN", "battery")
	if got := c.Variable("fake", "TOKEN"); got != "battery" {
		t.Errorf("after a change TOKEN is %q", got)
	}
	if items := session.Items(); len(items) != 4 { // one item is the key of the fingerprints
		t.Errorf("the keychain contains %v, want 4 items", items)
	}

	c.Close()
	programtest.Signal(t, s.Cmd.Process.Pid, syscall.SIGTERM)
	s.Exit()
	session.Unlock() // restarts the keyring daemon
	h.Serve()
	c = h.Attach()
	if got := c.Variable("fake", "TOKEN"); got != "battery" {
		t.Errorf("after a restart of hub and keychain TOKEN is %q", got)
	}
	h.Must("servers", "remove", "fake", "--yes")
	if items := session.Items(); len(items) != 1 { // only the key of the fingerprints and of long values remains
		t.Errorf("after the removal of the server the keychain contains %v", items)
	}
}

func TestLockedKeychainIsReported(t *testing.T) {
	t.Parallel()
	session := keyringtest.Start(t)
	session.Unlock()
	h := programtest.NewHome(t)
	h.Env = append(h.Env, session.Env()...)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	h.SetSecret("fake", "TOKEN", "correct-horse")
	session.Freeze()
	c := h.Attach()
	for range 3 {
		text := c.FailingTool("fake__echo", `{"text":"x"}`)
		programtest.Contains(t, text, `server "fake"`, `"TOKEN"`, "locked or waits for you")
	}
	session.Thaw()
	programtest.Eventually(t, "the server starts", func() bool { return h.Run("call", "fake__echo", "text=x").Code == 0 })
}

func TestPassphraseReachesAHubStartedByACommand(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	// The passphrase must not be passed to a service manager, which would show it to all users.
	// This fake manager records that it was run.
	manager := filepath.Join(h.Dir, "manager")
	for _, dir := range []string{filepath.Join(manager, "systemd"), filepath.Join(manager, "bin")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h.Write(filepath.Join(manager, "systemd", "private"), "")
	h.Write(filepath.Join(manager, "bin", "systemd-run"), "#!/bin/sh\n: > "+manager+"/was-run\nexit 1\n")
	if err := os.Chmod(filepath.Join(manager, "bin", "systemd-run"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.Env = append(h.Env, "AGENT_DISCOVER_PASSPHRASE=correct-horse", "XDG_RUNTIME_DIR="+manager, "PATH="+manager+"/bin:"+os.Getenv("PATH"))
	h.Must("servers", "add", "one", "--no-start", "--", "true")
	h.SetSecret("one", "KEY", "battery")
	programtest.Contains(t, h.Must("secrets", "list", "one"), "KEY", "********")
	h.Must("stop")
	if _, err := os.Stat(filepath.Join(manager, "was-run")); err == nil {
		t.Error("the service manager was run")
	}
	files := dataFolderText(h, t)
	for _, value := range []string{"correct-horse", "battery"} {
		if strings.Contains(files, value) {
			t.Errorf("a file contains %s", value)
		}
	}
}

// dataFolderText returns the content of all files in the data folder.
func dataFolderText(h *programtest.Home, t *testing.T) string {
	t.Helper()
	var all bytes.Buffer
	err := filepath.WalkDir(string(h.Folder), func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // the running hub has removed the file
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

func TestNothingThatTheHubWritesContainsASecret(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Env = append(h.Env, "AGENT_DISCOVER_PASSPHRASE=unlocks-what-is-planted")
	s := h.Serve()
	// Neither the names nor the values look like credentials.
	planted := map[string]string{
		"MODE": "correct-horse-of-mode", "RESULT": "correct-horse-of-result", "LINES": "correct-horse-line-1\ncorrect-horse-line-2\n",
		"ODD": `correct-"horse"<odd>&\ück`, "Authorization": "Bearer correct-horse-of-header",
	}
	fake := mcptest.Command(t, "-tool", "greet=Say hello", "-result", `{"content":[{"type":"text","text":"it is ${secret:RESULT}"}]}`)
	crashing := mcptest.Command(t, "-crash", "cannot log in with ${secret:CRASH}")
	h.Must(append([]string{"servers", "add", "owner", "--no-start", "--"}, fake...)...)
	h.Must(append([]string{"servers", "add", "fake", "--no-start", "--env", "SHARED=${secret:owner/SHARED}", "--"}, fake...)...)
	h.Must(append([]string{"servers", "add", "crashing", "--no-start", "--"}, crashing...)...)
	h.Must("servers", "add", "junk", "--no-start", "--", "/bin/sh", "-c", `echo "hello $JUNK"; echo "$JUNK was refused" >&2; exit 3`)
	for name, value := range planted {
		h.SetSecret("fake", name, value)
		h.SetSecret("owner", name, value)
	}
	h.SetSecret("owner", "SHARED", "correct-horse-of-owner")
	h.AsPerson(http.MethodPut, "/api/servers/2/links/owner/SHARED", nil, nil)
	h.SetSecret("crashing", "CRASH", "correct-horse-of-crash")
	h.SetSecret("junk", "JUNK", "correct-horse-of-junk")
	api := instance.NewClient(s.Info)
	var remote struct{ ID int }
	body := map[string]any{"name": "remote", "transport": "streamable-http", "homepage": "http://127.0.0.1:1/mcp?k=${secret:url:k}"}
	if err := api.Do(t.Context(), http.MethodPost, "/api/servers", body, &remote); err != nil {
		t.Fatal(err)
	}
	h.SetSecret("remote", "X-Mode", "correct-horse-of-x-mode")
	h.SetSecret("remote", "url:k", "correct-horse-of-url")

	// The server returns the secrets in results, errors, stderr and requests.
	c := h.Attach()
	var written []string // texts written by the hub and its programs
	secrets := []string{
		"correct-horse-of-owner", "correct-horse-line-1", "correct-horse-line-2", `correct-\"horse\"<odd>&\\ück`, "correct-horse-of-mode",
		"correct-horse-of-result", "correct-horse-of-header",
	}
	for _, value := range secrets {
		arguments := `{"text":"` + value + `"}`
		if got := c.Tool("fake__echo", arguments); !strings.Contains(got, "horse") {
			t.Errorf("the caller received %q instead of the result", got)
		}
		c.FailingTool("fake__fail", arguments) // the server's own result, passed unchanged
		written = append(written, c.FailingTool("fake__die", arguments))
		h.Must("servers", "refresh", "fake") // restarts the server at once
		written = append(written, h.Run("call", "fake__die", "text="+value).Stderr)
		h.Must("servers", "refresh", "fake")
	}
	if got := c.Tool("fake__greet", `{}`); got != "it is correct-horse-of-result" {
		t.Errorf("greet returned %q", got)
	}
	c.Tool("fake__environment", `{}`)
	c.Tool("fake__ask", `{"method":"correct-horse-of-mode","params":{"a":"correct-horse-of-result"}}`)
	h.SetSecret("fake", "MODE", "correct-horse-of-the-new-mode")
	c.Tool("fake__environment", `{}`)
	c.Tool("fake__echo", `{"text":"the old correct-horse-of-mode, the new correct-horse-of-the-new-mode"}`)
	written = append(written, h.Run("servers", "refresh", "crashing").Stderr, h.Run("servers", "refresh", "junk").Stderr,
		h.Run("servers", "refresh", "remote").Stderr, h.Run("servers", "activate", "crashing").Stderr)
	h.Must("secrets", "delete", "fake", "MODE", "--yes")
	c.Tool("fake__echo", `{"text":"one that was deleted, correct-horse-of-mode"}`)

	for _, path := range []string{
		"/api/logs?limit=500", "/api/servers", "/api/servers/1", "/api/servers/2", "/api/servers/3", "/api/servers/4", "/api/servers/5",
		"/api/secrets", "/api/servers/2/secrets", "/api/tools", "/api/status",
	} {
		var answer jsonText
		if err := api.Do(t.Context(), http.MethodGet, path, nil, &answer); err != nil {
			t.Fatal(err)
		}
		if path == "/api/logs?limit=500" {
			programtest.Contains(t, string(answer), "echo", "[redacted]")
		}
		written = append(written, string(answer))
	}
	written = append(written, h.Must("servers", "show", "fake"), h.Must("servers", "list"), h.Must("logs"), h.Run("doctor").Stdout,
		h.Must("secrets", "list"))
	programtest.Contains(t, s.Stderr.String(), "hello [redacted]")
	written = append(written, dataFolderText(h, t), s.Stderr.String(), c.Stderr.String())
	c.Close()
	programtest.Signal(t, s.Cmd.Process.Pid, syscall.SIGTERM)
	s.Exit()
	written = append(written, dataFolderText(h, t), s.Stderr.String())
	for _, text := range written {
		if i := strings.Index(text, "horse"); i >= 0 {
			t.Errorf("a secret was written: %s", text[max(0, i-200):min(len(text), i+100)])
		}
	}
}

// jsonText keeps a JSON value undecoded, as a string.
type jsonText string

func (j *jsonText) UnmarshalJSON(data []byte) error {
	*j = jsonText(data)
	return nil
}

func TestTheHubIsReadyBeforeItsSecretsAreUnlocked(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Env = append(h.Env, "AGENT_DISCOVER_PASSPHRASE=correct-horse", "AGENT_DISCOVER_KEYCHAIN=off")
	s := h.Serve()
	h.Add("open", mcptest.Command(t))
	h.Add("locked", mcptest.Command(t))
	h.SetSecret("locked", "TOKEN", "battery")
	programtest.Signal(t, s.PID, syscall.SIGTERM)
	s.Exit()
	// Deriving the key from the passphrase takes about a second.
	h.Serve()
	c := h.Attach()
	if got := c.Tool("open__echo", `{"text":"hello"}`); got != "hello" {
		t.Errorf("a server without secrets answered %q", got)
	}
	waiting := c.StartTool("locked__environment", `{}`)
	if got := c.ToolResult(waiting).Text(); !strings.Contains(got, "TOKEN=battery") {
		t.Errorf("the server that waited for its secret has %q", got)
	}
}

func TestTheHubStopsWhileItsSecretsAreBeingUnlocked(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Env = append(h.Env, "AGENT_DISCOVER_PASSPHRASE=correct-horse", "AGENT_DISCOVER_KEYCHAIN=off")
	h.Serve()
	h.Add("locked", mcptest.Command(t))
	h.SetSecret("locked", "TOKEN", "battery")
	h.Must("stop")
	s := h.Serve() // deriving the key from the passphrase takes about a second
	h.Must("stop")
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestPurgeDeletesTheValuesInTheKeychainOfAFolderThatIsGone(t *testing.T) {
	t.Parallel()
	session := keyringtest.Start(t)
	session.Unlock()
	h, other := programtest.NewHome(t), programtest.NewHome(t)
	for _, home := range []*programtest.Home{h, other} {
		home.Env = append(home.Env, session.Env()...)
		s := home.Serve()
		home.Must(append([]string{"servers", "add", "fake", "--no-start", "--"}, mcptest.Command(t)...)...)
		home.SetSecret("fake", "TOKEN", "correct-horse")
		programtest.Signal(t, s.Cmd.Process.Pid, syscall.SIGTERM)
		s.Exit()
	}
	all := len(session.Items())
	if err := os.RemoveAll(string(h.Folder)); err != nil {
		t.Fatal(err)
	}
	if out := h.Must("purge", "--yes", "--json"); !strings.Contains(out, "fake/TOKEN") || !strings.Contains(out, `"removed": true`) {
		t.Errorf("got %s", out)
	}
	if left := len(session.Items()); left == 0 || left >= all {
		t.Errorf("the keychain has %d of %d items, want those of the other folder", left, all)
	}
	if _, err := os.Stat(string(h.Folder)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("purge left a data folder: %v", err)
	}
}
