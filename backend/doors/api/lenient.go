package api

import (
	"encoding/json"
	"strings"
)

// texts is a list of strings. Anything that is no array is an empty one;
// numbers and booleans in it are taken as they are written.
type texts []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *texts) UnmarshalJSON(data []byte) error {
	var items []json.RawMessage
	if json.Unmarshal(data, &items) != nil {
		*t = texts{}
		return nil
	}
	*t = make(texts, 0, len(items))
	for _, item := range items {
		if text, ok := scalar(item); ok {
			*t = append(*t, text)
		}
	}
	return nil
}

// stringMap maps names to strings, as leniently.
type stringMap map[string]string

// UnmarshalJSON implements json.Unmarshaler.
func (m *stringMap) UnmarshalJSON(data []byte) error {
	var members map[string]json.RawMessage
	*m = stringMap{}
	if json.Unmarshal(data, &members) != nil {
		return nil
	}
	for name, value := range members {
		if text, ok := scalar(value); ok {
			(*m)[name] = text
		}
	}
	return nil
}

// scalar returns a string, number or boolean as text.
func scalar(raw json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil && string(raw) != "null" {
		return text, true
	}
	written := string(raw)
	return written, written != "null" && !strings.HasPrefix(written, "{") && !strings.HasPrefix(written, "[")
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
