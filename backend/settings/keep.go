package settings

import (
	"errors"
	"io/fs"
	"os"

	"github.com/agent-discover/agent-discover/backend/fault"
	"github.com/agent-discover/agent-discover/backend/splice"
)

// Keep writes one decision into the file, on the way that keys leads, and
// leaves every other byte of it as it is. A file that does not load is left
// alone. write replaces the file as a whole.
func Keep(file string, keys []string, value any, write func(path string, data []byte) error) error {
	if _, err := Load(file); err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, fault.Unavailable, "%s cannot be read", file)
	}
	change, err := splice.Scalar(data, keys, value)
	if err != nil {
		return err
	}
	if err := write(file, change.Text); err != nil {
		return fault.Wrap(err, fault.Unavailable, "%s cannot be written", file)
	}
	return nil
}
