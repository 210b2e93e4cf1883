package official

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// object is a JSON object of the registry. Its methods find a member by its current name, and by the name in snake
// case that it had until September 2025. A value of a wrong type counts as missing.
type object map[string]json.RawMessage

// readObject returns an object, and false for any other JSON text.
func readObject(data []byte) (object, bool) {
	var o object
	err := json.Unmarshal(data, &o)
	return o, err == nil && o != nil
}

// raw returns the first member that has one of the names and is not null; nil if there is none.
func (o object) raw(names ...string) json.RawMessage {
	for _, name := range names {
		for _, spelling := range [...]string{name, snake(name)} {
			if value, ok := o[spelling]; ok && string(value) != "null" {
				return value
			}
		}
	}
	return nil
}

// snake returns a name in snake case: registryType becomes registry_type.
func snake(name string) string {
	if strings.IndexFunc(name, unicode.IsUpper) < 0 {
		return name
	}
	if name == "fileSha256" {
		return "file_sha256"
	}
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// text returns the string in a member, cut to maxText bytes. It returns numbers and booleans as they are written,
// because publishers use them as defaults.
func (o object) text(names ...string) string { return scalar(o.raw(names...)) }

func scalar(raw json.RawMessage) string {
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' {
		return ""
	}
	if raw[0] != '"' {
		return safetext.Prefix(string(raw), maxText)
	}
	var s string
	_ = json.Unmarshal(raw, &s) // raw is a valid JSON string
	return safetext.Prefix(s, maxText)
}

// flag returns the boolean in a member, and false if it is missing.
func (o object) flag(names ...string) bool { return string(o.raw(names...)) == "true" }

// object returns the object in a member, and nil if it is missing.
func (o object) object(names ...string) object {
	inner, _ := readObject(o.raw(names...))
	return inner
}

// objects returns at most limit objects from a member that is an array.
func (o object) objects(limit int, names ...string) []object {
	var items []json.RawMessage
	_ = json.Unmarshal(o.raw(names...), &items) // a value that is not an array has no objects
	var out []object
	for _, item := range items {
		if inner, ok := readObject(item); ok && len(out) < limit {
			out = append(out, inner)
		}
	}
	return out
}

// texts returns at most limit strings from a member that is an array. It treats each element as text does.
func (o object) texts(limit int, names ...string) []string {
	var items []json.RawMessage
	_ = json.Unmarshal(o.raw(names...), &items) // a value that is not an array has no strings
	var out []string
	for _, item := range items {
		if text := scalar(item); text != "" && len(out) < limit {
			out = append(out, text)
		}
	}
	return out
}

// time returns the time in a member, and the zero time if it is missing or invalid.
func (o object) time(names ...string) time.Time {
	t, err := time.Parse(time.RFC3339, o.text(names...))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
