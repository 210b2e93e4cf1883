package registration

import (
	"context"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// PlanUndo says what Undo would do.
func (r *Registrar) PlanUndo(ctx context.Context, changes []string) ([]Plan, error) {
	list, wishes, err := r.chosen(changes)
	if err != nil {
		return nil, err
	}
	plans := []Plan{}
	for _, w := range wishes {
		plans = append(plans, Plan{Editor: w.Editor, Path: w.File.Path, Action: Undo, Diff: []Line{}})
	}
	files := make(map[string]atomicfile.File) // as they will be after the undos before
	back := make(map[string]bool)
	for _, c := range list {
		was, known := files[c.Path]
		if !known {
			if was, err = atomicfile.Look(c.Path); err != nil {
				plans = append(plans, Plan{Editor: c.Editor, Path: c.Path, Action: Undo, Diff: []Line{}, Problem: fault.MessageOf(err)})
				continue
			}
		}
		d := r.draftUndo(ctx, c, was, back)
		plans = append(plans, d.plan())
		if d.problem == nil && !d.nothing {
			back[c.ID] = true
			files[c.Path] = d.after()
		}
	}
	return plans, nil
}

// after is the file as a draft leaves it.
func (d *draft) after() atomicfile.File {
	f := d.was
	f.Exists, f.Data, f.Hash = !d.gone, d.text, ""
	if f.Exists {
		f.Hash = atomicfile.HashOf(f.Data)
	}
	return f
}

// Undo takes changes back, the last first: to the byte while the file is as the
// change left it, else our part of it alone.
func (r *Registrar) Undo(ctx context.Context, changes []string) ([]Outcome, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	list, wishes, err := r.chosen(changes)
	if err != nil {
		return nil, err
	}
	outcomes := []Outcome{}
	for _, w := range wishes {
		outcomes = append(outcomes, r.takeBack(w))
	}
	for _, c := range list {
		outcomes = append(outcomes, r.insist(ctx, func() draft {
			was, err := atomicfile.Look(c.Path)
			if err != nil {
				return draft{found: r.foundFor(c), file: c.file(), action: Undo, problem: err}
			}
			return r.draftUndo(ctx, c, was, nil)
		}))
	}
	r.tell()
	return outcomes, ctx.Err()
}

// takeBack forgets a wish that waits.
func (r *Registrar) takeBack(w wish) Outcome {
	out := Outcome{Editor: w.Editor, Path: w.File.Path, Status: done}
	_, err := r.notes.drop(func(o wish) bool { return o.ID == w.ID })
	if err == nil && w.Action == Register {
		err = r.notes.refuse(w.File.Path, true)
	}
	if err != nil {
		out.Status, out.Problem = failed, fault.MessageOf(err)
	}
	return out
}

// chosen are changes by their ids, the last first, and what waits.
func (r *Registrar) chosen(ids []string) (list []*change, wishes []wish, err error) {
	all, err := r.ledger.all()
	if err != nil {
		return nil, nil, err
	}
	waiting := r.notes.wishes()
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if at := slices.IndexFunc(waiting, func(w wish) bool { return w.ID == id }); at >= 0 {
			wishes = append(wishes, waiting[at])
			continue
		}
		at := slices.IndexFunc(all, func(c *change) bool { return c.ID == id })
		if at < 0 {
			return nil, nil, fault.New(fault.NotFound, "no change %q is known; agent-discover editors history shows all", id)
		}
		list = append(list, all[at])
	}
	slices.SortFunc(list, func(a, b *change) int { return b.Number - a.Number })
	return list, wishes, nil
}

// foundFor is the editor of a change, as far as it is still in the table.
func (r *Registrar) foundFor(c *change) table.Found {
	if e, ok := table.ByID(c.Editor); ok {
		return r.options.Machine.Find(e)
	}
	return table.Found{Editor: &table.Editor{ID: c.Editor, Name: c.Name}}
}

// draftUndo says what it means to take a change back, in a file as it was
// given. Changes in back count as taken back.
func (r *Registrar) draftUndo(ctx context.Context, c *change, was atomicfile.File, back map[string]bool) draft {
	d := draft{
		found: r.foundFor(c), file: c.file(), action: Undo, entries: c.Entries, by: "person", undoes: c.ID,
		was: was, text: was.Data, had: c.Has, has: c.Had,
	}
	all, err := r.ledger.all()
	switch {
	case err != nil:
		d.problem = err
	case back[c.ID] || undone(all)[c.ID]:
		d.problem = fault.New(fault.Conflict, "that change of %s was taken back already", c.Path)
	case was.Hash == c.After:
		r.restore(&d, c)
	case !was.Exists:
		d.nothing, d.remark = true, c.Path+" is not there any more, so there is nothing to take back"
	default:
		r.revert(&d, c)
	}
	r.complete(ctx, &d, Request{Action: Undo})
	return d
}

