package table

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
)

// Find searches the machine for an editor. The only files that it reads are those whose servers may
// be under different keys; it reads them to determine the key.
func (m Machine) Find(e *Editor) Found {
	local := *e
	found := Found{Editor: &local}
	if e.row == nil {
		return found
	}
	found.Files = m.files(e.row)
	found.Evidence = m.evidence(e.row, found.Files)
	found.Detected = len(found.Evidence) > 0
	found.Managed = m.existing(e.row.Managed)
	local.Running = e.row.Running.on(m.OS)
	local.Register = m.permission(e.row)
	return found
}

// Configuration returns the paths of the configuration files of all editors, whether these are installed or not. The
// files contain credentials of servers.
func (m Machine) Configuration() (all []string) {
	for _, e := range table() {
		for _, spots := range []bySystem[spot]{e.row.Files, e.row.Further, e.row.Beside} {
			for _, s := range spots.on(m.OS) {
				paths, _ := m.expand(s.Path)
				all = append(all, paths...)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// permission returns whether the entry of Agent Discover may be added to the
// files of a row on this machine.
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

// evidence returns the existing paths and commands that show that an editor is
// installed.
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

// existing returns the existing paths that patterns match.
func (m Machine) existing(patterns bySystem[string]) []string {
	var all []string
	for _, pattern := range patterns.on(m.OS) {
		paths, _ := m.expand(pattern)
		for _, path := range paths {
			if m.exists(path) {
				all = append(all, path)
			}
		}
	}
	return all
}

// files returns the files that take the entry of Agent Discover: the file that the method first
// chooses or, with r.Each, every file whose folder exists. If no folder exists, it returns the
// first file. All existing files of r.Further are added to these.
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
		inFolders := slices.DeleteFunc(slices.Clone(all), func(f File) bool { return !m.exists(m.folder(f.Path)) })
		if len(inFolders) == 0 {
			inFolders = all[:min(1, len(all))]
		}
		all = inFolders
	} else if len(all) > 1 {
		all = []File{m.first(all)}
	}
	return append(all, m.existingFiles(r, r.Further, all)...)
}

// first returns the first file that exists; if there is none, the first whose
// folder exists, or else the first of all.
func (m Machine) first(all []File) File {
	for _, f := range all {
		if f.Exists {
			return f
		}
	}
	for _, f := range all {
		if m.exists(m.folder(f.Path)) {
			return f
		}
	}
	return all[0]
}

// existingFiles returns the existing files of spots that are not in known.
func (m Machine) existingFiles(r *row, spots bySystem[spot], known []File) []File {
	var all []File
	for _, s := range spots.on(m.OS) {
		paths, _ := m.expand(s.Path)
		for _, path := range paths {
			f := m.file(r, s, path)
			same := func(k File) bool {
				return pathname.Rules(m.OS).Equal(k.Path, path) && slices.Equal(k.Place.Keys, f.Place.Keys)
			}
			if f.Exists && !slices.ContainsFunc(known, same) {
				all = append(all, f)
			}
		}
	}
	return all
}

func (m Machine) file(r *row, s spot, path string) File {
	f := r.file(s, path)
	f.Exists = m.exists(path)
	m.choosePlace(&f)
	if s.Plugin > 0 {
		f.Plugin = path
		for range s.Plugin {
			f.Plugin = m.folder(f.Plugin)
		}
	}
	return f
}

// choosePlace sets f.Place to the first place in f.Or that an existing file contains, and moves the
// former f.Place to f.Or. An alternative takes precedence because an editor that knows two keys
// ignores the usual one if it finds the other.
func (m Machine) choosePlace(f *File) {
	if len(f.Or) == 0 || !f.Exists || m.Read == nil {
		return
	}
	text, err := m.Read(f.Path)
	if err != nil {
		return // reading the file again reports the error
	}
	for i, place := range f.Or {
		last := len(place.Keys) - 1
		if last < 0 {
			continue
		}
		members, err := configedit.Read(text, configedit.Place{Format: place.Format, Keys: place.Keys[:last]})
		if err == nil && slices.ContainsFunc(members, func(e configedit.Entry) bool { return e.Name == place.Keys[last] }) {
			f.Or = slices.Clone(f.Or)
			f.Place, f.Or[i] = place, f.Place
			return
		}
	}
}

// InProject returns the file in a project folder to which an entry for an editor
// is added. It returns false if the editor reads no project files.
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
