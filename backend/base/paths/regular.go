package paths

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// OpenRegular opens a file for reading. It returns an error if path is not a regular file. It never blocks, even if
// another program has created a pipe with that path.
func OpenRegular(path string) (*os.File, error) {
	irregular := &os.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // some devices act when they are opened
		return nil, irregular
	}
	file, err := os.OpenFile(path, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = irregular
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// ReadRegular returns the content of a file that another program may have created; see OpenRegular.
// A file of more than limit bytes is an error.
func ReadRegular(path string, limit int64) ([]byte, error) {
	file, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(text)) > limit {
		return nil, &os.PathError{Op: "read", Path: path, Err: fmt.Errorf("larger than %d bytes", limit)}
	}
	return text, err
}
