package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// MakeFolder creates a private folder and, if it is missing, its parent. Unlike os.MkdirAll it creates no further parents,
// so that a part of a running program does not create a data folder again that was moved or removed.
func MakeFolder(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(filepath.Dir(dir), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		err = os.Mkdir(dir, 0o700)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
