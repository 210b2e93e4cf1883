//go:build smoke && windows

package smoke

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// deadline limits how long the test waits for an event. Only a broken program needs that long.
const deadline = 3 * time.Minute

// user is the person who runs the test. The programs write only to folder; otherwise they run in that person's
// environment.
type user struct {
	t                             *testing.T
	folder, program, node, server string
	env                           []string
}

func newUser(t *testing.T) *user {
	t.Helper()
	u := &user{t: t, folder: filepath.Join(t.TempDir(), "Jörg Müller"), program: program(t), node: os.Getenv("AGENT_DISCOVER_TEST_NODE")}
	var err error
	if u.node == "" {
		if u.node, err = exec.LookPath("node"); err != nil {
			t.Fatal(err)
		}
	}
	u.server, err = filepath.Abs("../node_modules/@modelcontextprotocol/server-memory/dist/index.js")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(u.server); err != nil {
		t.Fatalf("%v; run npm ci in build/windows", err)
	}
	if err := os.Mkdir(u.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	u.env = append(os.Environ(), "AGENT_DISCOVER_HOME="+filepath.Join(u.folder, "data"), "AGENT_DISCOVER_PORT=0")
	t.Cleanup(u.end)
	return u
}

// program returns the path of the program under test, which it builds unless build/windows.sh has done so.
func program(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("AGENT_DISCOVER_TEST_PROGRAM"); path != "" {
		return filepath.FromSlash(path)
	}
	path := filepath.Join(t.TempDir(), "agent-discover.exe")
	build := exec.Command("go", "build", "-o", path, "../../../backend/cmd/agent-discover")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

// end stops the hub and prints the hub's log if the test has failed.
func (u *user) end() {
	if !u.t.Failed() {
		return
	}
	stop, out := u.command("stop")
	err := stop.Run()
	log, _ := os.ReadFile(filepath.Join(u.folder, "data", "logs", "hub.log")) // a hub that did not start has none
	u.t.Logf("stop: %v\n%s\nhub.log:\n%s", err, out(), log)
}

// command returns a command and a function that returns its output. The output is a file, because the hub that a command
// starts may keep a pipe open.
func (u *user) command(args ...string) (*exec.Cmd, func() string) {
	u.t.Helper()
	file, err := os.CreateTemp(u.folder, "output-*")
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() { _ = file.Close() })
	cmd := exec.Command(u.program, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = u.env, u.folder, file, file
	return cmd, func() string {
		text, err := os.ReadFile(file.Name())
		if err != nil {
			u.t.Fatal(err)
		}
		return string(text)
	}
}

// must runs a command that must succeed and returns its output.
func (u *user) must(args ...string) string {
	u.t.Helper()
	cmd, out := u.command(args...)
	if err := cmd.Start(); err != nil {
		u.t.Fatal(err)
	}
	late := time.AfterFunc(deadline, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	if !late.Stop() {
		u.t.Fatalf("%s did not end in time:\n%s", strings.Join(args, " "), out())
	}
	if err != nil {
		u.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out())
	}
	return out()
}

// processes returns the running processes of the program and of Node.
func (u *user) processes() map[uint32]string {
	u.t.Helper()
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		u.t.Fatal(err)
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	found := make(map[uint32]string)
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		name := windows.UTF16ToString(entry.ExeFile[:])
		for _, path := range []string{u.program, u.node} {
			if strings.EqualFold(name, filepath.Base(path)) {
				found[entry.ProcessID] = name
			}
		}
	}
	return found
}

// awaitNone waits until only processes are left that existed before.
func (u *user) awaitNone(before map[uint32]string) {
	u.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(deadline)
	for {
		left := u.processes()
		for pid := range before {
			delete(left, pid)
		}
		if len(left) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-timeout:
			u.t.Fatalf("processes are left: %v", left)
		}
	}
}
