package table

import (
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
)

// Beside returns further files with an editor's servers that are read and never
// written: of plugins, profiles, projects. It reads a file where only that says
// which projects there are.
func (m Machine) Beside(e *Editor) []File {
	if e.row == nil {
		return nil
	}
	var all []File
	for _, f := range m.existingFiles(e.row, e.row.Beside, m.files(e.row)) {
		within := f.Place.Keys
		if at := slices.Index(within, eachName); at >= 0 {
			all = append(all, m.members(f, at)...)
			continue
		}
		all = append(all, f)
	}
	return m.newest(all)
}

// eachName stands in a key path for the name of every member.
const eachName = "*"

// members is a file once for each member of the collection that its keys lead
// to before the place at which a name stands.
func (m Machine) members(f File, at int) []File {
	text, err := m.Read(f.Path)
	if err != nil {
		return nil
	}
	entries, err := configedit.Read(text, configedit.Place{Format: f.Place.Format, Keys: f.Place.Keys[:at]})
	if err != nil {
		return nil // whoever reads the file for its other servers says so
	}
	var all []File
	for _, entry := range entries {
		one := f
		one.Scope = entry.Name
		one.Place.Keys = slices.Clone(f.Place.Keys)
		one.Place.Keys[at] = entry.Name
		all = append(all, one)
	}
	return all
}

// newest leaves out older versions of plugins, which stay behind after updates.
func (m Machine) newest(all []File) []File {
	times := map[string]time.Time{} // of the newest version, by the folder of all
	of := func(f File) time.Time {
		info, err := m.Stat(f.Plugin)
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	for _, f := range all {
		if f.Plugin != "" && of(f).After(times[m.folder(f.Plugin)]) {
			times[m.folder(f.Plugin)] = of(f)
		}
	}
	return slices.DeleteFunc(all, func(f File) bool {
		return f.Plugin != "" && of(f).Before(times[m.folder(f.Plugin)])
	})
}
