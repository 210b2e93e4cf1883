//go:build unix

package paths

import (
	"io"
	"os"
)

// InUse returns false: Unix can replace, rename and remove a file that is open.
func InUse(error) bool { return false }

func sharing(error) bool { return false }

// Rename is Replace without waiting.
func Rename(from, to string) error { return os.Rename(from, to) }

func openShared(path string) (*os.File, error) { return os.Open(path) }

func readShared(path string) ([]byte, error) {
	file, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // opened only for reading
	return io.ReadAll(file)
}
