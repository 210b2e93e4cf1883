// Package jsonscan answers where the parts of a JSON text begin and end. It decodes nothing but strings, so a caller
// can pass on, replace or compare the bytes of a member exactly as they were written.
//
// Valid and Walk check text of unknown origin. Object and Array step through text that is known to be valid, about ten
// times as fast; for text that is not valid they return meaningless positions within the text, but never panic.
//
// No function of the package allocates memory, except String, StringHead, AppendCuts and AppendWithout for their
// results, and Find, Walk, AppendCuts and Object.Named for names with escapes. The package does not use encoding/json
// to scan, because that takes ten times as long and does not report where a member begins and ends.
package jsonscan

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Space returns the position of the first byte from position at on that is not white
// space, or len(data).
func Space(data []byte, at int) int {
	for at < len(data) && (data[at] == ' ' || data[at] == '\t' || data[at] == '\n' || data[at] == '\r') {
		at++
	}
	return at
}

// End returns the position after the value that begins at a position of valid JSON, or
// -1 if no complete value begins there.
func End(data []byte, at int) int {
	if at >= len(data) {
		return -1
	}
	switch data[at] {
	case '"':
		return endOfString(data, at)
	case '{', '[':
		return endOfNested(data, at)
	}
	for start := at; ; at++ {
		if at < len(data) && !delimiter[data[at]] {
			continue
		}
		if at == start {
			return -1
		}
		return at
	}
}

// delimiter marks the bytes that end a number, true, false or null.
var delimiter = [256]bool{',': true, ':': true, '}': true, ']': true, ' ': true, '\t': true, '\n': true, '\r': true}

func endOfNested(data []byte, at int) int {
	for depth := 0; at < len(data); at++ {
		switch data[at] {
		case '"':
			if at = endOfString(data, at); at < 0 {
				return -1
			}
			at--
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return -1
}

func endOfString(data []byte, at int) int {
	begin := at
	for at++; ; at++ {
		quote := bytes.IndexByte(data[min(at, len(data)):], '"')
		if quote < 0 {
			return -1
		}
		at += quote
		slashes := at
		for slashes-1 > begin && data[slashes-1] == '\\' {
			slashes--
		}
		if (at-slashes)%2 == 0 { // the quote itself is not escaped
			return at + 1
		}
	}
}

// String decodes a JSON string; ok is false if raw is not a JSON string. Like
// encoding/json it replaces invalid Unicode by U+FFFD.
func String(raw []byte) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	body := raw[1 : len(raw)-1]
	if utf8.Valid(body) {
		if stringRun(body, 0) == len(body) {
			return string(body), true
		}
		if s, ok = unescape(body); ok {
			return s, true
		}
	}
	return unmarshal(raw)
}

// unmarshal decodes any string with encoding/json. It is a separate function because
// Unmarshal makes its result escape to the heap, which would cost String an
// allocation in every call.
func unmarshal(raw []byte) (string, bool) {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// escapes maps the second byte of a two-byte escape to its meaning.
var escapes = [256]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', '"': '"', '\\': '\\', '/': '/'}

// unescape decodes the body of a string that has no \u escapes; ok is false for
// other strings.
func unescape(body []byte) (s string, ok bool) {
	var out strings.Builder
	out.Grow(len(body))
	for {
		run := stringRun(body, 0)
		out.Write(body[:run])
		if run == len(body) {
			return out.String(), true
		}
		if body[run] != '\\' || run+1 == len(body) || escapes[body[run+1]] == 0 {
			return "", false
		}
		out.WriteByte(escapes[body[run+1]])
		body = body[run+2:]
	}
}
