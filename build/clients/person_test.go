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

// patience is how long a client may take; it is only ever waited for when something is broken.
const patience = 2 * time.Minute

// person has a home folder, a hub that runs for them, and nothing else.
type person struct {
	t       *testing.T
	home    string
	work    string       // where they are
	folder  paths.Folder // the hub's data
	program string       // agent-discover
	path    string       // PATH
}

// newPerson starts a hub; its data folder is the usual one where none is named.
func newPerson(t *testing.T, folder string) *person {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	p := &person{
		t: t, home: filepath.Join(dir, "home"), work: filepath.Join(dir, "work"), program: filepath.Join(dir, "bin", "agent-discover"),
		path: filepath.Join(here, "node_modules", ".bin") + ":" + os.Getenv("PATH"),
	}
	p.folder = p.usual()
	if folder != "" {
		p.folder = paths.Folder(filepath.Join(dir, folder))
	}
	for _, made := range []string{p.home, p.work, p.temporary(), filepath.Dir(p.program)} {
		if err := os.Mkdir(made, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	install(t, filepath.Join(here, "..", "..", "bin", "agent-discover"), p.program)
	p.write(filepath.Join(p.home, ".profile"), "PATH='"+p.path+"'\nexport PATH\n")
	p.serve()
	return p
}

// usual is the data folder that is taken when nothing else is said.
func (p *person) usual() paths.Folder { return paths.Folder(filepath.Join(p.home, ".agent-discover")) }

// install puts a program of a person's own in place.
func install(t *testing.T, from, to string) {
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

func (p *person) write(file, text string) {
	p.t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) read(file string) string {
	p.t.Helper()
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.t.Fatal(err)
	}
	return string(data)
}

func (p *person) temporary() string { return filepath.Join(filepath.Dir(p.home), "tmp") }

// env is what every program of this person gets. There is a proxy that refuses: what is not on this machine is out of
// reach.
func (p *person) env() []string {
	const nowhere = "http://127.0.0.1:9"
	return []string{
		"HOME=" + p.home, "PATH=" + p.path, "SHELL=/bin/sh", "LANG=C.UTF-8", "TERM=dumb", "TMPDIR=" + p.temporary(),
		"HTTP_PROXY=" + nowhere, "HTTPS_PROXY=" + nowhere, "http_proxy=" + nowhere, "https_proxy=" + nowhere,
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost",
	}
}

// ours is a command of ours.
func (p *person) ours(args ...string) *exec.Cmd {
	cmd := exec.Command(p.program, args...)
	cmd.Dir, cmd.Env = p.work, append(p.env(), "AGENT_DISCOVER_PORT=0")
	if p.folder != p.usual() {
		cmd.Env = append(cmd.Env, "AGENT_DISCOVER_HOME="+string(p.folder))
	}
	return cmd
}

// must runs a command of ours that has to succeed.
func (p *person) must(args ...string) string {
	p.t.Helper()
	out, err := p.ours(args...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// client is a command of a client. It knows nothing of us but what is in its file.
func (p *person) client(c *client, command ...string) *exec.Cmd {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	p.t.Cleanup(cancel)
	here, err := os.Getwd()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(here, "node_modules", ".bin", command[0]), command[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.work, append(p.env(), c.env...), time.Second
	return cmd
}

// serve starts the hub, and stops it when the test is over.
func (p *person) serve() {
	p.t.Helper()
	cmd := p.ours("serve")
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		p.endStray()
		if p.t.Failed() {
			p.t.Logf("hub.log:\n%s", p.read(p.folder.Log()))
		}
	})
	p.eventually("the hub is ready", func() bool {
		info, err := instance.Read(p.folder)
		return err == nil && info.PID == cmd.Process.Pid
	})
}

// endStray ends a hub that a companion started because its entry led it to no other: there must be none.
func (p *person) endStray() {
	p.t.Helper()
	info, err := instance.Read(p.usual())
	if err != nil {
		return
	}
	p.t.Errorf("another hub was started, on %s", p.usual())
	_ = instance.NewClient(info).Do(context.Background(), http.MethodPost, "/api/stop", nil, nil)
}

// get asks the hub.
func (p *person) get(path string, answer any) {
	p.t.Helper()
	info, err := instance.Read(p.folder)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := instance.NewClient(info).Do(p.t.Context(), http.MethodGet, path, nil, answer); err != nil {
		p.t.Fatal(err)
	}
}

// eventually waits until a condition holds.
func (p *person) eventually(what string, holds func() bool) {
	p.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for !holds() {
		select {
		case <-tick.C:
		case <-late:
			p.t.Fatalf("it never came to this: %s", what)
		}
	}
}

// awaitClient waits until the hub says that such a client was there.
func (p *person) awaitClient(name string) {
	p.t.Helper()
	p.eventually("the hub knows the client "+name, func() bool {
		var cost struct{ Clients []struct{ Name string } }
		p.get("/api/context", &cost)
		for _, c := range cost.Clients {
			if c.Name == name {
				return true
			}
		}
		return false
	})
}

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
