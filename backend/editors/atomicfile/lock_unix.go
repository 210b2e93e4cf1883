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

// lockTimeout is how long LockFolder waits. It then returns without the lock, because any user who
// can read the folder could hold the lock forever.
const lockTimeout = 5 * time.Second

// LockFolder waits until no other process that uses this package, such as a hub with another data
// folder, changes a file in the folder of path. The system releases the lock when this process
// ends. Replace is safe without the lock; the lock only avoids conflicts. If the folder cannot be
// locked, LockFolder returns at once.
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
