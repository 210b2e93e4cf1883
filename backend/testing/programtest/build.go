// Package programtest builds agent-discover and runs it as people and editors
// do: as commands, hubs and companions in a home folder of their own.
//
// A test binary calls Main from TestMain. NewHome gives a test its home; Home
// starts processes in it, Client is an editor's end of a companion. When a test
// ends, its home checks that no process is left.
package programtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Coverage is the folder to which the programs under test write coverage data;
// empty when none is collected.
var Coverage = os.Getenv("AGENT_DISCOVER_TEST_GOCOVERDIR")

// shared is a folder for the programs of all test binaries of a run, so that they are linked once; empty when each test
// binary builds its own.
var shared = os.Getenv("AGENT_DISCOVER_TEST_PROGRAMS")

const program = "github.com/agent-discover/agent-discover/backend/cmd/agent-discover"

// folder holds the programs and the reports of data races of this test binary. Every user of the machine may read
// it, because some tests run as another user.
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
		if err != nil {
			report = []byte(err.Error())
		}
		fmt.Fprintf(os.Stderr, "%s\n", report)
	}
	return code
}

// Current returns the path of agent-discover 1.0.0, which is built once for each
// test binary or, with AGENT_DISCOVER_TEST_PROGRAMS, once for all.
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

// build returns the path of the program in the given version. It builds the program unless another test binary has
// built it.
func build(name, version string) (string, error) {
	dir := shared
	if dir == "" {
		var err error
		if dir, err = folder(); err != nil {
			return "", err
		}
	} else if Race {
		name += "-race"
	}
	path := filepath.Join(dir, name, "agent-discover")
	failure := filepath.Join(dir, name, "failure")
	err := os.Mkdir(filepath.Dir(path), 0o755)
	if errors.Is(err, fs.ErrExist) { // another test binary builds it, or has built it
		return path, Await(func() (bool, error) {
			if text, err := os.ReadFile(failure); err == nil {
				return false, fmt.Errorf("another package could not build the program: %s", text)
			}
			_, err := os.Stat(path)
			return err == nil, nil
		})
	}
	if err != nil {
		return "", err
	}
	if err := compile(path+".new", version); err != nil {
		return "", errors.Join(err, os.WriteFile(failure, []byte(err.Error()), 0o600))
	}
	return path, os.Rename(path+".new", path)
}

// compile builds the program without cgo, as it is released, or with the race
// detector when the tests run with it.
func compile(path, version string) error {
	args := []string{
		"build", "-o", path, "-ldflags", "-s -w -X github.com/agent-discover/agent-discover/backend/base/version.built=" + version,
	}
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
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}
