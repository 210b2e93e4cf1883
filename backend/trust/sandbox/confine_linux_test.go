package sandbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// machine is what this system can enforce.
var machine = confinement.This(confinement.ThisProgram())

// user is a person with a home folder that contains a key, and the sandbox of a hub
// that the person runs.
type user struct {
	t       *testing.T
	home    string
	env     process.Env
	sandbox *Sandbox
	bus     *events.Bus
}

// newUser returns a user. The test is skipped where the kernel has no Landlock.
func newUser(t *testing.T) *user {
	t.Helper()
	if machine.ABI < confinement.ABITruncate {
		t.Skipf("the kernel has no Landlock, or one older than ABI %d", confinement.ABITruncate)
	}
	// The home folder must not be in /tmp, where tests have their temporary folders,
	// because the level guard allows /tmp.
	home, err := os.MkdirTemp("/var", "home-of-a-test-")
	if err != nil {
		if home, err = os.MkdirTemp(".", "home-of-a-test-"); err != nil {
			t.Fatal(err)
		}
		home, _ = filepath.Abs(home)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	u := &user{t: t, home: home, bus: new(events.Bus)}
	u.write(".ssh/id_ed25519", "the key")
	u.write(".agent-discover/token", "the token")
	u.write("notes/today.txt", "notes")
	u.write("project/main.c", "code")
	u.write("data/packages/one/server", "program")
	u.env = process.Env{"HOME=" + home, "PATH=/usr/local/bin:/usr/bin:/bin"}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	u.sandbox = New(Options{
		Helper: []string{self, confinement.HelperCommand}, Data: u.path(".agent-discover"), Folder: u.path(".agent-discover/sandbox"),
		Roots: []string{"file://" + u.path("project")}, Bus: u.bus, Log: slog.New(slog.DiscardHandler),
	})
	return u
}

// everywhere runs a test where servers get a tree of their own, and where only Landlock and the filter of system calls
// confine them.
func everywhere(t *testing.T, test func(t *testing.T, u *user)) {
	t.Helper()
	t.Run("tree", func(t *testing.T) {
		u := newUser(t)
		if !machine.OwnTree() {
			t.Skip("bubblewrap is not installed or may not create namespaces")
		}
		test(t, u)
	})
	t.Run("Landlock", func(t *testing.T) {
		u := newUser(t)
		u.sandbox.machine.Trees = nil
		test(t, u)
	})
}

func (u *user) path(name string) string { return filepath.Join(u.home, name) }

func (u *user) write(name, content string) {
	u.t.Helper()
	if err := os.MkdirAll(filepath.Dir(u.path(name)), 0o700); err != nil {
		u.t.Fatal(err)
	}
	if err := os.WriteFile(u.path(name), []byte(content), 0o600); err != nil {
		u.t.Fatal(err)
	}
}

// run starts a program as upstream does, and returns what it printed.
func (u *user) run(server registry.Server, command string, args ...string) string {
	u.t.Helper()
	server.Name, server.Transport, server.Command, server.Args = "tried", "stdio", command, args
	l, err := u.sandbox.Confine(u.t.Context(), server.Name, server,
		upstream.Launch{Command: command, Args: args, Env: u.env, Own: server.Env})
	if err != nil {
		u.t.Fatal(err)
	}
	cmd := exec.Command(l.Command, l.Args...)
	cmd.Env, cmd.Dir, cmd.ExtraFiles = l.Environment(), u.home, l.Files
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		fmt.Fprintf(&out, "%v\n", err)
	}
	return out.String()
}

// attack makes this binary try accesses in the sandbox of a server. It returns the
// result of each access by the text of the try.
func (u *user) attack(server registry.Server, tries ...string) map[string]string {
	u.t.Helper()
	self, err := os.Executable()
	if err != nil {
		u.t.Fatal(err)
	}
	out := u.run(server, self, append([]string{attackCommand}, tries...)...)
	results := make(map[string]string)
	for line := range strings.Lines(out) {
		if what, result, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			results[what] = result
		}
	}
	if len(results) < len(tries) {
		u.t.Fatalf("printed: %s", out)
	}
	return results
}

// expect checks the results of attack: the allowed accesses must have succeeded, and
// the denied ones failed with any error.
func expect(t *testing.T, results map[string]string, allowed, denied []string) {
	t.Helper()
	for _, what := range allowed {
		if results[what] != "got it" {
			t.Errorf("%s: %s; it should work", what, results[what])
		}
	}
	for _, what := range denied {
		if r, tried := results[what]; r == "got it" || !tried {
			t.Errorf("%s worked", what)
		}
	}
}

