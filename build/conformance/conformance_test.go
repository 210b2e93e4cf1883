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
	os.Exit(programtest.Main(m))
}

// everything is the server of the Go SDK that has what the scenarios need.
const everything = "github.com/modelcontextprotocol/go-sdk/conformance/everything-server"

// version is a version of MCP, and how the server serves it over HTTP.
type version struct {
	name, server string
	flag         string // of the program
}

// setup is what the routes lead to.
type setup struct {
	hub
	suite
	program string
	want    expected
	needed  *sync.Map // lines of want that have matched
}

func TestTheHubScoresAsMuchAsTheServerBehindIt(t *testing.T) {
	s := setup{suite: newSuite(t), program: filepath.Join(t.TempDir(), "everything-server"), want: readExpected(t, "expected.txt"), needed: new(sync.Map)}
	if out, err := exec.Command("go", "build", "-o", s.program, everything).CombinedOutput(); err != nil {
		t.Fatalf("build the server: %v\n%s", err, out)
	}
	s.hub = newHub(t)
	s.Add("stdio", []string{s.program})
	for _, v := range []version{{"2025-11-25", "stateful", "-stateless=false"}, {"2026-07-28", "stateless", "-stateless=true"}} {
		t.Run(v.name, func(t *testing.T) {
			if !*table {
				t.Parallel() // the scenarios mostly wait
			}
			s.compare(t, v)
		})
	}
	if *table {
		for _, line := range s.want.unneeded(s.needed) {
			t.Error(line)
		}
	}
}

// compare compares the scores of all routes in one version, or without -table those of the most important ones.
func (s *setup) compare(t *testing.T, v version) {
	direct := overHTTP(t, s.program, v.flag)
	s.Must("servers", "add", v.server, "--url", direct)
	routes := []struct{ name, url string }{
		{"direct", direct},
		{"hub", s.relayed(t, v.server)},
		{"companion", s.adapted(t, v.server)},
		{"adapter", adapted(t, []string{s.program}, os.Environ())},
		{"hub-stdio", s.relayed(t, "stdio")},
		{"companion-stdio", s.adapted(t, "stdio")},
	}
	if !*table {
		routes = routes[:3]
	}
	var columns []column
	for _, r := range routes {
		columns = append(columns, column{r.name, s.run(t, r.url, v.name)})
	}
	if *table {
		printTable(os.Stdout, v.name, columns)
	}
	for _, wrong := range s.want.compare(v.name, columns, s.needed) {
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

// adapted serves a server that speaks stdio over HTTP, and returns its URL.
func adapted(t *testing.T, command, env []string) string {
	t.Helper()
	a := newAdapter(command, env)
	server := httptest.NewServer(a)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		a.close()
	})
	return server.URL + "/"
}
