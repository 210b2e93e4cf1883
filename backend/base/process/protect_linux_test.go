package process_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/agent-discover/agent-discover/backend/base/process"
)

const protected = "PROCESS_TEST_PROTECTED"

func TestAProtectedProcessWorksAndStartsOrdinaryOnes(t *testing.T) {
	dumpable := func() int {
		value, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	again := func(role string) string {
		t.Helper()
		program, err := os.Readlink("/proc/self/exe")
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), protected+"="+role)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", role, err, out)
		}
		return string(out)
	}
	switch os.Getenv(protected) {
	case "parent":
		process.Protect()
		if got := dumpable(); got != 0 {
			t.Errorf("the process has the dumpable flag %d", got)
		}
		for _, file := range []string{"environ", "maps", "stat", "cgroup"} {
			if _, err := os.ReadFile("/proc/self/" + file); err != nil {
				t.Errorf("the process cannot read its own file: %v", err)
			}
		}
		if !process.Self().Alive() {
			t.Error("the process does not recognise itself")
		}
		if out := again("child"); !strings.Contains(out, "an ordinary child") {
			t.Errorf("the child printed %s", out)
		}
	case "child":
		if got := dumpable(); got != 1 {
			t.Errorf("a child of a protected process has the dumpable flag %d", got)
		}
		t.Log("an ordinary child")
	default:
		again("parent")
	}
}
