package settings

import (
	"errors"
	"io/fs"
	"os"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Editor changes single values of the settings file and keeps its comments and
// layout. The functions are passed in, so that this package does not depend on
// packages that edit files.
type Editor struct {
	// Set returns data with the value at the path keys set and every other byte
	// unchanged.
	Set func(data []byte, keys []string, value any) ([]byte, error)
	// Write replaces the whole file.
	Write func(path string, data []byte) error
}

// Keep sets one value in the settings file and leaves the rest of the file
// unchanged. If Load rejects the file, Keep returns its error and does not change
// the file.
func (e Editor) Keep(file string, keys []string, value any) error {
	if _, err := Load(file); err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, fault.Unavailable, "could not read %s", file)
	}
	text, err := e.Set(data, keys, value)
	if err != nil {
		return err
	}
	if err := e.Write(file, text); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not write %s", file)
	}
	return nil
}
