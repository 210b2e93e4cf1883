// Package programtest builds agent-discover and runs it as people and editors
// do: as commands, hubs and companions in a home folder of their own.
//
// A test binary calls Main from TestMain. NewHome gives a test its home; Home
// starts processes in it, Client is an editor's end of a companion. When a test
// ends, its home checks that no process is left.
package programtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Coverage is the folder to which the programs under test write coverage data;
// empty when none is collected.
var Coverage = os.Getenv("AGENT_DISCOVER_TEST_GOCOVERDIR")

const program = "github.com/agent-discover/agent-discover/backend/cmd/agent-discover"

// folder holds the programs and the reports of data races of this test binary.
// Every user of the machine may read it, because some tests run as another one.
var folder = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "agent-discover-test-*")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
})

var (
	current = sync.OnceValues(func() (string, error) { return build("current", "1.0.0") })
	newer   = sync.OnceValues(func() (string, error) { return build("newer", "1.1.0") })
)

// Main runs the tests, prints the data races that the programs reported, and
// removes the programs. It returns the exit code for os.Exit.
func Main(m *testing.M) int {
	code := m.Run()
	dir, err := folder()
	if err != nil {
		return code // without the folder no program was built
	}
	defer func() { _ = os.RemoveAll(dir) }()
	reports, err := filepath.Glob(races(dir) + ".*")
	if err != nil || len(reports) > 0 {
		code = 1
	}
	for _, file := range reports {
		report, err := os.ReadFile(file)
		fmt.Fprintf(os.Stderr, "%s%v\n", report, err)
	}
	return code
}

// Current returns the path of agent-discover 1.0.0, which it builds once for
// each test binary.
func Current(t testing.TB) string {
	t.Helper()
	return built(t, current)
}

// Newer returns the path of agent-discover 1.1.0.
func Newer(t testing.TB) string {
	t.Helper()
	return built(t, newer)
}

func built(t testing.TB, build func() (string, error)) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// races returns the prefix of the files to which processes report data races.
func races(dir string) string { return filepath.Join(dir, "race") }

// build builds the program without cgo, as it is released, or with the race
// detector when the tests run with it.
func build(name, version string) (string, error) {
	dir, err := folder()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name, "agent-discover")
	args := []string{"build", "-o", path, "-ldflags", "-X github.com/agent-discover/agent-discover/backend/base/version.built=" + version}
	if Coverage != "" {
		args = append(args, "-cover", "-covermode=atomic", "-coverpkg=github.com/agent-discover/agent-discover/backend/...")
	}
	cgo := "CGO_ENABLED=0"
	if Race {
		args, cgo = append(args, "-race"), "CGO_ENABLED=1"
	}
	cmd := exec.Command("go", append(args, program)...)
	cmd.Env = append(os.Environ(), cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
}
