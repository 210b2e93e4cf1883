package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// maxDepth is the deepest accepted nesting of objects and arrays, the same as in
// encoding/json.
const maxDepth = 10_000

// Valid reports whether data is one JSON value in UTF-8.
func Valid(data []byte) bool { return Walk(data, nil) }

// Walk reports whether data is one JSON value in UTF-8 and, in the same pass,
// calls visit for each member of the outermost object, if it is an object, with
// the member's decoded name and the positions of its value. A visit does not
// mean that the rest of the text is valid. The name may be overwritten after visit
// returns.
func Walk(data []byte, visit func(name []byte, start, end int)) bool {
	if !utf8.Valid(data) {
		return false
	}
	at := Space(data, 0)
	if at < len(data) && data[at] == '{' && visit != nil {
		at = checkObject(data, at, maxDepth, visit)
	} else {
		at = checkValue(data, at, maxDepth)
	}
	return at >= 0 && Space(data, at) == len(data)
}

// The check functions take the position of a value's first byte and return the
// position after its last, or -1.

func checkValue(data []byte, at, depth int) int {
	if at >= len(data) {
		return -1
	}
	switch c := data[at]; {
	case c == '"':
		return checkString(data, at)
	case c == '{':
		return checkObject(data, at, depth, nil)
	case c == '[':
		return checkArray(data, at, depth)
	case c == '-' || c >= '0' && c <= '9':
		return checkNumber(data, at)
	case c == 't':
		return checkWord(data, at, "true")
	case c == 'f':
		return checkWord(data, at, "false")
	case c == 'n':
		return checkWord(data, at, "null")
	}
	return -1
}

func checkObject(data []byte, at, depth int, visit func(name []byte, start, end int)) int {
	if depth == 0 {
		return -1
	}
	at = Space(data, at+1)
	if at < len(data) && data[at] == '}' {
		return at + 1
	}
	for {
		if at >= len(data) || data[at] != '"' {
			return -1
		}
		quote, plain := at, true
		if at = stringRun(data, at+1); at < len(data) && data[at] == '"' {
			at++
		} else if at, plain = checkString(data, quote), false; at < 0 {
			return -1
		}
		nameEnd := at
		at = Space(data, at)
		if at >= len(data) || data[at] != ':' {
			return -1
		}
		start := Space(data, at+1)
		if at = checkValue(data, start, depth-1); at < 0 {
			return -1
		}
		if visit != nil {
			name := data[quote+1 : nameEnd-1]
			if !plain {
				name = decoded(data[quote:nameEnd])
			}
			visit(name, start, at)
		}
		at = Space(data, at)
		if at >= len(data) {
			return -1
		}
		switch data[at] {
		case '}':
			return at + 1
		case ',':
			at = Space(data, at+1)
		default:
			return -1
		}
	}
}

// decoded returns the text of a valid string. It does not copy a text without escapes.
func decoded(quoted []byte) []byte {
	if body := quoted[1 : len(quoted)-1]; stringRun(body, 0) == len(body) {
		return body
	}
	s, _ := String(quoted)
	return []byte(s)
}

func checkArray(data []byte, at, depth int) int {
	if depth == 0 {
		return -1
	}
	at = Space(data, at+1)
	if at < len(data) && data[at] == ']' {
		return at + 1
	}
	for {
		if at = checkValue(data, at, depth-1); at < 0 {
			return -1
		}
		at = Space(data, at)
		if at >= len(data) {
			return -1
		}
		switch data[at] {
		case ']':
			return at + 1
		case ',':
			at = Space(data, at+1)
		default:
			return -1
		}
	}
}

func checkString(data []byte, at int) int {
	for at++; ; {
		at = stringRun(data, at)
		if at >= len(data) || data[at] < 0x20 {
			return -1
		}
		if data[at] == '"' {
			return at + 1
		}
		if at = checkEscape(data, at+1); at < 0 {
			return -1
		}
	}
}

// stringRun returns the position of the first quote, backslash or control
// character from position at on, or len(data). It compares eight bytes at a time.
func stringRun(data []byte, at int) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	for ; at+8 <= len(data); at += 8 {
		x := binary.LittleEndian.Uint64(data[at:])
		quote, slash := x^('"'*ones), x^('\\'*ones)
		found := ((x - 0x20*ones) &^ x) | ((quote - ones) &^ quote) | ((slash - ones) &^ slash)
		// The subtractions may borrow from higher bytes and mark them wrongly,
		// but only above a match. The lowest marked byte is therefore a match.
		if found &= highs; found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for ; at < len(data); at++ {
		if c := data[at]; c < 0x20 || c == '"' || c == '\\' {
			return at
		}
	}
	return at
}

func checkEscape(data []byte, at int) int {
	if at >= len(data) {
		return -1
	}
	switch data[at] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return at + 1
	case 'u':
		if at+5 > len(data) {
			return -1
		}
		for _, c := range data[at+1 : at+5] {
			if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f') {
				return -1
			}
		}
		return at + 5
	}
	return -1
}

func checkNumber(data []byte, at int) int {
	if data[at] == '-' {
		at++
	}
	switch {
	case at >= len(data):
		return -1
	case data[at] == '0':
		at++
	default:
		if at = checkDigits(data, at); at < 0 {
			return -1
		}
	}
	if at < len(data) && data[at] == '.' {
		if at = checkDigits(data, at+1); at < 0 {
			return -1
		}
	}
	if at < len(data) && data[at]|0x20 == 'e' {
		at++
		if at < len(data) && (data[at] == '+' || data[at] == '-') {
			at++
		}
		return checkDigits(data, at)
	}
	return at
}

func checkDigits(data []byte, at int) int {
	start := at
	for at < len(data) && data[at] >= '0' && data[at] <= '9' {
		at++
	}
	if at == start {
		return -1
	}
	return at
}

func checkWord(data []byte, at int, word string) int {
	if len(data)-at < len(word) || string(data[at:at+len(word)]) != word {
		return -1
	}
	return at + len(word)
}
