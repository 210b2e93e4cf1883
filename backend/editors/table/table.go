package table

import (
	"bytes"
	_ "embed" // for table.yaml
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
)

//go:embed table.yaml
var tableText []byte

// table parses table.yaml on first use. It panics on an invalid table, which a
// test rules out.
var table = sync.OnceValue(func() []*Editor {
	rows, err := parse(tableText)
	if err != nil {
		panic(err)
	}
	all := make([]*Editor, len(rows))
	for i, r := range rows {
		all[i] = r.editor()
	}
	return all
})

// Table returns all editors in display order. They are shared and must not be
// changed.
func Table() []*Editor { return table() }

// ByID returns the editor with an id, or with an alternative id. It ignores case
// and surrounding space.
func ByID(id string) (*Editor, bool) {
	id = strings.ToLower(strings.TrimSpace(id))
	for _, e := range table() {
		if e.ID == id || slices.Contains(e.Also, id) {
			return e, true
		}
	}
	return nil, false
}

// ByClient returns the editor whose MCP client calls itself name in its initialize
// request.
func ByClient(name string) (*Editor, bool) {
	for _, e := range table() {
		if slices.ContainsFunc(e.Clients, func(known string) bool { return SameClient(known, name) }) {
			return e, true
		}
	}
	return nil, false
}

// SameClient reports whether a client's name matches known, an item of
// Editor.Clients. An item that ends in * matches all names with this prefix.
func SameClient(known, name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	beginning, more := strings.CutSuffix(known, "*")
	return known == name || more && strings.HasPrefix(name, beginning)
}

// row is an editor in table.yaml. The comment at the top of that file
// describes the fields.
type row struct {
	ID      string   `yaml:"id"`
	Name    string   `yaml:"name"`
	Also    []string `yaml:"also"`
	Clients []string `yaml:"clients"`

	Files   bySystem[spot]         `yaml:"files"`
	Further bySystem[spot]         `yaml:"further"`
	Beside  bySystem[spot]         `yaml:"beside"`
	Each    bool                   `yaml:"each"`
	Format  configedit.Format      `yaml:"format"`
	Keys    []string               `yaml:"keys"`
	List    string                 `yaml:"list"`
	Or      [][]string             `yaml:"or"`
	Rejects []configedit.Extension `yaml:"rejects"`
	Shape   string                 `yaml:"shape"`
	Project []spot                 `yaml:"project"`
	Eager   map[string]any         `yaml:"eager"`
	Defers  int                    `yaml:"defers_from"`
	Setting *setting               `yaml:"setting"`

	Detect         detection        `yaml:"detect"`
	Register       Permission       `yaml:"register"`
	RegisterIf     bySystem[string] `yaml:"register_if"`
	RegisterUnless bySystem[string] `yaml:"register_unless"`
	Unsure         []string         `yaml:"unsure_on"`
	Import         *bool            `yaml:"import"`
	Writer         string           `yaml:"writer"`
	Running        bySystem[string] `yaml:"running"`
	Managed        bySystem[string] `yaml:"managed"`

	Reload         Reload `yaml:"reload"`
	Hint           string `yaml:"hint"`
	RemovedHint    string `yaml:"removed_hint"`
	ProjectHint    string `yaml:"project_hint"`
	ListChanged    string `yaml:"list_changed"`
	MaxTools       int    `yaml:"max_tools"`
	MaxName        int    `yaml:"max_name"`
	MaxResult      int    `yaml:"max_result"`
	ReadsResources bool   `yaml:"reads_resources"`
	NamePrefix     string `yaml:"name_prefix"`
	NoSpaces       bool   `yaml:"no_spaces"`
	Schemas        string `yaml:"schemas"`
	Verified       bool   `yaml:"verified"`
	Note           string `yaml:"note"`
}

type setting struct {
	Keys   []string       `yaml:"keys"`
	Fields map[string]any `yaml:"fields"`
}

type detection struct {
	Paths    bySystem[string] `yaml:"paths"`
	Commands []string         `yaml:"commands"`
	Apps     []string         `yaml:"apps"` // names of macOS apps, without .app
}

// spot is the path of a file. Its other fields override those of the row.
type spot struct {
	Path     string            `yaml:"path"`
	Format   configedit.Format `yaml:"format"`
	Keys     []string          `yaml:"keys"`
	List     string            `yaml:"list"`
	Or       [][]string        `yaml:"or"`
	Shape    string            `yaml:"shape"`
	Existing bool              `yaml:"existing"` // the file is used only if it exists
	Plugin   int               `yaml:"plugin"`   // the plugin's folder is this many folders above the file; 0: the file is not in a plugin
}

