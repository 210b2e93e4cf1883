//go:build linux

package attack

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

var update = flag.Bool("update", false, "write the table of the guide instead of comparing it")

// ordinary is the user id of an ordinary user, as which root runs the suite, too. Other tests must not use it, because the
// attacks of their processes would be counted.
const ordinary = 65533

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if run := programs[os.Args[1]]; run != nil {
			if err := run(os.Args[2:]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(programtest.Main(m))
}

// system is a system on which a hub runs.
type system struct {
	name  string
	lacks []string // features that are taken away
}

var systems = []system{
	{"bubblewrap and Landlock", nil},
	{"bubblewrap alone", []string{"landlock"}},
	{"Landlock alone", []string{"namespaces"}},
	{"neither", []string{"namespaces", "landlock"}},
}

// result is what the attacks at one level have achieved, by name: true if an attack has succeeded. It is nil if the
// server does not start.
type result map[string]bool

func TestEveryAttackIsRefusedOrItsSuccessIsDocumented(t *testing.T) {
	users := map[string]int{"user": os.Getuid()}
	if os.Getuid() == 0 {
		users = map[string]int{"user": ordinary, "root": 0}
	}
	results := make(map[string]result) // by user, system and level
	var mu sync.Mutex
	t.Run("attacks", func(t *testing.T) {
		for who, user := range users {
			for _, on := range systems {
				t.Run(on.name+", as "+who, func(t *testing.T) {
					t.Parallel()
					found := run(t, on, user)
					mu.Lock()
					defer mu.Unlock()
					for level, r := range found {
						results[who+" "+on.name+" "+level] = r
					}
				})
			}
		}
	})
	if !t.Failed() {
		x := table{heading: "| a server tries to |", rows: rows}
		for _, on := range systems {
			x.columns = append(x.columns, on.name)
		}
		x.compare(t, func(on string, attack row) string { return cell(results, on, attack.name, attack.root) })
	}
}

// run makes all attacks on a system at each level.
func run(t *testing.T, on system, user int) map[string]result {
	h := programtest.NewHome(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := filepath.Join(h.Dir, "server", "attacker")
	real := h.Program
	h.Program = filepath.Join(h.Dir, "program")
	as := ""
	if user != os.Getuid() {
		as = fmt.Sprint(user)
	}
	for path, text := range map[string]string{
		".ssh/id_ed25519": key, "notes.txt": "notes", ".config/Code/User/mcp.json": key, ".cache/tool/lib": "", "shared/keep": "",
		"data/planted": key, "data/sandbox/other/home/state": key, "server/keep": "",
		"program": fmt.Sprintf("#!/bin/sh\nexec 9<'%s/.ssh/id_ed25519' '%s' without '%s' '%s' '%s' \"$@\"\n",
			h.Dir, server, as, strings.Join(on.lacks, " "), real),
	} {
		path = filepath.Join(h.Dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		h.Write(path, text)
	}
	copyProgram(t, self, server)
	owned(t, h.Dir, user)
	if err := os.Chmod(filepath.Dir(h.Dir), 0o755); err != nil { // so that other users find their home folder
		t.Fatal(err)
	}
	if err := os.Chmod(h.Program, 0o700); err != nil {
		t.Fatal(err)
	}
	p := plant(t, h, server, user)
	p.Helper = real
	h.Serve()
	results := make(map[string]result)
	for _, level := range []string{"off", "guard", "strict"} {
		if add(t, h, p, level, level, nil, server) {
			results[level] = attacks(t, h, p, level)
			maps.Copy(results[level], variables(t, h, p, level, server, user))
			results[level]["swapped"] = swapped(t, h, p, level, server, user)
		} else {
			results[level] = nil
		}
	}
	for name, possible := range results["off"] {
		if !possible && name != "stay" { // the attack says nothing about a sandbox here; the hub always ends what a server leaves
			if testing.Verbose() {
				t.Logf("left out, because it does not succeed without a sandbox: %s", name)
			}
			for _, r := range results {
				delete(r, name)
			}
		}
	}
	return results
}

// attacks makes all attacks at a level.
func attacks(t *testing.T, h *programtest.Home, p plants, level string) result {
	r := make(result)
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range attempts {
			if name != "variables" && name != "swapped" && !yield(name) {
				return
			}
		}
	})
	for _, name := range names {
		done := h.Run("call", level+"__try", "attack="+name)
		answer := strings.TrimSpace(done.Stdout)
		if done.Code != 0 {
			t.Errorf("%s, %s: %s%s", level, name, done.Stdout, done.Stderr)
			continue
		}
		r[name] = answer == succeeded && happened(t, p, name)
		if testing.Verbose() {
			t.Logf("%s, %s: %s, %v", level, name, answer, r[name])
		}
		restore(t, p)
	}
	if r["stay"] && len(lingering(p.Abstract)) == 0 {
		t.Errorf("%s: no process was left behind", level)
	}
	h.Must("servers", "stop", level)
	if level != "off" { // without a sandbox, the result does not matter
		r["stay"] = r["stay"] && stays(p.Abstract)
	}
	end(lingering(p.Abstract))
	return r
}

// lingering returns the processes that servers have left behind.
func lingering(name string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
	for _, file := range files {
		pid, _ := strconv.Atoi(filepath.Base(file))
		if strings.HasSuffix(programtest.CommandLine(pid), "linger "+name) && programtest.Alive(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// stays reports whether a process that a server has left behind is still there some time after the server was stopped.
func stays(name string) bool {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range 300 {
		if len(lingering(name)) == 0 {
			return false
		}
		<-tick.C
	}
	return true
}

func end(pids []int) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// plant starts a program of the user, and returns what an attacker looks for.
func plant(t *testing.T, h *programtest.Home, program string, user int) plants {
	shared, err := os.MkdirTemp("", "shared-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(shared) })
	owned(t, shared, user)
	cmd := exec.Command(program, "victim", filepath.Join(shared, "socket"), filepath.Join(h.Dir, "bus"), filepath.Base(shared))
	cmd.Env = []string{"SECRET=" + key}
	if user != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
	}
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = input.Close(); _ = cmd.Wait() })
	p := plants{}
	if err := json.NewDecoder(output).Decode(&p); err != nil {
		t.Fatal(err)
	}
	p.Home, p.Data = h.Dir, string(h.Folder)
	restore(t, p)
	return p
}

// restore puts the foreign file into its first state, and removes what an attack has made.
func restore(t *testing.T, p plants) {
	for _, path := range []string{
		p.foreign() + ".moved", filepath.Join(p.Home, "planted"), filepath.Join(p.Home, ".cache/tool/run"),
		filepath.Join(filepath.Dir(p.Socket), "planted"),
	} {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(p.Home)
	if err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(p.foreign())
	if err := os.WriteFile(p.foreign(), []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	owned(t, p.foreign(), int(info.Sys().(*syscall.Stat_t).Uid))
}

// happened reports whether an attack whose effect is outside of the server had it.
func happened(t *testing.T, p plants, name string) bool {
	info, err := os.Stat(p.foreign())
	switch name {
	case "write":
		return exists(filepath.Join(p.Home, "planted"))
	case "cache":
		return exists(filepath.Join(p.Home, ".cache/tool/run"))
	case "shared":
		return exists(filepath.Join(filepath.Dir(p.Socket), "planted"))
	case "empty":
		return err == nil && info.Size() == 0
	case "rename":
		return exists(p.foreign() + ".moved")
	case "mode":
		return err == nil && info.Mode().Perm() == 0o666
	case "times":
		return err == nil && info.ModTime().Unix() == 0
	}
	if strings.HasPrefix(name, "set-id") {
		return identities(t, p)
	}
	return true
}

// identities reports whether a file of a server runs as its owner, and removes such files.
func identities(t *testing.T, p plants) (found bool) {
	err := filepath.WalkDir(p.Home, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil // gone, or a socket
		}
		info, err := entry.Info()
		if err == nil && info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
			found = true
			return os.Remove(path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return found
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// copyProgram copies this binary to where the server finds it. Another program does that: a file that is open for writing
// in this process, or in a child that another test starts at this moment, could not be executed.
func copyProgram(t *testing.T, from, to string) {
	if out, err := exec.Command("install", "-m", "700", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// owned gives a file, or a folder with everything in it, to a user.
func owned(t *testing.T, path string, user int) {
	if user == os.Getuid() {
		return
	}
	err := filepath.WalkDir(path, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, user, user)
	})
	if err != nil {
		t.Fatal(err)
	}
}
