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

// held counts the resources that this process and its children use.
type held struct {
	goroutines, descriptors, processes int
	database                           int // descriptors of the database
}

func (h held) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d of the database, %d processes", h.goroutines, h.descriptors, h.database,
		h.processes)
}

// within reports whether each count in h is at most the one in want.
func (h held) within(want held) bool {
	return h.goroutines <= want.goroutines && h.descriptors <= want.descriptors && h.database <= want.database &&
		h.processes <= want.processes
}

// resources counts the resources in use. It counts the processes with home as HOME in their environment.
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

// descriptors returns the targets of the open descriptors of this process.
func descriptors(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if name, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil { // fails for the descriptor of ReadDir, which is closed
			names = append(names, name)
		}
	}
	return names
}

// goroutines counts all goroutines except those that the log library starts for each log and never ends.
func goroutines() int {
	return runtime.NumGoroutine() - strings.Count(stacks(), "lumberjack%2ev2.(*Logger).millRun(")
}

// stacks returns the stacks of all goroutines.
func stacks() string {
	text := make([]byte, 4<<20)
	return string(text[:runtime.Stack(text, true)])
}

// processes returns the running processes that have home as HOME in their environment, except this one.
func processes(home string) []int {
	entries, _ := os.ReadDir("/proc") // if this fails, so does reading /proc/self/fd in resources
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

// warmUp calls every server once over every transport, so that everything that all calls share is allocated.
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

// rest waits until no local server runs and the counts are stable, and returns the counts. none is the number of
// processes before the servers started.
func (s *soak) rest(none int) held {
	s.t.Helper()
	programtest.Eventually(s.t, "all servers are stopped", func() bool { return len(processes(s.home)) == none+len(s.remotes) })
	last := resources(s.t, s.home)
	programtest.Eventually(s.t, "the hub rests", func() bool { // the numbers fall while connections close
		<-time.After(time.Second)
		before := last
		last = resources(s.t, s.home)
		return last == before
	})
	last.database = maxConnections // the pool grows when many write at once
	return last
}

// maxConnections is more descriptors than the connection pool of the database needs.
const maxConnections = 64

// expect waits until no count exceeds want. If one does for too long, expect fails the test and prints all
// goroutines.
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