// listener listens at an address until the test ends.
func listener(t *testing.T, network, address string) net.Listener {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestAGuardedServerGetsNoSecretsAndWritesOnlyWhereItMay(t *testing.T) {
	everywhere(t, func(t *testing.T, u *user) {
		guard := registry.Server{Sandbox: registry.Guard}
		tcp := listener(t, "tcp", "127.0.0.1:0")
		results := u.attack(guard,
			"read="+u.path(".ssh/id_ed25519"), "list="+u.path(".ssh"), "write="+u.path("notes/new.txt"), "empty="+u.path("notes/today.txt"),
			"move="+u.path("notes/today.txt"), "own="+u.path(".agent-discover/sandbox/tried/home/state"), "link="+u.path(".ssh/id_ed25519"),
			"ring=", "trace=", "namespace=", "mount=/tmp", "core=", fmt.Sprintf("environ=%d", os.Getpid()), "connect="+tcp.Addr().String())
		expect(t, results, []string{"own", "connect"},
			[]string{"read", "list", "write", "empty", "move", "link", "ring", "trace", "namespace", "mount", "core", "environ"})
		results = u.attack(guard, "read="+u.path("notes/today.txt"), "list="+u.path("notes"), "write="+u.path("project/new.c"))
		expect(t, results, []string{"write"}, []string{"read", "list"})
		if results := u.attack(guard, "read="+u.path(".agent-discover/token")); results["read"] == "got it" {
			t.Error("it can read the token of the hub")
		}
		if out := u.run(guard, "/bin/sh", "-c", "cat "+u.path(".ssh/id_ed25519")); strings.Contains(out, "the key") {
			t.Errorf("a program that it starts: %s", out)
		}
		if text, err := os.ReadFile(u.path("notes/today.txt")); err != nil || string(text) != "notes" {
			t.Errorf("the foreign file is %q, %v", text, err)
		}
	})
}

func TestALinkToASecretLeadsNowhere(t *testing.T) {
	everywhere(t, func(t *testing.T, u *user) {
		if err := os.Symlink(u.path(".ssh"), u.path("keys")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(u.path(".ssh/id_ed25519"), u.path("project/key")); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"keys/id_ed25519", "project/key"} {
			if results := u.attack(registry.Server{Sandbox: registry.Guard}, "read="+u.path(path)); results["read"] == "got it" {
				t.Errorf("it can read %s", path)
			}
		}
	})
}

func TestAStrictServerReadsOnlyWhatIsListedAndHasNoNetwork(t *testing.T) {
	u := newUser(t)
	strict := registry.Server{Sandbox: registry.Strict}
	shared := "/tmp/of-" + filepath.Base(u.home)
	tcp, local := listener(t, "tcp", "127.0.0.1:0"), listener(t, "unix", u.path("s.sock"))
	results := u.attack(strict,
		"read="+u.path("notes/today.txt"), "list="+u.path("notes"), "write="+u.path("notes/new.txt"), "shared="+shared,
		"own="+u.path(".agent-discover/sandbox/tried/tmp/file"),
		"connect="+tcp.Addr().String(), "send="+tcp.Addr().String(), "local="+local.Addr().String(), "mptcp=", fmt.Sprintf("signal=%d",
			os.Getpid()))
	denied := []string{"read", "list", "write", "connect", "send", "local", "mptcp"}
	if machine.ABI >= confinement.ABIScopes {
		denied = append(denied, "signal")
	}
	expect(t, results, []string{"own"}, denied)
	if _, err := os.Stat(shared); err == nil { // missing if the server has its own /tmp
		_ = os.Remove(shared)
		t.Error("it has written to the /tmp that all programs share")
	}
	if out := u.run(strict, "sh", "-c", "echo of the system; cat /etc/hostname >/dev/null && echo read"); !strings.Contains(out,
		"of the system\nread") {
		t.Errorf("an ordinary program: %s", out)
	}
}

func TestAServerHasATreeAndProcessesOfItsOwnWhereBubblewrapWorks(t *testing.T) {
	u := newUser(t)
	if !machine.OwnTree() {
		t.Skip("bubblewrap is not installed or may not create namespaces")
	}
	for _, level := range []string{registry.Guard, registry.Strict} {
		out := u.run(registry.Server{Sandbox: level}, "sh", "-c",
			"echo $$; cat /proc/"+fmt.Sprint(os.Getpid())+"/cmdline; id -u; ls -A ~ /tmp; echo kept > ~/state; pwd")
		if pid, _, _ := strings.Cut(out, "\n"); len(pid) > 2 || !strings.Contains(out, "No such file") ||
			!strings.Contains(out, fmt.Sprint("\n", os.Getuid(), "\n")) || !strings.HasSuffix(out, u.home+"\n") {
			t.Errorf("%s: printed:\n%s", level, out)
		}
	}
	if out := u.run(registry.Server{Sandbox: registry.Guard}, "cat", u.path("state")); out != "kept\n" {
		t.Errorf("its home folder has lost a file: %s", out)
	}
	if _, err := os.Stat(u.path("state")); err == nil {
		t.Error("it has written to the home folder of the user")
	}
}

func TestVariablesOfAServerReachOnlyTheProgramInside(t *testing.T) {
	u := newUser(t)
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	// The library prints which program has loaded it, and copies the key, which only a program without a sandbox can do.
	u.write("lib/pre.c", fmt.Sprintf(`#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void loaded(void) {
	char program[500] = {0}, key[100] = {0};
	if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return;
	fprintf(stderr, "loaded in %%s\n", program);
	FILE *f = fopen(%q, "r"), *to = fopen(%q, "a");
	if (f && fgets(key, sizeof key, f) && to) fprintf(to, "%%s: %%s\n", program, key);
	if (to) fclose(to);
}`, u.path(".ssh/id_ed25519"), u.path("loot")))
	library := u.path("lib/pre.so")
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", library, u.path("lib/pre.c")).CombinedOutput(); err != nil {
		t.Fatalf("%s%v", out, err)
	}
	env := map[string]string{
		"LD_PRELOAD": library, "LD_AUDIT": library, "LD_DEBUG": "files", "LD_DEBUG_OUTPUT": u.path("debug"), "LD_LIBRARY_PATH": "/usr/lib",
		"NOT_UTF8": "a\xffb", "LAST": "z",
	}
	for _, level := range []string{registry.Guard, registry.Strict} {
		out := u.run(registry.Server{Sandbox: level, Env: env, Grants: registry.Grants{Read: []string{u.path("lib")}}}, "/usr/bin/env")
		if strings.Count(out, "loaded in ") != strings.Count(out, "loaded in /usr/bin/env\n") ||
			!strings.Contains(out, "loaded in /usr/bin/env\n") {
			t.Errorf("%s: %s", level, out)
		}
		for name, value := range env {
			if !strings.Contains("\n"+out, "\n"+name+"="+value+"\n") {
				t.Errorf("%s: the program does not get %s:\n%s", level, name, out)
			}
		}
	}
	if left, _ := filepath.Glob(u.path("debug*")); len(left) > 0 {
		t.Errorf("a program outside of the sandbox got them: %v", left)
	}
	if loot, err := os.ReadFile(u.path("loot")); err == nil {
		t.Errorf("it was loaded outside of the sandbox:\n%s", loot)
	}
}

