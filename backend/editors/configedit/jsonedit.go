package configedit

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func (d *jsonDoc) put(name string, value Object) (edits []replacement, made int, err error) {
	if i, items := d.index(name); i >= 0 {
		return []replacement{d.replace(items[i], value)}, 0, nil
	}
	last := len(d.place.Keys)
	var content any = Object{{name, value}}
	if d.place.List != "" {
		content = []any{value}
	}
	if len(d.resolved) == 0 {
		return []replacement{d.fillEmpty(nested(d.place.Keys, content))}, last, nil
	}
	made = last + 1 - len(d.resolved)
	if made > 0 {
		content = nested(d.place.Keys[last-made:], content)
	}
	return []replacement{d.insert(d.last(), content)}, made, nil
}

// fillEmpty adds a value to a text that contains no value: after the comments or, if the text is blank, at its start.
func (d *jsonDoc) fillEmpty(value any) replacement {
	var b strings.Builder
	at := len(d.body)
	if blank(d.body) {
		at = 0
	} else if d.body[at-1] != '\n' {
		b.WriteByte('\n')
	}
	jsonStyle{unit: "  "}.write(&b, value)
	b.WriteByte('\n')
	return replacement{at, at, b.String()}
}

// index returns the index of the item with a name, or -1 if there is none, and all items.
func (d *jsonDoc) index(name string) (int, []jsonItem) {
	items := itemsOf(d.collection())
	for i := range items {
		if d.called(items[i], name) && load(d.body, items[i].value) {
			return i, items
		}
	}
	return -1, items
}

// replace replaces the value of a member. If the old value is on one line, so is the new value, unless the old value
// has no items and the member starts a line; then the new value may take several lines.
func (d *jsonDoc) replace(m jsonItem, value any) replacement {
	from, start, end := m.first().StartOffset, m.value.StartOffset, m.value.EndOffset
	s := d.style(m.value)
	s.at = lineIndent(d.body, from)
	if bytes.IndexByte(d.body[start:end], '\n') < 0 {
		s.inline = lineBreak(m.first().BeforeExtra) < 0 || len(itemsOf(m.value)) > 0
	}
	var b strings.Builder
	b.Write(d.body[from:start])
	s.write(&b, value)
	return replacement{from, end, b.String()}
}

// style derives the layout of a container from its members and the root.
func (d *jsonDoc) style(box *hujson.Value) jsonStyle {
	s := jsonStyle{unit: "  "}
	root := itemsOf(d.resolved[0])
	if len(root) == 0 {
		return s
	}
	if bytes.IndexByte(root[0].first().BeforeExtra, '\n') >= 0 {
		if indent := lineIndent(d.body, root[0].first().StartOffset); indent != "" {
			s.unit = indent
		}
	}
	for _, v := range []*hujson.Value{box, d.resolved[0]} {
		if items := itemsOf(v); len(items) > 0 && items[0].name != nil {
			s.compact = len(items[0].value.BeforeExtra) == 0
			break
		}
	}
	return s
}

// insert adds content, the fields of an Object or the items of a list, before
// the first member of a container.
func (d *jsonDoc) insert(box *hujson.Value, content any) replacement {
	s, items, open := d.style(box), itemsOf(box), box.StartOffset+1
	outer := lineIndent(d.body, box.StartOffset)
	if len(items) == 0 {
		return d.insertFirst(box, s, outer, content)
	}
	first := items[0].first()
	if at := lineBreak(first.BeforeExtra); at >= 0 {
		s.at = lineIndent(d.body, first.StartOffset)
		if unit, ok := strings.CutPrefix(s.at, outer); ok && unit != "" {
			s.unit = unit
		}
		return replacement{open + at, open + at, "\n" + s.at + s.fields(content) + ","}
	}
	s.inline = true
	return replacement{first.StartOffset, first.StartOffset, s.fields(content) + s.comma()}
}

// insertFirst adds content to an empty container.
func (d *jsonDoc) insertFirst(box *hujson.Value, s jsonStyle, outer string, content any) replacement {
	open, end := box.StartOffset+1, box.EndOffset-1
	s.at = outer + s.unit
	if at := lineBreak(d.body[open:end]); at >= 0 {
		return replacement{open + at, open + at, "\n" + s.at + s.fields(content)}
	}
	if s.inline = d.sharesLine(box); s.inline {
		return replacement{end, end, s.fields(content)}
	}
	return replacement{end, end, "\n" + s.at + s.fields(content) + "\n" + outer}
}

// sharesLine reports whether other text precedes the name of a container on
// its line.
func (d *jsonDoc) sharesLine(box *hujson.Value) bool {
	if len(d.resolved) < 2 || box == d.resolved[0] {
		return false
	}
	for _, m := range itemsOf(d.resolved[len(d.resolved)-2]) {
		if m.value == box {
			return lineBreak(m.first().BeforeExtra) < 0
		}
	}
	return false
}

// lineBreak returns the offset of the first line feed that is outside a block
// comment; -1 for none.
func lineBreak(extra []byte) int {
	for i := 0; i < len(extra); i++ {
		switch extra[i] {
		case '\n':
			return i
		case '/':
			i = max(i, afterComment(extra, i)-1)
		}
	}
	return -1
}

