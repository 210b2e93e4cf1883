package jsonrpc

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Answers that cannot be read would leave their calls without an answer until these time out. So the connection repairs
// what it can without a guess, and fails the call of any other answer whose id can be found.

// failUnreadable fails the call that a line answers which is not JSON. It returns false if there is none.
func (c *Conn) failUnreadable(line []byte) bool {
	id := idOf(line)
	if id == nil {
		return false
	}
	why := &Malformed{"it is not JSON; it begins with " + head(line)}
	return c.Fail(id, why) || c.Fail(otherForm(id), why)
}

// reread parses an answer that Parse has rejected, with each byte that is not UTF-8 replaced by U+FFFD. ok is false if
// that does not make it an answer.
func reread(line []byte) (m Message, repaired []byte, ok bool) {
	if utf8.Valid(line) {
		return m, nil, false
	}
	repaired = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	m, err := Parse(repaired)
	return m, repaired, err == nil && m.IsResponse()
}

// idOf returns the id of an answer that is not JSON, nil if it cannot be found. It looks only at strings, at brackets
// and at what is between them, so that it finds the id of an answer that is nested too deeply, ends too early, or
// contains a value such as NaN.
func idOf(line []byte) (id json.RawMessage) {
	depth, at := 0, 0
	for at < len(line) {
		switch c := line[at]; {
		case c == '"':
			end := endOfString(line, at)
			key := string(line[at:end])
			at = end
			next := skipSpace(line, at)
			if depth != 1 || next >= len(line) || line[next] != ':' {
				continue
			}
			value := skipSpace(line, next+1)
			switch key {
			case `"method"`:
				return nil // a request
			case `"id"`:
				id = scalar(line, value)
			}
			at = value
		case c == '{' || c == '[':
			depth++
			at++
		case c == '}' || c == ']':
			depth--
			at++
		default:
			at++
		}
	}
	return id
}

// endOfString returns the position after a string that begins at a position.
func endOfString(line []byte, at int) int {
	for at++; at < len(line); at++ {
		switch line[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(line)
}

func skipSpace(line []byte, at int) int {
	for at < len(line) && strings.IndexByte(" \t\r\n", line[at]) >= 0 {
		at++
	}
	return at
}

// scalar returns the string or the number that begins at a position, nil if none does or if it may go on.
func scalar(line []byte, at int) json.RawMessage {
	end := at
	if at < len(line) && line[at] == '"' {
		end = endOfString(line, at)
	} else {
		for end < len(line) && strings.IndexByte("-+.eE0123456789", line[end]) >= 0 {
			end++
		}
	}
	after := skipSpace(line, end)
	if end == at || !Valid(line[at:end]) || after >= len(line) || line[after] != ',' && line[after] != '}' {
		return nil
	}
	return json.RawMessage(line[at:end])
}

// otherForm returns an id with the same text as another type: a string for a number, and a number for a string. Some
// servers change the type of the ids that they are sent. It returns nil for other ids.
func otherForm(id json.RawMessage) json.RawMessage {
	if text, ok := String(id); ok {
		if number := json.RawMessage(text); Valid(number) && strings.Trim(text, "0123456789") == "" {
			return number
		}
		return nil
	}
	return json.RawMessage(`"` + string(id) + `"`)
}