func TestAPackageManagerWritesOnlyWhatItFills(t *testing.T) {
	everywhere(t, func(t *testing.T, u *user) {
		u.write("outside/keep", "")
		own := filepath.Join(u.sandbox.options.Folder, "tried")
		if err := os.MkdirAll(filepath.Join(own, "filled"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(u.path("outside"), filepath.Join(own, "linked")); err != nil { // as a server could
			t.Fatal(err)
		}
		for folder, want := range map[string]string{filepath.Join(own, "filled"): "written", filepath.Join(own, "linked"): "refused"} {
			script := fmt.Sprintf("if echo x > %[1]s/file; then echo written; else echo refused; fi; cat %[2]s && echo read",
				folder, u.path(".ssh/id_ed25519"))
			l, err := u.sandbox.Manager(upstream.Launch{Command: "/bin/sh", Args: []string{"-c", script}, Env: u.env},
				ManagerAccess{Write: []string{folder}})
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(l.Command, l.Args...)
			cmd.Env, cmd.ExtraFiles = l.Environment(), l.Files
			out, _ := cmd.CombinedOutput() // fails because the key cannot be read
			if !strings.Contains(string(out), want) || strings.Contains(string(out), "read\n") {
				t.Errorf("%s: want %s:\n%s", folder, want, out)
			}
		}
		if left, _ := filepath.Glob(u.path("outside/*")); len(left) != 1 {
			t.Errorf("outside of its folder are %q", left)
		}
	})
}

func TestNothingThatAServerMadeWidensItsSandbox(t *testing.T) {
	everywhere(t, func(t *testing.T, u *user) {
		key, own := u.path(".ssh/id_ed25519"), filepath.Join(u.sandbox.options.Folder, "tried")
		u.write("evil/bwrap", "#!/bin/sh\ncat "+key+" >> "+u.path("loot")+"\n")
		if err := errors.Join(os.Chmod(u.path("evil/bwrap"), 0o755), os.MkdirAll(filepath.Join(own, "npx-1", "bin"), 0o700),
			os.Symlink(u.path(".ssh"), filepath.Join(own, ownTemporary)),
			os.Symlink(u.path(".ssh"), filepath.Join(own, ownHome))); err != nil {
			t.Fatal(err)
		}
		u.env = u.env.With("PATH", u.path("evil")+":"+u.env.Get("PATH")) // a package may put programs on the PATH
		read := "cat " + key + " " + u.path("files/a.txt") +
			"; echo x > " + u.path(".ssh/planted") + "; echo y > " + u.path("files/planted")
		u.write("files/a.txt", "an ordinary file")
		u.write("files/python3", "no program")
		u.write("files/lib/keep", "")
		u.write("files/bin/keep", "")
		python := u.path("files/bin/python3") // as in a virtual environment of the user
		if err := os.Symlink("/bin/sh", python); err != nil {
			t.Fatal(err)
		}
		program := func(folder string) string { return filepath.Join(own, folder, "bin", "program") }
		for path, text := range map[string]string{
			program("npx-1"): "#!/bin/sh\n" + read + "\n", filepath.Join(own, "npx-1", "pyvenv.cfg"): "home = " + u.path("files") + "\n",
			program("npx-2"): "#!/bin/sh\n" + read + "\n",
			program("npx-3"): "#!" + python + "\n" + read + "\n",

			filepath.Join(own, "npx-2", "pyvenv.cfg"): "home = " + u.path("files/bin") + "\n",
		} {
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o700)); err != nil {
				t.Fatal(err)
			}
		}
		for what, out := range map[string]string{
			"links":          u.run(registry.Server{Sandbox: registry.Strict}, "/bin/sh", "-c", read),
			"a package":      u.run(registry.Server{Sandbox: registry.Strict}, program("npx-1"), u.path("files/a.txt")),
			"a Python":       u.run(registry.Server{Sandbox: registry.Strict}, program("npx-2")),
			"an interpreter": u.run(registry.Server{Sandbox: registry.Strict}, program("npx-3")),
			"variables": u.run(registry.Server{
				Sandbox: registry.Guard, Env: map[string]string{"TMPDIR": u.path("files"), "XDG_CACHE_HOME": u.home},
			}, "/bin/sh", "-c", read),
		} {
			if strings.Contains(out, "the key") || what != "variables" && strings.Contains(out, "an ordinary file") {
				t.Errorf("%s: it reads %s", what, out)
			}
		}
		for _, name := range []string{".ssh/planted", "files/planted", "loot"} {
			if text, err := os.ReadFile(u.path(name)); err == nil {
				t.Errorf("%s was written: %s", name, text)
			}
		}
	})
}