func (d *jsonDoc) inside(name string) (document, error) {
	i, items := d.index(name)
	if i < 0 {
		return nil, fault.New(fault.NotFound, "the entry %q does not exist", name)
	}
	in := &jsonDoc{
		body: d.body, place: Place{Format: d.place.Format, Keys: append(d.place.Keys[:len(d.place.Keys):len(d.place.Keys)], name)},
	}
	in.resolved = append(d.resolved[:len(d.resolved):len(d.resolved)], items[i].value)
	return in, in.check()
}

func (d *jsonDoc) set(name string, fields Object) ([]replacement, error) {
	inner, err := d.inside(name)
	if err != nil {
		return nil, err
	}
	in := inner.(*jsonDoc)
	if in.problem != nil {
		return nil, in.problem
	}
	var edits []replacement
	var missing Object
	for _, f := range fields {
		if i, items := in.index(f.Key); i >= 0 {
			edits = append(edits, in.replace(items[i], f.Value))
		} else {
			missing = append(missing, f)
		}
	}
	if len(missing) > 0 {
		edits = append(edits, in.insert(in.last(), missing))
	}
	return edits, nil
}

func (d *jsonDoc) remove(name string, made int) ([]replacement, error) {
	i, items := d.index(name)
	box := d.collection()
	for at := len(d.resolved) - 2; made > 0 && box != nil && d.holdsOnly(box, i); at, made = at-1, made-1 {
		key := d.place.Keys[at]
		box = d.resolved[at]
		items = itemsOf(box)
		for i = range items {
			if keyOf(*items[i].name) == key {
				break
			}
		}
	}
	if i < 0 || box == nil {
		return nil, nil
	}
	return d.removeItem(box, items, i), nil
}

// holdsOnly reports whether a container holds only item i, or nothing if i is -1.
// A comment counts as content.
func (d *jsonDoc) holdsOnly(box *hujson.Value, i int) bool {
	items := itemsOf(box)
	if len(items) == 0 {
		return i < 0 && blank(d.body[box.StartOffset+1:box.EndOffset-1])
	}
	return i == 0 && len(items) == 1 && blank(items[0].first().BeforeExtra) && blank(afterAll(box))
}

// afterAll returns the white space and comments after the last item.
func afterAll(box *hujson.Value) []byte {
	switch v := box.Value.(type) {
	case *hujson.Object:
		return v.AfterExtra
	case *hujson.Array:
		return v.AfterExtra
	}
	return nil
}

// removeItem removes an item with the comma after it or, for the last item, the comma before it. It also removes
// lines on which only white space or comments would be left.
func (d *jsonDoc) removeItem(box *hujson.Value, items []jsonItem, i int) []replacement {
	if d.holdsOnly(box, i) {
		return []replacement{{box.StartOffset + 1, box.EndOffset - 1, ""}}
	}
	m := items[i]
	from, to := m.first().StartOffset, m.value.EndOffset
	floor, comma := from-len(m.first().BeforeExtra), d.comma(m)
	switch {
	case comma < 0 && i == 0:
		return d.expand(floor, from, to, true)
	case comma < 0:
		before := d.comma(items[i-1])
		return append(d.expand(floor, from, to, true), replacement{before, before + 1, ""})
	case lineBreak(m.value.AfterExtra) >= 0:
		return append(d.expand(floor, from, to, false), replacement{comma, comma + 1, ""})
	}
	return d.expand(floor, from, comma+1, false)
}

// comma returns the offset of the comma after an item; -1 for none.
func (d *jsonDoc) comma(m jsonItem) int {
	if at := m.value.EndOffset + len(m.value.AfterExtra); d.body[at] == ',' {
		return at
	}
	return -1
}

// expand returns the removal of the item between from and to. The removal covers whole lines if only white space or
// comments are left on them, and otherwise the blanks that separate the item from its neighbors. floor is where the
// text that belongs to the previous item ends. last is set if no comma follows the item.
func (d *jsonDoc) expand(floor, from, to int, last bool) []replacement {
	line := lineStart(d.body, from)
	end := d.afterBlanks(to)
	closed := d.body[end] == '\n'
	if line > floor && blank(stripComments(d.body[line:from])) {
		if closed {
			return []replacement{{line, end + 1, ""}}
		}
		return []replacement{{from, end, ""}}
	}
	start := from
	if last || closed {
		for start > floor && (d.body[start-1] == ' ' || d.body[start-1] == '\t') {
			start--
		}
	}
	if last && !closed {
		end = to
	}
	return []replacement{{start, end, ""}}
}

// afterBlanks returns the offset after the blanks that begin at an offset. If only comments follow them on the
// line, it returns the end of the line.
func (d *jsonDoc) afterBlanks(at int) int {
	skip := func(i int) int {
		for i < len(d.body) && (d.body[i] == ' ' || d.body[i] == '\t' || d.body[i] == '\r') {
			i++
		}
		return i
	}
	at = skip(at)
	end := at
	for {
		next := skip(afterComment(d.body, end))
		if next == end {
			break
		}
		end = next
	}
	if end < len(d.body) && d.body[end] == '\n' {
		return end
	}
	return at
}

func stripComments(b []byte) []byte {
	var out []byte
	for i := 0; i < len(b); i++ {
		if end := afterComment(b, i); end > i {
			i = end - 1
			continue
		}
		out = append(out, b[i])
	}
	return out
}
