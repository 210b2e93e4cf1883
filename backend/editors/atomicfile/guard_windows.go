package atomicfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"

	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// guard keeps a file open so that no program can open it for writing. Programs may still read,
// rename and replace the file.
type guard struct {
	file *os.File    // nil if the file could not be guarded
	info fs.FileInfo // the state of file when it was opened
}

// newGuard returns an error if a program has the file open for writing.
func newGuard(path string) (*guard, error) {
	file, err := paths.OpenUnwritable(path)
	if errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		return nil, err
	}
	if err != nil {
		return &guard{}, nil // the next access to the file returns the reason
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return &guard{}, nil
	}
	return &guard{file, info}, nil
}

func (g *guard) holds() bool { return g.file != nil }

func (g *guard) broken() bool { return false }

// covers reports whether the guarded file is the given one.
func (g *guard) covers(f File) bool {
	if g.file == nil {
		return true // without a guard, assume that the file is the same
	}
	other, err := paths.Open(f.Target)
	if err != nil {
		return false
	}
	defer func() { _ = other.Close() }()
	info, err := other.Stat()
	return err == nil && os.SameFile(g.info, info)
}

// yield releases the guard if an operation may have failed because of it: file systems other than
// NTFS cannot replace an open file. It reports whether to try again.
func (g *guard) yield(err error) bool {
	if g.file == nil || !paths.InUse(err) {
		return false
	}
	g.release()
	return true
}

func (g *guard) release() {
	if g.file != nil {
		_ = g.file.Close()
		g.file = nil
	}
}

// openForWriting reports whether a program has a file open for writing.
func openForWriting(path string) bool {
	file, err := paths.OpenUnwritable(path)
	if err == nil {
		_ = file.Close()
	}
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}
