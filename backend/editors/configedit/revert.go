package configedit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Revert undoes a change of an entry in a text that may have changed since. If the text still
// contains the added text unchanged, the result is exact to the byte. Otherwise Revert removes the
// entry that the change added, and the empty collections that the change created for it, or
// restores the entry or the fields that the change removed. It keeps a field whose value has been
// changed since. c.Edits and c.Made are required; c.Text is optional and helps to locate the edits.
func Revert(text []byte, p Place, name string, c Change) (Change, error) {
	if len(c.Edits) == 0 {
		return Change{Text: text}, nil
	}
	if c.Text != nil && bytes.Equal(text, c.Text) {
		edits := inverse(c.Edits)
		return Change{Text: apply(text, edits), Edits: edits}, nil
	}
	u := undo{place: p, name: name, change: c}
	u.analyze()
	d, _, err := parseForChange(text, p, name, nil)
	if err != nil {
		return Change{}, err
	}
	for _, find := range []func([]byte, []Edit) []Edit{u.atSameOffsets, u.atNewOffsets} {
		edits := find(text, inverse(c.Edits))
		if edits == nil {
			continue
		}
		undone := apply(text, edits)
		after, _, err := parse(undone, p)
		if err != nil || !d.same(after, name) {
			continue
		}
		if _, n := after.member(name); u.added && n == 0 || !u.added && n == 1 { // the entry exists if it did before the change
			return Change{Text: undone, Edits: edits}, nil
		}
	}
	if u.removed {
		old, ok := u.oldValue.(Object)
		if !ok {
			return Change{}, fault.New(fault.Invalid, "the previous value of %q is not an object, so it cannot be restored", name)
		}
		return Put(text, p, name, old)
	}
	if !u.added && len(u.oldFields)+len(u.newFields) > 0 {
		return u.revertFields(text)
	}
	return removeWithParents(text, p, name, c.Made)
}

// inverse returns the edits that undo the given edits.
func inverse(edits []Edit) []Edit {
	out := make([]Edit, len(edits))
	shift := 0
	for i, e := range edits {
		out[i] = Edit{At: e.At + shift, Old: e.New, New: e.Old}
		shift += len(e.New) - len(e.Old)
	}
	return out
}

// undo is the state of one call of Revert.
type undo struct {
	place     Place
	name      string
	change    Change
	added     bool   // the entry did not exist before
	removed   bool   // the entry existed, and was removed or replaced completely
	oldValue  any    // value of the entry before the change; set only if removed is true
	oldFields Object // fields that the change removed or replaced, with their former values
	newFields Object // fields that the change added or replaced, with their new values
}

// atSameOffsets returns edits if each text that they replace is still at its offset, and otherwise nil. An edit that
// adds whole lines must also be at the start of a line.
func (u *undo) atSameOffsets(text []byte, edits []Edit) []Edit {
	for _, c := range edits {
		if c.At > len(text) || !bytes.HasPrefix(text[c.At:], []byte(c.Old)) {
			return nil
		}
		startsLine := c.At == 0 || text[c.At-1] == '\n' || string(text[:c.At]) == bom
		if whole := strings.HasSuffix(c.New, "\n") && c.Old == ""; whole && !startsLine {
			return nil
		}
	}
	return edits
}

// atNewOffsets returns the edits with the offsets to which the replaced texts have moved. It
// returns nil if a replaced text is not found, or is found more than once even with the text around
// it.
func (u *undo) atNewOffsets(text []byte, edits []Edit) []Edit {
	out := slices.Clone(edits)
	last := 0
	for i, c := range edits {
		at, ok := findOnce(text, c.Old)
		for _, around := range []int{40, 20, 10} {
			if whole := u.change.Text; !ok && whole != nil {
				from, to := max(c.At-around, 0), min(c.At+len(c.Old)+around, len(whole))
				at, ok = findOnce(text, string(whole[from:to]))
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

// findOnce returns the offset of part in a text, and whether part occurs exactly once.
func findOnce(text []byte, part string) (int, bool) {
	at := bytes.Index(text, []byte(part))
	return at, part != "" && at >= 0 && bytes.LastIndex(text, []byte(part)) == at
}

func has(o Object, key string) bool {
	return slices.ContainsFunc(o, func(f Field) bool { return f.Key == key })
}

// revertFields restores the fields that still have the value that the change gave
// them.
func (u *undo) revertFields(text []byte) (Change, error) {
	d, _, err := parseForChange(text, u.place, u.name, nil)
	if err != nil {
		return Change{}, err
	}
	v, _ := d.member(u.name)
	entry, ok := v.(Object)
	if !ok {
		return Change{Text: text}, nil
	}
	now := text
	for _, f := range merged(u.oldFields, u.newFields) {
		got, wants := has(entry, f.Key), has(u.newFields, f.Key)
		if got != wants || got && !equal(get(entry, f.Key), f.Value) {
			continue
		}
		var c Change
		if has(u.oldFields, f.Key) {
			c, err = Set(now, u.place, u.name, Object{{f.Key, get(u.oldFields, f.Key)}})
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
	d, src, err := parseForChange(text, u.place, u.name, nil)
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
		return Change{}, fault.New(fault.Invalid, "the entry %q is not an object", u.name)
	}
	left := slices.DeleteFunc(slices.Clone(entry), func(f Field) bool { return f.Key == key })
	return finish(d, src, u.place, u.name, edits, 0, left)
}

// difference returns a single edit that turns one text into another.
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
