package registration

import (
	"context"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configdiff"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// PlanUndo returns what Undo would do, and changes nothing. The ids may name
// changes of the history and pending changes.
func (r *Registrar) PlanUndo(ctx context.Context, ids []string) ([]Plan, error) {
	changes, pending, err := r.find(ids)
	if err != nil {
		return nil, err
	}
	plans := []Plan{}
	for _, c := range pending {
		plans = append(plans, Plan{Editor: c.Editor, Path: c.File.Path, Action: Undo, Diff: []configdiff.Line{}})
	}
	files := make(map[string]atomicfile.File) // by path, as the plans so far leave them
	undone := make(map[string]bool)
	for _, c := range changes {
		was, known := files[c.Path]
		if !known {
			if was, err = atomicfile.Read(c.Path); err != nil {
				plans = append(plans, Plan{Editor: c.Editor, Path: c.Path, Action: Undo, Diff: []configdiff.Line{}, Problem: fault.MessageOf(err)})
				continue
			}
		}
		p := r.newUndoPlan(ctx, c, was, undone)
		plans = append(plans, p.preview())
		if p.effect == editFile || p.effect == deleteFile {
			undone[c.ID] = true
			files[c.Path] = p.after()
		}
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

// Undo reverts changes, newest first, and cancels pending changes. A file that
// is unchanged since gets back every byte; in any other file only the change
// itself is reverted.
func (r *Registrar) Undo(ctx context.Context, ids []string) ([]Outcome, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	changes, pending, err := r.find(ids)
	if err != nil {
		return nil, err
	}
	outcomes := []Outcome{}
	for _, c := range pending {
		outcomes = append(outcomes, r.cancel(c))
	}
	for _, c := range changes {
		outcomes = append(outcomes, r.planAndPerform(ctx, func() filePlan {
			was, err := atomicfile.Read(c.Path)
			if err != nil {
				p := filePlan{found: r.foundFor(c), file: c.file(), action: Undo}
				p.refuse(err)
				return p
			}
			return r.newUndoPlan(ctx, c, was, nil)
		}))
	}
	r.publishChanged()
	return outcomes, ctx.Err()
}

// cancel deletes a pending change.
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

// find returns the changes with these ids, newest first, and the pending
// changes. An unknown id is a fault.NotFound.
func (r *Registrar) find(ids []string) (changes []*change, pending []pendingChange, err error) {
	all, err := r.history.all()
	if err != nil {
		return nil, nil, err
	}
	waiting := r.saved.pending()
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

// foundFor returns the editor of a change. An editor that is no longer in the
// table gets the name in the record.
func (r *Registrar) foundFor(c *change) table.Found {
	if e, ok := table.ByID(c.Editor); ok {
		return r.options.Machine.Find(e)
	}
	return table.Found{Editor: &table.Editor{ID: c.Editor, Name: c.Name}}
}

// newUndoPlan decides how to undo a change. was is the present file. Changes
// in undone count as undone already.
func (r *Registrar) newUndoPlan(ctx context.Context, c *change, was atomicfile.File, undone map[string]bool) filePlan {
	p := filePlan{
		found: r.foundFor(c), file: c.file(), action: Undo, entries: c.Entries, by: "person", undoes: c.ID,
		was: was, text: was.Data, had: c.Has, has: c.Had,
	}
	all, err := r.history.all()
	switch {
	case err != nil:
		p.refuse(err)
	case undone[c.ID] || undoneIn(all)[c.ID]:
		p.refuse(fault.New(fault.Conflict, "this change of %s is already undone", c.Path))
	case was.Hash == c.After:
		r.restore(&p, c)
	case !was.Exists:
		p.keep(c.Path + " no longer exists, so there is nothing to undo")
	default:
		r.revert(&p, c)
	}
	r.complete(ctx, &p)
	return p
}

// restore plans to write the backup of a change.
func (r *Registrar) restore(p *filePlan, c *change) {
	backup, err := r.history.backup(c)
	if err != nil {
		p.refuse(err)
		return
	}
	p.text, p.folders = backup, c.Folders
	if c.Before == "" {
		p.effect = deleteFile
	}
	if c.Loose {
		p.undo = fromLooseBackup
	}
	if !p.was.Exists {
		p.was.Mode = c.Mode
	}
	for _, s := range slices.Backward(c.steps) {
		p.steps = append(p.steps, s.inverse())
	}
}

// revert plans to undo only the steps of a change, in a file that was changed
// again since.
func (r *Registrar) revert(p *filePlan, c *change) {
	p.undo = byReverting
	texts, err := r.texts(c)
	if err != nil {
		p.refuse(err)
		return
	}
	for i, s := range slices.Backward(c.steps) {
		list, err := configedit.Read(p.text, c.Place)
		if err != nil {
			p.refuse(err)
			return
		}
		exists := slices.ContainsFunc(list, func(e configedit.Entry) bool { return e.Name == s.Name })
		if s.isReverted(c, exists) {
			continue
		}
		made := configedit.Change{Text: texts[i], Edits: s.Edits, Made: s.Made}
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
}

// isReverted reports whether nothing of a step is left to revert: the entry that
// it added is gone, or the entry that it removed exists again. A step that
// replaced the entry of another program is still to be reverted when its own
// entry is gone, because the replaced entry is missing.
func (s step) isReverted(c *change, exists bool) bool {
	if !s.Is {
		return exists
	}
	return !exists && (!s.Was || c.Had)
}

// texts returns the content of the file after each step of a change. The
// contents of a loose change are nil because they are unknown.
func (r *Registrar) texts(c *change) ([][]byte, error) {
	texts := make([][]byte, len(c.steps))
	if c.Loose {
		return texts, nil
	}
	text, err := r.history.backup(c)
	if err != nil {
		return nil, err
	}
	for i, s := range c.steps {
		if text = s.applyTo(text); text == nil {
			return nil, fault.New(fault.Failed, "the stored edits of %s do not match its backup, so this change cannot be undone", c.Path)
		}
		texts[i] = text
	}
	return texts, nil
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
		if editor == "" || c.Editor == editor {
			records = append(records, r.record(c, undone[c.ID]))
		}
	}
	return records, nil
}

// record returns the record of a change with its present state.
func (r *Registrar) record(c *change, undone bool) Record {
	out := c.Record
	out.Undone = undone
	content := r.cache.get(c.file())
	out.Exact = !undone && content.problem == "" && content.hash == c.After
	switch {
	case undone:
		out.Why = "It is already undone."
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
