package importer

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Exported is a configuration text for an editor, with servers of the
// registry.
type Exported struct {
	Editor string   `json:"editor"`
	Path   string   `json:"path"` // the editor's file on this machine; "" when unknown
	Format string   `json:"format"`
	Text   string   `json:"text"`
	Left   []string `json:"left" nullable:"false"` // servers that the editor does not support, with the reason, and credentials that the user has to fill in
}

// Export returns the named servers, or all when no name is given, as entries
// in the format of an editor. References to secrets are kept, although only
// Agent Discover resolves them; a credential in plain text becomes ${NAME}.
func (i *Importer) Export(ctx context.Context, editor string, servers []string) (Exported, error) {
	e, ok := table.ByID(editor)
	if !ok {
		return Exported{}, unknownEditor(editor)
	}
	chosen, err := i.chosen(servers)
	if err != nil {
		return Exported{}, err
	}
	out := Exported{Editor: e.ID, Format: string(e.Place.Format), Left: []string{}}
	place, shape := e.Place, e.Shape
	if files := i.options.Machine.Find(e).Files; len(files) > 0 {
		out.Path, place, shape = files[0].Path, files[0].Place, files[0].Shape
	}
	if place.Format != configedit.TOML { // configedit inserts a new entry first in the other formats, last in TOML
		slices.Reverse(chosen)
	}
	var text []byte
	for _, s := range chosen {
		if ctx.Err() != nil {
			return Exported{}, ctx.Err()
		}
		entry, notes, err := exportEntry(shape, s)
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

// exportEntry returns the entry for a server in an editor's shape, and notes
// on what the user has to fill in.
func exportEntry(shape string, r registry.Server) (configedit.Object, []string, error) {
	switch {
	case !r.Approved:
		return nil, nil, fault.New(fault.Denied, "it waits for approval")
	case r.Transport == "stdio" && r.Command == "", r.Transport != "stdio" && r.URL == "":
		return nil, nil, fault.New(fault.Invalid, "it has neither a command nor a URL")
	}
	s := table.Server{ // copies, because setText changes them and those of the registry are shared
		Transport: r.Transport, Command: r.Command, URL: r.Endpoint(),
		Args: slices.Clone(r.Args), Env: maps.Clone(r.Env), Headers: maps.Clone(r.Headers),
	}
	var notes []string
	for range maxLiterals {
		left := literals(s.Transport, s.Args, s.Env, s.URL, s.Headers)
		if len(left) == 0 {
			break
		}
		name := placeholder(left[0].Name)
		setText(&s, left[0].Where, strings.ReplaceAll(left[0].Text(standIn), "${secret:"+standIn+"}", "${"+name+"}"))
		notes = append(notes, left[0].Where+" contains a credential, which was left out; write it in place of ${"+name+"}")
	}
	if len(literals(s.Transport, s.Args, s.Env, s.URL, s.Headers)) > 0 {
		return nil, nil, fault.New(fault.Invalid, "it contains too many credentials")
	}
	if strings.Contains(strings.Join(texts(s), "\n"), "${secret:") {
		notes = append(notes, "its secrets are references ${secret:NAME}, which only Agent Discover can resolve")
	}
	entry, err := table.Spell(shape, r.Name, s)
	return entry, notes, err
}

// maxLiterals is the maximum number of credentials that an export replaces in
// one server.
const maxLiterals = 200

// standIn temporarily replaces the value or the secret name in a text, before
// the text gets a placeholder.
const standIn = "left-out"

var notVariable = regexp.MustCompile(`[^A-Z0-9]+`)

func placeholder(name string) string {
	name = strings.Trim(notVariable.ReplaceAllString(strings.ToUpper(name), "_"), "_")
	if name == "" {
		return "SECRET"
	}
	return name
}

// setText sets the text at one place of s. where is a place as in
// secrets.Literals. The maps and slices of s must not be shared.
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

func texts(s table.Server) []string {
	all := append([]string{s.URL}, s.Args...)
	all = slices.AppendSeq(all, maps.Values(s.Env))
	return slices.AppendSeq(all, maps.Values(s.Headers))
}
