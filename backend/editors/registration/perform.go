package registration

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// What became of a file.
const (
	done    = "done"
	nothing = "nothing"
	waits   = "waiting"
	refused = "refused"
	failed  = "failed"
)

// perform carries a draft out. The error is that of the outcome, for whoever
// may try again.
func (r *Registrar) perform(ctx context.Context, d draft) (Outcome, error) {
	out := Outcome{Editor: d.found.ID, Path: d.file.Path, Snippet: d.snippet}
	err := d.problem
	if err == nil {
		err = r.makeLink(d.link)
	}
	if err == nil {
		err = r.carry(ctx, d, &out)
	}
	if err == nil {
		err = r.note(d)
	}
	if err != nil {
		return r.fail(out, d, err)
	}
	return out, nil
}

func (r *Registrar) carry(ctx context.Context, d draft, out *Outcome) (err error) {
	switch {
	case d.nothing && (d.taken || d.link != ""):
		out.Status = done
	case d.nothing:
		out.Status, out.Problem = nothing, d.remark
	case d.wait:
		out.Status, out.Reload = waits, "Quit "+d.found.Name+": the change is made as soon as it has ended."
		out.Change, err = r.notes.wait(d.wish())
	default:
		var c *change
		if c, err = r.change(ctx, d); err != nil {
			return err
		}
		out.Status, out.Change = done, c.ID
		if d.found.Reload != table.Hot {
			out.Reload = d.found.ReloadHint
		}
	}
	return err
}

func (r *Registrar) fail(out Outcome, d draft, err error) (Outcome, error) {
	out.Status, out.Problem = refused, fault.MessageOf(err)
	switch fault.KindOf(err) {
	case fault.Internal, fault.Failed, fault.Timeout:
		out.Status = failed
	}
	r.options.Log.Info("an editor's file was not changed", "editor", d.found.ID, "action", string(d.action), "err", err)
	return out, err
}

// note remembers what became of our entry in a file: no wish waits that is
// fulfilled or against this one, and nobody puts it back on their own where a
// person sent it away.
func (r *Registrar) note(d draft) error {
	if !slices.Contains(d.entries, Name) {
		return nil
	}
	if !d.wait {
		if err := r.notes.withdraw(d.file.Path); err != nil {
			return err
		}
	}
	if d.by == automatic {
		return nil
	}
	return r.notes.refuse(d.file.Path, !d.has)
}

// change makes the change itself.
func (r *Registrar) change(ctx context.Context, d draft) (*change, error) {
	if len(d.commands) > 0 {
		return r.run(ctx, d)
	}
	c := d.change()
	if err := r.ledger.begin(c, d.was.Data); err != nil {
		return nil, err
	}
	var err error
	if d.gone {
		err = r.disk.Remove(ctx, d.was)
	} else {
		err = r.disk.Put(ctx, d.was, d.text)
	}
	if err != nil && !r.settle(c, d.was.Data) {
		r.ledger.abort(c)
		return nil, err
	}
	if d.gone {
		atomicfile.RemoveFolders(d.folders)
	}
	if err := r.ledger.commit(c); err != nil {
		r.options.Log.Warn("a change is not marked as made", "change", c.ID, "err", err)
	}
	r.options.Log.Info("an editor's file was changed", "editor", d.found.ID, "action", string(d.action), "by", d.by, "change", c.ID)
	return c, nil
}

// change is the record of a draft.
func (d *draft) change() *change {
	c := &change{
		Record: Record{
			Editor: d.found.ID, Name: d.found.Name, Path: d.file.Path, Action: d.action, Entries: d.entries,
			By: d.by, Undoes: d.undoes,
		},
		Loose: d.loose,
		Scope: d.file.Scope, Shape: d.file.Shape, Place: d.file.Place,
		Before: d.was.Hash, Mode: d.was.Mode, Had: d.had, Has: d.has, steps: d.steps,
	}
	if !d.was.Exists {
		c.Folders = d.was.Folders()
	}
	if !d.gone {
		c.After = atomicfile.HashOf(d.text)
	}
	return c
}

// settle says of a change that was cut short whether it was made: by what the
// file holds now, and when somebody has changed it since, by what stands under
// the names.
func (r *Registrar) settle(c *change, before []byte) bool {
	now, err := atomicfile.Look(c.Path)
	switch {
	case err != nil || now.Hash == c.Before:
		return false
	case c.Writer:
		return r.complement(c, before, now)
	case now.Hash == c.After:
		return true
	}
	list, err := configedit.Read(now.Data, c.Place)
	if err != nil {
		return false
	}
	there := make(map[string]bool)
	for _, e := range list {
		there[e.Name] = true
	}
	if c.Action == TakeOut {
		return !anyOf(there, c.Entries)
	}
	return c.Had != c.Has && there[Name] == c.Has
}

func anyOf(there map[string]bool, names []string) bool {
	for _, name := range names {
		if there[name] {
			return true
		}
	}
	return false
}

// makeLink makes a link lead to our program, for editors that start no program
// with a space in its path.
func (r *Registrar) makeLink(link string) error {
	if link == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		return fmt.Errorf("make folder of links: %w", err)
	}
	temp := link + ".new"
	_ = os.Remove(temp)
	if err := os.Symlink(r.options.Entry.Command, temp); err != nil {
		return fault.Wrap(err, fault.Failed, "a link without spaces to %s cannot be made", r.options.Entry.Command)
	}
	return os.Rename(temp, link)
}
