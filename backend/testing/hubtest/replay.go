//go:build linux

package hubtest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// StartRemote starts server-everything with a transport, streamableHttp or sse, and returns its address.
func StartRemote(t *testing.T, node, servers, transport string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close() // the server will use this free port
	cmd := exec.Command(node, filepath.Join(servers, "server-everything/dist/index.js"), transport)
	_, port, _ := net.SplitHostPort(address)
	cmd.Env = append(os.Environ(), "PORT="+port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	programtest.Eventually(t, "the remote server listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return address
}
