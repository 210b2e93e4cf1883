package jsonrpc

import (
	"bytes"
	"encoding/json"
)

// Get returns the raw value of a member of an object, nil when there is none
// or raw is not an object. Of a key that stands twice the last one counts, as
// in encoding/json. raw must be valid JSON, as every part of a Message is;
// what Get finds in anything else means nothing.
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

// Delete returns a copy of an object without a member. The others keep their
// bytes; the space between them goes.
func Delete(raw json.RawMessage, key string) json.RawMessage {
	out := make([]byte, 0, len(raw))
	out = append(out, '{')
	Each(raw, func(k string, value json.RawMessage) {
		if k == key {
			return
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(appendString(out, k), ':'), value...)
	})
	return append(out, '}')
}

// Quote returns s as a JSON string.
func Quote(s string) json.RawMessage { return appendString(nil, s) }

// find returns where a member's value stands, -1 when there is none.
func find(raw json.RawMessage, key string) (start, end int) {
	start = -1
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return -1, 0
	}
	for i = skipSpace(raw, i+1); i < len(raw) && raw[i] == '"'; i = skipSpace(raw, i+1) {
		name := i
		if i = passString(raw, i); i < 0 {
			return -1, 0
		}
		hit := string(unquoteKey(raw[name:i])) == key
		value := skipSpace(raw, skipSpace(raw, i)+1) // over the colon
		if i = passValue(raw, value); i < 0 {
			return -1, 0
		}
		if hit {
			start, end = value, i
		}
		if i = skipSpace(raw, i); i >= len(raw) || raw[i] != ',' {
			break
		}
	}
	return start, end
}

// The pass functions step over a value of which it is known that it is valid,
// ten times as fast as the scan functions check it.

func passValue(data []byte, i int) int {
	if i >= len(data) {
		return -1
	}
	switch data[i] {
	case '"':
		return passString(data, i)
	case '{', '[':
		return passNested(data, i)
	}
	for ; i < len(data); i++ {
		switch data[i] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return i
		}
	}
	return i
}

func passNested(data []byte, i int) int {
	for depth := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			if i = passString(data, i); i < 0 {
				return -1
			}
			i--
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

func passString(data []byte, i int) int {
	begin := i
	for i++; ; i++ {
		quote := bytes.IndexByte(data[min(i, len(data)):], '"')
		if quote < 0 {
			return -1
		}
		i += quote
		slashes := i
		for slashes-1 > begin && data[slashes-1] == '\\' {
			slashes--
		}
		if (i-slashes)%2 == 0 { // the quote itself is not escaped
			return i + 1
		}
	}
}