func TestAProgramInTheHomeFolderStartsInAStrictSandbox(t *testing.T) {
	everywhere(t, func(t *testing.T, u *user) {
		u.write("server", "#!/bin/sh\necho started\n")
		if err := os.Chmod(u.path("server"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, line := range [][]string{{u.path("server")}, {"sh", u.path("server")}} {
			if out := u.run(registry.Server{Sandbox: registry.Strict}, line[0], line[1:]...); out != "started\n" {
				t.Errorf("%v: %s", line, out)
			}
		}
	})
}

func TestGrantsAllowWhatTheyName(t *testing.T) {
	u := newUser(t)
	tcp, other := listener(t, "tcp", "127.0.0.1:0"), listener(t, "tcp", "127.0.0.1:0")
	port := tcp.Addr().(*net.TCPAddr).Port
	server := registry.Server{Sandbox: registry.Strict, Grants: registry.Grants{
		Read: []string{"~/notes"}, Write: []string{u.path("project")}, Network: []string{fmt.Sprintf("localhost:%d", port)},
	}}
	if machine.ABI < confinement.ABITCP {
		server.Grants.Network = nil
	}
	results := u.attack(server, "read="+u.path("notes/today.txt"), "write="+u.path("notes/new.txt"), "own="+u.path("project/new.txt"),
		"connect="+tcp.Addr().String())
	expect(t, results, []string{"read", "own"}, []string{"write"})
	if results["connect"] != "got it" && machine.ABI >= confinement.ABITCP {
		t.Errorf("the granted port: %s", results["connect"])
	}
	expect(t, u.attack(server, "connect="+other.Addr().String(), "mptcp="), nil, []string{"connect", "mptcp"})
	server.Grants = registry.Grants{Read: []string{"~"}}
	expect(t, u.attack(server, "read="+u.path(".ssh/id_ed25519"), "list="+u.path("notes")), []string{"list"}, []string{"read"})
	expect(t, u.attack(server, "list="+u.home), []string{"list"}, nil)
	server.Grants.Read = []string{"~/.ssh"}
	expect(t, u.attack(server, "read="+u.path(".ssh/id_ed25519")), []string{"read"}, nil)
}

func TestAServerGetsNoCredentialsOfTheUsersEnvironment(t *testing.T) {
	u := newUser(t)
	u.env = append(u.env, "SSH_AUTH_SOCK=/tmp/agent", "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/bus",
		"GITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ0123456", "EDITOR=vi", "LANG=C")
	for level, want := range map[string]string{registry.Guard: "EDITOR LANG", registry.Strict: "LANG"} {
		out := u.run(registry.Server{Sandbox: level}, "/usr/bin/env")
		var kept []string
		for _, name := range []string{"SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "GITHUB_TOKEN", "EDITOR", "LANG"} {
			if strings.Contains("\n"+out, "\n"+name+"=") {
				kept = append(kept, name)
			}
		}
		if strings.Join(kept, " ") != want {
			t.Errorf("%s: it gets %v", level, kept)
		}
	}
}

func TestAStrictServerIsNotStartedWhereItCannotBeConfined(t *testing.T) {
	for what, m := range map[string]confinement.Machine{
		"no Landlock": {OS: "linux", Calls: true, Helper: []string{"x"}}, "an old one": {
			OS: "linux", ABI: 2, Calls: true, Helper: []string{"x"},
		},
		"no helper": {OS: "linux", ABI: 7, Calls: true}, "another processor": {OS: "linux", ABI: 7, Helper: []string{"x"}},
		"Windows": {OS: "windows"}, "macOS without sandbox-exec": {OS: "darwin"},
	} {
		s := New(Options{Folder: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
		s.machine = m
		server := registry.Server{Name: "one", Transport: "stdio", Command: "true", Sandbox: registry.Strict}
		if _, err := s.Confine(t.Context(), "one", server, upstream.Launch{Command: "true"}); err == nil ||
			!strings.Contains(err.Error(), "its sandbox is strict") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAHelperThatCannotConfineDoesNotStartTheProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"no spec": "", "another version": `{"version":99,"path":"/bin/echo","args":["echo","started"]}`,
		"unknown rights":           `{"version":4,"path":"/bin/echo","args":["echo","started"],"files":4611686018427387904}`,
		"another file at a mount":  `{"version":4,"path":"/bin/echo","args":["echo","started"],"mounts":[{"at":"/usr","device":1,"number":1}]}`,
		"another inode at a mount": fmt.Sprintf(`{"version":4,"path":"/bin/echo","args":["echo","started"],"mounts":[{"at":"/usr","device":%d,"number":1}]}`, deviceOf(t, "/usr")),
		"nothing at a mount":       `{"version":4,"path":"/bin/echo","args":["echo","started"],"mounts":[{"at":"/no/such/file"}]}`,
	} {
		file, err := os.CreateTemp(t.TempDir(), "spec")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(file, text); err != nil {
			t.Fatal(err)
		}
		if _, err := file.Seek(0, 0); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self, confinement.HelperCommand)
		cmd.ExtraFiles = []*os.File{file}
		out, err := cmd.CombinedOutput()
		if err == nil || strings.Contains(string(out), "started\n") || !strings.Contains(string(out), "could not be confined") {
			t.Errorf("%s: %s, %v", what, out, err)
		}
		_ = file.Close()
	}
}

func TestAServerStartsOnlyInAFolderThatItsSandboxAllows(t *testing.T) {
	everywhere(t, func(t *testing.T, u *user) {
		for _, row := range []struct {
			level, folder, grant string
			allowed              bool
		}{
			{registry.Guard, "notes", "", false},
			{registry.Guard, "notes", "~/notes", true},
			{registry.Guard, ".ssh", "", false},
			{registry.Guard, ".ssh", "~/.ssh", true},
			{registry.Strict, "notes", "", false},
			{registry.Strict, "notes", "~/notes", true},
			{registry.Strict, "project", "", true}, // a root
		} {
			server := registry.Server{
				Name: "tried", Transport: "stdio", Command: "/bin/pwd", Sandbox: row.level, Dir: u.path(row.folder),
				Grants: registry.Grants{Read: strings.Fields(row.grant)},
			}
			_, err := u.sandbox.Confine(t.Context(), server.Name, server,
				upstream.Launch{Command: server.Command, Env: u.env, Dir: server.Dir})
			if advice := "agent-discover servers grant tried --read " + server.Dir; row.allowed != (err == nil) ||
				err != nil && !strings.Contains(fault.MessageOf(err), advice) {
				t.Errorf("%s %s with %q: %v", row.level, row.folder, row.grant, err)
			}
		}
	})
}

func TestAServerUsesLocalSocketsOnlyWhereNoOtherProgramHasSome(t *testing.T) {
	u := newUser(t)
	if !machine.OwnTree() || machine.ABI < confinement.ABIScopes || machine.ABI >= confinement.ABISockets {
		t.Skip("whether local sockets are allowed does not depend on folders here")
	}
	script := u.path("project/server.py")
	u.write("project/server.py", "import socket; socket.socket(socket.AF_UNIX); print('made')")
	if _, err := exec.LookPath("/usr/bin/python3"); err != nil {
		t.Skip("there is no Python of the system")
	}
	made := "import socket; socket.socket(socket.AF_UNIX); print('made')"
	u.sandbox.options.Roots = nil
	for what, row := range map[string]struct {
		grant string
		args  []string
		made  bool
	}{
		"a program of the system": {"", []string{"-c", made}, true}, "a granted folder": {"~/notes", []string{"-c", made}, false},
		"a script in a project": {"", []string{script}, false},
	} {
		out := u.run(registry.Server{Sandbox: registry.Guard, Grants: registry.Grants{Read: strings.Fields(row.grant)}}, "/usr/bin/python3",
			row.args...)
		if row.made != strings.Contains(out, "made\n") {
			t.Errorf("%s: %s", what, out)
		}
	}
}

func TestAServerCanCleanUpWhenItIsAskedToEnd(t *testing.T) {
	everywhere(t, func(t *testing.T, u *user) {
		cmd, lines, _ := u.start("/bin/grep", "SigBlk", "/proc/self/status") // a shell would unblock signals itself
		if !lines.Scan() || blocksTerminate(lines.Text()) {
			t.Errorf("the program blocks SIGTERM: %q", lines.Text())
		}
		_ = cmd.Wait()
		cmd, lines, wrapped := u.start("/bin/sh", "-c", "trap 'echo cleaned up; exit' TERM; echo ready; read line")
		if !lines.Scan() || lines.Text() != "ready" {
			t.Fatalf("it wrote %q", lines.Text())
		}
		// bubblewrap must not end before the program.
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		if err != nil || blocksTerminate(string(status)) != wrapped {
			t.Errorf("the process of the hub's child: %v\n%s", err, status)
		}
		process.Terminate(cmd.Process.Pid)
		if !lines.Scan() || lines.Text() != "cleaned up" {
			t.Errorf("after SIGTERM it wrote %q", lines.Text())
		}
		_ = cmd.Wait()
	})
}

// start starts a program in guard as upstream does, with an input that stays open until the test ends. It returns the
// lines that the program writes, and whether another program waits for it.
func (u *user) start(command string, args ...string) (cmd *exec.Cmd, lines *bufio.Scanner, wrapped bool) {
	u.t.Helper()
	cmd, lines, _ = u.startOpen(command, args...)
	return cmd, lines, filepath.Base(cmd.Path) == "bwrap"
}

// startOpen is start with the input of the program.
func (u *user) startOpen(command string, args ...string) (cmd *exec.Cmd, lines *bufio.Scanner, input io.Closer) {
	u.t.Helper()
	server := registry.Server{Name: "tried", Transport: "stdio", Command: command, Sandbox: registry.Guard}
	l, err := u.sandbox.Confine(u.t.Context(), server.Name, server, upstream.Launch{Command: command, Args: args, Env: u.env})
	if err != nil {
		u.t.Fatal(err)
	}
	cmd = exec.Command(l.Command, l.Args...)
	cmd.Env, cmd.ExtraFiles, cmd.Stderr = l.Environment(), l.Files, os.Stderr
	process.Isolate(cmd)
	if input, err = cmd.StdinPipe(); err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() { _ = input.Close() })
	output, err := cmd.StdoutPipe()
	if err != nil {
		u.t.Fatal(err)
	}
	start := cmd.Start
	if l.Wrapped {
		start = func() error { return process.StartShielded(cmd) }
	}
	if err := start(); err != nil {
		u.t.Fatal(err)
	}
	return cmd, bufio.NewScanner(output), input
}

func TestALinkInTheWayOfAGrantGivesNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, u *user) {
		u.write("projects/a.txt", "projects")
		for link, target := range map[string]string{
			"projects/secrets": ".ssh", "projects/other": "notes", "keys": ".ssh", "projects/app.py": "notes/today.txt",
		} {
			if err := os.Symlink(u.path(target), u.path(link)); err != nil {
				t.Fatal(err)
			}
		}
		for what, grants := range map[string]registry.Grants{
			"a secret, by a folder that it may change": {Write: []string{"~/projects", "~/projects/secrets"}},
			"the same, to read":                        {Write: []string{"~/projects"}, Read: []string{"~/projects/secrets"}},
			"another folder":                           {Write: []string{"~/projects", "~/projects/other"}},
			"a secret, by another link":                {Read: []string{"~/keys"}},
		} {
			results := u.attack(registry.Server{Sandbox: registry.Guard, Grants: grants}, "read="+u.path(".ssh/id_ed25519"),
				"own="+u.path("projects/a.txt"))
			if results["read"] == "got it" {
				t.Errorf("%s: it reads the key", what)
			}
			results = u.attack(registry.Server{Sandbox: registry.Guard, Grants: grants}, "read="+u.path("notes/today.txt"),
				"list="+u.path("projects/other"))
			if results["read"] == "got it" || results["list"] == "got it" {
				t.Errorf("%s: it reads another folder: %v", what, results)
			}
		}
		out := u.run(registry.Server{Sandbox: registry.Guard, Grants: registry.Grants{Write: []string{"~/projects"}}}, "/bin/cat",
			u.path("projects/app.py"), u.path("notes/today.txt"))
		if strings.Contains(out, "notes\n") || out == "notes" {
			t.Errorf("by an argument that it may change, it reads: %s", out)
		}
	})
}

