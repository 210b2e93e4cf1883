package wire

import (
	"bytes"
	"encoding/json"
)

// Get returns the raw value of a member of an object, nil when there is none
// or raw is not an object. Of a key that stands twice the last one counts, as
// in encoding/json.
func Get(raw json.RawMessage, key string) json.RawMessage {
	start, end := find(raw, key)
	if start < 0 {
		return nil
	}
	return raw[start:end:end]
}

// GetString returns a member that is a string, else "".
func GetString(raw json.RawMessage, key string) string {
	s, _ := String(Get(raw, key))
	return s
}

// Each shows every member of an object in order; it does nothing when raw is
// not a valid object.
func Each(raw json.RawMessage, visit func(key string, value json.RawMessage)) {
	if !Valid(raw) {
		return
	}
	_ = members(raw, func(key []byte, start, end int) { visit(string(key), raw[start:end:end]) })
}

// Set returns a copy of an object with one member set to value. Every other
// byte stays what it was; a new member is put last. A raw that is no object
// counts as an empty one.
func Set(raw json.RawMessage, key string, value json.RawMessage) json.RawMessage {
	if start, end := find(raw, key); start >= 0 {
		out := make([]byte, 0, len(raw)-(end-start)+len(value))
		out = append(append(out, raw[:start]...), value...)
		return append(out, raw[end:]...)
	}
	body := bytes.TrimSpace(raw)
	out := make([]byte, 0, len(body)+len(key)+len(value)+8)
	if len(body) < 2 || body[0] != '{' {
		out = append(out, '{')
	} else {
		out = append(out, bytes.TrimRight(body[:len(body)-1], " \t\r\n")...)
		if len(out) > 1 {
			out = append(out, ',')
		}
	}
	out = append(appendString(out, key), ':')
	return append(append(out, value...), '}')
}

// Quote returns s as a JSON string.
func Quote(s string) json.RawMessage { return appendString(nil, s) }

func find(raw json.RawMessage, key string) (start, end int) {
	start = -1
	if members(raw, func(k []byte, s, e int) {
		if string(k) == key {
			start, end = s, e
		}
	}) != nil {
		return -1, 0
	}
	return start, end
}
