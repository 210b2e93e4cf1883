//go:build linux

package soak

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// held is what this process and its children hold.
type held struct {
	goroutines, descriptors, processes int
	database                           int // descriptors of the database
}

func (h held) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d of the database, %d processes", h.goroutines, h.descriptors, h.database,
		h.processes)
}

// within reports whether nothing more is held than in want.
func (h held) within(want held) bool {
	return h.goroutines <= want.goroutines && h.descriptors <= want.descriptors && h.database <= want.database &&
		h.processes <= want.processes
}

// resources counts what is held now. Processes are those with a home folder in their environment.
func resources(t *testing.T, home string) held {
	t.Helper()
	now := held{goroutines: goroutines(), processes: len(processes(home))}
	for _, name := range descriptors(t) {
		if strings.Contains(name, "discover.db") {
			now.database++
		} else {
			now.descriptors++
		}
	}
	return now
}

// descriptors returns what the open descriptors of this process lead to.
func descriptors(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if name, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil { // the descriptor of ReadDir is closed
			names = append(names, name)
		}
	}
	return names
}

// goroutines counts all goroutines but those that the log's library never ends, one for each log.
func goroutines() int {
	return runtime.NumGoroutine() - strings.Count(stacks(), "lumberjack%2ev2.(*Logger).millRun(")
}

// stacks returns the stacks of all goroutines.
func stacks() string {
	text := make([]byte, 4<<20)
	return string(text[:runtime.Stack(text, true)])
}

// processes returns the running processes, except this one, with a home folder.
func processes(home string) []int {
	entries, _ := os.ReadDir("/proc") // resources would have failed before
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err == nil && slices.Contains(strings.Split(string(environ), "\x00"), "HOME="+home) && programtest.Alive(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// warmUp calls every server once over every transport, so that what is made once for all calls exists.
func (s *soak) warmUp() {
	s.t.Helper()
	for n, name := range transports {
		c, err := s.connect(n)
		if err != nil {
			s.t.Fatalf("%s: %v", name, err)
		}
		for _, server := range s.servers {
			s.call(c, server, call{Value: fmt.Sprintf("first-%s-%d", server.name, n), Act: "answer"}, act{name: "answer"}, false)
		}
		c.stop()
	}
}

// rest waits until no server runs, except the remote ones, and returns what the hub holds then.
func (s *soak) rest(none int) held {
	s.t.Helper()
	programtest.Eventually(s.t, "all servers are stopped", func() bool { return len(processes(s.home)) == none+len(s.remotes) })
	last := resources(s.t, s.home)
	programtest.Eventually(s.t, "the hub rests", func() bool { // while connections close, the numbers fall
		<-time.After(time.Second)
		before := last
		last = resources(s.t, s.home)
		return last == before
	})
	last.database = maxConnections // the pool grows when many write at once
	return last
}

// maxConnections is more than the descriptors that the database's pool needs.
const maxConnections = 64

// expect waits until nothing more is held than want, and otherwise prints all goroutines.
func (s *soak) expect(when string, want held) {
	s.t.Helper()
	var got held
	err := programtest.Await(func() (bool, error) {
		got = resources(s.t, s.home)
		return got.within(want), nil
	})
	if err == nil {
		s.t.Logf("%s: %v; before: %v", when, got, want)
		return
	}
	s.t.Errorf("%s: %v are left; before there were %v\n%s\n\n%s", when, got, want, strings.Join(descriptors(s.t), "\n"), stacks())
}
