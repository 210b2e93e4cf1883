package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// guard is a read lease on a file. The system refuses the lease while a program has the file open
// for writing. A program that opens the file for writing during the lease waits for its release,
// and broken reports that. Some file systems have no leases; the guard is then without a file and
// does nothing.
type guard struct{ file *os.File }

// leases enables guards. Tests set it to false to get the behavior of other systems.
var leases = true

// newGuard returns an error if a program has the file open for writing.
func newGuard(path string) (*guard, error) {
	if !leases {
		return &guard{}, nil
	}
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return &guard{}, nil // the next access to the file returns the reason
	}
	_, err = unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		return &guard{file}, nil
	}
	_ = file.Close()
	if errors.Is(err, unix.EAGAIN) {
		return nil, err
	}
	return &guard{}, nil
}

func (g *guard) holds() bool { return g.file != nil }

// broken reports whether a program waits to open the file for writing.
func (g *guard) broken() bool {
	if g.file == nil {
		return false
	}
	lease, err := unix.FcntlInt(g.file.Fd(), unix.F_GETLEASE, 0)
	return err != nil || lease != unix.F_RDLCK
}

// covers reports whether f is the file on which the guard has its lease. It is true if the guard
// has no file.
func (g *guard) covers(f File) bool {
	if g.file == nil {
		return true
	}
	own, err := g.file.Stat()
	return err == nil && os.SameFile(own, f.info)
}

// yield returns false, because a lease does not make renames fail.
func (*guard) yield(error) bool { return false }

func (g *guard) release() {
	if g.file == nil {
		return
	}
	// Close alone is not enough: a child process that is being started may still have a copy of the
	// descriptor.
	_, _ = unix.FcntlInt(g.file.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	_ = g.file.Close()
}

// openForWriting reports whether a program has a file open for writing. It returns false if the
// system cannot tell.
func openForWriting(path string) bool {
	g, err := newGuard(path)
	if err != nil {
		return true
	}
	g.release()
	return false
}

// exchangeFiles atomically exchanges two files. It returns errors.ErrUnsupported if the system
// cannot.
func exchangeFiles(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // unsupported by this file system or kernel
		return errors.ErrUnsupported
	}
	return err
}

// statusTime returns the inode change time (ctime) in nanoseconds since the Unix epoch.
func statusTime(info fs.FileInfo) int64 {
	if info == nil {
		return 0
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ctim.Nano()
	}
	return 0
}
