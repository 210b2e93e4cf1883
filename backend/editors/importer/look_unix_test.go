//go:build unix

package importer_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAPipeIsNotRead(t *testing.T) {
	d := newDesk(t, false)
	d.write(".cursor/x", "")
	d.must(syscall.Mkfifo(filepath.Join(d.home, ".cursor", "mcp.json"), 0o600))
	scan := d.scan()
	if len(scan.Problems) != 1 || !strings.Contains(scan.Problems[0].Error, "not a regular file") {
		t.Errorf("problems: %+v", scan.Problems)
	}
}
