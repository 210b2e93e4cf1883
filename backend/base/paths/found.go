package paths

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Found is a file that a path led to at one moment. A program that keeps a file open
// can so notice that others no longer find the same file.
type Found struct {
	path string
	info os.FileInfo // nil if the file could not be found
}

// Find returns the file to which a path leads now.
func Find(path string) Found {
	info, err := os.Stat(path)
	if err != nil {
		return Found{path: path}
	}
	_ = os.SameFile(info, info) // makes Windows look for the identity of the file now
	return Found{path, info}
}

// Lost returns an error if the path no longer leads to the file, because one of them was
// removed, moved or replaced. It returns nil if that is unknown.
func (f Found) Lost() error {
	now, err := os.Stat(f.path)
	switch {
	case f.info == nil || err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s was removed or moved", f.path)
	case !os.SameFile(f.info, now):
		return fmt.Errorf("%s was replaced", f.path)
	}
	return nil
}

// Missing reports whether nothing is at the path any more.
func (f Found) Missing() bool {
	_, err := os.Lstat(f.path)
	return f.info != nil && errors.Is(err, fs.ErrNotExist)
}