// restore gives every byte back.
func (r *Registrar) restore(d *draft, c *change) {
	before, err := r.ledger.before(c)
	if err != nil {
		d.problem = err
		return
	}
	d.text, d.gone, d.folders, d.loose = before, c.Before == "", c.Folders, c.Loose
	if !d.was.Exists {
		d.was.Mode = c.Mode
	}
	for _, s := range slices.Backward(c.steps) {
		d.steps = append(d.steps, s.inverse())
	}
}

// inverse is a step that takes a step back.
func (s step) inverse() step {
	out := step{Name: s.Name, Was: s.Is, Is: s.Was, Cuts: make([]configedit.Cut, len(s.Cuts))}
	shift := 0
	for i, cut := range s.Cuts {
		out.Cuts[i] = configedit.Cut{At: cut.At + shift, Old: cut.New, New: cut.Old}
		shift += len(cut.New) - len(cut.Old)
	}
	return out
}

// revert takes our part of a file back, which others have changed since.
func (r *Registrar) revert(d *draft, c *change) {
	d.reverted = true
	texts, err := r.texts(c)
	if err != nil {
		d.problem = err
		return
	}
	for i, s := range slices.Backward(c.steps) {
		list, err := configedit.Read(d.text, c.Place)
		if err != nil {
			d.problem = err
			return
		}
		there := slices.ContainsFunc(list, func(e configedit.Entry) bool { return e.Name == s.Name })
		if s.superfluous(c, there) {
			continue
		}
		made := configedit.Change{Text: texts[i], Cuts: s.Cuts, Made: s.Made}
		d.apply(step{Name: s.Name, Was: there, Is: s.Was}, func(text []byte) (configedit.Change, error) {
			return configedit.Revert(text, d.file.Place, s.Name, made)
		})
	}
	if d.problem == nil && len(d.steps) == 0 {
		d.nothing, d.remark = true, "nothing of that change is left in "+c.Path
	}
	if e, err := readEntry(d.text, d.file); err == nil {
		d.has = e.ours
	}
}

// superfluous reports whether nothing of a step is left to take back: what it
// put in is gone, or what it took out is there again. What it put in the place
// of somebody else's entry is taken back all the same: that one is missing.
func (s step) superfluous(c *change, there bool) bool {
	if !s.Is {
		return there
	}
	return !there && (!s.Was || c.Had)
}

// texts are the file after each step of a change; nil each where that is not
// known.
func (r *Registrar) texts(c *change) ([][]byte, error) {
	texts := make([][]byte, len(c.steps))
	if c.Loose {
		return texts, nil
	}
	text, err := r.ledger.before(c)
	if err != nil {
		return nil, err
	}
	for i, s := range c.steps {
		if text = s.on(text); text == nil {
			return nil, fault.New(fault.Failed, "what the change of %s was cannot be read", c.Path)
		}
		texts[i] = text
	}
	return texts, nil
}

// on makes a step in a text; nil when it does not fit.
func (s step) on(text []byte) []byte {
	out := make([]byte, 0, len(text))
	from := 0
	for _, cut := range s.Cuts {
		if cut.At < from || cut.At+len(cut.Old) > len(text) || string(text[cut.At:cut.At+len(cut.Old)]) != cut.Old {
			return nil
		}
		out = append(append(out, text[from:cut.At]...), cut.New...)
		from = cut.At + len(cut.Old)
	}
	return append(out, text[from:]...)
}

// History returns all changes, the last first; of one editor when it is named.
func (r *Registrar) History(_ context.Context, editor string) ([]Record, error) {
	if editor != "" {
		e, ok := table.ByID(editor)
		if !ok {
			return nil, unknown(editor)
		}
		editor = e.ID
	}
	all, err := r.ledger.all()
	if err != nil {
		return nil, err
	}
	back := undone(all)
	records := []Record{}
	for _, c := range slices.Backward(all) {
		if editor == "" || c.Editor == editor {
			records = append(records, r.record(c, back[c.ID]))
		}
	}
	return records, nil
}

// record is a change as it is now.
func (r *Registrar) record(c *change, undone bool) Record {
	out := c.Record
	out.Undone = undone
	seen := r.looks.at(c.file())
	out.Exact = !undone && seen.problem == "" && seen.hash == c.After
	switch {
	case undone:
		out.Why = "It was taken back."
	case out.Exact:
	case seen.problem != "":
		out.Why = seen.problem
	case !seen.exists:
		out.Why = "The file is not there any more."
	case c.Has && !seen.entry.there:
		out.Why = "Our entry is not in the file any more."
	}
	out.Possible = out.Why == ""
	return out
}
