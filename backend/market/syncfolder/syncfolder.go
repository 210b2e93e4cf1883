// Package syncfolder keeps what a person has configured on several machines the same, through a folder that all of them
// can read and write, such as that of a cloud service or of a git repository. The folder has one file for each object: a
// server, a toolset, a persona, a setting, or the approvals of calls of a server.
//
// Each machine remembers the objects as they were when both sides were last the same, and merges the changes of both
// sides since then. Nothing that the folder contains changes a machine before a person of that machine has seen it.
// Package backup decides how an object is read from this machine and added to it. Secrets never reach the folder.
package syncfolder

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/market/backup"
	"github.com/agent-discover/agent-discover/backend/market/persona"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
)

// Options are the dependencies of a Keeper.
type Options struct {
	Data      paths.Folder
	Home      string // the home folder of the user; empty if it is unknown
	Backup    *backup.Keeper
	Registry  *registry.Registry
	Migrator  *secretmigration.Migrator
	Toolsets  *toolset.Keeper
	Personas  *persona.Personas
	Approvals *rules.Approvals
	Settings  backup.SettingsFile
	// Remove deletes a server with its secrets.
	Remove func(ctx context.Context, server string) error
}

// Keeper synchronizes this machine with a folder. It is safe for concurrent use.
type Keeper struct {
	options Options
	mu      sync.Mutex // held during a synchronization
}

// New returns a keeper.
func New(o Options) *Keeper { return &Keeper{options: o} }

// SyncFolder is the folder with which this machine synchronizes.
type SyncFolder struct {
	Path    string `json:"path" doc:"Absolute path of the folder."`
	ID      string `json:"id" doc:"Distinguishes this folder from others, wherever it is."`
	Machine string `json:"machine" doc:"Name of the file of this machine in the folder's subfolder machines."`
}

func (k *Keeper) stateFile() string {
	return filepath.Join(string(k.options.Data), "sync-folder.json")
}

func (k *Keeper) baseFile() string { return filepath.Join(string(k.options.Data), "sync-base.json") }

// Folder returns the folder with which this machine synchronizes. If there is none, the error is a fault.NotFound.
func (k *Keeper) Folder() (s SyncFolder, err error) {
	data, err := paths.ReadFile(k.stateFile())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, fault.New(fault.NotFound, "this machine does not synchronize with a folder; to begin: agent-discover sync init FOLDER")
	case err != nil:
		return s, fault.Wrap(err, fault.Unavailable, "could not read %s: %s", k.stateFile(), paths.Reason(err))
	}
	if err := json.Unmarshal(data, &s); err != nil || s.Path == "" {
		return s, fault.New(fault.Invalid, "the file %s is damaged; begin again with: agent-discover sync init FOLDER", k.stateFile())
	}
	return s, nil
}

// Init makes this machine synchronize with a folder from now on, and makes the folder one for synchronization if it is
// none yet. It synchronizes nothing.
func (k *Keeper) Init(path string) (SyncFolder, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !filepath.IsAbs(path) {
		return SyncFolder{}, fault.New(fault.Invalid, "invalid path %q: use the absolute path of the folder", path)
	}
	path = filepath.Clean(path)
	if within(path, string(k.options.Data)) {
		return SyncFolder{}, fault.New(fault.Invalid, "%s is in the data folder, which belongs to this machine; choose another folder", path)
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return SyncFolder{}, fault.Wrap(err, fault.Unavailable, "could not create the folder %s: %s", path, paths.Reason(err))
	}
	m, err := folder(path).begin()
	if err != nil {
		return SyncFolder{}, err
	}
	before, err := k.Folder()
	s := SyncFolder{Path: path, ID: m.ID, Machine: before.Machine}
	if err != nil || s.Machine == "" {
		s.Machine = newID()
	}
	if before.ID != m.ID { // what this machine and another folder had in common says nothing about this one
		if err := paths.Remove(k.baseFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return SyncFolder{}, fault.Wrap(err, fault.Unavailable, "could not remove %s: %s", k.baseFile(), paths.Reason(err))
		}
	}
	return s, k.save(k.stateFile(), s)
}

// begin returns the marker of the folder, and writes it if there is none. Then the folder must not have files that look
// like objects: perhaps only the marker was not fetched yet.
func (f folder) begin() (marker, error) {
	m, err := f.marker()
	if fault.KindOf(err) != fault.NotFound {
		return m, err
	}
	for _, kind := range kinds {
		if entries, err := os.ReadDir(filepath.Join(string(f), kind)); err == nil && len(entries) > 0 {
			return m, fault.New(fault.Conflict, "%s has a folder %s, but no file %s; wait until the folder is fetched completely, or choose "+
				"an empty one", f, kind, markerFile)
		}
	}
	m = marker{markerFormat, markerVersion, newID()}
	o, err := objectOf(m)
	if err != nil {
		return m, err
	}
	if err := paths.WriteDurable(filepath.Join(string(f), markerFile), o.canonical()); err != nil {
		return m, fault.Wrap(err, fault.Unavailable, "could not write to %s: %s", f, paths.Reason(err))
	}
	return m, nil
}

func newID() string {
	id := make([]byte, 8)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

// within reports whether a path is a folder or in it.
func within(path, folder string) bool {
	for at := path; ; at = filepath.Dir(at) {
		if pathname.Same(at, folder) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// Stop ends the synchronization of this machine. It changes nothing in the folder.
func (k *Keeper) Stop() (SyncFolder, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, err := k.Folder()
	if fault.KindOf(err) == fault.NotFound {
		return s, err
	}
	for _, file := range []string{k.baseFile(), k.stateFile()} {
		if err := paths.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s, fault.Wrap(err, fault.Unavailable, "could not remove %s: %s", file, paths.Reason(err))
		}
	}
	return s, nil
}

func (k *Keeper) save(file string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := paths.WriteDurable(file, data); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not write %s: %s", file, paths.Reason(err))
	}
	return nil
}

// baseRecord is what this machine and a folder had in common.
type baseRecord struct {
	ID      string            `json:"id"` // of the folder
	Objects map[string]Object `json:"objects"`
}

func (k *Keeper) readBase(id string) (Objects, error) {
	data, err := paths.ReadFile(k.baseFile())
	if errors.Is(err, fs.ErrNotExist) {
		return Objects{}, nil
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "could not read %s: %s", k.baseFile(), paths.Reason(err))
	}
	var record baseRecord
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	if err := decoder.Decode(&record); err != nil {
		return nil, fault.New(fault.Invalid, "the file %s is damaged; remove it, and each difference to the folder is a conflict that you decide",
			k.baseFile())
	}
	base := make(Objects)
	if record.ID == id {
		for path, o := range record.Objects {
			kind, name, _ := strings.Cut(path, "/")
			base[Key{kind, name}] = o
		}
	}
	return base, nil
}

func (k *Keeper) writeBase(id string, base Objects) error {
	record := baseRecord{ID: id, Objects: make(map[string]Object)}
	for key, o := range base {
		record.Objects[key.String()] = o
	}
	return k.save(k.baseFile(), record)
}

// thisMachine returns the file of this machine.
func thisMachine(values map[string]map[string]string) machineFile {
	name, _ := os.Hostname()
	return machineFile{Name: name, System: runtime.GOOS, Values: values}
}
