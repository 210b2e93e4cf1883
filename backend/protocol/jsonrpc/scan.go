package jsonrpc

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/bits"
	"unicode/utf8"
)

// maxDepth is the nesting that encoding/json accepts too.
const maxDepth = 10000

var errSyntax = errors.New("not valid JSON")

// Valid reports whether data is one JSON value in UTF-8.
func Valid(data []byte) bool { return members(data, nil) == nil }

// String decodes a JSON string; false when raw is not one.
func String(raw json.RawMessage) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if body := raw[1 : len(raw)-1]; plainString(body) {
		return string(body), true
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// plainString reports whether a string's body stands for itself: no escape and
// no control character.
func plainString(body []byte) bool { return stringRun(body, 0) == len(body) }

// visitor is shown a member's unescaped key and where its raw value stands.
type visitor func(key []byte, start, end int)

// members checks that data is one valid JSON value in UTF-8 in a single pass
// and, when it is an object, shows each of its members to visit in order. Keys
// are unescaped, values raw.
//
// It is on the path of every message, in both directions, which is why it is
// not encoding/json: that costs ten times as much and cannot tell where a
// member begins and ends.
func members(data []byte, visit visitor) error {
	if !utf8.Valid(data) {
		return errSyntax
	}
	i := skipSpace(data, 0)
	if i < len(data) && data[i] == '{' && visit != nil {
		i = scanObject(data, i, maxDepth, visit)
	} else {
		i = scanValue(data, i, maxDepth)
	}
	if i < 0 || skipSpace(data, i) != len(data) {
		return errSyntax
	}
	return nil
}

// The scan functions take the position of a value's first byte and return the
// position after its last, or -1.

func scanValue(data []byte, i, depth int) int {
	if i >= len(data) {
		return -1
	}
	switch c := data[i]; {
	case c == '"':
		return scanString(data, i)
	case c == '{':
		return scanObject(data, i, depth, nil)
	case c == '[':
		return scanArray(data, i, depth)
	case c == '-' || c >= '0' && c <= '9':
		return scanNumber(data, i)
	case c == 't':
		return scanWord(data, i, "true")
	case c == 'f':
		return scanWord(data, i, "false")
	case c == 'n':
		return scanWord(data, i, "null")
	}
	return -1
}

func scanObject(data []byte, i, depth int, visit visitor) int {
	if depth == 0 {
		return -1
	}
	i = skipSpace(data, i+1)
	if i < len(data) && data[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(data) || data[i] != '"' {
			return -1
		}
		keyStart := i
		if i = scanString(data, i); i < 0 {
			return -1
		}
		key := data[keyStart:i]
		i = skipSpace(data, i)
		if i >= len(data) || data[i] != ':' {
			return -1
		}
		start := skipSpace(data, i+1)
		if i = scanValue(data, start, depth-1); i < 0 {
			return -1
		}
		if visit != nil {
			visit(unquoteKey(key), start, i)
		}
		i = skipSpace(data, i)
		if i >= len(data) {
			return -1
		}
		switch data[i] {
		case '}':
			return i + 1
		case ',':
			i = skipSpace(data, i+1)
		default:
			return -1
		}
	}
}

func unquoteKey(quoted []byte) []byte {
	if body := quoted[1 : len(quoted)-1]; plainString(body) {
		return body
	}
	s, _ := String(quoted)
	return []byte(s)
}

func scanArray(data []byte, i, depth int) int {
	if depth == 0 {
		return -1
	}
	i = skipSpace(data, i+1)
	if i < len(data) && data[i] == ']' {
		return i + 1
	}
	for {
		if i = scanValue(data, i, depth-1); i < 0 {
			return -1
		}
		i = skipSpace(data, i)
		if i >= len(data) {
			return -1
		}
		switch data[i] {
		case ']':
			return i + 1
		case ',':
			i = skipSpace(data, i+1)
		default:
			return -1
		}
	}
}

func scanString(data []byte, i int) int {
	for i++; ; {
		i = stringRun(data, i)
		if i >= len(data) || data[i] < 0x20 {
			return -1
		}
		if data[i] == '"' {
			return i + 1
		}
		if i = scanEscape(data, i+1); i < 0 {
			return -1
		}
	}
}

// stringRun returns the position of the first quote, backslash or control
// character at or after i, eight bytes at a time.
func stringRun(data []byte, i int) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	for ; i+8 <= len(data); i += 8 {
		x := binary.LittleEndian.Uint64(data[i:])
		quote, slash := x^('"'*ones), x^('\\'*ones)
		found := ((x - 0x20*ones) &^ x) | ((quote - ones) &^ quote) | ((slash - ones) &^ slash)
		// A borrow can only mark bytes above the first true one, so the
		// lowest mark is exact.
		if found &= highs; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(data); i++ {
		if c := data[i]; c < 0x20 || c == '"' || c == '\\' {
			return i
		}
	}
	return i
}

func scanEscape(data []byte, i int) int {
	if i >= len(data) {
		return -1
	}
	switch data[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		if i+5 > len(data) {
			return -1
		}
		for _, c := range data[i+1 : i+5] {
			if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f') {
				return -1
			}
		}
		return i + 5
	}
	return -1
}

func scanNumber(data []byte, i int) int {
	if data[i] == '-' {
		i++
	}
	switch {
	case i >= len(data):
		return -1
	case data[i] == '0':
		i++
	default:
		if i = scanDigits(data, i); i < 0 {
			return -1
		}
	}
	if i < len(data) && data[i] == '.' {
		if i = scanDigits(data, i+1); i < 0 {
			return -1
		}
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		return scanDigits(data, i)
	}
	return i
}

func scanDigits(data []byte, i int) int {
	start := i
	for i < len(data) && data[i] >= '0' && data[i] <= '9' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func scanWord(data []byte, i int, word string) int {
	if len(data)-i < len(word) || string(data[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}
