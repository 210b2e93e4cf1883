package table

import (
	"slices"
	"strings"
)

// Find looks for an editor. It reads no file.
func (m Machine) Find(e *Editor) Found {
	here := *e
	found := Found{Editor: &here}
	if e.row == nil {
		return found
	}
	found.Files = m.files(e.row)
	found.Evidence = m.evidence(e.row, found.Files)
	found.Detected = len(found.Evidence) > 0
	found.Managed = m.existing(e.row.Managed)
	here.Running = e.row.Running.on(m.OS)
	here.Register = m.permission(e.row)
	return found
}

// permission is a row's as it holds here.
func (m Machine) permission(r *row) Permission {
	if r.Register != Always {
		return r.Register
	}
	conditions := r.RegisterIf.on(m.OS)
	switch {
	case slices.Contains(r.Unsure, m.OS),
		len(conditions) > 0 && len(m.existing(r.RegisterIf)) == 0,
		len(m.existing(r.RegisterUnless)) > 0:
		return IfExisting
	}
	return Always
}

// evidence is what shows that an editor is there: its files are.
func (m Machine) evidence(r *row, files []File) []string {
	all := m.existing(r.Detect.Paths)
	for _, f := range files {
		if f.Exists {
			all = append(all, f.Path)
		}
	}
	for _, name := range r.Detect.Commands {
		if path, ok := m.Command(name); ok {
			all = append(all, path)
		}
	}
	if m.OS == "darwin" {
		for _, app := range r.Detect.Apps {
			all = append(all, m.existing(bySystem[string]{"any": {"/Applications/" + app + ".app", "~/Applications/" + app + ".app"}})...)
		}
	}
	return all
}

// existing are the paths of patterns at which something is.
func (m Machine) existing(patterns bySystem[string]) []string {
	var all []string
	for _, pattern := range patterns.on(m.OS) {
		paths, _ := m.expand(pattern)
		for _, path := range paths {
			if m.there(path) {
				all = append(all, path)
			}
		}
	}
	return all
}

// files are those that our entry belongs into: one, with Each every one whose
// folder is there, and the further ones that exist.
func (m Machine) files(r *row) []File {
	var all []File
	for _, s := range r.Files.on(m.OS) {
		paths, firm := m.expand(s.Path)
		for _, path := range paths {
			if f := m.file(r, s, path); f.Exists || !s.Existing {
				all = append(all, f)
			}
		}
		if firm && !r.Each {
			break
		}
	}
	if r.Each {
		all = m.inFolders(all)
	} else if len(all) > 1 {
		all = []File{m.first(all)}
	}
	return append(all, m.existingFiles(r, r.Further, all)...)
}

// first is the file that exists, else the one whose folder does, else the first.
func (m Machine) first(all []File) File {
	for _, f := range all {
		if f.Exists {
			return f
		}
	}
	for _, f := range all {
		if m.there(m.folder(f.Path)) {
			return f
		}
	}
	return all[0]
}

// inFolders are the files whose folders are there; the first when none is.
func (m Machine) inFolders(all []File) []File {
	some := slices.DeleteFunc(slices.Clone(all), func(f File) bool { return !m.there(m.folder(f.Path)) })
	if len(some) == 0 && len(all) > 0 {
		return all[:1]
	}
	return some
}

func (m Machine) existingFiles(r *row, spots bySystem[spot], known []File) []File {
	var all []File
	for _, s := range spots.on(m.OS) {
		paths, _ := m.expand(s.Path)
		for _, path := range paths {
			f := m.file(r, s, path)
			same := func(k File) bool { return k.Path == path && slices.Equal(k.Place.Keys, f.Place.Keys) }
			if f.Exists && !slices.ContainsFunc(known, same) {
				all = append(all, f)
			}
		}
	}
	return all
}

func (m Machine) file(r *row, s spot, path string) File {
	f := r.file(s, path)
	f.Exists = m.there(path)
	if s.Plugin > 0 {
		f.Plugin = path
		for range s.Plugin {
			f.Plugin = m.folder(f.Plugin)
		}
	}
	return f
}

// InProject returns the file of a project into which an editor's entry goes;
// false when it has none.
func (m Machine) InProject(e *Editor, folder string) (File, bool) {
	if e.row == nil || len(e.row.Project) == 0 {
		return File{}, false
	}
	var all []File
	for _, s := range e.row.Project {
		f := m.file(e.row, s, strings.TrimRight(folder, m.separators())+m.below("/"+s.Path))
		f.Scope = folder
		all = append(all, f)
	}
	return m.first(all), true
}
