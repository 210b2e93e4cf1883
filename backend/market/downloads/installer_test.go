//go:build unix

package downloads

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

// resolve resolves a command line with a new Installer.
func resolve(t *testing.T, env process.Env, folder string, line ...string) (upstream.Launch, bool, error) {
	t.Helper()
	return resolveWith(t.Context(), NewInstaller(slog.New(slog.DiscardHandler)), env, folder, line...)
}

func resolveWith(ctx context.Context, i *Installer, env process.Env, folder string, line ...string) (upstream.Launch, bool, error) {
	server := registry.Server{Name: "one", Transport: "stdio"}
	l := upstream.Launch{Command: line[0], Args: line[1:], Env: env}
	use := sandbox.Use{
		Environment: env, Report: func(string) {},
		Manager: func(l upstream.Launch, _ sandbox.ManagerAccess) (upstream.Launch, error) { return l, nil },
		Scripts: func(l upstream.Launch, _ string) (upstream.Launch, error) { return l, nil },
	}
	return i.Resolve(ctx, folder, server, l, use)
}

func TestOtherCommandsAreLeftAsTheyAre(t *testing.T) {
	for _, line := range [][]string{
		{"node", "server.js"},
		{"npx", "-y", "./here"},
		{"uvx", "--from", "git+https://x/y", "tool"},
		{"npx", "-c", "echo"},
		{"docker", "run", "x"},
	} {
		folder := t.TempDir()
		if _, found, err := resolve(t, process.Env(os.Environ()), folder, line...); found || err != nil {
			t.Errorf("%q: found is %v, the error %v", line, found, err)
		}
	}
}

// npm returns an environment in which npm is a script that installs one package.
func npm(t *testing.T, name, description string, programs ...string) process.Env {
	t.Helper()
	bin := t.TempDir()
	script := "#!/bin/sh\necho \"$@\" >> " + bin + "/calls\nto=$PWD\n" +
		"mkdir -p $to/node_modules/.bin $to/node_modules/" + name + "\ncd $to/node_modules\ncat > " + name + "/package.json <<'E'\n" +
		description + "\nE\n"
	for _, program := range programs {
		script += "printf '#!/bin/sh\\necho \"$0 $@\"\\n' > " + name + "/" + program + ".js; chmod +x " + name + "/" + program +
			".js; ln -s ../" + name + "/" + program + ".js .bin/" + program + "\n"
	}
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return process.Env{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + bin, "CALLS=" + bin + "/calls"}
}

func TestTheProgramIsTheOneThatNpxWouldStart(t *testing.T) {
	for what, row := range map[string]struct {
		name, description string
		programs, line    []string
		want              string
	}{
		"the only program": {
			"@me/thing", `{"name":"@me/thing","bin":{"other":"other.js"}}`,
			[]string{"other"},
			[]string{"npx", "-y", "@me/thing@1.2.3", "--flag", "x"},
			"@me/thing/other.js --flag x",
		},
		"the one with the package's name": {
			"thing", `{"name":"thing","bin":{"thing":"thing.js","more":"more.js"}}`,
			[]string{"thing", "more"},
			[]string{"npx", "thing"},
			"thing/thing.js",
		},
		"a text": {
			"@me/text", `{"name":"@me/text","bin":"text.js"}`, []string{"text"}, []string{"npx", "@me/text@latest"}, "@me/text/text.js",
		},
		"one with two names": {
			"thing", `{"name":"thing","bin":{"beta":"b.js","alpha":"b.js"}}`,
			[]string{"alpha", "beta"},
			[]string{"npx", "thing"},
			"thing/alpha.js",
		},
		"a named one": {
			"thing", `{"name":"thing","bin":{"thing":"thing.js","more":"more.js"}}`,
			[]string{"thing", "more"},
			[]string{"npx", "-y", "-p", "thing@2", "more", "a b"},
			"thing/more.js a b",
		},
	} {
		t.Run(what, func(t *testing.T) {
			env, folder := npm(t, row.name, row.description, row.programs...), t.TempDir()
			for range 2 { // the second time, the package is installed already
				l, found, err := resolve(t, env, folder, row.line...)
				if err != nil || !found {
					t.Fatalf("found is %v, the error %v", found, err)
				}
				if got := strings.Join(append([]string{l.Command}, l.Args...), " "); !strings.HasSuffix(got, "/node_modules/"+row.want) {
					t.Errorf("it starts %s", got)
				}
				if out, err := exec.CommandContext(t.Context(), l.Command, l.Args...).Output(); err != nil {
					t.Errorf("it does not start: %s, %v", out, err)
				}
			}
			calls, err := os.ReadFile(env.Get("CALLS"))
			if err != nil || strings.Count(string(calls), "install ") != 1 || !strings.Contains(string(calls), "--ignore-scripts") {
				t.Errorf("npm was called with\n%s%v", calls, err)
			}
		})
	}
}

