//go:build linux

package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// builds are the programs under test: release 1.0.0, which all tests use
// unless they are about versions, and a newer one. races is the prefix of the
// files in which processes report data races.
type builds struct{ current, newer, races string }

var programs builds

// coverage is where processes that tests start write what they covered; empty
// when nobody asked for it.
var coverage = os.Getenv("AGENT_DISCOVER_TEST_GOCOVERDIR")

func TestMain(m *testing.M) {
	mcptest.Main()
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "agent-discover-test-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	programs = builds{current: filepath.Join(dir, "agent-discover"), newer: filepath.Join(dir, "newer", "agent-discover"), races: filepath.Join(dir, "race")}
	for program, version := range map[string]string{programs.current: "1.0.0", programs.newer: "1.1.0"} {
		if err := build(program, version); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	code := m.Run()
	reports, err := filepath.Glob(programs.races + ".*")
	if err != nil || len(reports) > 0 {
		code = 1
	}
	for _, file := range reports {
		report, err := os.ReadFile(file)
		fmt.Fprintf(os.Stderr, "%s%v\n", report, err)
	}
	return code
}

// build makes a program as it is shipped, without cgo, unless data races are
// looked for.
func build(program, version string) error {
	args := []string{"build", "-o", program, "-ldflags", "-X main.version=" + version}
	if coverage != "" {
		args = append(args, "-cover", "-coverpkg=github.com/agent-discover/agent-discover/backend/...")
	}
	cgo := "CGO_ENABLED=0"
	if raced {
		args, cgo = append(args, "-race"), "CGO_ENABLED=1"
	}
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Env = append(os.Environ(), cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}
