package registration

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// userScope is the scope of files that apply to all projects of a user.
const userScope = "user"

// target is a file that a request is about.
type target struct {
	found   table.Found
	file    table.File
	problem error // why the editor has no such file; nil if it has one
}

// targets returns the files that a request is about.
func (r *Registrar) targets(q Request) ([]target, error) {
	machine := r.options.Machine.With(q.Environment)
	if q.All {
		return r.allTargets(machine, q), nil
	}
	var all []target
	for _, id := range q.Editors {
		e, ok := table.ByID(id)
		if !ok {
			return nil, unknownEditor(id)
		}
		some, err := r.editorTargets(machine, e, q)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// editorTargets returns the files of an editor that a request names.
func (r *Registrar) editorTargets(machine table.Machine, e *table.Editor, q Request) ([]target, error) {
	found := machine.Find(e)
	if q.Project != "" {
		return projectTargets(machine, found, q.Project)
	}
	files := found.Files
	if q.Action == Unregister {
		files = r.withRecorded(found, func(c *change) bool { return c.Scope == userScope })
	}
	all := make([]target, 0, len(files)+1)
	for _, file := range files {
		all = append(all, target{found: found, file: file})
	}
	if len(all) == 0 {
		problem := fault.New(fault.Unavailable, "the configuration file of %s on this system is not known; paste the entry into its settings", e.Name)
		all = append(all, target{found: found, file: table.File{Place: e.Place, Shape: e.Shape}, problem: problem})
	}
	return all, nil
}

func projectTargets(machine table.Machine, found table.Found, folder string) ([]target, error) {
	if info, err := os.Stat(folder); !filepath.IsAbs(folder) || err != nil || !info.IsDir() {
		return nil, fault.New(fault.Invalid, "invalid project %q: use the absolute path of an existing folder", folder)
	}
	file, ok := machine.InProject(found.Editor, folder)
	if !ok {
		problem := fault.New(fault.Unavailable, "%s has no configuration file for single projects; register it without a project", found.Name)
		return []target{{found: found, problem: problem}}, nil
	}
	return []target{{found: found, file: file}}, nil
}

// allTargets returns the files of all editors that can be registered or, for
// Unregister, that are registered.
func (r *Registrar) allTargets(machine table.Machine, q Request) []target {
	var all []target
	for _, e := range table.Table() {
		found := machine.Find(e)
		switch {
		case q.Project != "":
			if file, ok := machine.InProject(e, q.Project); ok && (found.Detected || q.Action == Unregister) {
				all = append(all, target{found: found, file: file})
			}
		case q.Action == Unregister:
			for _, file := range r.withRecorded(found, func(*change) bool { return true }) {
				all = append(all, target{found: found, file: file})
			}
		case found.Detected && found.Register != table.Never:
			for _, file := range found.Files {
				if file.Exists || found.Register == table.Always {
					all = append(all, target{found: found, file: file})
				}
			}
		}
	}
	if q.Action == Unregister {
		all = slices.DeleteFunc(all, func(t target) bool { return !r.canUnregister(t) })
	}
	return all
}

// canUnregister reports whether a file has an entry to remove, a pending change
// to cancel, or an entry that would otherwise be reported as dropped.
func (r *Registrar) canUnregister(t target) bool {
	state := r.fileStatus(t.found, t.file).State
	return state == Registered || state == Stale || state == Waiting || state == Dropped
}

// withRecorded returns the files of an editor and those to which an accepted
// change in the history added the entry: files of projects, and files that an
// environment variable named.
func (r *Registrar) withRecorded(found table.Found, accept func(*change) bool) []table.File {
	files := slices.Clone(found.Files)
	for _, c := range r.history.latest() {
		known := func(f table.File) bool { return f.Path == c.Path }
		if c.Editor == found.ID && c.Has && accept(c) && !slices.ContainsFunc(files, known) {
			file := c.file()
			_, err := os.Stat(file.Path)
			file.Exists = err == nil
			files = append(files, file)
		}
	}
	slices.SortStableFunc(files[len(found.Files):], func(a, b table.File) int { return cmp.Compare(a.Path, b.Path) })
	return files
}