func TestAProgramOutsideOfTheInstallationIsNotStarted(t *testing.T) {
	env, folder := npm(t, "thing", `{"name":"thing","bin":"thing.js"}`), t.TempDir()
	script, err := os.ReadFile(filepath.Join(env.Home(), "npm"))
	if err == nil {
		err = os.WriteFile(filepath.Join(env.Home(), "npm"), append(script, "ln -s /bin/sh .bin/thing\n"...), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	if l, _, err := resolve(t, env, folder, "npx", "thing"); fault.KindOf(err) != fault.Failed ||
		!strings.Contains(fault.MessageOf(err), "the program of package thing is a link to /") {
		t.Errorf("it starts %s, %v", l.Command, err)
	}
}

func TestAFailedInstallationIsExplainedAndTriedAgain(t *testing.T) {
	env, folder := npm(t, "thing", `{"name":"thing","bin":{"a":"a.js","b":"b.js"}}`, "a", "b"), t.TempDir()
	for range 2 {
		if _, found, err := resolve(t, env, folder, "npx", "thing"); !found || fault.KindOf(err) != fault.Failed ||
			!strings.Contains(fault.MessageOf(err), `has no program "thing"`) {
			t.Errorf("found is %v, the error %v", found, err)
		}
	}
	if calls, _ := os.ReadFile(env.Get("CALLS")); strings.Count(string(calls), "install ") != 2 {
		t.Errorf("npm was called with\n%s", calls)
	}
	env = process.Env{"PATH=/nowhere"}
	if _, _, err := resolve(t, env, t.TempDir(), "npx", "thing"); !strings.Contains(fault.MessageOf(err), `"npm" was not found`) {
		t.Errorf("without npm: %v", err)
	}
}

// slow makes npm wait until release is called.
func slow(t *testing.T, env process.Env) (release func()) {
	t.Helper()
	bin := env.Home()
	pipe := filepath.Join(bin, "pipe")
	if out, err := exec.CommandContext(t.Context(), "mkfifo", pipe).CombinedOutput(); err != nil {
		t.Skipf("could not create a named pipe: %s", out)
	}
	script, err := os.ReadFile(filepath.Join(bin, "npm"))
	if err == nil {
		err = os.WriteFile(filepath.Join(bin, "npm"), append(script, "\necho done > "+pipe+"\n"...), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() { _, _ = os.ReadFile(pipe) }
}

func TestAnInstallationGoesOnWhenItsCallerHasNoMoreTime(t *testing.T) {
	env, folder := npm(t, "thing", `{"name":"thing","bin":"thing.js"}`, "thing"), t.TempDir()
	release := slow(t, env)
	i := NewInstaller(slog.New(slog.DiscardHandler))
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, found, err := resolveWith(short, i, env, folder, "npx", "thing"); !found || fault.KindOf(err) != fault.Timeout ||
		!strings.Contains(fault.MessageOf(err), "the installation of thing takes longer") {
		t.Errorf("found is %v, the error %v", found, err)
	}
	go release()
	if _, found, err := resolveWith(t.Context(), i, env, folder, "npx", "thing"); !found || err != nil {
		t.Errorf("later: found is %v, the error %v", found, err)
	}
	if calls, _ := os.ReadFile(env.Get("CALLS")); strings.Count(string(calls), "install ") != 1 {
		t.Errorf("npm was called with\n%s", calls)
	}
}

func TestAnInstallationThatGoesOnEndsWhenItsServerIsStopped(t *testing.T) {
	for stopped, name := range map[string]string{"the server": "one", "all servers": ""} {
		env, folder := npm(t, "thing", `{"name":"thing","bin":"thing.js"}`, "thing"), t.TempDir()
		release := slow(t, env)
		i := NewInstaller(slog.New(slog.DiscardHandler))
		short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, _, err := resolveWith(short, i, env, folder, "npx", "thing"); fault.KindOf(err) != fault.Timeout {
			t.Errorf("%s: the installation does not go on: %v", stopped, err)
		}
		i.Stop("another")
		i.mu.Lock()
		running := slices.Collect(maps.Values(i.running))
		i.mu.Unlock()
		if len(running) != 1 {
			t.Fatalf("%s: %d installations run", stopped, len(running))
		}
		i.Stop(name)
		if err := running[0].err; !errors.Is(err, errStopped) {
			t.Errorf("%s: it ended with %v", stopped, err)
		}
		go release()
		if _, found, err := resolveWith(t.Context(), i, env, folder, "npx", "thing"); !found || err != nil {
			t.Errorf("%s: later: found is %v, the error %v", stopped, found, err)
		}
	}
}

func TestAnInstallationEndsWithItsLastCallerAndWithTheHub(t *testing.T) {
	for what, end := range map[string]func(cancelCaller, endHub func()){
		"a caller": func(cancelCaller, _ func()) { cancelCaller() },
		"the hub":  func(_, endHub func()) { endHub() },
	} {
		env, folder := npm(t, "thing", `{"name":"thing","bin":"thing.js"}`, "thing"), t.TempDir()
		slow(t, env)
		i := NewInstaller(slog.New(slog.DiscardHandler))
		caller, cancelCaller := context.WithCancel(t.Context())
		hub, endHub := context.WithCancel(t.Context())
		ended, resolved := make(chan error), make(chan error)
		go func() { ended <- i.Run(hub) }()
		go func() {
			_, _, err := resolveWith(caller, i, env, folder, "npx", "thing")
			resolved <- err
		}()
		end(cancelCaller, endHub)
		if err := <-resolved; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
		cancelCaller()
		endHub()
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAPackageCannotPreventThatItsInstallationCompletes(t *testing.T) {
	j := job{folder: filepath.Join(t.TempDir(), "npx-1")}
	for what, plant := range map[string]func(path string) error{
		"nothing":  func(string) error { return nil },
		"a pipe":   func(path string) error { return unix.Mkfifo(path, 0o600) },
		"a link":   func(path string) error { return os.Symlink("/dev/full", path) },
		"a folder": func(path string) error { return os.MkdirAll(filepath.Join(path, "a/b"), 0o700) },
	} {
		if err := errors.Join(os.RemoveAll(j.folder), os.Mkdir(j.folder, 0o700), plant(filepath.Join(j.folder, marker))); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(filepath.Dir(j.folder))
		if err != nil {
			t.Fatal(err)
		}
		if err := j.mark(root); err != nil || !j.complete() {
			t.Errorf("%s: %v", what, err)
		}
		if info, err := os.Lstat(filepath.Join(j.folder, marker)); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s: %v, %v", what, info, err)
		}
		_ = root.Close()
	}
}
