// Package loosejson decodes JSON values of the wrong type whose meaning is clear, such as a number that a model or a
// script wrote as a string. The product whose API this program imitates accepts such values too.
package loosejson

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// Strings is a list of strings. Numbers and booleans in an array decode to their JSON text, and other elements are left
// out. Null decodes to nil.
type Strings []string

// UnmarshalJSON implements json.Unmarshaler.
func (s *Strings) UnmarshalJSON(data []byte) error {
	var items []json.RawMessage
	*s = nil
	if err := json.Unmarshal(data, &items); err != nil || items == nil {
		return err
	}
	*s = make(Strings, 0, len(items))
	for _, item := range items {
		if text, ok := scalar(item); ok {
			*s = append(*s, text)
		}
	}
	return nil
}

// StringMap maps names to strings. It decodes the values of an object as Strings decodes the elements of an array.
type StringMap map[string]string

// UnmarshalJSON implements json.Unmarshaler.
func (m *StringMap) UnmarshalJSON(data []byte) error {
	var members map[string]json.RawMessage
	*m = nil
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		return err
	}
	*m = make(StringMap, len(members))
	for name, value := range members {
		if text, ok := scalar(value); ok {
			(*m)[name] = text
		}
	}
	return nil
}

// scalar returns a string, number or boolean as text, and false for other values.
func scalar(raw json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil && string(raw) != "null" {
		return text, true
	}
	written := string(raw)
	return written, written != "null" && !strings.HasPrefix(written, "{") && !strings.HasPrefix(written, "[")
}

// StringsOrNone is like Strings, but a value that is not an array decodes to nil.
type StringsOrNone []string

// UnmarshalJSON implements json.Unmarshaler.
func (s *StringsOrNone) UnmarshalJSON(data []byte) error {
	_ = (*Strings)(s).UnmarshalJSON(data) // an error leaves nil
	return nil
}

// StringMapOrNone is like StringMap, but a value that is not an object decodes to nil.
type StringMapOrNone map[string]string

// UnmarshalJSON implements json.Unmarshaler.
func (m *StringMapOrNone) UnmarshalJSON(data []byte) error {
	_ = (*StringMap)(m).UnmarshalJSON(data) // an error leaves nil
	return nil
}

// Number is a number that may be written as a string. An empty string leaves it unchanged.
type Number float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(data []byte) error {
	if text, ok := quoted(data); ok {
		if text == "" {
			return nil
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || value != value {
			return &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[float64]()}
		}
		*n = Number(value)
		return nil
	}
	return json.Unmarshal(data, (*float64)(n))
}

// Bool is a boolean that may be written as a string. An empty string is false.
type Bool bool

// UnmarshalJSON implements json.Unmarshaler.
func (b *Bool) UnmarshalJSON(data []byte) error {
	if text, ok := quoted(data); ok {
		switch text {
		case "true":
			*b = true
		case "false", "":
			*b = false
		default:
			return &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[bool]()}
		}
		return nil
	}
	return json.Unmarshal(data, (*bool)(b))
}

// quoted returns the text in a JSON string, and false for other values.
func quoted(data []byte) (string, bool) {
	if len(data) == 0 || data[0] != '"' {
		return "", false
	}
	var text string
	err := json.Unmarshal(data, &text)
	return strings.TrimSpace(text), err == nil
}
