package registration

import (
	"context"
	"slices"

	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

type editorFiles struct{ disk atomicfile.Disk }

// readAtRest reads a file once no other program is writing it. Plans that are carried out, not only shown, are made
// from files that are read this way.
func (d *editorFiles) readAtRest(ctx context.Context, file table.File) (atomicfile.File, error) {
	return d.disk.ReadAtRest(ctx, file.Path, checker(file))
}

// checker returns a function that returns why a content cannot be parsed as the given file.
func checker(file table.File) func([]byte) error {
	return func(data []byte) error {
		_, err := configedit.Read(data, file.Place)
		return err
	}
}

// wasMade reports whether an interrupted or failed change was made nevertheless. It compares the hashes or, if the
// file was changed again since, the entries.
func (d *editorFiles) wasMade(c *change, before []byte) bool {
	now, err := d.readAtRest(context.Background(), c.file())
	switch {
	case err != nil || now.Hash == c.Before:
		return false
	case c.Writer:
		return d.complement(c, before, now)
	case now.Hash == c.After:
		return true
	}
	list, err := configedit.Read(now.Data, c.Place)
	if err != nil {
		return false
	}
	exists := make(map[string]bool)
	for _, e := range list {
		exists[e.Name] = true
	}
	if c.Action == TakeOut {
		return !slices.ContainsFunc(c.Entries, func(name string) bool { return exists[name] })
	}
	return c.Had != c.Has && exists[Name] == c.Has
}

// complement completes the record of a change that an editor's commands made, with the hash of the file and the steps
// that produce its content. It reports whether any entry changed.
func (d *editorFiles) complement(c *change, before []byte, now atomicfile.File) bool {
	c.After, c.steps = now.Hash, nil
	file := c.file()
	for _, name := range c.Entries {
		steps, err := stepsBetween(before, now.Data, file.Place, name)
		if err != nil {
			return false
		}
		c.steps = append(c.steps, steps...)
	}
	if e, err := readEntry(now.Data, file); err == nil {
		c.Has = e.ours
	}
	return len(c.steps) > 0
}

// stepsBetween returns the steps that replace the entry in before with the entry in after: one that
// removes the old entry, and one that adds the new one. If the entries are equal, it returns no
// steps.
func stepsBetween(before, after []byte, place configedit.Place, name string) ([]step, error) {
	out, err := configedit.Remove(before, place, name)
	if err != nil {
		return nil, err
	}
	in, err := configedit.Remove(after, place, name)
	if err != nil {
		return nil, err
	}
	sameText := func(x, y configedit.Edit) bool { return x.Old == y.Old && x.New == y.New }
	if slices.EqualFunc(out.Edits, in.Edits, sameText) {
		return nil, nil
	}
	var steps []step
	if len(out.Edits) > 0 {
		steps = append(steps, step{Name: name, Was: true, Edits: out.Edits})
	}
	if len(in.Edits) > 0 {
		steps = append(steps, step{Name: name, Was: true, Edits: in.Edits}.inverse())
	}
	return steps, nil
}

func (d *editorFiles) syncAll(paths ...string) error { return d.disk.SyncAll(paths...) }
