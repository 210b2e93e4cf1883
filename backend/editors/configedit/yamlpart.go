package configedit

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlPart is a member of a collection, with the lines that it occupies.
type yamlPart struct {
	key, value *yaml.Node // key is nil for an item of a list
	from       int        // offset of the key or dash
	first, end int        // the first line of the member and the line after its last, counted from 0
}

// part returns the lines of an entry; nil when it does not exist.
func (d *yamlDoc) part(c *yamlStep, name string) (*yamlPart, error) {
	i := slices.IndexFunc(named(yamlValueOf(c.value), d.place), func(f Field) bool { return f.Key == name })
	if i < 0 {
		return nil, nil
	}
	if c.value.Style&yaml.FlowStyle != 0 {
		return nil, inlineError(c.value)
	}
	if c.value.Kind == yaml.SequenceNode {
		return d.itemPart(c, i)
	}
	return d.keyPart(c, i)
}

func (d *yamlDoc) keyPart(c *yamlStep, i int) (*yamlPart, error) {
	children := c.value.Content
	p := &yamlPart{key: children[2*i], value: children[2*i+1]}
	p.from, p.first = d.at(p.key), p.key.Line-1
	limit := c.limit
	if 2*i+2 < len(children) {
		limit = children[2*i+2].Line - 1
	}
	p.end = d.lastLine(p.first, limit, p.key.Column-1)
	return p, nil
}

// itemPart returns the lines of item i of a list. It searches for the dashes of the items, because the
// parser does not report where they are.
func (d *yamlDoc) itemPart(c *yamlStep, i int) (*yamlPart, error) {
	v, column := c.value, c.value.Column-1
	var dashes []int
	for line := v.Line - 1; line < c.limit; line++ {
		text := d.line(line)
		if len(text) > column && text[column] == '-' && blank(text[:column]) &&
			(column+1 == len(text) || strings.IndexByte(" \n", text[column+1]) >= 0) {
			dashes = append(dashes, line)
		}
	}
	if len(dashes) != len(v.Content) {
		return nil, invalid(v.Line, "the items of the list cannot be located; write each on lines of its own")
	}
	p := &yamlPart{value: v.Content[i], first: dashes[i], from: d.lines[dashes[i]] + column}
	limit := c.limit
	if i+1 < len(dashes) {
		limit = dashes[i+1]
	}
	p.end = d.lastLine(p.first, limit, column)
	return p, nil
}

// lastLine returns the line after a member that starts at a line and column.
// Blank lines at its end and comments that are not indented deeper belong to the
// text that follows.
func (d *yamlDoc) lastLine(first, limit, column int) int {
	for limit > first+1 {
		text := d.line(limit - 1)
		rest := bytes.TrimLeft(text, " \t")
		if !blank(rest) && (rest[0] != '#' || len(text)-len(rest) > column) {
			break
		}
		limit--
	}
	return max(limit, first+1)
}

// colon returns the offset after the colon of a key; -1 when the colon is not on
// the line of the key.
func (d *yamlDoc) colon(key *yaml.Node) int {
	at := d.at(key)
	if key.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		at = d.valueEnd(at)
	} else {
		at += len(key.Value)
	}
	for at < len(d.body) && d.body[at] == ' ' {
		at++
	}
	if at < len(d.body) && d.body[at] == ':' {
		return at + 1
	}
	return -1
}

// valueEnd returns the end of a value that starts at an offset, without the
// comment after it.
func (d *yamlDoc) valueEnd(at int) int {
	depth := 0
	for i := at; i < len(d.body); i++ {
		switch c := d.body[i]; {
		case c == '"' && (i == at || depth > 0):
			for i++; i < len(d.body) && d.body[i] != '"'; i++ {
				if d.body[i] == '\\' {
					i++
				}
			}
		case c == '\'' && (i == at || depth > 0):
			for i++; i < len(d.body) && (d.body[i] != '\'' || bytes.HasPrefix(d.body[i:], []byte("''"))); i++ {
				if d.body[i] == '\'' {
					i++
				}
			}
		case (c == '[' || c == '{') && (i == at || depth > 0):
			depth++
			continue
		case (c == ']' || c == '}') && depth > 0:
			depth--
		case c == '\n' && depth == 0:
			return i - (len(d.body[at:i]) - len(bytes.TrimRight(d.body[at:i], " \t")))
		case c == '#' && depth == 0 && i > at && (d.body[i-1] == ' ' || d.body[i-1] == '\t'):
			return at + len(bytes.TrimRight(d.body[at:i], " \t"))
		default:
			continue
		}
		if depth == 0 {
			return min(i+1, len(d.body))
		}
	}
	return at + len(bytes.TrimRight(d.body[at:], " \t\n"))
}
