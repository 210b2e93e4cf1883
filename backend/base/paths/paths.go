// Package paths answers where this product keeps its things. It creates
// folders only when told to, always closed to other users, and never looks
// outside the data folder.
package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Folder is a data folder; every path of ours is under it.
type Folder string

// Default returns the data folder of this user: AGENT_DISCOVER_HOME, else
// .agent-discover in the home folder on every system. (Not under AppData:
// Windows redirects that for children of a packaged editor, which would then
// see a folder of their own.)
func Default() (Folder, error) {
	if dir := os.Getenv("AGENT_DISCOVER_HOME"); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fault.Wrap(err, fault.Invalid, "AGENT_DISCOVER_HOME is not a usable path")
		}
		return Folder(abs), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "no home folder is known; set AGENT_DISCOVER_HOME to a folder of your own")
	}
	return Folder(filepath.Join(home, ".agent-discover")), nil
}

// Config is the settings file.
func (f Folder) Config() string { return filepath.Join(string(f), "config.yaml") }

// Database is the SQLite file.
func (f Folder) Database() string { return filepath.Join(string(f), "discover.db") }

// Log is the hub's own log.
func (f Folder) Log() string { return filepath.Join(string(f), "logs", "hub.log") }

// Sealed is a file of secrets that are encrypted.
func (f Folder) Sealed(name string) string { return filepath.Join(string(f), name+".age") }

// Backups is where a room keeps what it changed or took from elsewhere; the
// room makes it.
func (f Folder) Backups(room string) string { return filepath.Join(string(f), "backups", room) }

// Run is a file that describes the running hub.
func (f Folder) Run(name string) string { return filepath.Join(string(f), "run", name) }

// Create makes the folder and its sub-folders, closes them to other users, also
// those that were there already, and proves that they can be written to.
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

// tighten takes from other users what they may do with a folder. One that is
// not ours stays as it is: whether it can be used shows soon.
func tighten(dir string) error {
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o077 == 0 || !ours(info) {
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

// WriteFile writes a file so that a reader sees the old content or the new,
// never a part, and nobody but this user can read it.
func WriteFile(path string, data []byte) error { return replace(path, data, false) }

// WriteDurable is WriteFile for what must survive a loss of power as soon as it
// has returned.
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
