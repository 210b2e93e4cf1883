package configedit

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func (d *tomlDoc) put(name string, value Object) (edits []replacement, made int, err error) {
	if err := tomlWritable(value); err != nil {
		return nil, 0, err
	}
	if d.problem != nil {
		return nil, 0, d.problem
	}
	if n := d.entry(name); n != nil {
		return d.replace(n, name, value), 0, nil
	}
	if n := d.found(); n != nil && n.kind == tomlValue {
		text := tomlKey(name) + " = " + tomlText(value)
		if d.place.List != "" {
			text = tomlText(value)
		}
		at := d.exprs[d.first(n)].value + 1
		return []replacement{{at, at, text}}, 0, nil
	}
	return []replacement{d.append(len(d.body), name, value)}, len(d.place.Keys) + 1 - len(d.way), nil
}

// append puts an entry at the end of the file, after a blank line. What stands
// from keep on will go.
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

// path returns the keys of the header of a member.
func (d *tomlDoc) path(name string) []string {
	path := slices.Clone(d.place.Keys)
	if d.place.List == "" {
		path = append(path, name)
	}
	return path
}

// first returns the first expression that a node has.
func (d *tomlDoc) first(n *tomlNode) int {
	return slices.IndexFunc(d.exprs, func(x tomlExpr) bool { return x.node.under(n) })
}

// stretch is lines that belong to one node alone.
type stretch struct{ from, to, first, last int }

// stretches returns the lines of a node. What stands between two of its
// expressions is its own too.
func (d *tomlDoc) stretches(n *tomlNode) []stretch {
	var out []stretch
	for i, x := range d.exprs {
		if !x.node.under(n) {
			continue
		}
		if k := len(out) - 1; k >= 0 && out[k].last == i-1 {
			out[k].last, out[k].to = i, lineEnd(d.body, x.end)
			continue
		}
		out = append(out, stretch{lineStart(d.body, x.key), lineEnd(d.body, x.end), i, i})
	}
	return out
}

// without takes a node out, with one of the blank gaps around each part of it.
func (d *tomlDoc) without(n *tomlNode) []replacement {
	var edits []replacement
	for _, s := range d.stretches(n) {
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

// replace gives an entry another value in its place, or at the end of the file
// when its parts stand in several.
func (d *tomlDoc) replace(n *tomlNode, name string, value Object) []replacement {
	parts := d.stretches(n)
	x := d.exprs[parts[0].first]
	if n.kind == tomlValue {
		return []replacement{{x.key, x.end, string(d.body[x.key:x.value]) + tomlText(value)}}
	}
	if len(parts) > 1 || !x.header {
		edits, keep := d.without(n), len(d.body)
		if last := edits[len(edits)-1]; last.to == keep {
			keep = last.from
		}
		return append(edits, d.append(keep, name, value))
	}
	var b strings.Builder
	tomlSection(&b, d.path(name), d.place.List != "", value)
	return []replacement{{parts[0].from, parts[0].to, d.endLike(parts[0].to, b.String())}}
}

// endLike leaves out the last line feed where the text up to a place has none.
func (d *tomlDoc) endLike(to int, text string) string {
	if d.body[to-1] != '\n' {
		return strings.TrimSuffix(text, "\n")
	}
	return text
}

func (d *tomlDoc) inside(name string) (document, error) {
	n := d.entry(name)
	if n == nil || n.kind == tomlValue {
		return nil, fault.New(fault.Invalid, "the entry %q is written inline", name)
	}
	in := *d
	in.place = Place{Format: TOML, Keys: append(slices.Clone(d.place.Keys), name)}
	in.way = append(slices.Clone(d.way), n)
	in.content = n.any()
	return &in, nil
}

func (d *tomlDoc) set(name string, fields Object) ([]replacement, error) {
	n := d.entry(name)
	if n == nil || n.kind == tomlValue {
		return nil, fault.New(fault.Invalid, "the entry %q is written inline", name)
	}
	if err := tomlWritable(fields); err != nil {
		return nil, err
	}
	var edits []replacement
	var missing Object
	for _, f := range fields {
		kid := n.kids[f.Key]
		if kid == nil {
			missing = append(missing, f)
			continue
		}
		o, isObject := f.Value.(Object)
		if parts := d.stretches(kid); kid.kind == tomlTable && isObject && len(parts) == 1 {
			var b strings.Builder
			tomlSection(&b, append(d.path(name), f.Key), false, o)
			edits = append(edits, replacement{parts[0].from, parts[0].to, d.endLike(parts[0].to, b.String())})
		} else if x := d.exprs[parts[0].first]; kid.kind == tomlValue {
			edits = append(edits, replacement{x.key, x.end, string(d.body[x.key:x.value]) + tomlText(f.Value)})
		} else {
			edits = append(edits, d.without(kid)...)
			missing = append(missing, f)
		}
	}
	if len(missing) > 0 {
		edits = append(edits, d.extend(n, name, missing))
	}
	return edits, nil
}

// extend adds fields to a table: after its own keys, before the tables in it.
func (d *tomlDoc) extend(n *tomlNode, name string, fields Object) replacement {
	head := slices.IndexFunc(d.exprs, func(x tomlExpr) bool { return x.header && x.node == n })
	last := head
	for i, x := range d.exprs {
		if !x.header && x.owner == head && x.node.under(n) {
			last = i
		}
	}
	var b strings.Builder
	if head < 0 && n.kind == tomlImplicit { // it has tables in it alone
		// Their header is part of the cut, which so shows that the entry was there.
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

// lastDotted returns the last expression of the first run of dotted keys that a
// table has.
func (d *tomlDoc) lastDotted(n *tomlNode) int {
	first := d.first(n)
	last := first
	for i := first; i < len(d.exprs) && !d.exprs[i].header; i++ {
		if d.exprs[i].node.under(n) {
			last = i
		}
	}
	return last
}

// prefix returns what dotted keys of a table start with in the section of x.
func (d *tomlDoc) prefix(n *tomlNode, x tomlExpr) string {
	section := d.root
	if x.owner >= 0 {
		section = d.exprs[x.owner].node
	}
	var keys []string
	for at := n; at != section && at.parent != nil; at = at.parent {
		for key, kid := range at.parent.kids {
			if kid == at {
				keys = append(keys, tomlKey(key))
			}
		}
	}
	slices.Reverse(keys)
	return strings.Join(keys, ".") + "."
}

// remove needs no made: a table that had only the entry in it is gone with it,
// but for one with a header, which was there before.
func (d *tomlDoc) remove(name string, _ int) ([]replacement, error) {
	if n := d.entry(name); n != nil {
		return d.without(n), nil
	}
	if _, n := d.member(name); n == 0 {
		return nil, nil
	}
	if n := d.found(); n != nil && len(d.members()) == 1 {
		x := d.exprs[d.first(n)]
		return []replacement{{x.value + 1, x.end - 1, ""}}, nil
	}
	return nil, d.problem
}
