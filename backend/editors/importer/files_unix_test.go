//go:build unix

package importer_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestPipesAreNotRead(t *testing.T) {
	f := newFixture(t, false)
	f.write(".cursor/x", "")
	f.must(syscall.Mkfifo(filepath.Join(f.home, ".cursor", "mcp.json"), 0o600))
	scan := f.scan()
	if len(scan.Problems) != 1 || !strings.Contains(scan.Problems[0].Error, "not a regular file") {
		t.Errorf("problems: %+v", scan.Problems)
	}
}
