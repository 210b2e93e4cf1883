package splice

import (
	"bytes"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/fault"
)

// Revert takes a change of an entry back in a text that has changed since: to
// the byte where what was put in is still there as it was, else the entry is
// removed, with what the change had made for it if nothing else is in it. What
// the change had taken out comes back; a field that has a third value by now
// keeps it. Of c it needs Cuts and Made; Text helps to find places.
func Revert(text []byte, p Place, name string, c Change) (Change, error) {
	if len(c.Cuts) == 0 {
		return Change{Text: text}, nil
	}
	if c.Text != nil && bytes.Equal(text, c.Text) {
		cuts := inverse(c.Cuts)
		return Change{Text: apply(text, cuts), Cuts: cuts}, nil
	}
	u := undo{place: p, name: name, change: c}
	u.read()
	d, src, err := change(text, p, name, nil)
	if err != nil {
		return Change{}, err
	}
	for _, find := range []func([]byte, []Cut) []Cut{u.inPlace, u.moved} {
		cuts := find(text, inverse(c.Cuts))
		if cuts == nil {
			continue
		}
		undone := apply(text, cuts)
		if after, _, err := parse(undone, p); err == nil && d.same(after, name) && u.done(d, after) {
			return Change{Text: undone, Cuts: cuts}, nil
		}
	}
	if u.fields {
		return u.revertFields(src.text)
	}
	if u.taken {
		old, ok := u.old.(Object)
		if !ok {
			return Change{}, fault.New(fault.Invalid, "what stood at %q is no object, and has no place any more", name)
		}
		return Put(text, p, name, old)
	}
	return prune(text, p, name, c.Made)
}

// inverse returns the cuts that take others back.
func inverse(cuts []Cut) []Cut {
	out := make([]Cut, len(cuts))
	shift := 0
	for i, c := range cuts {
		out[i] = Cut{At: c.At + shift, Old: c.New, New: c.Old}
		shift += len(c.New) - len(c.Old)
	}
	return out
}

// undo is a change on its way back.
type undo struct {
	place  Place
	name   string
	change Change
	fields bool   // the change was of some of an entry's fields, not of all of it
	taken  bool   // an entry was taken out,
	old    any    // with this value
	gone   Object // fields that were taken out
	came   Object // fields that were put in
}

// read finds out from its cuts what a change was.
func (u *undo) read() {
	for _, c := range u.change.Cuts {
		old, wholeOld := u.fragment(c.Old)
		come, wholeNew := u.fragment(c.New)
		switch {
		case wholeOld:
			u.taken, u.old = true, old
		case !wholeNew:
			gone, _ := old.(Object)
			came, _ := come.(Object)
			u.gone, u.came = append(u.gone, gone...), append(u.came, came...)
			u.fields = u.fields || len(gone)+len(came) > 0
		}
	}
	u.fields = u.fields && !u.taken
}

// removal reports whether a change put nothing in.
func (u *undo) removal() bool {
	return !slices.ContainsFunc(u.change.Cuts, func(c Cut) bool { return c.New != "" })
}

// fragment reads the text of a cut: a whole entry, or fields of one.
func (u *undo) fragment(text string) (value any, whole bool) {
	if strings.Trim(text, ", \t\r\n") == "" {
		return nil, false
	}
	for _, f := range u.framed(text) {
		for made := 0; made <= len(f.place.Keys); made++ {
			p := Place{Format: f.place.Format, Keys: f.place.Keys[made:], List: f.place.List}
			d, _, err := parse([]byte(f.text), p)
			if err != nil {
				continue
			}
			if v, n := d.member(u.name); n == 1 {
				if _, ok := v.(Object); ok || u.removal() {
					return v, true
				}
			}
		}
	}
	for _, f := range u.framed(text) {
		if d, _, err := parse([]byte(f.text), Place{Format: f.place.Format}); err == nil {
			return Object(d.members()), false
		}
	}
	return nil, false
}

type framed struct {
	text  string
	place Place
}

// framed returns the texts that a part of one may be made whole in.
func (u *undo) framed(text string) []framed {
	p := u.place
	switch p.Format {
	case JSON, StrictJSON:
		p.Format = JSON
		text = strings.Trim(text, ", \t\r\n")
		return []framed{{"{" + text + "\n}", p}, {"[" + text + "\n]", p}}
	case YAML:
		return []framed{{dedent(text), p}, {"[" + text + "]", p}}
	}
	return []framed{{text, p}}
}

