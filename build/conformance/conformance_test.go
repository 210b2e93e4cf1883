//go:build linux

package main

import (
	"flag"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

var table = flag.Bool("table", false, "print the scores of all scenarios")

func TestMain(m *testing.M) {
	mcptest.Main()
	if len(os.Args) > 1 && os.Args[1] == "-client" {
		main()
		return
	}
	os.Exit(programtest.Main(m))
}

// everything is the package of the Go SDK's server for the scenarios.
const everything = "github.com/modelcontextprotocol/go-sdk/conformance/everything-server"

// version is a version of MCP, and the flag with which the server serves it over HTTP.
type version struct {
	name string
	flag string // flag of the server program
	era  string
}

var (
	legacy = version{"2025-11-25", "-stateless=false", "legacy"}
	modern = version{"2026-07-28", "-stateless=true", "modern"}
)

// setup has the hub, the suite and the programs that the tests use.
type setup struct {
	hub
	suite
	program   string // path of the server program
	self      string // this program, which acts as a client if its first argument is -client
	sdkClient string
	want      expected
	needed    *sync.Map // lines of want that have matched
}

func TestTheHubScoresAsMuchAsTheServerBehindIt(t *testing.T) {
	s := setup{suite: newSuite(t), want: readExpected(t, "expected.txt"), needed: new(sync.Map)}
	dir := t.TempDir()
	s.program, s.sdkClient = filepath.Join(dir, "everything-server"), filepath.Join(dir, "everything-client")
	build := []string{"build", "-o", dir, everything}
	if *table {
		build = append(build, sdkClient)
	}
	if out, err := exec.Command("go", build...).CombinedOutput(); err != nil {
		t.Fatalf("build the programs of the Go SDK: %v\n%s", err, out)
	}
	var err error
	if s.self, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	s.hub = newHub(t)
	for _, v := range []struct{ own, other version }{{legacy, modern}, {modern, legacy}} {
		t.Run(v.own.name, func(t *testing.T) {
			t.Parallel() // the scenarios mostly wait
			s.compare(t, v.own, v.other)
		})
		t.Run("clients of "+v.own.name, func(t *testing.T) {
			t.Parallel()
			s.compareClients(t, v.own, v.other)
		})
		if *table {
			t.Run("authorization of clients of "+v.own.name, func(t *testing.T) {
				t.Parallel()
				s.compareAuthorization(t, v.own.name, s.clientScenarios(t, v.own.name, true))
			})
		}
	}
	if *table {
		t.Run("authorization of clients of "+oldest, func(t *testing.T) {
			t.Parallel()
			s.compareAuthorization(t, oldest, s.oldestScenarios(t))
		})
		t.Cleanup(func() {
			for _, line := range s.want.unneeded(s.needed) {
				t.Error(line)
			}
		})
	}
}

// compare compares the scores of the routes to the server in one version of MCP; without -table, those of the first
// four routes only. Each route has its own server, because scenarios change the lists of the server. The server of the
// route hub-to-… speaks only the version other.
func (s *setup) compare(t *testing.T, v, other version) {
	remote := func(name string, of version) (server string) {
		s.Must("servers", "add", name+v.name, "--url", only(t, of, overHTTP(t, s.program, of.flag)))
		return name + v.name
	}
	local := func(name string) (server string) {
		s.Add(name+v.name, []string{s.program})
		return name + v.name
	}
	routes := []struct {
		name string
		open func() (url string)
	}{
		{"direct", func() string { return overHTTP(t, s.program, v.flag) }},
		{"hub", func() string { return s.relayed(t, remote("hub", v)) }},
		{"hub-to-" + other.era, func() string { return s.relayed(t, remote("crossed", other)) }},
		{"companion", func() string { return s.adapted(t, remote("companion", v)) }},
		{"adapter", func() string { return adapted(t, []string{s.program}, os.Environ()) }},
		{"hub-stdio", func() string { return s.relayed(t, local("hub-stdio")) }},
		{"companion-stdio", func() string { return s.adapted(t, local("companion-stdio")) }},
	}
	if !*table {
		routes = routes[:4]
	}
	var columns []column
	for _, r := range routes {
		columns = append(columns, column{r.name, s.run(t, r.open(), v.name)})
	}
	s.judge(t, v.name, columns)
}

// judge reports each score that is lower than the one in the first column, unless the file of expected scores allows
// that. With -table, it prints all scores.
func (s *setup) judge(t *testing.T, version string, columns []column) {
	t.Helper()
	if *table {
		printTable(os.Stdout, version, columns)
	}
	for _, wrong := range s.want.compare(version, columns, s.needed) {
		t.Error(wrong)
	}
}

// overHTTP starts a server that listens on a free port, and returns its URL.
func overHTTP(t *testing.T, program, mode string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close() // the server needs the port
	cmd := exec.Command(program, "-http="+address, mode)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	programtest.Eventually(t, "the server listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return "http://" + address + "/"
}

// adapted makes a stdio server available over HTTP, and returns its URL.
func adapted(t *testing.T, command, env []string) string {
	t.Helper()
	a := &adapter{command: command, env: env, sessions: make(map[string]*server)}
	server := httptest.NewServer(a)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		a.close()
	})
	return server.URL + "/"
}