// bySystem holds a list for each system that systems names. The list for unix
// applies to linux and darwin, and the list for any applies to every system. If
// table.yaml has a single list in place of lists by system, it is the list for
// any.
type bySystem[T any] map[string][]T

var systems = []string{"linux", "darwin", "windows", "unix", "any"}

// on returns the items for a system: those for any, unix, and the system itself.
func (b bySystem[T]) on(system string) []T {
	all := slices.Clone(b["any"])
	if system != "windows" {
		all = append(all, b["unix"]...)
	}
	return append(all, b[system]...)
}

func (b *bySystem[T]) UnmarshalYAML(node *yaml.Node) error {
	*b = bySystem[T]{}
	if node.Kind == yaml.SequenceNode {
		var list []T
		err := node.Decode(&list)
		(*b)["any"] = list
		return err
	}
	lists := map[string][]T{}
	if err := node.Decode(&lists); err != nil {
		return err
	}
	for system := range lists {
		if !slices.Contains(systems, system) {
			return fmt.Errorf("line %d: unknown system %q", node.Line, system)
		}
	}
	*b = lists
	return nil
}

func (s *spot) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return node.Decode(&s.Path)
	}
	type plain spot
	text, err := yaml.Marshal(node)
	if err != nil {
		return err
	}
	return strict(text, (*plain)(s))
}

// strict decodes YAML and rejects unknown keys, which yaml.Node.Decode accepts.
func strict(text []byte, into any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	return decoder.Decode(into)
}

func parse(text []byte) ([]*row, error) {
	var rows []*row
	if err := strict(text, &rows); err != nil {
		return nil, fmt.Errorf("read the table of editors: %w", err)
	}
	for _, r := range rows {
		r.complete()
	}
	return rows, nil
}

// complete sets the defaults of a row.
func (r *row) complete() {
	r.Format = or(r.Format, configedit.JSON)
	r.Shape = or(r.Shape, "plain")
	r.Register = or(r.Register, Always)
	r.Reload = or(r.Reload, Restart)
	r.ListChanged = or(r.ListChanged, "unknown")
	r.Hint = or(r.Hint, map[Reload]string{
		Hot:     r.Name + " sees the change at once.",
		Session: "Start a new session in " + r.Name + ".",
		Restart: "Restart " + r.Name + ".",
	}[r.Reload])
	if r.Keys == nil {
		r.Keys = []string{"mcpServers"}
	}
}

func or[T comparable](value, otherwise T) T {
	var none T
	if value == none {
		return otherwise
	}
	return value
}

func (r *row) editor() *Editor {
	e := &Editor{
		ID: r.ID, Name: r.Name, Also: r.Also, Clients: r.Clients,
		Place: configedit.Place{Format: r.Format, Keys: r.Keys, List: r.List}, Shape: r.Shape,
		Register: r.Register, Import: r.Import == nil || *r.Import, Each: r.Each, Writer: r.Writer,
		Reload: r.Reload, ReloadHint: r.Hint, RemovedHint: or(r.RemovedHint, r.Hint), ProjectHint: r.ProjectHint,
		ListChanged: r.ListChanged,
		MaxTools:    r.MaxTools, MaxName: r.MaxName, MaxResult: r.MaxResult, ReadsResources: r.ReadsResources, NamePrefix: r.NamePrefix,
		NoSpaces: r.NoSpaces, Schemas: r.Schemas, Verified: r.Verified, Note: r.Note, row: r,
	}
	e.Eager, e.DefersFrom = sortedFields(r.Eager), r.Defers
	if r.Setting != nil {
		e.Setting = &Setting{Keys: r.Setting.Keys, Fields: sortedFields(r.Setting.Fields)}
	}
	for _, s := range r.Project {
		e.Project = append(e.Project, s.Path)
	}
	for _, system := range systems {
		e.Running = append(e.Running, r.Running[system]...)
		e.Managed = append(e.Managed, r.Managed[system]...)
	}
	return e
}

// file returns the File for a spot at a path.
func (r *row) file(s spot, path string) File {
	place := configedit.Place{Format: or(s.Format, r.Format), Keys: r.Keys, List: r.List}
	alternatives := r.Or
	if s.Keys != nil {
		place.Keys, place.List, alternatives = s.Keys, s.List, nil
	}
	if s.Or != nil {
		alternatives = s.Or
	}
	f := File{Path: path, Scope: "user", Place: place, Shape: or(s.Shape, r.Shape), Rejects: r.Rejects}
	for _, keys := range alternatives {
		f.Or = append(f.Or, configedit.Place{Format: place.Format, Keys: keys, List: place.List})
	}
	return f
}

// sortedFields returns an object with its keys in alphabetical order.
func sortedFields(fields map[string]any) (out configedit.Object) {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		out = append(out, configedit.Field{Key: key, Value: fields[key]})
	}
	return out
}