// dedent takes from all lines the indentation of the first.
func dedent(text string) string {
	text = strings.TrimLeft(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	return strings.TrimPrefix(strings.ReplaceAll("\n"+text, "\n"+indent, "\n"), "\n")
}

// inPlace returns the cuts where what they take out stands in their places.
func (u *undo) inPlace(text []byte, cuts []Cut) []Cut {
	for _, c := range cuts {
		if c.At > len(text) || !bytes.HasPrefix(text[c.At:], []byte(c.Old)) {
			return nil
		}
		if strings.HasSuffix(c.New, "\n") && c.Old == "" && c.At > 0 && text[c.At-1] != '\n' {
			return nil
		}
	}
	return cuts
}

// moved returns the cuts where what they take out stands now, alone or with what
// stood around it; nil when that is nowhere or in several places.
func (u *undo) moved(text []byte, cuts []Cut) []Cut {
	const around = 40
	out := slices.Clone(cuts)
	last := 0
	for i, c := range cuts {
		at, ok := only(text, c.Old)
		if whole := u.change.Text; !ok && whole != nil {
			from, to := max(c.At-around, 0), min(c.At+len(c.Old)+around, len(whole))
			at, ok = only(text, string(whole[from:to]))
			at += c.At - from
		}
		if !ok || at < last {
			return nil
		}
		out[i].At, last = at, at+len(c.Old)
	}
	return out
}

// only returns where a text stands in another, and whether in one place alone.
func only(text []byte, part string) (int, bool) {
	at := bytes.Index(text, []byte(part))
	return at, part != "" && at >= 0 && bytes.LastIndex(text, []byte(part)) == at
}

// done reports whether an entry is as it was before the change.
func (u *undo) done(before, after document) bool {
	if u.fields {
		got, n := after.member(u.name)
		entry, ok := got.(Object)
		if n == 0 || !ok {
			return false
		}
		was, _ := before.member(u.name)
		old, _ := was.(Object)
		rest := func(o Object) Object {
			return slices.DeleteFunc(slices.Clone(o), func(f Field) bool { return has(u.came, f.Key) || has(u.gone, f.Key) })
		}
		return len(unlike(entry, u.gone)) == 0 && equal(rest(entry), rest(old))
	}
	if u.taken {
		return holds(after, u.name, u.old)
	}
	return holds(after, u.name, absent{})
}

func has(o Object, key string) bool {
	return slices.ContainsFunc(o, func(f Field) bool { return f.Key == key })
}

// revertFields gives the fields that still are as the change left them the
// values that they had.
func (u *undo) revertFields(text []byte) (Change, error) {
	d, _, err := change(text, u.place, u.name, nil)
	if err != nil {
		return Change{}, err
	}
	v, _ := d.member(u.name)
	entry, ok := v.(Object)
	if !ok {
		return Change{Text: text}, nil
	}
	now := text
	for _, f := range u.came {
		if !has(entry, f.Key) || !equal(get(entry, f.Key), f.Value) {
			continue
		}
		var c Change
		if has(u.gone, f.Key) {
			c, err = Set(now, u.place, u.name, Object{{f.Key, get(u.gone, f.Key)}})
		} else {
			c, err = u.removeField(now, f.Key)
		}
		if err != nil {
			return Change{}, err
		}
		now = c.Text
	}
	return Change{Text: now, Cuts: difference(text, now)}, nil
}

func (u *undo) removeField(text []byte, key string) (Change, error) {
	d, src, err := change(text, u.place, u.name, nil)
	if err != nil {
		return Change{}, err
	}
	in, err := d.inside(u.name)
	if err != nil {
		return Change{}, err
	}
	edits, err := in.remove(key, 0)
	if err != nil {
		return Change{}, err
	}
	v, _ := d.member(u.name)
	entry, ok := v.(Object)
	if !ok {
		return Change{}, fault.New(fault.Invalid, "the entry %q is no object", u.name)
	}
	left := slices.DeleteFunc(slices.Clone(entry), func(f Field) bool { return f.Key == key })
	return finish(d, src, u.place, u.name, edits, 0, left)
}

// difference returns one cut that leads from a text to another.
func difference(before, after []byte) []Cut {
	if bytes.Equal(before, after) {
		return nil
	}
	from, short := 0, min(len(before), len(after))
	for from < short && before[from] == after[from] {
		from++
	}
	same := 0
	for same < short-from && before[len(before)-1-same] == after[len(after)-1-same] {
		same++
	}
	return []Cut{{At: from, Old: string(before[from : len(before)-same]), New: string(after[from : len(after)-same])}}
}
