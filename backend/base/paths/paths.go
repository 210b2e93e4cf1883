// Package paths answers where this program keeps its files, and how to read and replace files that other programs have
// open. All files are in the data folder. Folder.Create creates the data folder without access for other users.
package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Folder is the path of a data folder.
type Folder string

// Default returns the data folder of this user: AGENT_DISCOVER_HOME, or
// .agent-discover in the home folder on every system. AppData is not used, because
// Windows redirects it for child processes of packaged editors, which would then
// see another folder. AGENT_DISCOVER_HOME must be absolute or begin with ~/.
func Default() (Folder, error) {
	dir := os.Getenv("AGENT_DISCOVER_HOME")
	if filepath.IsAbs(dir) {
		return Folder(filepath.Clean(dir)), nil
	}
	inHome := ".agent-discover"
	if dir != "" {
		rest, ofHome := strings.CutPrefix(dir, "~")
		if !ofHome || rest != "" && !os.IsPathSeparator(rest[0]) {
			return "", fault.New(fault.Invalid, "AGENT_DISCOVER_HOME is %q, a relative path, which would lead each program to a folder of "+
				"its own; set it to an absolute path, or to one that begins with ~/", dir)
		}
		inHome = rest // no shell expands the ~ in the configuration of an editor
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "could not find the home folder; set AGENT_DISCOVER_HOME to a folder of your own")
	}
	return Folder(filepath.Join(home, inHome)), nil
}

// Config returns the path of the settings file.
func (f Folder) Config() string { return filepath.Join(string(f), "config.yaml") }

// Database returns the path of the SQLite file.
func (f Folder) Database() string { return filepath.Join(string(f), "discover.db") }

// AuditHead returns the path of the file with the hash of the last entry of the audit log.
func (f Folder) AuditHead() string { return filepath.Join(string(f), "audit.head") }

// BegunCalls returns the path of the file with the calls that were sent to servers and are not in the audit log yet.
func (f Folder) BegunCalls() string { return filepath.Join(string(f), "calls.begun") }

// Log returns the path of the hub's log.
func (f Folder) Log() string { return filepath.Join(string(f), "logs", "hub.log") }

// Sealed returns the path of a file with encrypted secrets.
func (f Folder) Sealed(name string) string { return filepath.Join(string(f), name+".age") }

// Backups returns the folder in which one part of the program keeps its backups;
// that part creates it.
func (f Folder) Backups(part string) string { return filepath.Join(string(f), "backups", part) }

// Personas returns the folder of the user's personas.
func (f Folder) Personas() string { return filepath.Join(string(f), "personas") }

// Run returns the path of a file in the folder run, which holds the lock and the state of the running hub.
func (f Folder) Run(name string) string { return filepath.Join(string(f), "run", name) }

// Create creates the folder and its sub-folders, makes them private to the user
// even if they existed before, and checks that files can be created in them.
func (f Folder) Create() error {
	for _, dir := range []string{string(f), filepath.Dir(f.Log()), filepath.Dir(f.Run("lock"))} {
		if err := makePrivate(dir); err != nil {
			return f.Unwritable(err)
		}
		if err := tighten(dir); err != nil {
			return f.Unwritable(err)
		}
	}
	if err := probe(filepath.Dir(f.Run("lock")), 0); err != nil {
		return f.Unwritable(err)
	}
	return nil
}

// CheckSpace checks that data can be written to the folder.
func (f Folder) CheckSpace() error {
	if err := probe(filepath.Dir(f.Run("lock")), probeSize); err != nil {
		return f.Unwritable(err)
	}
	return nil
}

// Unwritable returns an error for users that says why the folder cannot be created
// or written, and what to do. err is the error of the failed operation.
func (f Folder) Unwritable(err error) error {
	why := "cannot be created"
	switch {
	case noSpace(err):
		return fault.Wrap(err, fault.Unavailable, "no space left for the data folder %s; free space on its disk and try again", string(f))
	case errors.Is(err, fs.ErrPermission):
		why = "is not writable"
	case TooManyOpen(err):
		return fault.Wrap(err, fault.Unavailable, "the data folder %s cannot be created: %s", string(f), Reason(err))
	case readOnly(err), errors.Is(err, syscall.ENAMETOOLONG):
		return fault.Wrap(err, fault.Unavailable, "the data folder %s cannot be created: %s; set AGENT_DISCOVER_HOME to another folder",
			string(f), Reason(err))
	}
	return fault.Wrap(err, fault.Unavailable,
		"the data folder %s %s; give yourself write access to it or set AGENT_DISCOVER_HOME to another folder", string(f), why)
}
