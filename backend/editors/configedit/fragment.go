package configedit

import (
	"slices"
	"strings"
)

// analyze determines what a change did. It compares the texts before and after the change, or reads the edits if the
// text was not kept or cannot be parsed.
func (u *undo) analyze() {
	if text := u.change.Text; text != nil {
		before, _, err := parse(apply(text, inverse(u.change.Edits)), u.place)
		after, _, bad := parse(text, u.place)
		if err == nil && bad == nil {
			u.compare(before, after)
			return
		}
	}
	onlyAdds, onlyRemoves := true, !slices.ContainsFunc(u.change.Edits, func(e Edit) bool { return e.New != "" })
	for _, e := range u.change.Edits {
		onlyAdds = onlyAdds && e.Old == ""
		newValue, wholeNew := u.parseFragment(e.New, false)
		oldValue, wholeOld := u.parseFragment(e.Old, wholeNew || onlyRemoves)
		if wholeOld && !u.removed {
			u.removed, u.oldValue = true, oldValue
		} else if o, ok := oldValue.(Object); ok {
			u.oldFields = append(u.oldFields, o...)
		}
		if wholeNew {
			u.added = true
		} else if o, ok := newValue.(Object); ok {
			u.newFields = append(u.newFields, o...)
		}
	}
	u.added = u.added && onlyAdds
	if o, ok := u.oldValue.(Object); ok {
		u.oldValue = merged(o, u.oldFields)
	}
}

// compare determines what a change did from the documents before and after it.
func (u *undo) compare(before, after document) {
	oldValue, oldCount := before.member(u.name)
	newValue, newCount := after.member(u.name)
	oldObject, oldOK := oldValue.(Object)
	newObject, newOK := newValue.(Object)
	switch {
	case oldCount == 0:
		u.added = true
	case newCount == 0 || !oldOK || !newOK:
		u.removed, u.oldValue = true, oldValue
	default:
		u.oldFields, u.newFields = changedFields(newObject, oldObject), changedFields(oldObject, newObject)
	}
}

// parseFragment parses the old or new text of an edit: a whole entry, or fields of an entry. A
// field may have the same name as the entry, so the text counts as a whole entry only if the value
// is an object or sure is set.
func (u *undo) parseFragment(text string, sure bool) (value any, whole bool) {
	if strings.Trim(text, ", \t\r\n") == "" {
		return nil, false
	}
	for _, f := range u.wrap(text) {
		for made := 0; made <= len(f.place.Keys); made++ {
			p := Place{Format: f.place.Format, Keys: f.place.Keys[made:], List: f.place.List}
			d, _, err := parse([]byte(f.text), p)
			if err != nil {
				continue
			}
			if v, n := d.member(u.name); n == 1 {
				if t, ok := d.(*tomlDoc); ok && t.entry(u.name) != nil && t.entry(u.name).kind == tomlImplicit {
					break
				}
				if _, ok := v.(Object); ok || sure {
					return v, true
				}
			}
		}
	}
	return u.fields(text), false
}

// fields parses the fields of an entry in the text of an edit. In TOML, the header of a section
// names the entry to which the fields belong.
func (u *undo) fields(text string) any {
	inner := slices.Clone(u.place.Keys)
	if u.place.List == "" {
		inner = append(inner, u.name)
	}
	for _, keys := range [][]string{inner, nil} {
		for _, f := range u.wrap(text) {
			d, _, err := parse([]byte(f.text), Place{Format: f.place.Format, Keys: keys})
			if err == nil && len(d.members()) > 0 {
				return Object(d.members())
			}
		}
	}
	return nil
}

// wrapped is a fragment of a text, completed so that it can be parsed.
type wrapped struct {
	text  string
	place Place
}

// wrap completes a fragment of a text in all ways in which it may be parsable.
func (u *undo) wrap(text string) []wrapped {
	p := u.place
	switch p.Format {
	case JSON, StrictJSON:
		p.Format = JSON
		text = strings.Trim(text, ", \t\r\n")
		return []wrapped{{"{" + text + "\n}", p}, {"[" + text + "\n]", p}, {text, p}}
	case YAML:
		return []wrapped{{dedent(text), p}, {dedent(alignFirstLine(text)), p}, {"[" + text + "]", p}}
	}
	return []wrapped{{text, p}}
}

// dedent removes the indentation of the first line from all lines.
func dedent(text string) string {
	text = strings.TrimLeft(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	return strings.TrimPrefix(strings.ReplaceAll("\n"+text, "\n"+indent, "\n"), "\n")
}

// alignFirstLine indents the first line like the leftmost of the others, because
// an edit may start after the indentation of its first line.
func alignFirstLine(text string) string {
	least := -1
	for _, line := range strings.Split(text, "\n")[1:] {
		if bare := strings.TrimLeft(line, " "); !blank([]byte(bare)) && (least < 0 || len(line)-len(bare) < least) {
			least = len(line) - len(bare)
		}
	}
	return strings.Repeat(" ", max(least, 0)) + text
}
