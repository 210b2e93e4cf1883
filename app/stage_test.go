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

// deadline is how long anything may take; it is only ever waited for when something is broken.
const deadline = 60 * time.Second

// stage is a desktop of a test's own with the programs that were built.
type stage struct {
	*desktoptest.Desktop
	t      *testing.T
	bin    string
	folder paths.Folder
}

func newStage(t *testing.T) *stage {
	t.Helper()
	for _, program := range desktoptest.Programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%v (build/setup.sh desktop installs it)", err)
		}
	}
	desktop, err := desktoptest.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(desktop.Close)
	s := &stage{desktop, t, filepath.Join(t.TempDir(), "bin"), paths.Folder(filepath.Join(desktop.Home(), ".agent-discover"))}
	if err := os.Mkdir(s.bin, 0o700); err != nil {
		t.Fatal(err)
	}
	// A folder of their own: what else was built would be started, too, and stay.
	for _, name := range []string{"agent-discover", "agent-discover-desktop"} {
		data, err := os.ReadFile(filepath.Join("..", "bin", name))
		if err != nil {
			t.Fatalf("%v (make build desktop builds it)", err)
		}
		s.put(name, string(data))
	}
	t.Cleanup(s.endHub)
	return s
}

// with is the same desktop for a part of a test.
func (s *stage) with(t *testing.T) *stage {
	part := *s
	part.t = t
	return &part
}

// put makes a program that is found beside the window and on the PATH.
func (s *stage) put(name, content string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.bin, name), []byte(content), 0o700); err != nil {
		s.t.Fatal(err)
	}
}

// env is the environment of a start from the desktop's menu.
func (s *stage) env(base []string, more ...string) []string {
	path := "PATH=" + s.bin + ":" + os.Getenv("PATH")
	return append(append(slices.Clone(base), path, "AGENT_DISCOVER_PORT=0", "AGENT_DISCOVER_KEYCHAIN=off"), more...)
}

// window is a start of the program.
type window struct {
	t     *testing.T
	cmd   *exec.Cmd
	ended chan error
	lines chan string // of its trace
}

// open starts the window and goes on at once.
func (s *stage) open(args ...string) *window {
	s.t.Helper()
	return s.openIn(s.env(s.Env()), args...)
}

func (s *stage) openIn(env []string, args ...string) *window {
	s.t.Helper()
	return s.play(filepath.Join(s.bin, "agent-discover-desktop"), env, args...)
}

func (s *stage) play(program string, env []string, args ...string) *window {
	s.t.Helper()
	w := &window{t: s.t, cmd: s.Command(program, args...), ended: make(chan error, 1), lines: make(chan string, 1000)}
	w.cmd.Env = append(env, traceVariable+"=never shown")
	out, err := w.cmd.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	w.cmd.Stdout = s.t.Output()
	if err := w.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		w.read(out)
	}()
	go func() {
		<-read // Wait closes the pipe
		w.ended <- w.cmd.Wait()
	}()
	s.t.Cleanup(w.kill)
	return w
}

func (w *window) read(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Fprintln(w.t.Output(), lines.Text())
		if what, ok := strings.CutPrefix(lines.Text(), "trace: "); ok {
			w.lines <- what
		}
	}
}

func (w *window) kill() {
	_ = w.cmd.Process.Kill() // it may be gone
	<-w.ended
	w.ended <- nil
}

// end waits for the program's end and returns how it came.
func (w *window) end() error {
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

// terminate ends the window as a logout does.
func (w *window) terminate() {
	w.t.Helper()
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		w.t.Fatal(err)
	}
	if err := w.end(); err != nil {
		w.t.Errorf("after SIGTERM: %v", err)
	}
}

// reached waits until the window has traced something.
func (w *window) reached(what string) {
	w.t.Helper()
	late := time.After(deadline)
	for {
		select {
		case line := <-w.lines:
			if strings.HasPrefix(line, what+" ") {
				return
			}
		case err := <-w.ended:
			w.ended <- err
			w.t.Fatalf("the program ended before %q: %v", what, err)
		case <-late:
			w.t.Fatalf("the window never got to %q", what)
		}
	}
}

// hub waits for the running hub and returns it.
func (s *stage) hub() (instance.Info, *instance.Client) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), deadline)
	defer cancel()
	info, err := instance.Await(ctx, s.folder)
	if err != nil {
		s.t.Fatal(err)
	}
	return info, instance.NewClient(info)
}

func (s *stage) endHub() {
	info, err := instance.Read(s.folder)
	if err != nil {
		return
	}
	if instance.NewClient(info).Do(context.Background(), http.MethodPost, "/api/stop", nil, nil) != nil {
		_ = syscall.Kill(info.PID, syscall.SIGKILL)
	}
	s.await("the hub ends", func() bool { return !info.Alive() })
}

// added is a server that was registered.
type added struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// add registers a server under a name that no page can have of itself.
func (s *stage) add(client *instance.Client) added {
	s.t.Helper()
	name := "srv" + strings.ToLower(rand.Text()[:10])
	body := map[string]any{"name": name, "description": "of a test", "command": "cat", "warm": true}
	var server added
	if err := client.Do(s.t.Context(), http.MethodPost, "/api/servers", body, &server); err != nil {
		s.t.Fatal(err)
	}
	return server
}

// shows waits until a text stands in the window, or no longer does.
func (s *stage) shows(text string, there bool) {
	s.t.Helper()
	s.await(fmt.Sprintf("%q is shown: %v", text, there), func() bool {
		said := slices.ContainsFunc(s.Texts(s.t.Context()), func(line string) bool { return strings.Contains(line, text) })
		return said == there
	})
}

// await waits until something holds.
func (s *stage) await(what string, holds func() bool) {
	s.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	late := time.After(deadline)
	for !holds() {
		select {
		case <-tick.C:
		case <-late:
			s.t.Fatalf("it never came to this: %s; the window says %q", what, s.Texts(context.Background()))
		}
	}
}

// find waits for the one window of a title and returns its number.
func (s *stage) find(title string) string {
	s.t.Helper()
	var ids []string
	s.await("one window "+title, func() bool {
		out, err := s.Output(s.t.Context(), "xdotool", "search", "--onlyvisible", "--name", "^"+title+"$")
		ids = strings.Fields(out)
		return err == nil && len(ids) == 1
	})
	return ids[0]
}

// do runs xdotool.
func (s *stage) do(args ...string) string {
	s.t.Helper()
	out, err := s.Output(s.t.Context(), "xdotool", args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// active waits until a window has the keyboard.
func (s *stage) active(id string) {
	s.t.Helper()
	s.await("the window in front is "+id, func() bool {
		out, err := s.Output(s.t.Context(), "xdotool", "getactivewindow")
		return err == nil && out == id
	})
}
