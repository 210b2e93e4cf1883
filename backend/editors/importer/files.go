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

// maxFile is the largest file that is read, in bytes. The limit is high
// because some editors keep their whole history in the same file as the
// servers.
const maxFile = 64 << 20

// occurrence is a server that was found in one file, text or bundle.
type occurrence struct {
	editor   *table.Editor // nil for a pasted text or a bundle
	file     table.File
	readOnly bool   // the file must not be written
	pasted   bool   // found in a pasted text or a bundle instead of an editor's file
	editable bool   // the user can change the server in a form before it is added
	index    int    // position among all occurrences of a scan
	entry    string // name of the server in the file
	server   table.Server
	scope    scope // set by normalize
	problem  string
	warnings []string
	blocked  string   // first reason why the server would run differently than in its editor, so that its entry is kept; "" for none
	needs    []string // names of the secrets that the person has to set before the server can run
}

// readEditors reads the existing configuration files of all editors.
func (i *Importer) readEditors(ctx context.Context) (found []occurrence, problems []Problem) {
	problems = []Problem{}
	for _, e := range table.Table() {
		if ctx.Err() != nil {
			break
		}
		if !e.Import {
			continue
		}
		editable := i.options.Machine.Find(e).Files
		files := len(editable)
		parsed := make(map[string]map[string]any) // by path
		for n, file := range append(editable[:files:files], i.options.Machine.Beside(e)...) {
			some, err := i.readFileOf(e, file, n >= files, parsed)
			if err != nil {
				problems = append(problems, Problem{Editor: e.ID, Path: shown(file.Path), Error: shown(fault.MessageOf(err))})
			}
			found = append(found, some...)
		}
	}
	return found, problems
}

func (i *Importer) readFileOf(e *table.Editor, file table.File, readOnly bool, parsed map[string]map[string]any) ([]occurrence, error) {
	if !file.Exists {
		return nil, nil
	}
	var entries []configedit.Entry
	var err error
	if readOnly && len(file.Place.Keys) > 1 {
		entries, err = i.nested(file, parsed)
	} else {
		entries, file.Place, err = i.entries(file)
	}
	if err != nil {
		return nil, err
	}
	var found []occurrence
	for _, entry := range entries {
		o := occurrence{editor: e, file: file, readOnly: readOnly, entry: entry.Name}
		if o.server, err = table.Understand(file.Shape, entry.Value); err != nil {
			o.problem = fault.MessageOf(err)
		}
		o.nameLosses(entry.Value)
		o.normalize(i.options.Machine)
		found = append(found, o)
	}
	return found, nil
}

// nested returns the entries of one collection of a read-only file. A file may have hundreds of
// collections, so parsed caches the parsed documents by path.
func (i *Importer) nested(file table.File, parsed map[string]map[string]any) ([]configedit.Entry, error) {
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

// entries returns the entries of a file and their place in it.
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
	info, err := i.options.Machine.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, unreadable(err)
	case !info.Mode().IsRegular(): // a pipe or a device may have no end
		return nil, fault.New(fault.Invalid, "it is not a regular file")
	case info.Size() > maxFile:
		return nil, fault.New(fault.Invalid, "it is larger than %d MiB", maxFile>>20)
	}
	text, err := i.options.Machine.Read(path)
	if err != nil {
		return nil, unreadable(err)
	}
	return text, nil
}

func unreadable(err error) error {
	return fault.Wrap(err, fault.Unavailable, "could not read the file; give yourself read access to it")
}
