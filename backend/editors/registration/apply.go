package registration

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
)

// The values of Outcome.Status.
const (
	done    = "done"
	nothing = "nothing"
	waiting = "waiting"
	refused = "refused"
	failed  = "failed"
)

// attempts is how often a change is planned anew because the editor wrote the
// file at the same moment.
const attempts = 5

// planAndPerform carries out a plan for a file. It makes a new plan when the
// file was changed between planning and writing.
func (r *Registrar) planAndPerform(ctx context.Context, path string, plan func() filePlan) Outcome {
	defer atomicfile.LockFolder(ctx, path)()
	for n := 1; ; n++ {
		p := plan()
		outcome, err := r.perform(ctx, p)
		if p.effect == refuse || fault.KindOf(err) != fault.Conflict || n == attempts {
			return outcome
		}
	}
}

// perform carries out a plan. The error is the one that the outcome describes.
func (r *Registrar) perform(ctx context.Context, p filePlan) (Outcome, error) {
	out := Outcome{Editor: p.found.ID, Shared: p.shared, Path: p.file.Path, Snippet: p.snippet, Review: p.review}
	var err error
	if p.effect == refuse {
		err = p.problem
	}
	if err == nil {
		err = r.makeLink(p.link)
	}
	if err == nil {
		err = r.carryOut(ctx, p, &out)
	}
	if err == nil {
		err = r.saveDecision(p)
	}
	if err != nil {
		out.Status, out.Problem = refused, fault.MessageOf(err)
		switch fault.KindOf(err) {
		case fault.Internal, fault.Failed, fault.Timeout:
			out.Status = failed
		}
		r.options.Log.Info("editor file was not changed", "editor", p.found.ID, "action", string(p.action), "err", err)
	}
	return out, err
}

// carryOut carries out a plan that is not refused, and fills in the outcome.
func (r *Registrar) carryOut(ctx context.Context, p filePlan, out *Outcome) (err error) {
	switch {
	case p.effect == cancelPending, p.effect == keepFile && p.link != "":
		out.Status = done
	case p.effect == keepFile:
		out.Status, out.Problem = nothing, p.reason
	case p.method == afterExit:
		out.Status, out.Reload = waiting, "Quit "+p.found.Name+"; the change is made as soon as it has exited."
		out.Change, err = r.saved.add(p.pending())
	default:
		var c *change
		if c, err = r.changeFile(ctx, p); err != nil {
			return err
		}
		out.Status, out.Change = done, c.ID
		hints := p.hints(reloadHint)
		if p.action == Register {
			hints = append(hints, p.hints(projectHint)...)
		}
		out.Reload = strings.Join(hints, " ")
	}
	return err
}

// saveDecision updates the saved state after a plan about the Agent Discover
// entry was carried out. It deletes the file's pending change, which is
// obsolete, and stores whether a person has removed the entry, so that it is
// not added automatically again.
func (r *Registrar) saveDecision(p filePlan) error {
	if !slices.Contains(p.entries, Name) {
		return nil
	}
	if p.method != afterExit {
		if err := r.saved.dropForEntry(p.file.Path); err != nil {
			return err
		}
	}
	if p.by == automatic {
		return nil
	}
	return r.saved.setRefused(p.file.Path, !p.has)
}

// changeFile makes the change of a plan and adds it to the history.
func (r *Registrar) changeFile(ctx context.Context, p filePlan) (*change, error) {
	defer r.cache.forget(p.file.Path) // a file that this program has emptied is not one that another is writing
	if p.method == byEditor {
		return r.changeByEditor(ctx, p)
	}
	c := p.change()
	if err := r.history.begin(ctx, c, p.was.Data); err != nil {
		return nil, err
	}
	var err error
	if p.effect == deleteFile {
		err = r.disk.Remove(ctx, p.was)
	} else {
		err = r.disk.Replace(ctx, p.was, p.text)
	}
	if err != nil && !r.wasMade(c, p.was.Data) {
		r.history.abort(c)
		return nil, err
	}
	if p.effect == deleteFile {
		atomicfile.RemoveEmptyFolders(p.folders)
	}
	if err := r.history.commit(ctx, c, p.was.Data); err != nil {
		r.options.Log.Warn("could not mark a change as made", "change", c.ID, "err", err)
	}
	r.options.Log.Info("editor file changed", "editor", p.found.ID, "action", string(p.action), "by", p.by, "change", c.ID)
	return c, nil
}

// change returns the record of a plan for the history.
func (p *filePlan) change() *change {
	c := &change{
		Record: Record{
			Editor: p.found.ID, Name: p.found.Name, Shared: p.shared, Path: p.file.Path, Action: p.action, Entries: p.entries,
			By: p.by, Undoes: p.undoes,
		},
		Scope: p.file.Scope, Shape: p.file.Shape, Place: p.file.Place,
		Before: p.was.Hash, Mode: p.was.Mode, Had: p.had, Has: p.has, steps: p.steps,
	}
	if !p.was.Exists {
		c.Folders = p.was.MissingFolders()
	}
	if p.effect != deleteFile {
		c.After = atomicfile.HashOf(p.text)
	}
	return c
}

// wasMade reports whether an interrupted change was made. It compares hashes
// first. Where the file was changed again since, it compares the entries.
func (r *Registrar) wasMade(c *change, before []byte) bool {
	now, err := r.readAtRest(context.Background(), c.file())
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
	exists := make(map[string]bool)
	for _, e := range list {
		exists[e.Name] = true
	}
	if c.Action == TakeOut {
		return !slices.ContainsFunc(c.Entries, func(name string) bool { return exists[name] })
	}
	return c.Had != c.Has && exists[Name] == c.Has
}

// makeLink creates or replaces a link to the program, for editors that cannot
// start a program with a space in its path. It does nothing for "".
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
		return fault.Wrap(err, fault.Failed, "could not create a link without spaces to %s", r.options.Entry.Command)
	}
	return paths.Replace(temp, link)
}
