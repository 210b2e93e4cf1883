//go:build unix

package companion

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByUser reports whether a file belongs to the user of this process.
func ownedByUser(info fs.FileInfo) bool {
	of, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(of.Uid) == os.Getuid()
}
