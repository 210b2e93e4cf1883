package syncfolder

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

const (
	markerFile    = "agent-discover.sync"
	markerFormat  = "agent-discover-sync"
	markerVersion = 1

	machinesFolder = "machines"
	maxObject      = 1 << 20 // bytes of a file
	maxObjects     = 5000
)

// folder is the path of a folder that machines share.
type folder string

// marker is the file that makes a folder one for synchronization.
type marker struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	ID      string `json:"id"` // distinguishes folders
}

// Machine is the file of one machine. Only that machine writes it.
type machineFile struct {
	Name   string                       `json:"name"`
	System string                       `json:"system"`
	Values map[string]map[string]string `json:"values"` // of placeholders, by server and place
}

// marker returns the marker of the folder. It returns a fault.NotFound if the folder has none.
func (f folder) marker() (m marker, err error) {
	data, err := paths.ReadRegular(filepath.Join(string(f), markerFile), maxObject)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m, fault.New(fault.NotFound, "%s has no file %s: it is not a folder for synchronization, is not mounted, or was not "+
			"fetched completely. To begin with it: agent-discover sync init FOLDER", f, markerFile)
	case err != nil:
		return m, f.unreadable(markerFile, err)
	}
	if err := json.Unmarshal(data, &m); err != nil || m.Format != markerFormat || m.ID == "" {
		return m, fault.New(fault.Invalid, "the file %s is damaged; restore it from another machine or from the history of the folder",
			filepath.Join(string(f), markerFile))
	}
	if m.Version != markerVersion {
		return m, fault.New(fault.Invalid, "%s was made by a newer version of Agent Discover; update this machine, too", f)
	}
	return m, nil
}

func (f folder) unreadable(name string, err error) error {
	return fault.Wrap(err, fault.Unavailable, "could not read %s: %s", filepath.Join(string(f), name), paths.Reason(err))
}

