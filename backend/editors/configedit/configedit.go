// Package configedit adds one entry to a configuration file that another program owns, changes it,
// and removes it again. Every byte outside the entry stays as it is. It supports JSON with and
// without comments, TOML and YAML.
//
// The parsers (hujson, go-toml and yaml) only locate the entry. The text is cut and extended at
// the offsets that they report, and the result is parsed again to verify that no other value has
// changed; an edit that cannot be verified is refused. No library edits all three formats in this
// way: libraries usually rewrite the file, which loses comments, order, indentation or line ends.
//
// The package does not know editors and does not open files: see packages table and atomicfile.
package configedit

import (
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Format is the syntax of a file.
type Format string

// The formats. Text that is added to JSON has no comments or trailing commas.
const (
	JSON       Format = "json"        // may have comments and trailing commas
	StrictJSON Format = "strict-json" // a file with comments or trailing commas is refused
	TOML       Format = "toml"
	YAML       Format = "yaml"
)

// Place locates the collection that holds the entries of a file.
type Place struct {
	Format Format   `json:"format"`
	Keys   []string `json:"keys"`           // the keys from the root to the collection; empty for the root itself
	List   string   `json:"list,omitempty"` // if the collection is a list: the field that contains an entry's name; empty for a map
}

// Field is a key of an object, with its value: a string, bool, int, float64,
// nil, []string, []any or Object.
type Field struct {
	Key   string
	Value any
}

// Object is a JSON object, TOML table or YAML mapping with its keys in order.
type Object []Field

// Entry is a named value in the collection that a Place locates.
type Entry struct {
	Name  string
	Value any // as encoding/json decodes it, with numbers as json.Number
}

// Edit is the replacement of Old by New in a text.
type Edit struct {
	At  int    `json:"at"` // byte offset in the text before the change
	Old string `json:"old"`
	New string `json:"new"`
}

// Change is the result of a change to a text.
type Change struct {
	Text  []byte // after the change
	Edits []Edit // ordered by offset and not adjacent; empty when nothing changed
	Made  int    // how many collections on the path Place.Keys the change created, always the innermost ones
}

// document is a parsed text in which the collection is located.
type document interface {
	// member returns the value of an entry, with objects as Object. count is the number of entries
	// with this name.
	member(name string) (value any, count int)
	// members returns the names and values of all entries in order.
	members() []Field
	// editable returns why the entry can be read but not changed, or nil.
	editable(name string) error
	// put adds or replaces an entry; made is as in Change.
	put(name string, value Object) (edits []replacement, made int, err error)
	// set sets or adds fields of an entry, and keeps its other fields.
	set(name string, fields Object) ([]replacement, error)
	// remove removes an entry. It also removes the collections around the entry that become empty,
	// the innermost first, but at most as many as made.
	remove(name string, made int) ([]replacement, error)
	// inside returns a document for the same text, in which the entry is the collection. So fields
	// can be edited like entries.
	inside(name string) (document, error)
	// same reports whether this document and another one are equal except for one entry.
	same(other document, name string) bool
}

// parse parses a text and locates its collection.
func parse(text []byte, p Place) (document, source, error) {
	src, err := newSource(text)
	if err != nil {
		return nil, src, err
	}
	var d document
	switch p.Format {
	case JSON, StrictJSON:
		d, err = parseJSON(src, p)
	case TOML:
		d, err = parseTOML(src.body, p)
	case YAML:
		d, err = parseYAML(src.body, p)
	default:
		err = fault.New(fault.Internal, "unknown format %q", p.Format)
	}
	return d, src, err
}

// Read returns the entries of a collection in order. A text that is empty or
// lacks the collection has none. A list item without a name gets the empty name.
// The error is a fault.Invalid that describes what is wrong with the text without
// quoting it, because it may contain secrets.
func Read(text []byte, p Place) ([]Entry, error) {
	d, _, err := parse(text, p)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, m := range d.members() {
		entries = append(entries, Entry{Name: m.Key, Value: plain(m.Value)})
	}
	return entries, nil
}

// Put adds an entry or replaces the one of the same name. If the existing
// entry is equal, the Change has no edits. Where the collection is a list,
// value must contain the name as a field. The error is a fault.Invalid for a
// text that cannot be changed safely: one that does not parse or is not UTF-8,
// that has a duplicate key on the path to the collection, or whose collection
// is written inline (TOML, YAML) or uses YAML anchors, aliases or tags.
func Put(text []byte, p Place, name string, value Object) (Change, error) {
	d, src, err := parseForChange(text, p, name, value)
	if err != nil {
		return Change{}, err
	}
	if p.List != "" && get(value, p.List) != name {
		return Change{}, fault.New(fault.Invalid, "an entry of a list must have its name in the field %q", p.List)
	}
	if old, n := d.member(name); n == 1 && equal(old, value) {
		return Change{Text: text}, nil
	}
	edits, made, err := d.put(name, value)
	if err != nil {
		return Change{}, err
	}
	return finish(d, src, p, name, edits, made, value)
}

// Set sets or adds fields of an entry and leaves its other fields as they are.
// The error is a fault.NotFound if the entry does not exist, and otherwise as
// for Put.
func Set(text []byte, p Place, name string, fields Object) (Change, error) {
	d, src, err := parseForChange(text, p, name, fields)
	if err != nil {
		return Change{}, err
	}
	old, n := d.member(name)
	if n == 0 {
		return Change{}, fault.New(fault.NotFound, "the entry %q does not exist", name)
	}
	entry, ok := old.(Object)
	if !ok {
		return Change{}, fault.New(fault.Invalid, "the entry %q is not an object", name)
	}
	edits, err := d.set(name, changedFields(entry, fields))
	if err != nil {
		return Change{}, err
	}
	return finish(d, src, p, name, edits, 0, merged(entry, fields))
}

// Remove removes an entry with its lines and the comments on them. If the entry
// does not exist, the Change has no edits.
func Remove(text []byte, p Place, name string) (Change, error) {
	return removeWithParents(text, p, name, 0)
}

// removeWithParents removes an entry. It also removes the collections around the entry that become
// empty, the innermost first, but at most as many as made.
func removeWithParents(text []byte, p Place, name string, made int) (Change, error) {
	d, src, err := parseForChange(text, p, name, nil)
	if err != nil {
		return Change{}, err
	}
	edits, err := d.remove(name, made)
	if err != nil {
		return Change{}, err
	}
	return finish(d, src, p, name, edits, 0, absent{})
}

// Scalar sets the value of a key in a YAML document. keys is the path to it;
// missing mappings are created. The error is as for Put.
func Scalar(text []byte, keys []string, value any) (Change, error) {
	last := len(keys) - 1
	if last < 0 {
		return Change{}, fault.New(fault.Invalid, "no key is given for the value")
	}
	p, fields := Place{Format: YAML, Keys: keys[:last]}, Object{{keys[last], value}}
	d, src, err := parseForChange(text, p, keys[last], fields)
	if err != nil {
		return Change{}, err
	}
	y := d.(*yamlDoc)
	if old, n := y.member(keys[last]); n == 1 && equal(old, value) {
		return Change{Text: text}, nil
	}
	edits, made, err := y.addOrReplace(keys[last], value, func(part yamlPart) (replacement, error) { return y.setValue(part, value) })
	if err != nil {
		return Change{}, err
	}
	return finish(d, src, p, keys[last], edits, made, value)
}

// parseForChange parses a text and checks that the entry called name can be set to value.
func parseForChange(text []byte, p Place, name string, value any) (document, source, error) {
	if !utf8.ValidString(name) {
		return nil, source{}, fault.New(fault.Invalid, "the name of the entry is not UTF-8")
	}
	if err := checkWritable(value, 0); err != nil {
		return nil, source{}, err
	}
	d, src, err := parse(text, p)
	if err != nil {
		return nil, src, err
	}
	return d, src, d.editable(name)
}
