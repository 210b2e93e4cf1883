//go:build unix

package paths

import (
	"io/fs"
	"os"
	"syscall"
)

// mayTighten reports whether tighten may change the permissions of a folder: this
// user owns it, and it is not shared like /tmp.
func mayTighten(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode()&fs.ModeSticky == 0
}
