package mcptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// Package returns the path of a file in the npm packages that build/setup.sh
// installs in build/servers, such as @modelcontextprotocol/server-everything.
// If it is not installed, the test is skipped.
func Package(t testing.TB, elem ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{root(t), "build", "servers", "node_modules"}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not installed: run build/setup.sh test", filepath.ToSlash(filepath.Join(elem...)))
	}
	return path
}

// Node returns the path of the Node program that runs the npm packages. Without
// one, the test is skipped.
func Node(t testing.TB) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(root(t), "build", "setup.sh"), "node-path").Output()
	if err != nil {
		t.Skip("Node 22.19 or newer is not installed: run build/setup.sh test")
	}
	return strings.TrimSpace(string(out))
}

// UV returns the folder of the uv and uvx that build/setup.sh installs. If they are not installed, the test is skipped.
func UV(t testing.TB) string {
	t.Helper()
	folder := filepath.Join(root(t), "build", "servers", "uv", "bin")
	if _, err := os.Stat(filepath.Join(folder, "uvx")); err != nil {
		t.Skip("uv is not installed: run build/setup.sh test")
	}
	return folder
}

// Python returns the path of a Python interpreter, and the environment variables with which it finds the Python SDK
// of MCP that build/setup.sh installs. If the SDK is not installed, the test is skipped.
func Python(t testing.TB) (program string, env map[string]string) {
	t.Helper()
	folder := filepath.Join(root(t), "build", "servers", "python")
	cmd := exec.Command("python3", "-c", "import sys, mcp; print(sys.executable)")
	cmd.Env = append(os.Environ(), "PYTHONPATH="+folder)
	out, err := cmd.Output()
	if err != nil {
		t.Skip("the Python SDK of MCP is not installed: run build/setup.sh test")
	}
	return strings.TrimSpace(string(out)), map[string]string{"PYTHONPATH": folder}
}

func root(t testing.TB) string {
	t.Helper()
	root, ok := reference.Repository()
	if !ok {
		t.Fatal("the test does not run inside the repository")
	}
	return root
}
