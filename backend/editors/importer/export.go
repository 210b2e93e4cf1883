package importer

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

// Exported is a configuration text for an editor, with servers of the
// registry.
type Exported struct {
	Editor string `json:"editor"`
	Path   string `json:"path"` // the editor's file on this machine; "" when unknown
	Format string `json:"format"`
	Text   string `json:"text"`
	// Left lists the servers that the editor does not support, with the reason, and the credentials
	// that the user has to fill in.
	Left []string `json:"left" nullable:"false"`
}

// Export returns the named servers, or all if no name is given, as entries in the format of an
// editor. It replaces each secret, and each credential in plain text, by a reference to an
// environment variable in the syntax of the editor.
func (i *Importer) Export(ctx context.Context, editor string, servers []string) (Exported, error) {
	e, ok := table.ByID(editor)
	if !ok {
		return Exported{}, unknownEditor(editor)
	}
	chosen, err := i.chosen(servers)
	if err != nil {
		return Exported{}, err
	}
	out, place, shape := i.target(e)
	if place.Format != configedit.TOML { // configedit inserts a new entry first in the other formats, last in TOML
		slices.Reverse(chosen)
	}
	var text []byte
	for _, s := range chosen {
		if ctx.Err() != nil {
			return Exported{}, ctx.Err()
		}
		entry, notes, err := exportEntry(e, shape, s)
		if err == nil {
			var change configedit.Change
			if change, err = configedit.Put(text, place, s.Name, entry); err == nil {
				text = change.Text
			}
		}
		if err != nil {
			out.Left = append(out.Left, s.Name+": "+fault.MessageOf(err))
			continue
		}
		for _, note := range notes {
			out.Left = append(out.Left, s.Name+": "+note)
		}
	}
	slices.Sort(out.Left)
	out.Text = string(text)
	return out, nil
}

// target returns an empty export for an editor, and the place and shape of the entries in its file
// on this machine.
func (i *Importer) target(e *table.Editor) (out Exported, place configedit.Place, shape string) {
	out = Exported{Editor: e.ID, Format: string(e.Place.Format), Left: []string{}}
	if files := i.options.Machine.Find(e).Files; len(files) > 0 {
		out.Path = files[0].Path
		return out, files[0].Place, files[0].Shape
	}
	return out, e.Place, e.Shape
}

