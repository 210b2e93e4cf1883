//go:build desktop && linux && production

package app

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/app/desktoptest"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// deadline limits each wait. Only a failing test waits that long.
const deadline = 3 * time.Minute

// testDesktop is a desktop for one test, with copies of the built programs.
type testDesktop struct {
	*desktoptest.Desktop
	t      *testing.T
	bin    string
	folder paths.Folder
}

func newTestDesktop(t *testing.T) *testDesktop {
	t.Helper()
	for _, program := range desktoptest.Programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%v (build/setup.sh desktop-test installs it)", err)
		}
	}
	desktop, err := desktoptest.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(desktop.Close)
	d := &testDesktop{desktop, t, filepath.Join(t.TempDir(), "bin"), paths.Folder(filepath.Join(desktop.Home(), ".agent-discover"))}
	if err := os.Mkdir(d.bin, 0o700); err != nil {
		t.Fatal(err)
	}
	// Copy the programs to a separate folder, because the window starts the programs of the product that are in its
	// own folder.
	for _, name := range []string{"agent-discover", "agent-discover-desktop"} {
		data, err := os.ReadFile(filepath.Join("..", "bin", name))
		if err != nil {
			t.Fatalf("%v (make build desktop builds it)", err)
		}
		d.install(name, string(data))
	}
	t.Cleanup(d.endHub)
	return d
}

// with returns the desktop for a subtest.
func (d *testDesktop) with(t *testing.T) *testDesktop {
	part := *d
	part.t = t
	return &part
}

// install creates a program beside the window and on the PATH.
func (d *testDesktop) install(name, content string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.bin, name), []byte(content), 0o700); err != nil {
		d.t.Fatal(err)
	}
}

// env returns base with the variables that the programs need and those in more.
func (d *testDesktop) env(base []string, more ...string) []string {
	path := "PATH=" + d.bin + ":" + os.Getenv("PATH")
	return append(append(slices.Clone(base), path, "AGENT_DISCOVER_PORT=0", "AGENT_DISCOVER_KEYCHAIN=off"), more...)
}

// window is a process of the program under test.
type window struct {
	t     *testing.T
	cmd   *exec.Cmd
	ended chan error
	lines chan string // stages from its trace
}

// open starts the window without waiting for it.
func (d *testDesktop) open(args ...string) *window {
	d.t.Helper()
	return d.openWithEnv(d.env(d.Env()), args...)
}

// openWithEnv is like open, but gives the window the environment env.
func (d *testDesktop) openWithEnv(env []string, args ...string) *window {
	d.t.Helper()
	return d.start(filepath.Join(d.bin, "agent-discover-desktop"), env, args...)
}

// start starts a program that opens a window, with tracing on.
func (d *testDesktop) start(program string, env []string, args ...string) *window {
	d.t.Helper()
	w := &window{t: d.t, cmd: d.Command(program, args...), ended: make(chan error, 1), lines: make(chan string, 1000)}
	w.cmd.Env = append(env, traceVariable+"=a text that no page shows")
	out, err := w.cmd.StderrPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	w.cmd.Stdout = d.t.Output()
	if err := w.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		w.read(out)
	}()
	go func() {
		<-read // read all output first, because Wait closes the pipe
		w.ended <- w.cmd.Wait()
	}()
	d.t.Cleanup(w.kill)
	return w
}

// read logs the output and collects the trace.
func (w *window) read(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Fprintln(w.t.Output(), lines.Text())
		if stage, ok := strings.CutPrefix(lines.Text(), "trace: "); ok {
			w.lines <- stage
		}
	}
}

func (w *window) kill() {
	_ = w.cmd.Process.Kill() // an error means that the program has already ended
	<-w.ended
	w.ended <- nil
}

// wait waits for the program to end and returns its error.
func (w *window) wait() error {
	w.t.Helper()
	select {
	case err := <-w.ended:
		w.ended <- err
		return err
	case <-time.After(deadline):
		w.t.Fatal("the program does not end")
		return nil
	}
}

// terminate ends the window with SIGTERM, as a logout does.
func (w *window) terminate() {
	w.t.Helper()
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		w.t.Fatal(err)
	}
	if err := w.wait(); err != nil {
		w.t.Errorf("after SIGTERM: %v", err)
	}
}

// awaitTrace waits until the window has traced a stage.
func (w *window) awaitTrace(stage string) {
	w.t.Helper()
	timeout := time.After(deadline)
	for {
		select {
		case line := <-w.lines:
			if strings.HasPrefix(line, stage+" ") {
				return
			}
		case err := <-w.ended:
			w.ended <- err
			w.t.Fatalf("the program ended before the stage %q: %v", stage, err)
		case <-timeout:
			w.t.Fatalf("timed out waiting for the stage %q", stage)
		}
	}
}

// hub waits for a running hub and returns it with a client.
func (d *testDesktop) hub() (instance.Info, *instance.Client) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), deadline)
	defer cancel()
	info, err := instance.Await(ctx, d.folder)
	if err != nil {
		d.t.Fatal(err)
	}
	return info, instance.NewClient(info)
}

// endHub stops the hub that the test has left running.
func (d *testDesktop) endHub() {
	info, err := instance.Read(d.folder)
	if err != nil {
		return
	}
	if instance.NewClient(info).Do(context.Background(), http.MethodPost, "/api/stop", nil, nil) != nil {
		_ = syscall.Kill(info.PID, syscall.SIGKILL)
	}
	d.await("the end of the hub", func() bool { return !info.Alive() })
}

// server is a registered MCP server.
type server struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// addServer registers a server with a random name, which no other text of the page contains.
func (d *testDesktop) addServer(client *instance.Client) server {
	d.t.Helper()
	name := "srv" + strings.ToLower(rand.Text()[:10])
	body := map[string]any{"name": name, "description": "a test server", "command": "cat", "warm": true}
	var added server
	if err := client.Do(d.t.Context(), http.MethodPost, "/api/servers", body, &added); err != nil {
		d.t.Fatal(err)
	}
	return added
}

// awaitText waits until the window shows a text (present) or does not (!present).
func (d *testDesktop) awaitText(text string, present bool) {
	d.t.Helper()
	d.await(fmt.Sprintf("%q shown: %v", text, present), func() bool {
		found := slices.ContainsFunc(d.Texts(d.t.Context()), func(line string) bool { return strings.Contains(line, text) })
		return found == present
	})
}

// await waits until holds returns true. what describes this condition in the failure message.
func (d *testDesktop) await(what string, holds func() bool) {
	d.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(deadline)
	for !holds() {
		select {
		case <-tick.C:
		case <-timeout:
			d.t.Fatalf("timed out waiting for: %s; texts of the window: %q", what, d.Texts(context.Background()))
		}
	}
}

// awaitWindow waits until exactly one window has a title and returns its X11 id.
func (d *testDesktop) awaitWindow(title string) string {
	d.t.Helper()
	var ids []string
	d.await("one window "+title, func() bool {
		out, err := d.Output(d.t.Context(), "xdotool", "search", "--onlyvisible", "--name", "^"+title+"$")
		ids = strings.Fields(out)
		return err == nil && len(ids) == 1
	})
	return ids[0]
}

func (d *testDesktop) xdotool(args ...string) string {
	d.t.Helper()
	out, err := d.Output(d.t.Context(), "xdotool", args...)
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

// awaitActive waits until a window has the keyboard focus.
func (d *testDesktop) awaitActive(id string) {
	d.t.Helper()
	d.await("active window "+id, func() bool {
		out, err := d.Output(d.t.Context(), "xdotool", "getactivewindow")
		return err == nil && out == id
	})
}
