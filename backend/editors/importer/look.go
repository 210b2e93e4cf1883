package importer

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// maxFile is how many bytes an editor's file may have. Some keep their history
// in it.
const maxFile = 64 << 20

// sighting is an entry in one place.
type sighting struct {
	editor   *table.Editor // nil for what was pasted
	file     table.File
	beside   bool   // the file is not to be written
	pasted   bool   // it stands in no file
	editable bool   // a form shows the server before it is added
	at       int    // its place among all that were seen
	entry    string // its name there, as it is written
	server   table.Server
	problem  string
	warnings []string
}

// look reads all files of editors that are there.
func (i *Importer) look(ctx context.Context) (seen []sighting, problems []Problem) {
	problems = []Problem{}
	for _, e := range table.Table() {
		if ctx.Err() != nil {
			break
		}
		if !e.Import {
			continue
		}
		found := i.Machine.Find(e)
		files := len(found.Files)
		parsed := make(map[string]map[string]any) // by path: one file may hold the servers of many projects
		for n, file := range append(found.Files[:files:files], i.Machine.Beside(e)...) {
			beside := n >= files
			some, err := i.lookInto(e, file, beside, parsed)
			if err != nil {
				problems = append(problems, Problem{Editor: e.ID, Path: shown(file.Path), Error: shown(fault.MessageOf(err))})
			}
			seen = append(seen, some...)
		}
	}
	return seen, problems
}

func (i *Importer) lookInto(e *table.Editor, file table.File, beside bool, parsed map[string]map[string]any) ([]sighting, error) {
	if !file.Exists {
		return nil, nil
	}
	var entries []configedit.Entry
	var err error
	if beside && len(file.Place.Keys) > 1 {
		entries, err = i.deepIn(file, parsed)
	} else {
		entries, file.Place, err = i.entries(file)
	}
	if err != nil {
		return nil, err
	}
	var seen []sighting
	for _, entry := range entries {
		s := sighting{editor: e, file: file, beside: beside, entry: entry.Name}
		if s.server, err = table.Understand(file.Shape, entry.Value); err != nil {
			s.problem = fault.MessageOf(err)
		}
		s.tidy(i.Machine)
		seen = append(seen, s)
	}
	return seen, nil
}

// deepIn returns the entries of a file that is only read, from a document that
// is parsed once for all of its collections.
func (i *Importer) deepIn(file table.File, parsed map[string]map[string]any) ([]configedit.Entry, error) {
	document, done := parsed[file.Path]
	if !done {
		text, err := i.readFile(file.Path)
		if err != nil {
			return nil, err
		}
		members, err := configedit.Read(text, configedit.Place{Format: file.Place.Format})
		if err != nil {
			return nil, err
		}
		document = make(map[string]any, len(members))
		for _, m := range members {
			document[m.Name] = m.Value
		}
		parsed[file.Path] = document
	}
	for _, key := range file.Place.Keys {
		document, _ = document[key].(map[string]any)
	}
	var entries []configedit.Entry
	for _, name := range slices.Sorted(maps.Keys(document)) {
		entries = append(entries, configedit.Entry{Name: name, Value: document[name]})
	}
	return entries, nil
}

// entries returns the entries of a file and where they are in it.
func (i *Importer) entries(file table.File) ([]configedit.Entry, configedit.Place, error) {
	text, err := i.readFile(file.Path)
	if err != nil {
		return nil, file.Place, err
	}
	entries, err := configedit.Read(text, file.Place)
	if err != nil || len(entries) > 0 {
		return entries, file.Place, err
	}
	for _, place := range file.Or {
		if other, err := configedit.Read(text, place); err == nil && len(other) > 0 {
			return other, place, nil
		}
	}
	return nil, file.Place, nil
}

func (i *Importer) readFile(path string) ([]byte, error) {
	info, err := i.Machine.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, unreadable(err)
	case !info.Mode().IsRegular(): // a pipe or a device may have no end
		return nil, fault.New(fault.Invalid, "it is not a regular file")
	case info.Size() > maxFile:
		return nil, fault.New(fault.Invalid, "it is over %d MiB", maxFile>>20)
	}
	text, err := i.Machine.Read(path)
	if err != nil {
		return nil, unreadable(err)
	}
	return text, nil
}

func unreadable(err error) error {
	return fault.Wrap(err, fault.Unavailable, "it cannot be read; give yourself read access to it")
}
