package registration

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configdiff"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// PlanUndo returns what Undo would do, and changes nothing. The ids may name
// changes of the history and pending changes.
func (r *Registrar) PlanUndo(ctx context.Context, ids []string) ([]Plan, error) {
	changes, pending, err := r.planner.find(ids)
	if err != nil {
		return nil, err
	}
	plans := []Plan{}
	for _, c := range pending {
		plans = append(plans, Plan{Editor: c.Editor, Path: c.File.Path, Action: Undo, Diff: []configdiff.Line{}})
	}
	read := newPreviewReader(r.files)
	undone := make(map[string]bool)
	for _, c := range changes {
		p := r.planner.newUndoPlan(ctx, c, read.file, undone)
		plans = append(plans, p.preview())
		if p.effect == editFile || p.effect == deleteFile {
			undone[c.ID] = true
		}
		read.add(&p)
	}
	return plans, nil
}

// after returns the file as a plan leaves it.
func (p *filePlan) after() atomicfile.File {
	f := p.was
	f.Exists, f.Data, f.Hash = p.effect != deleteFile, p.text, ""
	if f.Exists {
		f.Hash = atomicfile.HashOf(f.Data)
	}
	return f
}

// Undo reverts changes, newest first, and cancels pending changes. In a file that is unchanged
// since the change, it restores every byte; in any other file, it reverts only the change itself.
// It skips a change that is already undone. expect contains the previewed plans by the id of their
// change, as in Request.Expect.
func (r *Registrar) Undo(ctx context.Context, ids []string, expect map[string]string) ([]Outcome, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	changes, pending, err := r.planner.find(ids)
	if err != nil {
		return nil, err
	}
	return r.undo(ctx, changes, pending, expect)
}

// UndoAll undoes all changes that are not undone.
func (r *Registrar) UndoAll(ctx context.Context) ([]Outcome, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	all, err := r.history.all()
	if err != nil {
		return nil, err
	}
	undone := undoneIn(all)
	var changes []*change
	for _, c := range slices.Backward(all) {
		if c.Action != Undo && !undone[c.ID] && !c.Forgotten {
			changes = append(changes, c)
		}
	}
	return r.undo(ctx, changes, nil, nil)
}

// undo undoes changes, newest first. The caller holds writing.
func (r *Registrar) undo(ctx context.Context, changes []*change, pending []pendingChange, expect map[string]string) ([]Outcome, error) {
	outcomes := make([]Outcome, len(changes))
	groups := make([]target, len(changes))
	for i, c := range changes {
		groups[i].file = c.file()
	}
	var files errgroup.Group
	files.SetLimit(atOnce)
	for _, group := range byFile(groups) {
		files.Go(func() error {
			for _, i := range group {
				outcomes[i] = r.performer.planAndPerform(ctx, changes[i].Path, func() filePlan {
					p := r.planner.newUndoPlan(ctx, changes[i], r.files.readAtRest, nil)
					p.compare(expect, changes[i].ID)
					return p
				})
			}
			return nil
		})
	}
	_ = files.Wait()
	var cancelled []Outcome
	for _, c := range pending {
		cancelled = append(cancelled, r.cancel(c))
	}
	r.publishChanged()
	return append(cancelled, outcomes...), ctx.Err()
}

// cancel deletes a pending change. For a change that would add the entry, it also stores that a
// person does not want the entry.
func (r *Registrar) cancel(c pendingChange) Outcome {
	out := Outcome{Editor: c.Editor, Path: c.File.Path, Status: done}
	err := r.saved.dropID(c.ID)
	if err == nil && c.Action == Register {
		err = r.saved.setRefused(c.File.Path, true)
	}
	if err != nil {
		out.Status, out.Problem = failed, fault.MessageOf(err)
	}
	return out
}

// find returns the changes and the pending changes with the given ids, changes newest first. An
// unknown id is a fault.NotFound.
func (pl *planner) find(ids []string) (changes []*change, pending []pendingChange, err error) {
	all, err := pl.history.all()
	if err != nil {
		return nil, nil, err
	}
	waiting := pl.saved.pending()
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if at := slices.IndexFunc(waiting, func(c pendingChange) bool { return c.ID == id }); at >= 0 {
			pending = append(pending, waiting[at])
			continue
		}
		at := slices.IndexFunc(all, func(c *change) bool { return c.ID == id })
		if at < 0 {
			return nil, nil, fault.New(fault.NotFound, "unknown change %q; run agent-discover editors history to see all changes", id)
		}
		changes = append(changes, all[at])
	}
	slices.SortFunc(changes, func(a, b *change) int { return b.Number - a.Number })
	return changes, pending, nil
}

// newUndoPlan decides how to undo a change of a file, which it reads with read. Changes in undone
// count as undone already.
func (pl *planner) newUndoPlan(ctx context.Context, c *change, read reader, undone map[string]bool) filePlan {
	found := table.Found{Editor: &table.Editor{ID: c.Editor, Name: c.Name}} // if the editor is no longer in the table
	if e, ok := table.ByID(c.Editor); ok {
		found = pl.machine.Find(e)
	}
	p := filePlan{
		found: found, file: c.file(), action: Undo, entries: c.Entries, shared: c.Shared, by: "person", undoes: c.ID, had: c.Has,
		has: c.Had,
	}
	all, err := pl.history.all()
	p.refuse(err)
	if p.effect != refuse {
		p.read(ctx, read)
	}
	switch {
	case p.effect == refuse:
	case undone[c.ID] || undoneIn(all)[c.ID]:
		p.keep("this change of " + c.Path + " is already undone")
		p.undone = true
	case c.Forgotten:
		p.refuse(fault.New(fault.Unavailable,
			"the backup of this change of %s was deleted, so it cannot be undone; to remove the entry, unregister the editor", c.Path))
	case c.isExact(p.was.Hash):
		pl.restore(ctx, &p, c)
	case !p.was.Exists:
		p.keep(c.Path + " no longer exists, so there is nothing to undo")
	default:
		pl.revert(ctx, &p, c)
	}
	pl.complete(ctx, &p)
	return p
}

