package configedit

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// writable refuses a value that has no spelling.
func writable(v any, depth int) error {
	if depth > deepest {
		return fault.New(fault.Invalid, "a value is nested too deep")
	}
	switch v := v.(type) {
	case nil, bool, int, int64, json.Number:
		return nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fault.New(fault.Invalid, "a value is no number")
		}
		return nil
	case string:
		if !utf8.ValidString(v) {
			return fault.New(fault.Invalid, "a value is not UTF-8")
		}
		return nil
	case []string:
		return writable(list(v), depth)
	case []any:
		for _, e := range v {
			if err := writable(e, depth+1); err != nil {
				return err
			}
		}
		return nil
	case Object:
		return writableObject(v, depth)
	}
	return fault.New(fault.Internal, "a value of type %T cannot be written", v)
}

func writableObject(o Object, depth int) error {
	seen := make(map[string]bool, len(o))
	for _, f := range o {
		if seen[f.Key] || !utf8.ValidString(f.Key) {
			return fault.New(fault.Invalid, "a field is there twice or its name is not UTF-8")
		}
		seen[f.Key] = true
		if err := writable(f.Value, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func list(texts []string) []any {
	out := make([]any, len(texts))
	for i, s := range texts {
		out[i] = s
	}
	return out
}

// number returns how a number is written in all formats, and whether v is one.
// A whole one has no fraction, for it may come from JSON, which knows no ints.
func number(v any) (string, bool) {
	switch v := v.(type) {
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case json.Number:
		return v.String(), true
	case float64:
		text, err := json.Marshal(v)
		return string(text), err == nil
	}
	return "", false
}

// plain returns a value as encoding/json gives it.
func plain(v any) any {
	if n, ok := number(v); ok {
		return json.Number(n)
	}
	switch v := v.(type) {
	case []string:
		return list(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = plain(e)
		}
		return out
	case Object:
		out := make(map[string]any, len(v))
		for _, f := range v {
			out[f.Key] = plain(f.Value)
		}
		return out
	}
	return v
}

// equal compares values; numbers by their text.
func equal(a, b any) bool { return reflect.DeepEqual(plain(a), plain(b)) }

// get returns a field's value; nil when it is not there.
func get(o Object, key string) any {
	for _, f := range o {
		if f.Key == key {
			return f.Value
		}
	}
	return nil
}

// unlike returns the fields that an entry has not, or with another value.
func unlike(entry, fields Object) Object {
	var out Object
	has := plain(entry).(map[string]any)
	for _, f := range fields {
		if old, ok := has[f.Key]; !ok || !reflect.DeepEqual(old, plain(f.Value)) {
			out = append(out, f)
		}
	}
	return out
}

// merged returns an entry with some of its fields set.
func merged(entry, fields Object) Object {
	out := append(Object{}, fields...)
	set := plain(fields).(map[string]any)
	for _, f := range entry {
		if _, ok := set[f.Key]; !ok {
			out = append(out, f)
		}
	}
	return out
}

// nested wraps a value into objects, from the last key outwards.
func nested(keys []string, value any) any {
	for i := len(keys) - 1; i >= 0; i-- {
		value = Object{{keys[i], value}}
	}
	return value
}
