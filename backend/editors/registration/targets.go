package registration

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// userScope is the scope of files that apply to all projects of a user.
const userScope = "user"

// target is a file to which a request applies.
type target struct {
	found   table.Found
	file    table.File
	shared  []string // ids of other editors of the request that read the same file
	problem error    // why the editor has no such file; nil if it has one
}

// targets returns the files to which a request applies, each once.
func (v *survey) targets(q Request) ([]target, error) {
	machine := v.machine.With(q.Environment)
	if q.All {
		return merged(v.allTargets(machine, q)), nil
	}
	var all []target
	for _, id := range q.Editors {
		e, ok := table.ByID(id)
		if !ok {
			return nil, unknownEditor(id)
		}
		some, err := v.editorTargets(machine, e, q)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return merged(all), nil
}

// editorTargets returns the files of one editor to which a request applies.
func (v *survey) editorTargets(machine table.Machine, e *table.Editor, q Request) ([]target, error) {
	found := machine.Find(e)
	if q.Project != "" {
		return projectTargets(machine, found, q.Project)
	}
	files := found.Files
	if q.Action == Unregister {
		files = v.withRecorded(found, func(c *change) bool { return c.Scope == userScope })
	}
	all := make([]target, 0, len(files)+1)
	for _, file := range files {
		all = append(all, target{found: found, file: file})
	}
	if len(all) == 0 {
		problem := fault.New(fault.Unavailable,
			"the configuration file of %s on this system is not known; paste the entry into its settings", e.Name)
		all = append(all, target{found: found, file: table.File{Place: e.Place, Shape: e.Shape}, problem: problem})
	}
	return all, nil
}

func projectTargets(machine table.Machine, found table.Found, folder string) ([]target, error) {
	if !filepath.IsAbs(folder) {
		return nil, fault.New(fault.Invalid, "invalid project %q: use an absolute path", folder)
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, fault.New(fault.Invalid, "there is no folder %s", folder)
	}
	file, ok := machine.InProject(found.Editor, folder)
	if !ok {
		problem := fault.New(fault.Unavailable, "%s has no configuration file for single projects; register it without a project",
			found.Name)
		return []target{{found: found, problem: problem}}, nil
	}
	return []target{{found: found, file: file}}, nil
}

// allTargets returns the files of all editors that can be registered or, for
// Unregister, that are registered.
func (v *survey) allTargets(machine table.Machine, q Request) []target {
	var all []target
	for _, e := range table.Table() {
		found := machine.Find(e)
		switch {
		case q.Project != "":
			if file, ok := machine.InProject(e, q.Project); ok && (found.Detected || q.Action == Unregister) {
				all = append(all, target{found: found, file: file})
			}
		case q.Action == Unregister:
			for _, file := range v.withRecorded(found, func(*change) bool { return true }) {
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
		// Keep files with an entry to remove, a pending change to cancel, or an entry that would be reported as dropped.
		all = slices.DeleteFunc(all, func(t target) bool {
			state := v.fileStatus(t.found, t.file).State
			return !slices.Contains([]State{Registered, Stale, Waiting, Dropped}, state) &&
				(state != Unreadable || !v.cache.get(t.file).entry.ours)
		})
	}
	return all
}

// withRecorded returns the files of an editor, and other files that contain the entry according to
// their newest change in the history, if accept returns true for this change. These can be files of
// projects, and files whose path came from an environment variable.
func (v *survey) withRecorded(found table.Found, accept func(*change) bool) []table.File {
	files := slices.Clone(found.Files)
	for _, c := range v.history.latest() {
		known := func(f table.File) bool { return pathname.Here.Equal(f.Path, c.Path) }
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

// merged combines targets with the same place in the same file, so that one change is made for all
// editors that read it.
func merged(all []target) []target {
	var out []target
	json := func(f configedit.Format) bool { return f == configedit.JSON || f == configedit.StrictJSON }
	for _, t := range all {
		at := slices.IndexFunc(out, func(o target) bool {
			a, b := o.file.Place, t.file.Place
			samePlace := (a.Format == b.Format || json(a.Format) && json(b.Format)) && a.List == b.List && slices.Equal(a.Keys, b.Keys)
			return t.file.Path != "" && pathname.Here.Equal(o.file.Path, t.file.Path) && t.problem == nil && o.problem == nil &&
				(o.found.Register == table.Never) == (t.found.Register == table.Never) && samePlace
		})
		switch {
		case at < 0:
			out = append(out, t)
		case out[at].found.ID != t.found.ID && !slices.Contains(out[at].shared, t.found.ID):
			out[at].shared = append(out[at].shared, t.found.ID)
			if t.file.Place.Format == configedit.StrictJSON { // an editor that reads no comments must be able to read the file
				out[at].file.Place.Format = configedit.StrictJSON
			}
		}
	}
	return out
}

// byFile groups targets by the file at the end of all symbolic links, and keeps
// their order. It returns the indexes of the targets in each group.
func byFile(all []target) [][]int {
	var groups [][]int
	group := make(map[string]int)
	for i, t := range all {
		path := t.file.Path
		if f, err := atomicfile.Stat(path); err == nil {
			path = f.Target
		}
		key := pathname.Here.Key(path)
		at, known := group[key]
		if !known || path == "" {
			at, groups = len(groups), append(groups, nil)
			group[key] = at
		}
		groups[at] = append(groups[at], i)
	}
	return groups
}

// checkInProject refuses a plan if a symbolic link leads from a project's file to a file outside of
// the project. Otherwise the author of a project could make the hub change any file of the user.
func (p *filePlan) checkInProject() error {
	folder := p.file.Scope
	if folder == userScope || !inFolder(folder, p.file.Path) {
		return nil
	}
	project, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil // if the folder does not exist, it contains no link
	}
	if target := realPath(p.was.Target); !inFolder(project, target) {
		return fault.New(fault.Denied, "%s leads out of the project, to %s; replace the link by a file, or change that file itself",
			p.file.Path, target)
	}
	return nil
}

// inFolder reports whether a path is in a folder, without following links.
func inFolder(folder, path string) bool {
	return pathname.Here.In(folder, path)
}

// realPath returns a path without symbolic links. The end of the path need not
// exist.
func realPath(path string) string {
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if filepath.Dir(at) == at {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