// read returns all objects of the folder. A file that cannot be an object is an error, because nobody can say what its
// absence would mean.
func (f folder) read() (Objects, error) {
	objects := make(Objects)
	for _, kind := range kinds {
		err := f.files(kind, func(name, path string, data []byte) error {
			key := Key{kind, name}
			o, err := decodeObject(data)
			if err == nil {
				err = check(key, o)
			} else {
				err = fault.New(fault.Invalid, "it is not a complete JSON object")
			}
			if errors.Is(err, errOtherName) {
				return foreign(path)
			}
			if err != nil {
				return fault.New(fault.Invalid, "nothing was synchronized, because the file %s is damaged, was not fetched completely, or is of "+
					"a newer version of Agent Discover: %s. Restore it from the history of the folder; if you delete it, this counts as "+
					"the wish to delete what it contains", path, fault.MessageOf(err))
			}
			objects[key] = o
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// machines returns the files of all machines by their IDs. Damaged ones are left out: they contain only proposals.
func (f folder) machines() (map[string]machineFile, error) {
	machines := make(map[string]machineFile)
	err := f.files(machinesFolder, func(name, _ string, data []byte) error {
		var m machineFile
		if json.Unmarshal(data, &m) == nil {
			machines[name] = m
		}
		return nil
	})
	return machines, err
}

// files calls visit for each file of a kind.
func (f folder) files(kind string, visit func(name, path string, data []byte) error) error {
	dir := filepath.Join(string(f), kind)
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.IsDir() {
		return fault.New(fault.Invalid, "%s is not a folder; nothing was synchronized", dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return f.unreadable(kind, err)
	}
	if len(entries) > maxObjects {
		return fault.New(fault.Invalid, "%s has more than %d files; nothing was synchronized", dir, maxObjects)
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		name, ok := nameOf(entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), ".") && strings.HasSuffix(entry.Name(), ".icloud"):
			return fault.New(fault.Unavailable, "nothing was synchronized, because %s is not fetched yet; open the folder in the Finder", path)
		case strings.HasPrefix(entry.Name(), "."): // a file that is being written, or .DS_Store
			continue
		case entry.IsDir() || !ok:
			return foreign(path)
		}
		data, err := paths.ReadRegular(path, maxObject)
		if err != nil {
			return f.unreadable(filepath.Join(kind, entry.Name()), err)
		}
		if err := visit(name, path, data); err != nil {
			return err
		}
	}
	return nil
}

// foreign returns the error for a file that no machine has written.
func foreign(path string) error {
	return fault.New(fault.Invalid, "nothing was synchronized, because %s is not a file of Agent Discover. A program that copies files "+
		"between machines makes such a file if both have changed the same one: compare the two, correct the one without the "+
		"addition in its name, and delete this one", path)
}

// reserved are names of devices, which no file of Windows can have, whatever its extension is.
var reserved = []string{
	"aux", "con", "nul", "prn", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2", "lpt3", "lpt4",
	"lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
}

// fileName returns the name of the file of an object. A name that is a device on Windows, or a hidden file, gets a percent
// sign before it, which no name of an object contains.
func fileName(name string) string {
	first, _, _ := strings.Cut(strings.ToLower(name), ".")
	if slices.Contains(reserved, first) || strings.HasPrefix(name, ".") {
		name = "%" + name
	}
	return name + ".json"
}

// plainName matches the names of all kinds of objects.
var plainName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// nameOf is the reverse of fileName.
func nameOf(file string) (name string, ok bool) {
	name = strings.TrimPrefix(strings.TrimSuffix(file, ".json"), "%")
	return name, fileName(name) == file && plainName.MatchString(name)
}

// place returns the path of the file of an object.
func (f folder) place(key Key) string { return filepath.Join(string(f), key.Kind, fileName(key.Name)) }

// write makes the file of an object contain value, or removes it if value is nil. was is the object that was read there:
// if the file contains something else by now, the error is a fault.Conflict.
func (f folder) write(key Key, was, value Object) error {
	data, err := paths.ReadRegular(f.place(key), maxObject)
	var now Object
	if err == nil {
		now, err = decodeObject(data)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil || !now.equal(was) {
		return fault.New(fault.Conflict, "%s has changed meanwhile; run again: agent-discover sync", f.place(key))
	}
	if value == nil {
		if err := paths.Remove(f.place(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.Wrap(err, fault.Unavailable, "could not remove %s: %s", f.place(key), paths.Reason(err))
		}
		return nil
	}
	return f.writeFile(key, value.canonical())
}

func (f folder) writeFile(key Key, data []byte) error {
	if err := os.Mkdir(filepath.Join(string(f), key.Kind), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return f.unwritable(key, err)
	}
	if err := paths.WriteDurable(f.place(key), data); err != nil {
		return f.unwritable(key, err)
	}
	return nil
}

func (f folder) unwritable(key Key, err error) error {
	return fault.Wrap(err, fault.Unavailable, "could not write %s: %s", f.place(key), paths.Reason(err))
}

// writeMachine writes the file of this machine unless it has this content.
func (f folder) writeMachine(id string, m machineFile) error {
	o, err := objectOf(m)
	if err != nil {
		return err
	}
	key := Key{machinesFolder, id}
	if now, err := paths.ReadRegular(f.place(key), maxObject); err == nil && bytes.Equal(now, o.canonical()) {
		return nil
	}
	return f.writeFile(key, o.canonical())
}

// lost returns an error if one side lacks so many of the objects that both had that something else than their deletion
// is the likely cause. Approvals do not count, because they go with their server.
func lost(base, side, other Objects, where, cause string) error {
	gone, all := 0, 0
	for key := range base {
		if key.Kind == Approvals {
			continue
		}
		if all++; side[key] == nil && other[key] != nil {
			gone++
		}
	}
	if gone <= 3 && (gone < 2 || gone*2 <= all) {
		return nil
	}
	return fault.New(fault.Conflict, "nothing was synchronized, because %d of %d objects are missing %s since the last time: %s. If you "+
		"have deleted them, run: agent-discover sync --deletions", gone, all, where, cause)
}
