package configedit

import "github.com/agent-discover/agent-discover/backend/base/fault"

// absent is the expected value of an entry that must not exist. It is not nil, because nil is the value null.
type absent struct{}

// finish applies replacements and verifies the result: the new text must parse,
// the entry must have the value want, and everything else must be unchanged.
func finish(before document, src source, p Place, name string, edits []replacement, made int, want any) (Change, error) {
	c := Change{Edits: src.edits(edits), Made: made}
	c.Text = apply(src.text, c.Edits)
	if len(c.Edits) == 0 {
		return c, nil
	}
	after, _, err := parse(c.Text, p)
	if err != nil || !before.same(after, name) || !holds(after, name, want) {
		return Change{}, fault.New(fault.Invalid, "the layout of the file does not allow changing the entry %q safely", name)
	}
	return c, nil
}

// holds reports whether an entry has the value want.
func holds(d document, name string, want any) bool {
	got, n := d.member(name)
	if want == any(absent{}) {
		return n == 0
	}
	return n == 1 && equal(got, want)
}
