// Package splice answers how one entry comes into a configuration file that
// somebody else wrote, and goes out of it again, so that every other byte stays
// as it is. It parses to know where things are, changes text in those places
// alone, and parses again to prove that nothing else means something else now.
// It knows no editors and opens no files.
package splice

import "errors"

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

// Cut is a place of a text that is another now.
type Cut struct {
	At  int    `json:"at"` // bytes into the text as it was
	Old string `json:"old"`
	New string `json:"new"`
}

// Change is what was done to a text.
type Change struct {
	Text []byte // as it is now
	Cuts []Cut  // in their order; they do not touch
	Made int    // how many of Place.Keys were not there before, counted from the last
}

// Read returns the members of a collection in their order. An empty text, and
// one without the collection, have none. The error is a fault.Invalid that says
// what is wrong with the text and shows nothing of it.
func Read(text []byte, p Place) ([]Entry, error) { return nil, errors.ErrUnsupported }

// Put brings an entry in, in place of one of the same name. It is refused with
// a fault.Invalid where it could harm: a text that does not parse or is not
// UTF-8, a key that is there twice on the way, a collection that is written
// inline or takes part in an anchor.
func Put(text []byte, p Place, name string, value Object) (Change, error) {
	return Change{}, errors.ErrUnsupported
}

// Set gives an entry's fields new values, and adds those that it does not have;
// its other fields stay as they are.
func Set(text []byte, p Place, name string, fields Object) (Change, error) {
	return Change{}, errors.ErrUnsupported
}

// Remove takes an entry out, with all that belongs to it. A Change without cuts
// says that it was not there.
func Remove(text []byte, p Place, name string) (Change, error) {
	return Change{}, errors.ErrUnsupported
}

// Revert takes a change of an entry back in a text that has changed since: to
// the byte where what was put in is still there as it was, else the entry is
// removed, with what the change had made for it if nothing else is in it. What
// the change had taken out comes back.
func Revert(text []byte, p Place, name string, c Change) (Change, error) {
	return Change{}, errors.ErrUnsupported
}

// Scalar gives a key of a YAML document a new value, on the way that keys
// leads, and makes what is missing there.
func Scalar(text []byte, keys []string, value any) (Change, error) {
	return Change{}, errors.ErrUnsupported
}
