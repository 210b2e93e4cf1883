//go:build !windows

package autostart

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

func (e Entry) on() (bool, error) {
	file, err := e.file()
	if err != nil {
		return false, err
	}
	data, err := paths.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fault.Wrap(err, fault.Unavailable, "could not read %s", file)
	}
	return e.enabled(data), nil
}

func (e Entry) place() (string, bool, error) {
	file, err := e.file()
	if err != nil {
		return "", false, err
	}
	_, err = os.Lstat(file)
	return file, err == nil, nil
}

func (e Entry) write() error {
	file, err := e.file()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return changeError(err, filepath.Dir(file))
	}
	if err := paths.WriteFile(file, contents(e)); err != nil {
		return changeError(err, file)
	}
	e.allow()
	return nil
}

func (e Entry) remove() error {
	file, err := e.file()
	if err != nil {
		return err
	}
	if err := paths.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return changeError(err, file)
	}
	return nil
}
