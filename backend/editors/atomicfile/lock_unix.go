//go:build unix

package atomicfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// lockTimeout is how long the lock of a folder is awaited. Another user may
// hold it for no good reason, so it is then ignored.
const lockTimeout = 5 * time.Second

// LockFolder waits until no other process that uses this package, such as the
// hub of another data folder, changes a file in the folder of path. The lock is
// one of the system, so it ends with its process and leaves nothing behind. The
// files are safe without it; it only avoids conflicts. Where the folder cannot
// be locked, LockFolder returns at once.
func LockFolder(ctx context.Context, path string) (unlock func()) {
	target, err := resolve(path)
	if err != nil {
		return func() {}
	}
	above, _, err := existingParent(filepath.Dir(target))
	if err != nil {
		return func() {}
	}
	folder, err := os.Open(above)
	if err != nil {
		return func() {}
	}
	for end := time.Now().Add(lockTimeout); ; {
		err := unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil || !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) || time.Now().After(end) ||
			sleep(ctx, retryPause/5) != nil {
			return func() {
				_ = unix.Flock(int(folder.Fd()), unix.LOCK_UN)
				_ = folder.Close()
			}
		}
	}
}
