package settings

import (
	"errors"
	"io/fs"
	"os"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Editor changes a configuration file. It is passed in so that this package
// need not know file formats.
type Editor struct {
	// Set returns data with the value at keys set and every other byte kept.
	Set func(data []byte, keys []string, value any) ([]byte, error)
	// Write replaces the file as a whole.
	Write func(path string, data []byte) error
}

// Keep sets one value in the settings file and leaves the rest of the file as
// it is. A file that Load rejects is not changed.
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
