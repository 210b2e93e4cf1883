package registration

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/editors/configdiff"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// entry is the entry called Name in a file.
type entry struct {
	exists bool
	ours   bool         // the entry starts Agent Discover
	server table.Server // set only if ours
	value  any          // as configedit returns it; set only if ours
	also   []string     // the names of other entries that start Agent Discover
}

// readEntry finds the entry called Name. The error is a fault that describes
// what is wrong with the text.
func readEntry(text []byte, file table.File) (entry, error) {
	list, err := configedit.Read(text, file.Place)
	if err != nil {
		return entry{}, err
	}
	out := entry{}
	for _, e := range list {
		server, err := table.Understand(file.Shape, e.Value)
		ours := err == nil && table.Ours(server)
		switch {
		case e.Name == Name && !out.exists:
			if out.exists, out.ours = true, ours; ours {
				out.server, out.value = server, e.Value
			}
		case ours && !server.Disabled:
			out.also = append(out.also, e.Name)
		}
	}
	return out, nil
}

// ownEntry computes the entry of Agent Discover for each editor. It is safe for concurrent use.
type ownEntry struct {
	server   table.Server // the server that the entry starts
	machine  table.Machine
	folder   string // Options.Folder
	isOurs   func(program string) bool
	snippets sync.Map // results of snippet: string to string
}

// with returns the entry that starts another program of this product; o itself if program is "".
func (o *ownEntry) with(program string) *ownEntry {
	if program == "" || pathname.Same(program, o.server.Command) {
		return o
	}
	server := o.server
	server.Command = program
	return &ownEntry{server: server, machine: o.machine, folder: o.folder, isOurs: o.isOurs}
}

// state compares an entry with the server that it should start.
func (o *ownEntry) state(e entry, wanted table.Server) State {
	switch {
	case !e.exists:
		return Absent
	case !e.ours:
		return Foreign
	case o.missing(e.server.Command) || !o.isProgram(wanted.Command):
		return Stale
	case equivalent(e.server, wanted):
		return Registered
	}
	if wanted.Command = e.server.Command; filepath.IsAbs(wanted.Command) && equivalent(e.server, wanted) && o.isOurs(wanted.Command) {
		return Registered // a copy of the program that was installed elsewhere
	}
	return Stale
}

// equivalent reports whether an entry starts the wanted server. The client and the
// surface in its arguments, and variables and other fields that a person added, do
// not matter.
func equivalent(server, wanted table.Server) bool {
	if strings.Contains(server.Command, " ") && !strings.Contains(wanted.Command, " ") {
		return false // some editors reject a path with spaces
	}
	if !pathname.Same(server.Command, wanted.Command) || !parseArguments(server.Args).valid || server.Transport != wanted.Transport {
		return false
	}
	for name, value := range server.Env {
		if process.OwnVariable(name) && !sameValue(name, wanted.Env[name], value) {
			return false
		}
	}
	for name, value := range wanted.Env {
		if !sameValue(name, server.Env[name], value) {
			return false
		}
	}
	return true
}

// sameValue reports whether two values of a variable are equal or, for AGENT_DISCOVER_HOME, name
// the same folder.
func sameValue(name, a, b string) bool {
	return a == b || name == "AGENT_DISCOVER_HOME" && a != "" && b != "" && pathname.Same(a, b)
}

// missing reports whether a program does not exist or is not executable. It ignores the mode on
// Windows, whose files have no executable bit.
func (o *ownEntry) missing(program string) bool {
	info, err := o.machine.Stat(program)
	return err != nil || info.IsDir() || runtime.GOOS != "windows" && o.machine.OS != "windows" && info.Mode()&0o111 == 0
}

// isProgram reports whether a command is the program of the Agent Discover
// entry, or a link to it.
func (o *ownEntry) isProgram(command string) bool {
	if pathname.Same(command, o.server.Command) {
		return true
	}
	to, err := os.Readlink(command) // pathname.Same is false if the program does not exist
	return err == nil && pathname.Here.Equal(to, o.server.Command)
}

