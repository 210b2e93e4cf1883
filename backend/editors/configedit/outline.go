package configedit

import (
	"bytes"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
)

// outline parses only the objects on the path to a collection. Of all other
// values, including the entries, it finds only the positions, because parsing
// a whole large file takes most of the time of an edit. strict is the body as
// strictJSON returns it. If ok is false, the caller must use parseHujson,
// which also reports what is wrong with an invalid text.
func outline(body, strict []byte, keys []string) (root *hujson.Value, ok bool) {
	if bytes.Contains(body, []byte("\u2028")) || bytes.Contains(body, []byte("\u2029")) {
		return nil, false // the parser rejects these line separators in comments
	}
	if !jsonscan.Valid(strict) {
		return nil, false
	}
	v := outlineValue(body, strict, jsonscan.Space(strict, 0), keys)
	return v, v != nil
}

// outlineValue returns the value that starts at a position of a valid text;
// nil if the parser rejects the value.
func outlineValue(body, strict []byte, start int, keys []string) *hujson.Value {
	if body[start] == '{' {
		return outlineObject(body, strict, start, keys)
	}
	v := &hujson.Value{StartOffset: start, EndOffset: jsonscan.End(strict, start)}
	if !load(body, v) {
		return nil
	}
	return v
}

func outlineObject(body, strict []byte, start int, keys []string) *hujson.Value {
	object := &hujson.Object{}
	at := start + 1 // the offset of the comments before the next member
	o := jsonscan.Members(strict, start)
	for o.Next() {
		nameEnd := o.NameStart() + len(o.Quoted())
		name := hujson.Value{
			BeforeExtra: extra(body, at, o.NameStart()),
			StartOffset: o.NameStart(), EndOffset: nameEnd,
			Value: hujson.Literal(body[o.NameStart():nameEnd]),
		}
		value := &hujson.Value{StartOffset: o.Start(), EndOffset: o.End()}
		if len(keys) > 0 && o.Named(keys[0]) {
			if value = outlineValue(body, strict, o.Start(), keys[1:]); value == nil {
				return nil
			}
		}
		value.BeforeExtra = extra(body, jsonscan.Space(strict, nameEnd)+1, o.Start())
		at = o.End()
		if comma := afterExtra(body, at); body[comma] == ',' {
			value.AfterExtra = extra(body, at, comma)
			at = comma + 1
		}
		object.Members = append(object.Members, hujson.ObjectMember{Name: name, Value: *value})
	}
	end := o.Close()
	object.AfterExtra = extra(body, at, end-1)
	return &hujson.Value{StartOffset: start, EndOffset: end, Value: object}
}

// load parses v.Value from the position of v, unless it is parsed already. It returns false if the
// parser rejects the value.
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

// strictJSON returns body with its comments and trailing commas replaced by spaces. The result has the same offsets,
// and the scanner for strict JSON can read it. Other text that is not JSON stays as it is. deep is the position at
// which brackets are nested too deeply for a recursive parser; -1 if there is none.
func strictJSON(body []byte) (strict []byte, deep int) {
	strict, deep = body, -1
	replace := func(from, to int) {
		if &strict[0] == &body[0] {
			strict = bytes.Clone(body)
		}
		for i := from; i < to; i++ {
			strict[i] = ' '
		}
	}
	depth, comma := 0, -1    // comma: position of a comma that may turn out to be trailing
	var before, current byte // the two last bytes that are not white space or comments
	for at := 0; at < len(body); at++ {
		c := body[at]
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '/':
			if end := afterComment(body, at); end > at && end <= len(body) {
				replace(at, end)
				at = end - 1
				continue
			}
		case '"':
			for at++; at < len(body) && body[at] != '"'; at++ {
				if body[at] == '\\' {
					at++
				}
			}
		case '{', '[':
			if depth++; depth > deepest {
				return strict, at
			}
		case '}', ']':
			if depth--; current == ',' && before != '{' && before != '[' {
				replace(comma, comma+1)
			}
		case ',':
			comma = at
		}
		before, current = current, c
	}
	return strict, deep
}

// extra returns the white space and comments between two positions; nil for
// none.
func extra(body []byte, from, to int) hujson.Extra {
	if from == to {
		return nil
	}
	return hujson.Extra(slices.Clip(body[from:to]))
}

// afterExtra returns the position after the white space and comments that start
// at a position.
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

// afterComment returns the position after the comment that starts at the position at. For a line comment, that is the
// position of the line feed. The result is at if no comment starts there, and len(body)+1 if the comment is not
// closed.
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
