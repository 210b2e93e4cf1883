package configedit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Revert takes a change of an entry back in a text that has changed since: to
// the byte where what was put in is still there as it was, else the entry is
// removed, with what the change had made for it if nothing else is in it. What
// the change had taken out comes back; a field that has a third value by now
// keeps it. Of c it needs Edits and Made; Text helps to find places.
func Revert(text []byte, p Place, name string, c Change) (Change, error) {
	if len(c.Edits) == 0 {
		return Change{Text: text}, nil
	}
	if c.Text != nil && bytes.Equal(text, c.Text) {
		cuts := inverse(c.Edits)
		return Change{Text: apply(text, cuts), Edits: cuts}, nil
	}
	u := undo{place: p, name: name, change: c}
	u.read()
	d, _, err := change(text, p, name, nil)
	if err != nil {
		return Change{}, err
	}
	for _, find := range []func([]byte, []Edit) []Edit{u.inPlace, u.moved} {
		cuts := find(text, inverse(c.Edits))
		if cuts == nil {
			continue
		}
		undone := apply(text, cuts)
		if after, _, err := parse(undone, p); err == nil && d.same(after, name) && u.done(after) {
			return Change{Text: undone, Edits: cuts}, nil
		}
	}
	if u.taken {
		old, ok := u.old.(Object)
		if !ok {
			return Change{}, fault.New(fault.Invalid, "what stood at %q is no object, and has no place any more", name)
		}
		return Put(text, p, name, old)
	}
	if !u.fresh && len(u.gone)+len(u.came) > 0 {
		return u.revertFields(text)
	}
	return prune(text, p, name, c.Made)
}

// inverse returns the cuts that take others back.
func inverse(cuts []Edit) []Edit {
	out := make([]Edit, len(cuts))
	shift := 0
	for i, c := range cuts {
		out[i] = Edit{At: c.At + shift, Old: c.New, New: c.Old}
		shift += len(c.New) - len(c.Old)
	}
	return out
}

// undo is a change on its way back.
type undo struct {
	place  Place
	name   string
	change Change
	fresh  bool   // the entry was not there before
	taken  bool   // it was, and all of it was taken out or replaced,
	old    any    // with this value
	gone   Object // fields of it that were taken out
	came   Object // fields that were put in
}

// read finds out what a change was: from the texts before and after it, or
// where nobody kept them, from what its cuts took out and put in.
func (u *undo) read() {
	if text := u.change.Text; text != nil {
		before, _, err := parse(apply(text, inverse(u.change.Edits)), u.place)
		after, _, bad := parse(text, u.place)
		if err == nil && bad == nil {
			u.compare(before, after)
			return
		}
	}
	pure := true
	for _, c := range u.change.Edits {
		pure = pure && c.Old == ""
		came, wholeNew := u.fragment(c.New, false)
		gone, wholeOld := u.fragment(c.Old, wholeNew || u.removal())
		if wholeOld && !u.taken {
			u.taken, u.old = true, gone
		} else if o, ok := gone.(Object); ok {
			u.gone = append(u.gone, o...)
		}
		if wholeNew {
			u.fresh = true
		} else if o, ok := came.(Object); ok {
			u.came = append(u.came, o...)
		}
	}
	u.fresh = u.fresh && pure
	if o, ok := u.old.(Object); ok {
		u.old = merged(o, u.gone)
	}
}

func (u *undo) compare(before, after document) {
	old, was := before.member(u.name)
	now, is := after.member(u.name)
	was0, ok0 := old.(Object)
	now0, ok1 := now.(Object)
	switch {
	case was == 0:
		u.fresh = true
	case is == 0 || !ok0 || !ok1:
		u.taken, u.old = true, old
	default:
		u.gone, u.came = unlike(now0, was0), unlike(was0, now0)
	}
}

// removal reports whether a change put nothing in.
func (u *undo) removal() bool {
	return !slices.ContainsFunc(u.change.Edits, func(c Edit) bool { return c.New != "" })
}

// fragment reads the text of a cut: a whole entry, or fields of one. Fields may
// go by the entry's name; it takes an object to be the entry, or to be sure.
func (u *undo) fragment(text string, sure bool) (value any, whole bool) {
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

// fields reads the fields of an entry that a text has: a section of TOML says
// where it belongs.
func (u *undo) fields(text string) any {
	inner := slices.Clone(u.place.Keys)
	if u.place.List == "" {
		inner = append(inner, u.name)
	}
	for _, keys := range [][]string{inner, nil} {
		for _, f := range u.framed(text) {
			d, _, err := parse([]byte(f.text), Place{Format: f.place.Format, Keys: keys})
			if err == nil && len(d.members()) > 0 {
				return Object(d.members())
			}
		}
	}
	return nil
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
		return []framed{{"{" + text + "\n}", p}, {"[" + text + "\n]", p}, {text, p}}
	case YAML:
		return []framed{{dedent(text), p}, {dedent(aligned(text)), p}, {"[" + text + "]", p}}
	}
	return []framed{{text, p}}
}

// dedent takes from all lines the indentation of the first.
func dedent(text string) string {
	text = strings.TrimLeft(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	return strings.TrimPrefix(strings.ReplaceAll("\n"+text, "\n"+indent, "\n"), "\n")
}

// aligned moves the first line of several to where the leftmost of the others
// starts: a cut may start behind a line's indentation.
func aligned(text string) string {
	least := -1
	for _, line := range strings.Split(text, "\n")[1:] {
		if bare := strings.TrimLeft(line, " "); !blank([]byte(bare)) && (least < 0 || len(line)-len(bare) < least) {
			least = len(line) - len(bare)
		}
	}
	return strings.Repeat(" ", max(least, 0)) + text
}

// inPlace returns the cuts where what they take out stands in their places.
func (u *undo) inPlace(text []byte, cuts []Edit) []Edit {
	for _, c := range cuts {
		if c.At > len(text) || !bytes.HasPrefix(text[c.At:], []byte(c.Old)) {
			return nil
		}
		if whole := strings.HasSuffix(c.New, "\n") && c.Old == ""; whole && !startsLine(text, c.At) {
			return nil
		}
	}
	return cuts
}

func startsLine(text []byte, at int) bool {
	return at == 0 || text[at-1] == '\n' || string(text[:at]) == mark
}

// moved returns the cuts where what they take out stands now, alone or with what
// stood around it; nil when that is nowhere or in several places.
func (u *undo) moved(text []byte, cuts []Edit) []Edit {
	out := slices.Clone(cuts)
	last := 0
	for i, c := range cuts {
		at, ok := only(text, c.Old)
		for _, around := range []int{40, 20, 10} {
			if whole := u.change.Text; !ok && whole != nil {
				from, to := max(c.At-around, 0), min(c.At+len(c.Old)+around, len(whole))
				at, ok = only(text, string(whole[from:to]))
				at += c.At - from
			}
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

// done reports whether an entry is as it was before the change, as far as that
// is known: one that the change brought is not there, and no other is missing.
func (u *undo) done(after document) bool {
	_, n := after.member(u.name)
	if u.fresh {
		return n == 0
	}
	return n == 1
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
	for _, f := range merged(u.gone, u.came) {
		got, wants := has(entry, f.Key), has(u.came, f.Key)
		if got != wants || got && !equal(get(entry, f.Key), f.Value) {
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
	return Change{Text: now, Edits: difference(text, now)}, nil
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
func difference(before, after []byte) []Edit {
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
	return []Edit{{At: from, Old: string(before[from : len(before)-same]), New: string(after[from : len(after)-same])}}
}
