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

// Exported is servers as an editor's file holds them.
type Exported struct {
	Editor string   `json:"editor"`
	Path   string   `json:"path"` // where that would go on this machine; "" when not known
	Format string   `json:"format"`
	Text   string   `json:"text"`
	Left   []string `json:"left" nullable:"false"` // servers that it cannot hold, with the reason, and credentials that are to be filled in
}

// Export writes servers of the registry, all when none are named, as an editor
// spells them. References to secrets stay references, which only we know; a
// credential that stands in the registry as it is becomes ${NAME}.
func (i *Importer) Export(ctx context.Context, editor string, servers []string) (Exported, error) {
	e, ok := table.ByID(editor)
	if !ok {
		return Exported{}, noEditor(editor)
	}
	chosen, err := i.chosen(servers)
	if err != nil {
		return Exported{}, err
	}
	out := Exported{Editor: e.ID, Format: string(e.Place.Format), Left: []string{}}
	place, shape := e.Place, e.Shape
	if files := i.Machine.Find(e).Files; len(files) > 0 {
		out.Path, place, shape = files[0].Path, files[0].Place, files[0].Shape
	}
	if place.Format != configedit.TOML { // where what comes in later comes first
		slices.Reverse(chosen)
	}
	var text []byte
	for _, s := range chosen {
		if ctx.Err() != nil {
			return Exported{}, ctx.Err()
		}
		entry, notes, err := spell(shape, s)
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
		return slices.Clone(i.Registry.List()), nil // Export may reverse it
	}
	var all []registry.Server
	for n, name := range names {
		if slices.Contains(names[:n], name) {
			continue
		}
		s, err := i.Registry.Get(name)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// spell writes a server as an editor does, and says what has to be filled in.
func spell(shape string, r registry.Server) (configedit.Object, []string, error) {
	switch {
	case !r.Approved:
		return nil, nil, fault.New(fault.Denied, "it waits for approval")
	case r.Transport == "stdio" && r.Command == "", r.Transport != "stdio" && r.URL == "":
		return nil, nil, fault.New(fault.Invalid, "it has neither a command nor a URL")
	}
	s := table.Server{ // copies: put changes them, and the registry shares its own
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
		put(&s, left[0].Where, strings.ReplaceAll(left[0].Text(stand), "${secret:"+stand+"}", "${"+name+"}"))
		notes = append(notes, left[0].Where+" holds a credential, which is left out; put it in place of ${"+name+"}")
	}
	if len(literals(s.Transport, s.Args, s.Env, s.URL, s.Headers)) > 0 {
		return nil, nil, fault.New(fault.Invalid, "it has more credentials than can be left out")
	}
	if strings.Contains(strings.Join(texts(s), "\n"), "${secret:") {
		notes = append(notes, "its secrets stand as references ${secret:NAME}, which only Agent Discover knows")
	}
	entry, err := table.Spell(shape, r.Name, s)
	return entry, notes, err
}

// maxLiterals is how many credentials a server may have that are left out.
const maxLiterals = 200

// stand stands for the name of a credential that is left out.
const stand = "left-out"

var notVariable = regexp.MustCompile(`[^A-Z0-9]+`)

func placeholder(name string) string {
	name = strings.Trim(notVariable.ReplaceAllString(strings.ToUpper(name), "_"), "_")
	if name == "" {
		return "SECRET"
	}
	return name
}

// put changes the text of one place, as secrets.Literals names it, in the slices
// and maps of s.
func put(s *table.Server, where, text string) {
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
