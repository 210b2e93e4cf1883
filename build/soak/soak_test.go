//go:build linux

package soak

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

var (
	duration = flag.Duration("duration", 5*time.Second, "how long the sessions call")
	seed     = flag.Uint64("seed", 1, "seed of all choices")
	sessions = flag.Int("sessions", 50, "number of sessions at a time")
)

// overStdio or overHTTP as the first argument turns the test binary into a server. The kind of the server, its name
// and a file follow.
const (
	overStdio = "soak-stdio"
	overHTTP  = "soak-http"
)

func TestMain(m *testing.M) {
	serve := map[string]func(k kind, name, ran string) error{overStdio: serveStdio, overHTTP: serveRemote}
	if len(os.Args) == 5 && serve[os.Args[1]] != nil {
		if err := serve[os.Args[1]](kind(os.Args[2]), os.Args[3], os.Args[4]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// limits are short, so that hanging and idle servers are stopped often.
const limits = "limits:\n  call_timeout: 2s\n  idle_stop: 3s\n"

func TestNothingIsLostWhileServersMisbehave(t *testing.T) {
	t.Logf("seed %d, %s, %d sessions; again: go test ./build/soak -duration=%[2]s -seed=%[1]d -sessions=%[3]d", *seed, *duration, *sessions)
	s := newSoak(t)
	before := resources(t, s.home)
	h, stop := s.startHub()
	s.addServers(h)
	s.warmUp()
	rested := s.rest(before.processes)

	s.callFor(*duration)

	s.checkExecutions()
	s.expect("the hub rests", rested)
	stop()
	s.endRemotes()
	s.expect("the hub has ended", before)
	s.summarize()
}

// soak is the state of one run.
type soak struct {
	t       *testing.T
	home    string
	folder  paths.Folder
	info    instance.Info
	servers []server
	remotes []func()

	mu        sync.Mutex
	calls     map[string]bool // whether the call with a value has succeeded
	acts      map[string]int
	failures  map[string]int // failed calls by role
	untouched []string       // failed calls that the server did not execute, according to the error
	reports   int
}

// server is a server that sessions call.
type server struct {
	role
	name string
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	s := &soak{t: t, home: t.TempDir(), calls: make(map[string]bool), acts: make(map[string]int), failures: make(map[string]int)}
	s.folder = paths.Folder(s.home + "/data")
	for name, value := range map[string]string{
		"HOME": s.home, "SHELL": "/bin/sh", "AGENT_DISCOVER_PORT": "0", "AGENT_DISCOVER_REGISTRY_URL": "off",
		"AGENT_DISCOVER_HOME": string(s.folder),
	} {
		t.Setenv(name, value)
	}
	if err := s.folder.Create(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.folder.Config(), []byte(limits), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// maxReports limits what a failing run prints.
const maxReports = 30

// report fails the test, and prints the message unless maxReports messages were printed before.
func (s *soak) report(format string, args ...any) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reports++
	if s.reports <= maxReports {
		s.t.Errorf(format, args...)
	} else {
		s.t.Fail()
	}
}

func (s *soak) startHub() (h *hub.Hub, stop func()) {
	s.t.Helper()
	h, err := hub.Open(s.t.Context(), hub.Options{Folder: s.folder, Version: "1.0.0"})
	if err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Run(context.WithoutCancel(s.t.Context())) }()
	stop = sync.OnceFunc(func() {
		h.Stop()
		if err := <-ended; err != nil {
			s.t.Errorf("the hub ended with %v", err)
		}
		if err := h.Close(); err != nil {
			s.t.Errorf("close the hub: %v", err)
		}
	})
	s.t.Cleanup(stop)
	programtest.Eventually(s.t, "the hub is ready", func() bool {
		s.info, err = instance.Read(s.folder)
		return err == nil
	})
	return h, stop
}

func (s *soak) addServers(h *hub.Hub) {
	s.t.Helper()
	program, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	client := instance.NewClient(h.Info())
	defer client.HTTP().CloseIdleConnections()
	for _, r := range roles {
		for i := range r.count {
			name := fmt.Sprintf("%s%d", r.name, i+1)
			body := map[string]any{"name": name, "command": program, "args": []string{overStdio, string(r.kind), name, s.ranFile(name)}}
			if r.remote {
				body = map[string]any{"name": name, "transport": "http", "homepage": s.startRemote(program, r.kind, name)}
			}
			if err := client.Do(s.t.Context(), "POST", "/api/servers", body, nil); err != nil {
				s.t.Fatalf("add %s: %v", name, err)
			}
			s.servers = append(s.servers, server{r, name})
		}
	}
}

// ranFile returns the file that gets a line for each call that a server executes.
func (s *soak) ranFile(name string) string { return s.home + "/" + name + ".ran" }

func (s *soak) startRemote(program string, k kind, name string) string {
	s.t.Helper()
	cmd := exec.Command(program, overHTTP, string(k), name, s.ranFile(name))
	in, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	end := sync.OnceFunc(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	s.t.Cleanup(end)
	s.remotes = append(s.remotes, end)
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.t.Fatalf("start %s: %v", name, err)
	}
	return strings.TrimSpace(url)
}

func (s *soak) endRemotes() {
	for _, end := range s.remotes {
		end()
	}
}

// callFor makes sessions call servers for a time. Each session ends after some calls and another one begins.
func (s *soak) callFor(d time.Duration) {
	end := time.Now().Add(d)
	var work sync.WaitGroup
	for n := range *sessions {
		work.Go(func() {
			random := rand.New(rand.NewPCG(*seed, uint64(n)))
			for turn := 0; time.Now().Before(end); turn++ {
				s.session(fmt.Sprintf("%d-%d", n, turn), random, end)
			}
		})
	}
	work.Wait()
}

// summarize logs how often servers performed each act, and how many calls failed.
func (s *soak) summarize() {
	s.t.Logf("%d calls; acts: %v; failed by role: %v; %d found no HTTP session", len(s.calls), s.acts, s.failures, len(s.untouched))
	if s.reports > maxReports {
		s.t.Errorf("and %d other faults", s.reports-maxReports)
	}
}