// wanted returns the server that the entry should start in an editor. For an editor that does not
// accept spaces in commands, link is the path at which a link to the program must exist. If surface
// is empty, the arguments name the surface of Options.Entry or, if it names none, NewSurface.
func (o *ownEntry) wanted(e *table.Editor, surface string) (server table.Server, link string, err error) {
	server = o.server
	server.Args = slices.Concat(server.Args, []string{clientFlag, e.ID})
	if surface != "" || len(parseArguments(server.Args).surface) == 0 {
		server.Args = append(server.Args, surfaceFlag, cmp.Or(surface, NewSurface))
	}
	server.More = e.Eager
	if !e.NoSpaces || !strings.Contains(server.Command, " ") {
		return server, "", nil
	}
	link = filepath.Join(filepath.Dir(o.folder), "bin", filepath.Base(server.Command))
	if o.machine.OS == "windows" || strings.Contains(link, " ") {
		return server, "", fault.New(fault.Unavailable,
			"%s cannot start a program whose path contains a space; move agent-discover to a folder without spaces", e.Name)
	}
	server.Command = link
	return server, link, nil
}

// repaired returns the server that repair writes in place of the current entry e. It is wanted,
// with the variables that a person added to e. Its arguments keep the client and the surface that
// the arguments of e name; if chosen is set, they name the surface of wanted. More contains only
// those fields of wanted.More that e lacks, because repair keeps the fields that e has.
func repaired(e entry, wanted table.Server, chosen bool) table.Server {
	out, server := e.server, e.server
	present, _ := e.value.(map[string]any)
	out.More = slices.DeleteFunc(slices.Clone(wanted.More), func(f configedit.Field) bool {
		_, exists := present[f.Key]
		return exists
	})
	out.Transport, out.Command = wanted.Transport, wanted.Command
	out.Args = updatedArguments(table.Arguments(server), wanted.Args, chosen)
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

// repair corrects the fields of an entry that differ from the wanted server, and
// keeps all other fields. If the corrected entry would still not start the wanted
// server, repair replaces the whole entry.
func repair(text []byte, file table.File, e entry, wanted table.Server, chosen bool) (configedit.Change, error) {
	before, err := table.Spell(file.Shape, Name, e.server)
	if err != nil {
		return configedit.Change{}, err
	}
	correct := repaired(e, wanted, chosen)
	after, err := table.Spell(file.Shape, Name, correct)
	if err != nil {
		return configedit.Change{}, err
	}
	change, err := configedit.Set(text, file.Place, Name, differences(before, after))
	if err != nil {
		return configedit.Change{}, err
	}
	if now, err := readEntry(change.Text, file); err == nil && now.ours && equivalent(now.server, wanted) &&
		slices.Equal(now.server.Args, correct.Args) {
		return change, nil
	}
	correct.More = wanted.More
	if after, err = table.Spell(file.Shape, Name, correct); err != nil {
		return configedit.Change{}, err
	}
	return configedit.Put(text, file.Place, Name, after)
}

// differences returns the fields of after that differ from before, and an empty
// value for each field of before that after lacks.
func differences(before, after configedit.Object) configedit.Object {
	var fields configedit.Object
	for _, f := range after {
		if !slices.ContainsFunc(before, func(o configedit.Field) bool { return reflect.DeepEqual(o, f) }) {
			fields = append(fields, f)
		}
	}
	for _, f := range before {
		if !slices.ContainsFunc(after, func(o configedit.Field) bool { return o.Key == f.Key }) {
			fields = append(fields, configedit.Field{Key: f.Key, Value: emptyLike(f.Value)})
		}
	}
	return fields
}

// emptyLike returns the empty value of the type of value.
func emptyLike(value any) any {
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

// snippet returns the text that a person pastes into a file that the hub cannot
// change, or "" if the entry cannot be written in the editor's format. Snippets
// never change, so they are cached.
func (o *ownEntry) snippet(e *table.Editor, file table.File) string {
	key := strings.Join(append([]string{e.ID, file.Shape, string(file.Place.Format), file.Place.List}, file.Place.Keys...), "\x00")
	if text, ok := o.snippets.Load(key); ok {
		return text.(string)
	}
	text := ""
	wanted, _, err := o.wanted(e, "")
	if err == nil {
		text = newSnippet(file, wanted)
	}
	o.snippets.Store(key, text)
	return text
}

func newSnippet(file table.File, wanted table.Server) string {
	value, err := table.Spell(file.Shape, Name, wanted)
	if err != nil {
		return ""
	}
	change, err := configedit.Put(nil, file.Place, Name, value)
	if err != nil {
		return ""
	}
	return configdiff.Redact(string(change.Text))
}
