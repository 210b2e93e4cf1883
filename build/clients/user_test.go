//go:build clients

package clients

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// timeout limits each wait for a client. Only a failing test waits that long.
const timeout = 2 * time.Minute

// user is a user of the machine with a home folder and a running hub.
type user struct {
	t       *testing.T
	home    string
	work    string       // working folder
	folder  paths.Folder // data folder of the hub
	program string       // path of agent-discover
	path    string       // value of PATH
}

// newUser creates a user and starts a hub. folder is the name of its data folder; empty for the default one.
func newUser(t *testing.T, folder string) *user {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	u := &user{
		t: t, home: filepath.Join(dir, "home"), work: filepath.Join(dir, "work"), program: filepath.Join(dir, "bin", "agent-discover"),
		path: filepath.Join(here, "node_modules", ".bin") + ":" + os.Getenv("PATH"),
	}
	u.folder = u.defaultFolder()
	if folder != "" {
		u.folder = paths.Folder(filepath.Join(dir, folder))
	}
	for _, dir := range []string{u.home, u.work, u.temporary(), filepath.Dir(u.program)} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link(t, filepath.Join(here, "..", "..", "bin", "agent-discover"), u.program)
	u.write(filepath.Join(u.home, ".profile"), "PATH='"+u.path+"'\nexport PATH\n")
	u.serve()
	return u
}

// defaultFolder returns the data folder that the hub uses without AGENT_DISCOVER_HOME.
func (u *user) defaultFolder() paths.Folder {
	return paths.Folder(filepath.Join(u.home, ".agent-discover"))
}

// link makes a file available under another path, by a hard link or a copy.
func link(t *testing.T, from, to string) {
	t.Helper()
	if os.Link(from, to) == nil {
		return
	}
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o755); err != nil {
		t.Fatal(err)
	}
}

func (u *user) write(file, text string) {
	u.t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		u.t.Fatal(err)
	}
}

func (u *user) read(file string) string {
	u.t.Helper()
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		u.t.Fatal(err)
	}
	return string(data)
}

func (u *user) temporary() string { return filepath.Join(filepath.Dir(u.home), "tmp") }

// env returns the environment for every program of the user. Its proxy refuses connections, so that programs cannot reach
// other machines.
func (u *user) env() []string {
	const closedPort = "http://127.0.0.1:9"
	return []string{
		"HOME=" + u.home, "PATH=" + u.path, "SHELL=/bin/sh", "LANG=C.UTF-8", "TERM=dumb", "TMPDIR=" + u.temporary(),
		"HTTP_PROXY=" + closedPort, "HTTPS_PROXY=" + closedPort, "http_proxy=" + closedPort, "https_proxy=" + closedPort,
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost",
	}
}

// command returns a command of agent-discover.
func (u *user) command(args ...string) *exec.Cmd {
	cmd := exec.Command(u.program, args...)
	cmd.Dir, cmd.Env = u.work, append(u.env(), "AGENT_DISCOVER_PORT=0")
	if u.folder != u.defaultFolder() {
		cmd.Env = append(cmd.Env, "AGENT_DISCOVER_HOME="+string(u.folder))
	}
	return cmd
}

// must runs a command of agent-discover, which must succeed, and returns its output.
func (u *user) must(args ...string) string {
	u.t.Helper()
	out, err := u.command(args...).CombinedOutput()
	if err != nil {
		u.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// client returns a command of a client. Its environment does not name the hub: the client finds the hub only through
// the entry in the client's file.
func (u *user) client(c *client, command ...string) *exec.Cmd {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(u.t.Context(), timeout)
	u.t.Cleanup(cancel)
	here, err := os.Getwd()
	if err != nil {
		u.t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(here, "node_modules", ".bin", command[0]), command[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = u.work, append(u.env(), c.env...), time.Second
	return cmd
}

// serve starts the hub until the test ends.
func (u *user) serve() {
	u.t.Helper()
	cmd := u.command("serve")
	if err := cmd.Start(); err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		u.expectNoOtherHub()
		if u.t.Failed() {
			u.t.Logf("hub.log:\n%s", u.read(u.folder.Log()))
		}
	})
	u.eventually("the hub is ready", func() bool {
		info, err := instance.Read(u.folder)
		return err == nil && info.PID == cmd.Process.Pid
	})
}

// expectNoOtherHub fails the test if a companion has started a hub for the default data folder, and stops that hub.
func (u *user) expectNoOtherHub() {
	u.t.Helper()
	info, err := instance.Read(u.defaultFolder())
	if err != nil {
		return
	}
	u.t.Errorf("another hub was started for the data folder %s", u.defaultFolder())
	_ = instance.NewClient(info).Do(context.Background(), http.MethodPost, "/api/stop", nil, nil)
}

// get sends a GET request to the REST API of the hub and decodes the answer.
func (u *user) get(path string, answer any) {
	u.t.Helper()
	info, err := instance.Read(u.folder)
	if err != nil {
		u.t.Fatal(err)
	}
	if err := instance.NewClient(info).Do(u.t.Context(), http.MethodGet, path, nil, answer); err != nil {
		u.t.Fatal(err)
	}
}

// eventually waits until a condition holds. what names the condition in failures.
func (u *user) eventually(what string, holds func() bool) {
	u.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	expired := time.After(timeout)
	for !holds() {
		select {
		case <-tick.C:
		case <-expired:
			u.t.Fatalf("timed out waiting until %s", what)
		}
	}
}

// awaitClient waits until the hub lists a client with this name.
func (u *user) awaitClient(name string) {
	u.t.Helper()
	u.eventually("the hub lists the client "+name, func() bool {
		var cost struct{ Clients []struct{ Name string } }
		u.get("/api/context", &cost)
		for _, c := range cost.Clients {
			if c.Name == name {
				return true
			}
		}
		return false
	})
}

// pipes returns the standard input and output of a command.
func pipes(t *testing.T, cmd *exec.Cmd) (io.WriteCloser, io.Reader) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	return in, out
}