func (i *Importer) chosen(names []string) ([]registry.Server, error) {
	if len(names) == 0 {
		return slices.Clone(i.options.Registry.List()), nil // a copy, because Export may reverse the list
	}
	var all []registry.Server
	for n, name := range names {
		if slices.Contains(names[:n], name) {
			continue
		}
		s, err := i.options.Registry.Get(name)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// exportEntry returns the entry for a server in an editor's shape, and notes on the values that the user has to fill
// in.
func exportEntry(e *table.Editor, shape string, r registry.Server) (configedit.Object, []string, error) {
	if err := r.Usable(); err != nil {
		return nil, nil, err
	}
	s := table.Server{ // setText changes the slices and maps, so these are copies of those in the registry
		Transport: r.Transport, Command: r.Command, URL: r.Endpoint(), Dir: r.Dir, Timeouts: r.Timeouts,
		Args: slices.Clone(r.Args), Env: maps.Clone(r.Env), Headers: maps.Clone(r.Headers),
	}
	for range maxLiterals {
		left := literals(s.Transport, s.Args, s.Env, s.URL, s.Headers)
		if len(left) == 0 {
			break
		}
		setText(&s, left[0].Where, strings.ReplaceAll(left[0].Text(standIn), launch.Reference(standIn),
			"${env:"+placeholder(left[0].Name)+"}"))
	}
	if len(literals(s.Transport, s.Args, s.Env, s.URL, s.Headers)) > 0 {
		return nil, nil, fault.New(fault.Invalid, "it contains too many credentials")
	}
	own := ownFields(shape, &s)
	notes := spellReferences(e, &s)
	if limits := table.LeftOut(shape, s); len(limits) > 0 {
		notes = append(notes, "its "+strings.Join(limits, " and ")+" timeout is left out, because the editor has no field for it")
	}
	entry, err := table.Spell(shape, r.Name, s)
	for _, f := range own {
		notes = append(notes, "the editor takes "+strings.Join(f.variables, ", ")+" from its environment: set the variable there")
		entry = append(entry, f.Field)
	}
	return entry, notes, err
}

// spellReferences rewrites the references to secrets and variables in a server in the syntax of the editor, and
// returns notes on the values that the user has to set.
func spellReferences(e *table.Editor, s *table.Server) []string {
	var notes []string
	o := occurrence{server: *s}
	o.edit(func(where, text string) string {
		spelled, err := launch.Resolve(text, func(name string) (string, error) { return "${env:" + placeholder(name) + "}", nil })
		if err == nil { // otherwise a reference is malformed, and stays as it is
			text = spelled
		}
		return ofEnvironment.ReplaceAllStringFunc(text, func(found string) string {
			at := ofEnvironment.FindStringSubmatch(found)
			name, left := at[1], ""
			if value, has := strings.CutPrefix(at[2], ":-"); has {
				if ours := e.DefaultReference(name, value); ours != "" && !secretscan.HasCredential(value) {
					return ours
				}
				left = defaultNote(value)
			}
			if ours := e.Reference(name); ours != "" {
				notes = append(notes, where+" refers to the variable "+name+"; set it in the environment of the editor"+left)
				return ours
			}
			notes = append(notes, where+" needs a value, which was left out; write it in place of ${"+name+"}"+left)
			return "${" + name + "}"
		})
	})
	*s = o.server
	return notes
}

// defaultNote returns the part of a note which says that the export omits the default of a
// variable. It shows the default unless the default looks like a credential.
func defaultNote(value string) string {
	if value == "" {
		return "; the editor has no spelling for its empty default"
	}
	if secretscan.HasCredential(value) {
		return "; its default was left out, because it looks like a credential"
	}
	return "; its default, " + strconv.Quote(value) + ", was left out, because the editor has no spelling for it"
}

// ownField is a field that lists variables whose values the editor takes from its environment.
type ownField struct {
	configedit.Field
	variables []string
}

// ownFields moves references in the values of a server to fields that list variable names, for
// Codex, which does not expand references in values.
func ownFields(shape string, s *table.Server) []ownField {
	if shape != "codex" {
		return nil
	}
	var own []ownField
	var passed []string
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		if s.Env[name] == "${env:"+name+"}" || s.Env[name] == launch.Reference(name) {
			passed = append(passed, name)
			delete(s.Env, name)
		}
	}
	if len(passed) > 0 {
		own = append(own, ownField{configedit.Field{Key: "env_vars", Value: passed}, passed})
	}
	var headers configedit.Object
	var variables []string
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		text, bearer := strings.CutPrefix(s.Headers[name], "Bearer ")
		variable := wholeReference(text)
		switch {
		case variable == "":
			continue
		case bearer && strings.EqualFold(name, "Authorization"):
			own = append(own, ownField{configedit.Field{Key: "bearer_token_env_var", Value: variable}, []string{variable}})
		case !bearer:
			headers, variables = append(headers, configedit.Field{Key: name, Value: variable}), append(variables, variable)
		default:
			continue
		}
		delete(s.Headers, name)
	}
	if len(headers) > 0 {
		own = append(own, ownField{configedit.Field{Key: "env_http_headers", Value: headers}, variables})
	}
	return own
}

// wholeReference returns the variable to which a text refers; "" if the text is
// not a single reference.
func wholeReference(text string) string {
	if at := ofEnvironment.FindStringSubmatch(text); at != nil && at[0] == text && at[2] == "" {
		return at[1]
	}
	if names := launch.References(text); len(names) == 1 && text == launch.Reference(names[0]) {
		return placeholder(names[0])
	}
	return ""
}

// maxLiterals is the maximum number of credentials that an export replaces in
// one server.
const maxLiterals = 200

// standIn is a dummy text. exportEntry uses it as the name of a secret until it inserts the reference to a variable;
// nameOfSecret puts it in place of a placeholder to find out whether a value there would be a credential.
const standIn = "left-out"

var notVariable = lazyregexp.New(`[^A-Z0-9]+`)

func placeholder(name string) string {
	name = strings.Trim(notVariable.ReplaceAllString(strings.ToUpper(name), "_"), "_")
	if name == "" {
		return "SECRET"
	}
	return name
}

// setText sets the text at one place of s. The argument where is a place as in launch.Literals. The maps and slices
// of s must not be shared.
func setText(s *table.Server, where, text string) {
	kind, name, _ := strings.Cut(where, ".")
	switch {
	case kind == "env":
		s.Env[name] = text
	case kind == "headers":
		s.Headers[name] = text
	case kind == "url":
		s.URL = text
	default:
		for n := range s.Args {
			if where == argument(n) {
				s.Args[n] = text
			}
		}
	}
}
