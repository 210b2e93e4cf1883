package table

import (
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
)

// Beside returns the files with an editor's servers that are read but never
// written: files of plugins, profiles and projects. To find the projects, it
// reads the editor's file that lists them.
func (m Machine) Beside(e *Editor) []File {
	if e.row == nil {
		return nil
	}
	var all []File
	for _, f := range m.existingFiles(e.row, e.row.Beside, m.files(e.row)) {
		if at := slices.Index(f.Place.Keys, eachName); at >= 0 {
			all = append(all, m.members(f, at)...)
			continue
		}
		all = append(all, f)
	}
	return m.newest(all)
}

// eachName is the key in a key path that matches every member of an object.
const eachName = "*"

// members returns one File for each member of an object. The object is at the
// keys of f that precede eachName. In the keys of each returned File, the name of
// a member replaces eachName. at is the index of eachName in the keys of f.
func (m Machine) members(f File, at int) []File {
	text, err := m.Read(f.Path)
	if err != nil {
		return nil
	}
	entries, err := configedit.Read(text, configedit.Place{Format: f.Place.Format, Keys: f.Place.Keys[:at]})
	if err != nil {
		return nil // the error is reported when the other servers in the file are read
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

// newest drops the files of older versions of plugins, which remain after
// updates.
func (m Machine) newest(all []File) []File {
	times := map[string]time.Time{} // modification time of the newest version, by the folder that contains all versions
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
