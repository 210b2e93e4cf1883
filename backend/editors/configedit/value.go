package configedit

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// checkWritable returns an error for a value that no format can express.
func checkWritable(v any, depth int) error {
	if depth > deepest {
		return fault.New(fault.Invalid, "a value is nested too deeply")
	}
	switch v := v.(type) {
	case nil, bool, int, int64, json.Number:
		return nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fault.New(fault.Invalid, "a value is infinite or not a number")
		}
		return nil
	case string:
		if !utf8.ValidString(v) {
			return fault.New(fault.Invalid, "a value is not UTF-8")
		}
		return nil
	case []string:
		return checkWritable(list(v), depth)
	case []any:
		for _, e := range v {
			if err := checkWritable(e, depth+1); err != nil {
				return err
			}
		}
		return nil
	case Object:
		return checkWritableObject(v, depth)
	}
	return fault.New(fault.Internal, "a value of type %T cannot be written", v)
}

func checkWritableObject(o Object, depth int) error {
	seen := make(map[string]bool, len(o))
	for _, f := range o {
		if seen[f.Key] || !utf8.ValidString(f.Key) {
			return fault.New(fault.Invalid, "a field name is duplicate or not UTF-8")
		}
		seen[f.Key] = true
		if err := checkWritable(f.Value, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// list converts strings to a list of values.
func list(texts []string) []any {
	out := make([]any, len(texts))
	for i, s := range texts {
		out[i] = s
	}
	return out
}

// number returns the notation of a number, which is the same in all formats, and
// whether v is a number. A float64 without a fraction is written as an integer,
// because encoding/json decodes integers as float64.
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

// plain returns a value as encoding/json decodes it.
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

// equal compares two values. Numbers are compared by their notation.
func equal(a, b any) bool { return reflect.DeepEqual(plain(a), plain(b)) }

// get returns the value of a field; nil when it does not exist.
func get(o Object, key string) any {
	for _, f := range o {
		if f.Key == key {
			return f.Value
		}
	}
	return nil
}

// changedFields returns the fields that an entry lacks or has with another value.
func changedFields(entry, fields Object) Object {
	var out Object
	has := plain(entry).(map[string]any)
	for _, f := range fields {
		if old, ok := has[f.Key]; !ok || !reflect.DeepEqual(old, plain(f.Value)) {
			out = append(out, f)
		}
	}
	return out
}

// merged returns the entry with the given fields added or replaced.
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

// nested wraps a value in one object per key; keys[0] is the outermost.
func nested(keys []string, value any) any {
	for i := len(keys) - 1; i >= 0; i-- {
		value = Object{{keys[i], value}}
	}
	return value
}