func TestAServerCannotReplaceItsOwnFolders(t *testing.T) {
	everywhere(t, func(t *testing.T, u *user) {
		own := filepath.Join(u.sandbox.options.Folder, "tried")
		for range 2 { // its private home folder may have an entry for the path after the first start
			_ = u.run(registry.Server{Sandbox: registry.Strict}, "/bin/sh", "-c",
				fmt.Sprintf("echo x > %[1]s/planted; mv %[1]s/home %[1]s/moved; ln -s %[2]s %[1]s/home", own, u.path(".ssh")))
		}
		for _, name := range []string{"planted", "moved"} {
			if _, err := os.Lstat(filepath.Join(own, name)); err == nil {
				t.Errorf("it has made %s", name)
			}
		}
		if info, err := os.Lstat(filepath.Join(own, ownHome)); err != nil || !info.IsDir() {
			t.Errorf("its home folder: %v", err)
		}
	})
}

// blocksTerminate reports whether a process blocks SIGTERM. status has the lines of /proc/PID/status.
func blocksTerminate(status string) bool {
	for line := range strings.Lines(status) {
		if mask, found := strings.CutPrefix(line, "SigBlk:"); found {
			blocked, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
			return err == nil && blocked&(1<<(syscall.SIGTERM-1)) != 0
		}
	}
	return false
}

// deviceOf returns the device of a file.
func deviceOf(t *testing.T, path string) uint64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return uint64(info.Sys().(*syscall.Stat_t).Dev)
}
