package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// written are the patterns of everything that this program writes into the data folder.
var written = []string{
	"config.yaml", "discover.db*", "audit.head", "calls.begun", "*.age", "logs", "backups", "run", "personas", "bundles", "sandbox",
	"sync-*.json",
}

// Written returns the names of the files and folders that Erase would delete.
func (f Folder) Written() (names []string) {
	for _, pattern := range written {
		for _, path := range Glob(string(f), pattern) {
			names = append(names, filepath.Base(path))
		}
	}
	return names
}

// Erase deletes everything that this program has written into the folder, and the folder itself if nothing else is in it.
// It returns the names of what is left. The error is a fault.Conflict for the user's home folder and the folders above it,
// because the user may have folders of the same names there.
func (f Folder) Erase() (left []string, err error) {
	if f.hasHome() {
		return nil, fault.New(fault.Conflict, "the data folder %s contains your home folder, so that nothing in it is deleted; "+
			"delete what you do not need yourself: %s", string(f), strings.Join(f.Written(), ", "))
	}
	for _, name := range f.Written() {
		err = errors.Join(err, os.RemoveAll(filepath.Join(string(f), name)))
	}
	entries, readErr := os.ReadDir(string(f))
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if len(left) == 0 && readErr == nil {
		readErr = os.Remove(string(f))
	}
	if errors.Is(readErr, fs.ErrNotExist) {
		readErr = nil
	}
	return left, errors.Join(err, readErr)
}

// hasHome reports whether the folder is the user's home folder or one above it.
func (f Folder) hasHome() bool {
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	down, err := filepath.Rel(string(f), home)
	return err == nil && filepath.IsLocal(down)
}