// isExact reports whether a file with the given hash is unchanged since the change, and the change consists only of
// its steps. Only then can the former content be restored. A change by the editor's own commands is never exact: they
// write the whole file, including changes that other programs had made by then.
func (c *change) isExact(hash string) bool { return hash == c.After && !c.Loose }

// restore plans to give the file the content before the change. The inverse steps of the change produce this content;
// the backup is needed only if the steps are damaged.
func (pl *planner) restore(ctx context.Context, p *filePlan, c *change) {
	steps, err := pl.history.stepsOf(ctx, c)
	if err != nil {
		p.refuse(err)
		return
	}
	text := p.was.Data
	for _, s := range slices.Backward(steps) {
		back := s.inverse()
		p.steps = append(p.steps, back)
		text = back.applyTo(text)
	}
	if c.Before != "" && atomicfile.HashOf(text) != c.Before {
		if text, err = pl.history.backup(ctx, c); err != nil {
			p.refuse(err)
			return
		}
	}
	p.text, p.folders = text, c.Folders
	if c.Before == "" {
		p.effect = deleteFile
	}
	if !p.was.Exists {
		p.was.Mode = c.Mode
	}
}

// revert plans to undo only the steps of a change, because the file was changed again since.
func (pl *planner) revert(ctx context.Context, p *filePlan, c *change) {
	p.reverts = true
	steps, err := pl.history.stepsOf(ctx, c)
	if err != nil {
		p.refuse(err)
		return
	}
	texts := pl.texts(ctx, c, steps)
	for i, s := range slices.Backward(steps) {
		made := configedit.Change{Text: texts[i], Edits: s.Edits, Made: s.Made}
		if s.Keys != nil {
			p.revertSetting(s, made)
			continue
		}
		list, err := configedit.Read(p.text, c.Place)
		if err != nil {
			p.refuse(err)
			return
		}
		exists := slices.ContainsFunc(list, func(e configedit.Entry) bool { return e.Name == s.Name })
		if s.isReverted(c, exists) {
			continue
		}
		if e, err := readEntry(p.text, p.file); err == nil && s.Name == Name && c.Has && e.exists && !e.ours {
			p.keep(c.Path + " now starts another program as " + Name + ", so it is left as it is")
			return
		}
		p.apply(step{Name: s.Name, Was: exists, Is: s.Was}, func(text []byte) (configedit.Change, error) {
			return configedit.Revert(text, p.file.Place, s.Name, made)
		})
	}
	if p.effect == editFile && len(p.steps) == 0 {
		p.keep(c.Path + " no longer contains anything of this change")
	}
	if e, err := readEntry(p.text, p.file); err == nil {
		p.has = e.ours
	}
	if c.Before == "" && p.effect == editFile && holdsNothing(p.text) {
		p.effect, p.folders = deleteFile, c.Folders
	}
}

// isReverted reports whether nothing of a step is left to revert: the entry that it added is gone, or the entry that
// it removed exists again. If a step replaced the entry of another program and the new entry is gone, the step is not
// reverted, because the replaced entry is still missing.
func (s step) isReverted(c *change, exists bool) bool {
	if !s.Is {
		return exists
	}
	return !exists && (!s.Was || c.Had)
}

// texts returns the content of the file after each step of a change. If any content is unknown, all are nil. The
// contents only help to locate the steps in a file that has changed since.
func (pl *planner) texts(ctx context.Context, c *change, steps []step) [][]byte {
	texts := make([][]byte, len(steps))
	if c.Loose {
		return texts
	}
	text, err := pl.history.backup(ctx, c)
	if err != nil {
		return texts
	}
	for i, s := range steps {
		if text = s.applyTo(text); text == nil {
			return make([][]byte, len(steps))
		}
		texts[i] = text
	}
	return texts
}

// History returns all changes, newest first; with an editor id, only those of
// that editor.
func (r *Registrar) History(_ context.Context, editor string) ([]Record, error) {
	if editor != "" {
		e, ok := table.ByID(editor)
		if !ok {
			return nil, unknownEditor(editor)
		}
		editor = e.ID
	}
	all, err := r.history.all()
	if err != nil {
		return nil, err
	}
	undone := undoneIn(all)
	records := []Record{}
	for _, c := range slices.Backward(all) {
		if editor == "" || c.Editor == editor || slices.Contains(c.Shared, editor) {
			records = append(records, r.survey.record(c, undone[c.ID]))
		}
	}
	return records, nil
}

// record returns the record of a change with its current state.
func (v *survey) record(c *change, undone bool) Record {
	out := c.Record
	out.Undone = undone
	content := v.cache.get(c.file())
	out.Exact = !undone && content.problem == "" && c.isExact(content.hash)
	switch {
	case undone:
		out.Why = "It is already undone."
	case c.Forgotten:
		out.Why = "Its backup was deleted."
	case out.Exact:
	case content.problem != "":
		out.Why = content.problem
	case !content.exists:
		out.Why = "The file no longer exists."
	case c.Has && !content.entry.exists:
		out.Why = "The Agent Discover entry is no longer in the file."
	}
	out.Possible = out.Why == ""
	return out
}
