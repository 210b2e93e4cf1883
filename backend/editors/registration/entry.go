package registration

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/editors/configdiff"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// entry is what stands under our name in a file.
type entry struct {
	there  bool
	ours   bool
	server table.Server // when it is ours
	value  any          // as it stands there; only until the file is closed
}

// readEntry looks for our name. The error is a fault that says what is wrong
// with the text.
func readEntry(text []byte, file table.File) (entry, error) {
	list, err := configedit.Read(text, file.Place)
	if err != nil {
		return entry{}, err
	}
	for _, e := range list {
		if e.Name != Name {
			continue
		}
		server, err := table.Understand(file.Shape, e.Value)
		if err != nil || !table.Ours(server) {
			return entry{there: true}, nil
		}
		return entry{there: true, ours: true, server: server, value: e.Value}, nil
	}
	return entry{}, nil
}

// state compares what the entry starts with what it should start.
func (r *Registrar) state(e entry, wanted table.Server) State {
	switch {
	case !e.there:
		return Absent
	case !e.ours:
		return Foreign
	case !starts(e.server, wanted) || r.missing(e.server.Command) || !r.leads(wanted.Command):
		return Stale
	}
	return Registered
}

// starts reports whether an entry does what ours has to. What a person added
// beside it, variables among them, is theirs.
func starts(server, wanted table.Server) bool {
	if server.Command != wanted.Command || !slices.Equal(server.Args, wanted.Args) || server.Transport != wanted.Transport {
		return false
	}
	for name, value := range server.Env {
		if process.OwnVariable(name) && wanted.Env[name] != value {
			return false
		}
	}
	for name, value := range wanted.Env {
		if server.Env[name] != value {
			return false
		}
	}
	return true
}

// missing reports whether a program cannot be started.
func (r *Registrar) missing(program string) bool {
	info, err := r.options.Machine.Stat(program)
	return err != nil || info.IsDir() || r.options.Machine.OS != "windows" && info.Mode()&0o111 == 0
}

// leads reports whether a command is our program, or a link to it.
func (r *Registrar) leads(command string) bool {
	if command == r.options.Entry.Command {
		return true
	}
	to, err := os.Readlink(command)
	return err == nil && to == r.options.Entry.Command
}

// wanted is what our entry starts in an editor. Where that cannot have a space
// in it, link is what has to lead to the program.
func (r *Registrar) wanted(e *table.Editor) (server table.Server, link string, err error) {
	server = r.options.Entry
	if !e.NoSpaces || !strings.Contains(server.Command, " ") {
		return server, "", nil
	}
	link = filepath.Join(filepath.Dir(r.options.Folder), "bin", filepath.Base(server.Command))
	if r.options.Machine.OS == "windows" || strings.Contains(link, " ") {
		return server, "", fault.New(fault.Unavailable,
			"%s starts no program with a space in its path; move agent-discover into a folder without one", e.Name)
	}
	server.Command = link
	return server, link, nil
}

// mended is a server as it should be, with all that somebody added.
func mended(server, wanted table.Server) table.Server {
	out := server
	out.Transport, out.Command, out.Args = wanted.Transport, wanted.Command, wanted.Args
	out.URL, out.Headers = "", nil
	out.Env = maps.Clone(wanted.Env)
	for name, value := range server.Env {
		if out.Env == nil {
			out.Env = map[string]string{}
		}
		if _, set := out.Env[name]; !set && !process.OwnVariable(name) {
			out.Env[name] = value
		}
	}
	return out
}

// mend puts an entry of ours right in its place: it sets the fields that have
// to be others and leaves all else.
func mend(text []byte, file table.File, server, wanted table.Server) (configedit.Change, error) {
	right := mended(server, wanted)
	before, err := table.Spell(file.Shape, Name, server)
	if err != nil {
		return configedit.Change{}, err
	}
	after, err := table.Spell(file.Shape, Name, right)
	if err != nil {
		return configedit.Change{}, err
	}
	change, err := configedit.Set(text, file.Place, Name, differences(before, after))
	if err != nil {
		return configedit.Change{}, err
	}
	if now, err := readEntry(change.Text, file); err == nil && now.ours && starts(now.server, wanted) {
		return change, nil
	}
	return configedit.Put(text, file.Place, Name, after)
}

// differences are the fields of after that are others than before; one that it
// does not have any more becomes empty.
func differences(before, after configedit.Object) configedit.Object {
	var fields configedit.Object
	for _, f := range after {
		if !slices.ContainsFunc(before, func(o configedit.Field) bool { return reflect.DeepEqual(o, f) }) {
			fields = append(fields, f)
		}
	}
	for _, f := range before {
		if !slices.ContainsFunc(after, func(o configedit.Field) bool { return o.Key == f.Key }) {
			fields = append(fields, configedit.Field{Key: f.Key, Value: empty(f.Value)})
		}
	}
	return fields
}

func empty(value any) any {
	switch value.(type) {
	case configedit.Object:
		return configedit.Object{}
	case []string:
		return []string{}
	case []any:
		return []any{}
	case string:
		return ""
	}
	return nil
}

// snippet is what a person pastes where we may not write; "" when that cannot
// be said. It is always the same, and made once.
func (r *Registrar) snippet(e *table.Editor, file table.File) string {
	key := strings.Join(append([]string{e.ID, file.Shape, string(file.Place.Format), file.Place.List}, file.Place.Keys...), "\x00")
	if text, ok := r.snippets.Load(key); ok {
		return text.(string)
	}
	text := ""
	wanted, _, err := r.wanted(e)
	if err == nil {
		text = compose(file, wanted)
	}
	r.snippets.Store(key, text)
	return text
}

func compose(file table.File, wanted table.Server) string {
	value, err := table.Spell(file.Shape, Name, wanted)
	if err != nil {
		return ""
	}
	change, err := configedit.Put(nil, file.Place, Name, value)
	if err != nil {
		return ""
	}
	return configdiff.Covered(string(change.Text))
}
