//go:build unix

package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// starved is the environment variable that makes a child process of TestTooManyOpenFilesAreNamed open a database.
const starved = "AGENT_DISCOVER_TEST_STARVED"

func TestTooManyOpenFilesAreNamed(t *testing.T) {
	if file := os.Getenv(starved); file != "" {
		openStarved(t, file)
		return
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTooManyOpenFilesAreNamed$", "-test.v")
	c.Env = append(os.Environ(), starved+"="+filepath.Join(t.TempDir(), "discover.db"))
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// openStarved opens a database while ever more files may be open, until it succeeds.
func openStarved(t *testing.T, file string) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	for limit.Cur = 3; ; limit.Cur++ {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), file)
		if err == nil {
			_ = s.Close()
			break
		}
		if got := fault.MessageOf(err); !strings.Contains(got, "too many files are open; raise the limit") {
			t.Errorf("with %d files: %s", limit.Cur, got)
		}
	}
	if limit.Cur < 8 {
		t.Errorf("%d files were enough", limit.Cur)
	}
}

func TestAPathThatIsTooLongForSQLiteIsNamed(t *testing.T) {
	folder := t.TempDir()
	for len(folder) <= longestPath {
		folder = filepath.Join(folder, strings.Repeat("x", 100))
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), filepath.Join(folder, "discover.db"))
	if got := fault.MessageOf(err); !strings.Contains(got, "is too long; set AGENT_DISCOVER_HOME") {
		t.Errorf("got %s", got)
	}
}
