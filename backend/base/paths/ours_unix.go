//go:build unix

package paths

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether a folder belongs to this user alone; one like /tmp, in
// which everybody keeps things, does not.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode()&fs.ModeSticky == 0
}
