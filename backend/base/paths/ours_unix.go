//go:build unix

package paths

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether a folder is owned by this user and not shared like /tmp.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode()&fs.ModeSticky == 0
}
