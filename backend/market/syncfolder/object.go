package syncfolder

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/samename"
)

// The kinds of objects, which are also the names of the folders that hold their files.
const (
	Servers   = "servers"
	Toolsets  = "toolsets"
	Personas  = "personas"
	Settings  = "settings"
	Approvals = "approvals"
)

// kinds lists the kinds of objects in the order in which they are shown and taken.
var kinds = []string{Settings, Servers, Toolsets, Personas, Approvals}

// Key identifies an object: a server, a toolset, a persona, a setting, or the approvals of the calls of a server.
type Key struct{ Kind, Name string }

// String returns the path of the object's file in the folder, without extension.
func (k Key) String() string { return k.Kind + "/" + k.Name }

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(kindIndex(a.Kind), kindIndex(b.Kind)), strings.Compare(a.Name, b.Name))
}

func kindIndex(kind string) int {
	for i, known := range kinds {
		if kind == known {
			return i
		}
	}
	return len(kinds)
}

// Object is the content of an object, as JSON decodes it. Numbers are json.Number.
type Object map[string]any

// Objects holds objects by their keys.
type Objects map[Key]Object

// canonical returns the file of an object: indented JSON with sorted members, so that versions of a file differ in few
// lines.
func (o Object) canonical() []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(o) // cannot fail: o consists of values that JSON was decoded to
	return out.Bytes()
}

func (o Object) equal(other Object) bool {
	return (o == nil) == (other == nil) && bytes.Equal(o.canonical(), other.canonical())
}

// decodeObject reads one JSON object and nothing else.
func decodeObject(data []byte) (Object, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	o := Object{}
	if err := decoder.Decode(&o); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, io.ErrUnexpectedEOF
	}
	return o, nil
}

// objectOf returns a value as an object. The value must be encoded as a JSON object.
func objectOf(value any) (Object, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return decodeObject(data)
}

// into decodes an object into a variable. Members that the variable does not have are an error.
func (o Object) into(variable any) error {
	decoder := json.NewDecoder(bytes.NewReader(o.canonical()))
	decoder.DisallowUnknownFields()
	return decoder.Decode(variable)
}

// clashes returns the keys whose names differ only in case from that of another object of the kind, with that name.
// On many disks, both would have the same file.
func clashes(sets ...Objects) map[Key]string {
	first, found := make(map[Key]Key), make(map[Key]string)
	for _, objects := range sets {
		for key := range objects {
			folded := Key{key.Kind, samename.Fold(key.Name)}
			if other, ok := first[folded]; !ok {
				first[folded] = key
			} else if other != key {
				found[key], found[other] = other.Name, key.Name
			}
		}
	}
	return found
}
