// Package paths answers where this program keeps its files: all are in the data
// folder. Folders are created only by Folder.Create, without access for other
// users.
package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Folder is the path of a data folder.
type Folder string

// Default returns the data folder of this user: AGENT_DISCOVER_HOME, or
// .agent-discover in the home folder on every system. AppData is not used, because
// Windows redirects it for child processes of packaged editors, which would then
// see another folder.
func Default() (Folder, error) {
	if dir := os.Getenv("AGENT_DISCOVER_HOME"); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fault.Wrap(err, fault.Invalid, "AGENT_DISCOVER_HOME is not a valid path")
		}
		return Folder(abs), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "could not find the home folder; set AGENT_DISCOVER_HOME to a folder of your own")
	}
	return Folder(filepath.Join(home, ".agent-discover")), nil
}

// Config returns the path of the settings file.
func (f Folder) Config() string { return filepath.Join(string(f), "config.yaml") }

// Database returns the path of the SQLite file.
func (f Folder) Database() string { return filepath.Join(string(f), "discover.db") }

// Log returns the path of the hub's log.
func (f Folder) Log() string { return filepath.Join(string(f), "logs", "hub.log") }

// Sealed returns the path of a file with encrypted secrets.
func (f Folder) Sealed(name string) string { return filepath.Join(string(f), name+".age") }

// Backups returns the folder in which one part of the program keeps its backups;
// that part creates it.
func (f Folder) Backups(part string) string { return filepath.Join(string(f), "backups", part) }

// Run returns the path of a file about the running hub.
func (f Folder) Run(name string) string { return filepath.Join(string(f), "run", name) }

// Create creates the folder and its sub-folders, makes them private to the user
// even if they existed before, and checks that files can be created in them.
func (f Folder) Create() error {
	for _, dir := range []string{string(f), filepath.Dir(f.Log()), filepath.Dir(f.Run("lock"))} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return f.unwritable(err)
		}
		if err := tighten(dir); err != nil {
			return f.unwritable(err)
		}
	}
	probe, err := os.CreateTemp(filepath.Join(string(f), "run"), ".probe-*")
	if err != nil {
		return f.unwritable(err)
	}
	_ = probe.Close()
	return os.Remove(probe.Name())
}

// tighten removes the access of other users to a folder, unless the folder belongs
// to another user or is shared.
func tighten(dir string) error {
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o077 == 0 || !mayTighten(info) {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

func (f Folder) unwritable(err error) error {
	why := "cannot be created"
	if errors.Is(err, fs.ErrPermission) {
		why = "is not writable"
	}
	return fault.Wrap(err, fault.Unavailable,
		"the data folder %s %s; give yourself write access to it or set AGENT_DISCOVER_HOME to another folder", string(f), why)
}

// WriteFile replaces a file atomically: readers see the old content or the new,
// never a part. Only this user can read the file.
func WriteFile(path string, data []byte) error { return replace(path, data, false) }

// WriteDurable is WriteFile with a sync, so that the content survives a loss of
// power after the return.
func WriteDurable(path string, data []byte) error { return replace(path, data, true) }

func replace(path string, data []byte, durable bool) error {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.Write(data)
	if err == nil && durable {
		err = temp.Sync()
	}
	if err := errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
