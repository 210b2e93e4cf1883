package configedit

import "github.com/agent-discover/agent-discover/backend/base/fault"

// absent stands for an entry that is not there; nil is a value.
type absent struct{}

// finish makes the change that edits are, and proves it: the new text parses,
// the entry is what it should be, and all else is as it was.
func finish(before document, src source, p Place, name string, edits []replacement, made int, want any) (Change, error) {
	c := Change{Edits: src.edits(edits), Made: made}
	c.Text = apply(src.text, c.Edits)
	if len(c.Edits) == 0 {
		return c, nil
	}
	after, _, err := parse(c.Text, p)
	if err != nil || !before.same(after, name) || !holds(after, name, want) {
		return Change{}, fault.New(fault.Invalid, "the file is written in a way in which the entry %q cannot be changed safely", name)
	}
	return c, nil
}

// holds reports whether an entry has a value, or is absent.
func holds(d document, name string, want any) bool {
	got, n := d.member(name)
	if want == any(absent{}) {
		return n == 0
	}
	return n == 1 && equal(got, want)
}
