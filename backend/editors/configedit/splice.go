// Package splice answers how one entry comes into a configuration file that
// somebody else wrote, and goes out of it again, so that every other byte stays
// as it is. It parses to know where things are, changes text in those places
// alone, and parses again to prove that nothing else means something else now.
// It knows no editors and opens no files.
package configedit

import (
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Format is the syntax of a file.
type Format string

// The formats. What is written into JSON is strict in any case.
const (
	JSON       Format = "json"        // comments and trailing commas may be in it
	StrictJSON Format = "strict-json" // whose reader takes neither; a file that has them is refused
	TOML       Format = "toml"
	YAML       Format = "yaml"
)

// Place says where the entries of a file are.
type Place struct {
	Format Format   `json:"format"`
	Keys   []string `json:"keys"`           // from the root to the collection; none for the document itself
	List   string   `json:"list,omitempty"` // the key of a member's name, where the collection is a list and no map
}

// Field is a key of an object, with its value: a string, bool, int, float64,
// nil, []string, []any or Object.
type Field struct {
	Key   string
	Value any
}

// Object is an object with its keys in the order in which they are written.
type Object []Field

// Entry is a member of a collection.
type Entry struct {
	Name  string
	Value any // as encoding/json gives it; numbers as json.Number
}

// Edit is a place of a text that is another now.
type Edit struct {
	At  int    `json:"at"` // bytes into the text as it was
	Old string `json:"old"`
	New string `json:"new"`
}

// Change is what was done to a text.
type Change struct {
	Text []byte // as it is now
	Edits []Edit  // in their order; they do not touch
	Made int    // how many of Place.Keys were not there before, counted from the last
}

// document is a text with its collection found.
type document interface {
	// member returns a member's value, its objects as Object, and how many
	// members go by that name.
	member(name string) (value any, count int)
	// members returns the names and values of all, in their order.
	members() []Field
	// editable refuses what may be read but not changed.
	editable(name string) error
	put(name string, value Object) (edits []replacement, made int, err error)
	set(name string, fields Object) ([]replacement, error)
	// remove takes out a member, and as many of the collections around it as
	// made says, where nothing else is in them.
	remove(name string, made int) ([]replacement, error)
	// inside returns the same text with a member as its collection.
	inside(name string) (document, error)
	// same reports whether all but one member equals that of another text.
	same(other document, name string) bool
}

// parse finds the collection of a text.
func parse(text []byte, p Place) (document, source, error) {
	src, err := open(text)
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
		err = fault.New(fault.Internal, "there is no format %q", p.Format)
	}
	return d, src, err
}

// Read returns the members of a collection in their order. An empty text, and
// one without the collection, have none. A member of a list that has no name
// gets the empty one. The error is a fault.Invalid that says what is wrong with
// the text and shows nothing of it.
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

// Put brings an entry in, in place of one of the same name; one that is equal
// already stays as it is, and the Change has no cuts. Where the collection is a
// list, value has the name among its fields. It is refused with a fault.Invalid
// where it could harm: a text that does not parse or is not UTF-8, a key that is
// there twice on the way, a collection that is written inline or takes part in
// an anchor.
func Put(text []byte, p Place, name string, value Object) (Change, error) {
	d, src, err := change(text, p, name, value)
	if err != nil {
		return Change{}, err
	}
	if p.List != "" && get(value, p.List) != name {
		return Change{}, fault.New(fault.Invalid, "an entry of a list needs its name in the field %q", p.List)
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

// Set gives an entry's fields new values, and adds those that it does not have;
// its other fields stay as they are. Without such an entry it is a
// fault.NotFound; else it is refused where Put is.
func Set(text []byte, p Place, name string, fields Object) (Change, error) {
	d, src, err := change(text, p, name, fields)
	if err != nil {
		return Change{}, err
	}
	old, n := d.member(name)
	if n == 0 {
		return Change{}, fault.New(fault.NotFound, "there is no entry %q", name)
	}
	entry, ok := old.(Object)
	if !ok {
		return Change{}, fault.New(fault.Invalid, "the entry %q is no object", name)
	}
	edits, err := d.set(name, unlike(entry, fields))
	if err != nil {
		return Change{}, err
	}
	return finish(d, src, p, name, edits, 0, merged(entry, fields))
}

// Remove takes an entry out, with all that belongs to it. A Change without cuts
// says that it was not there.
func Remove(text []byte, p Place, name string) (Change, error) {
	return prune(text, p, name, 0)
}

func prune(text []byte, p Place, name string, made int) (Change, error) {
	d, src, err := change(text, p, name, nil)
	if err != nil {
		return Change{}, err
	}
	edits, err := d.remove(name, made)
	if err != nil {
		return Change{}, err
	}
	return finish(d, src, p, name, edits, 0, absent{})
}

// Scalar gives a key of a YAML document a new value, on the way that keys
// leads, and makes what is missing there. It is refused where Put is.
func Scalar(text []byte, keys []string, value any) (Change, error) {
	last := len(keys) - 1
	if last < 0 {
		return Change{}, fault.New(fault.Invalid, "a value needs a key")
	}
	p, fields := Place{Format: YAML, Keys: keys[:last]}, Object{{keys[last], value}}
	d, src, err := change(text, p, keys[last], fields)
	if err != nil {
		return Change{}, err
	}
	y := d.(*yamlDoc)
	if old, n := y.member(keys[last]); n == 1 && equal(old, value) {
		return Change{Text: text}, nil
	}
	edits, made, err := y.scalar(keys[last], value)
	if err != nil {
		return Change{}, err
	}
	return finish(d, src, p, keys[last], edits, made, value)
}

// change parses a text for a change of one entry.
func change(text []byte, p Place, name string, value any) (document, source, error) {
	if !utf8.ValidString(name) {
		return nil, source{}, fault.New(fault.Invalid, "a name is not UTF-8")
	}
	if err := writable(value, 0); err != nil {
		return nil, source{}, err
	}
	d, src, err := parse(text, p)
	if err != nil {
		return nil, src, err
	}
	return d, src, d.editable(name)
}
