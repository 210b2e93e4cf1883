package configedit

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func (d *tomlDoc) put(name string, value Object) (edits []replacement, made int, err error) {
	if err := checkTOMLWritable(value); err != nil {
		return nil, 0, err
	}
	if d.problem != nil {
		return nil, 0, d.problem
	}
	if n := d.entry(name); n != nil {
		return d.replace(n, name, value), 0, nil
	}
	if n := d.collection(); n != nil && n.kind == tomlValue {
		text := tomlKey(name) + " = " + tomlText(value)
		if d.place.List != "" {
			text = tomlText(value)
		}
		at := d.exprs[d.first(n)].value + 1
		return []replacement{{at, at, text}}, 0, nil
	}
	return []replacement{d.append(len(d.body), name, value)}, len(d.place.Keys) + 1 - len(d.resolved), nil
}

// append adds an entry after the first keep bytes of the file, with a blank line before it. The
// caller removes the text after these bytes.
func (d *tomlDoc) append(keep int, name string, value Object) replacement {
	var b strings.Builder
	if !blank(d.body[:keep]) {
		if d.body[keep-1] != '\n' {
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	tomlSection(&b, d.path(name), d.place.List != "", value)
	return replacement{len(d.body), len(d.body), b.String()}
}

// path returns the keys in the header of an entry.
func (d *tomlDoc) path(name string) []string {
	path := slices.Clone(d.place.Keys)
	if d.place.List == "" {
		path = append(path, name)
	}
	return path
}

// first returns the index of the first expression of a node.
func (d *tomlDoc) first(n *tomlNode) int {
	return slices.IndexFunc(d.exprs, func(x tomlExpr) bool { return x.node.within(n) })
}

// lineRange is a run of lines that belong to one node. from and to are offsets; first and last are
// the indexes of its first and last expression.
type lineRange struct{ from, to, first, last int }

// lineRanges returns the lines of a node, including the text between two of its expressions.
func (d *tomlDoc) lineRanges(n *tomlNode) []lineRange {
	var out []lineRange
	for i, x := range d.exprs {
		if !x.node.within(n) {
			continue
		}
		if k := len(out) - 1; k >= 0 && out[k].last == i-1 {
			out[k].last, out[k].to = i, lineEnd(d.body, x.end)
			continue
		}
		out = append(out, lineRange{lineStart(d.body, x.key), lineEnd(d.body, x.end), i, i})
	}
	return out
}

// removeNode removes all lines of a node, with the blank lines on one side of each
// section.
func (d *tomlDoc) removeNode(n *tomlNode) []replacement {
	var edits []replacement
	for _, s := range d.lineRanges(n) {
		after := s.to
		for after < len(d.body) && blank(d.body[after:lineEnd(d.body, after)]) {
			after = lineEnd(d.body, after)
		}
		if d.exprs[s.first].header && (after > s.to || s.to == len(d.body)) {
			if after == len(d.body) {
				s.from = d.beforeBlanks(s.from)
			}
			s.to = after
		}
		edits = append(edits, replacement{s.from, s.to, ""})
	}
	return edits
}

// beforeBlanks returns the offset of the first of the blank lines before at.
func (d *tomlDoc) beforeBlanks(at int) int {
	for at > 0 {
		above := lineStart(d.body, at-1)
		if !blank(d.body[above:at]) {
			break
		}
		at = above
	}
	return at
}

// replace replaces an entry in its place, or moves it to the end of the file if
// its sections are in several places.
func (d *tomlDoc) replace(n *tomlNode, name string, value Object) []replacement {
	parts := d.lineRanges(n)
	x := d.exprs[parts[0].first]
	if n.kind == tomlValue {
		return []replacement{{x.key, x.end, string(d.body[x.key:x.value]) + tomlText(value)}}
	}
	if len(parts) > 1 || !x.header {
		edits, keep := d.removeNode(n), len(d.body)
		if last := edits[len(edits)-1]; last.to == keep {
			keep = last.from
		}
		return append(edits, d.append(keep, name, value))
	}
	var b strings.Builder
	tomlSection(&b, d.path(name), d.place.List != "", value)
	return []replacement{{parts[0].from, parts[0].to, d.matchLastLine(parts[0].to, b.String())}}
}

// matchLastLine removes the last line feed of text if the line before an offset does not end with a line feed.
func (d *tomlDoc) matchLastLine(to int, text string) string {
	if d.body[to-1] != '\n' {
		return strings.TrimSuffix(text, "\n")
	}
	return text
}

func (d *tomlDoc) inside(name string) (document, error) {
	n := d.entry(name)
	if n == nil || n.kind == tomlValue {
		return nil, fault.New(fault.Invalid, "the entry %q is written inline; write it as a section", name)
	}
	in := *d
	in.place = Place{Format: TOML, Keys: append(slices.Clone(d.place.Keys), name)}
	in.resolved = append(slices.Clone(d.resolved), n)
	in.content = n.any()
	return &in, nil
}

func (d *tomlDoc) set(name string, fields Object) ([]replacement, error) {
	n := d.entry(name)
	if n == nil || n.kind == tomlValue {
		return nil, fault.New(fault.Invalid, "the entry %q is written inline; write it as a section", name)
	}
	if err := checkTOMLWritable(fields); err != nil {
		return nil, err
	}
	var edits []replacement
	var missing Object
	for _, f := range fields {
		child := n.children[f.Key]
		if child == nil {
			missing = append(missing, f)
			continue
		}
		o, isObject := f.Value.(Object)
		if parts := d.lineRanges(child); child.kind == tomlTable && isObject && len(parts) == 1 {
			var b strings.Builder
			tomlSection(&b, append(d.path(name), f.Key), false, o)
			edits = append(edits, replacement{parts[0].from, parts[0].to, d.matchLastLine(parts[0].to, b.String())})
		} else if x := d.exprs[parts[0].first]; child.kind == tomlValue {
			edits = append(edits, replacement{x.key, x.end, string(d.body[x.key:x.value]) + tomlText(f.Value)})
		} else {
			edits = append(edits, d.removeNode(child)...)
			missing = append(missing, f)
		}
	}
	if len(missing) > 0 {
		edits = append(edits, d.extend(n, name, missing))
	}
	return edits, nil
}

// extend adds fields to a table: after its keys and before its subtables.
func (d *tomlDoc) extend(n *tomlNode, name string, fields Object) replacement {
	head := slices.IndexFunc(d.exprs, func(x tomlExpr) bool { return x.header && x.node == n })
	last := head
	for i, x := range d.exprs {
		if !x.header && x.owner == head && x.node.within(n) {
			last = i
		}
	}
	var b strings.Builder
	if head < 0 && n.kind == tomlImplicit {
		// The table has only subtables. The edit includes the header of the first subtable, which
		// shows Revert that the entry existed before the change.
		at := lineStart(d.body, d.exprs[d.first(n)].key)
		end := lineEnd(d.body, at)
		tomlSection(&b, d.path(name), false, fields)
		return replacement{at, end, b.String() + "\n" + string(d.body[at:end])}
	}
	if head < 0 {
		last = d.lastDotted(n)
		x := d.exprs[last]
		prefix := d.prefix(n, x)
		for _, f := range fields {
			b.WriteString(prefix + tomlKey(f.Key) + " = " + tomlText(f.Value) + "\n")
		}
	} else {
		tomlBody(&b, d.path(name), fields, "")
	}
	at := lineEnd(d.body, d.exprs[last].end)
	if d.body[at-1] != '\n' {
		return replacement{at, at, "\n" + b.String()}
	}
	return replacement{at, at, b.String()}
}

// lastDotted returns the index of the last dotted key of a table within its
// first section.
func (d *tomlDoc) lastDotted(n *tomlNode) int {
	first := d.first(n)
	last := first
	for i := first; i < len(d.exprs) && !d.exprs[i].header; i++ {
		if d.exprs[i].node.within(n) {
			last = i
		}
	}
	return last
}

// prefix returns the prefix of a table's dotted keys in the section of x.
func (d *tomlDoc) prefix(n *tomlNode, x tomlExpr) string {
	section := d.root
	if x.owner >= 0 {
		section = d.exprs[x.owner].node
	}
	var keys []string
	for at := n; at != section && at.parent != nil; at = at.parent {
		for key, child := range at.parent.children {
			if child == at {
				keys = append(keys, tomlKey(key))
			}
		}
	}
	slices.Reverse(keys)
	return strings.Join(keys, ".") + "."
}

// remove ignores the number of collections to remove: a parent table without a header of its own
// disappears with its last entry, and one with a header existed before the change.
func (d *tomlDoc) remove(name string, _ int) ([]replacement, error) {
	if n := d.entry(name); n != nil {
		return d.removeNode(n), nil
	}
	if _, n := d.member(name); n == 0 {
		return nil, nil
	}
	if n := d.collection(); n != nil && len(d.members()) == 1 {
		x := d.exprs[d.first(n)]
		return []replacement{{x.value + 1, x.end - 1, ""}}, nil
	}
	return nil, d.problem
}
