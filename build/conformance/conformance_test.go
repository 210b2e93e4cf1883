//go:build linux

package main

import (
	"flag"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
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

func TestTheHubScoresAsMuchAsTheServerBehindIt(t *testing.T) {
	suite := newSuite(t)
	program := filepath.Join(t.TempDir(), "everything-server")
	if out, err := exec.Command("go", "build", "-o", program, everything).CombinedOutput(); err != nil {
		t.Fatalf("build the server: %v\n%s", err, out)
	}
	want := readExpected(t, "expected.txt")
	needed := make(map[int]bool)
	hub := newHub(t)
	hub.Add("stdio", []string{program})
	for _, version := range []struct{ name, flag, server string }{{"2025-11-25", "-stateless=false", "stateful"}, {"2026-07-28", "-stateless=true", "stateless"}} {
		direct := overHTTP(t, program, version.flag)
		hub.Must("servers", "add", version.server, "--url", direct)
		var columns []column
		for _, r := range []struct{ route, url string }{
			{"direct", direct},
			{"adapter", adapted(t, []string{program}, os.Environ())},
			{"hub", hub.relayed(version.server)},
			{"companion", hub.adapted(version.server)},
			{"hub-stdio", hub.relayed("stdio")},
			{"companion-stdio", hub.adapted("stdio")},
		} {
			columns = append(columns, column{r.route, suite.run(t, r.url, version.name)})
		}
		if *table {
			printTable(os.Stdout, version.name, columns)
		}
		for _, wrong := range want.compare(version.name, columns, needed) {
			t.Error(wrong)
		}
	}
	for _, line := range want.unneeded(needed) {
		t.Error(line)
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
