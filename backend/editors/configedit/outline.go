package configedit

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/tailscale/hujson"
)

// outline parses what is on the way to a collection, and of all else, also of the
// entries, finds out where it is and that it is valid: a tree of a large file
// takes most of the time that a change takes. A text for which it is not ok is
// one for the parser, which also knows what is wrong with it.
func outline(body []byte, keys []string) (root *hujson.Value, ok bool) {
	defer func() {
		if recover() != nil { // the text ended too early
			root, ok = nil, false
		}
	}()
	if bytes.Contains(body, []byte("\u2028")) || bytes.Contains(body, []byte("\u2029")) {
		return nil, false // the parser refuses them in comments
	}
	start := afterExtra(body, 0)
	v, end := outlineValue(body, start, keys)
	if v == nil || afterExtra(body, end) != len(body) {
		return nil, false
	}
	return v, true
}

// outlineValue returns the value that starts at a place, nil for one that is not
// valid, and where it ends.
func outlineValue(body []byte, start int, keys []string) (v *hujson.Value, end int) {
	if body[start] == '{' {
		return outlineObject(body, start, keys)
	}
	v = &hujson.Value{StartOffset: start, EndOffset: valueEnd(body, start)}
	if !load(body, v) {
		return nil, v.EndOffset
	}
	return v, v.EndOffset
}

// load parses a value of which nothing but its place is known.
func load(body []byte, v *hujson.Value) bool {
	if v.Value != nil {
		return true
	}
	parsed, err := hujson.Parse(body[v.StartOffset:v.EndOffset])
	if err != nil {
		return false
	}
	for kid := range parsed.All() {
		kid.StartOffset, kid.EndOffset = kid.StartOffset+v.StartOffset, kid.EndOffset+v.StartOffset
	}
	v.Value = parsed.Value
	return true
}

func outlineObject(body []byte, start int, keys []string) (*hujson.Value, int) {
	o := &hujson.Object{}
	v := &hujson.Value{StartOffset: start, Value: o}
	for at := start + 1; ; {
		name := hujson.Value{StartOffset: afterExtra(body, at)}
		name.BeforeExtra = extra(body, at, name.StartOffset)
		if body[name.StartOffset] == '}' {
			o.AfterExtra, v.EndOffset = name.BeforeExtra, name.StartOffset+1
			return v, v.EndOffset
		}
		name.EndOffset = valueEnd(body, name.StartOffset)
		literal := hujson.Literal(body[name.StartOffset:name.EndOffset])
		colon := afterExtra(body, name.EndOffset)
		if name.Value = literal; body[name.StartOffset] != '"' || !literal.IsValid() || body[colon] != ':' {
			return nil, colon
		}
		value, end := outlineMember(body, afterExtra(body, colon+1), keyOf(name), keys)
		if value == nil {
			return nil, end
		}
		value.BeforeExtra = extra(body, colon+1, value.StartOffset)
		next := afterExtra(body, end)
		if body[next] == ',' {
			value.AfterExtra = extra(body, end, next)
		} else if o.AfterExtra = extra(body, end, next); body[next] != '}' {
			return nil, next
		}
		o.Members = append(o.Members, hujson.ObjectMember{Name: name, Value: *value})
		if body[next] == '}' {
			v.EndOffset = next + 1
			return v, v.EndOffset
		}
		at = next + 1
	}
}

// outlineMember returns a value without what is in it, unless it is on the way.
func outlineMember(body []byte, start int, key string, keys []string) (*hujson.Value, int) {
	if len(keys) > 0 && key == keys[0] {
		return outlineValue(body, start, keys[1:])
	}
	end := valueEnd(body, start)
	if text := body[start:end]; !json.Valid(text) {
		if _, err := hujson.Parse(text); err != nil {
			return nil, end
		}
	}
	return &hujson.Value{StartOffset: start, EndOffset: end}, end
}

// extra returns the blanks and comments between two places; nil for none.
func extra(body []byte, from, to int) hujson.Extra {
	if from == to {
		return nil
	}
	return hujson.Extra(slices.Clip(body[from:to]))
}

// afterExtra returns where what follows on blanks and comments starts.
func afterExtra(body []byte, at int) int {
	for at < len(body) {
		switch body[at] {
		case ' ', '\t', '\r', '\n':
			at++
		default:
			end := afterComment(body, at)
			if end == at {
				return at
			}
			at = end
		}
	}
	return at
}

// valueEnd returns where the value that starts at a place would end, if it is
// valid.
func valueEnd(body []byte, at int) int {
	depth := 0
	for {
		switch body[at] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			for at++; body[at] != '"'; at++ {
				if body[at] == '\\' {
					at++
				}
			}
		case '/':
			at = max(at, afterComment(body, at)-1)
		case ' ', '\t', '\r', '\n', ',', ':':
			if depth == 0 {
				return at
			}
		default:
			if depth == 0 {
				for at < len(body) && !isDelimiter(body[at]) {
					at++
				}
				return at
			}
		}
		if at++; depth <= 0 {
			return at
		}
	}
}

func isDelimiter(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', ',', ':', '/', '{', '}', '[', ']', '"':
		return true
	}
	return false
}

// tooDeep returns where a text opens too many brackets for a recursive parser;
// -1 for nowhere.
func tooDeep(body []byte) int {
	depth := 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '{', '[':
			if depth++; depth > deepest {
				return i
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(body) && body[i] != '"'; i++ {
				if body[i] == '\\' {
					i++
				}
			}
		case '/':
			i = max(i, afterComment(body, i)-1)
		}
	}
	return -1
}

// afterComment returns where the comment that starts at a place ends, before the
// line feed of a line comment; the place itself when none starts there, and one
// behind the body when it does not end.
func afterComment(body []byte, at int) int {
	rest := body[at:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			return at + end
		}
		return len(body)
	case bytes.HasPrefix(rest, []byte("/*")):
		if end := bytes.Index(rest[2:], []byte("*/")); end >= 0 {
			return at + end + 4
		}
		return len(body) + 1
	}
	return at
}
