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

// draft is what is to be done to one file. It is shown as a Plan and carried
// out by perform, so that what is shown is what is done.
type draft struct {
	found   table.Found
	file    table.File
	action  Action
	entries []string
	by      string
	replace bool
	undoes  string // the change that it takes back

	was   atomicfile.File
	text  []byte // the file afterwards
	gone  bool   // the file is not there afterwards
	steps []step
	had   bool
	has   bool

	nothing  bool
	remark   string     // why
	taken    bool       // a wish that waits is taken back
	link     string     // that has to lead to our program
	loose    bool       // by Undo: see change.Loose
	reverted bool       // by Undo, not to the byte
	commands [][]string // of the editor's own program, which makes the change
	wait     bool       // until the editor has ended
	folders  []string   // that go with the file
	snippet  string
	problem  error
}

// draft says what a wish means for a file.
func (r *Registrar) draft(ctx context.Context, t target, w Request) draft {
	d := draft{found: t.found, file: t.file, action: w.Action, entries: []string{Name}, by: orPerson(w.By), replace: w.Replace, problem: t.problem}
	if d.problem != nil {
		r.complete(ctx, &d, w)
		return d
	}
	d.look()
	if hash, shown := w.Expect[d.file.Path]; shown && d.problem == nil && hash != d.was.Hash {
		d.problem = fault.New(fault.Conflict, "%s was changed since it was shown; look at the change again", d.file.Path)
		return d
	}
	switch {
	case d.problem != nil:
	case w.Action == Register:
		r.register(&d)
	case w.Action == Unregister:
		r.unregister(&d)
	default:
		d.problem = fault.New(fault.Invalid, "an editor's file is changed to register or to unregister")
	}
	r.complete(ctx, &d, w)
	return d
}

func orPerson(by string) string {
	if by == "" {
		return "person"
	}
	return by
}

func (d *draft) look() {
	d.was, d.problem = atomicfile.Look(d.file.Path)
	d.text = d.was.Data
}

// complete says what all drafts have in common: why and how they are carried
// out, or why not.
func (r *Registrar) complete(ctx context.Context, d *draft, w Request) {
	d.taken = d.problem == nil && slices.Contains(d.entries, Name) && r.notes.opposes(d.file.Path, d.action)
	if d.problem == nil && !d.nothing {
		d.problem = d.was.Writable()
	}
	if d.problem != nil {
		if d.action == Register {
			d.snippet = r.snippet(d.found.Editor, d.file)
		}
		return
	}
	if d.nothing {
		return
	}
	d.wait = d.file.Scope == userScope && r.runs(ctx, d.found)
	if !d.wait {
		r.command(d, w)
	}
}

// runs reports whether an editor runs that must not while its file is changed.
func (r *Registrar) runs(ctx context.Context, found table.Found) bool {
	return len(found.Running) > 0 && r.options.Running(ctx, found.Running)
}

// unwelcome says why an editor does not get our entry, or nil.
func (r *Registrar) unwelcome(d *draft) error {
	switch {
	case d.found.Register == table.Never:
		return fault.New(fault.Denied, "%s is not changed from outside; paste the entry in its own settings", d.found.Name)
	case d.found.Register == table.IfExisting && !d.was.Exists && d.file.Scope == userScope:
		return fault.New(fault.Denied, "%s has no %s yet, and it is not sure that it would read a new one; add a server in %s first, or paste the entry yourself",
			d.found.Name, d.file.Path, d.found.Name)
	case r.missing(r.options.Entry.Command):
		return fault.New(fault.Unavailable, "%s cannot be started: put agent-discover back there, or start it from where it is now", r.options.Entry.Command)
	}
	return nil
}

func (r *Registrar) register(d *draft) {
	if d.problem = r.unwelcome(d); d.problem != nil {
		return
	}
	wanted, link, err := r.wanted(d.found.Editor)
	if err != nil {
		d.problem = err
		return
	}
	if link != "" && !r.leads(link) {
		d.link = link
	}
	if !table.Ours(r.options.Entry) {
		d.problem = fault.New(fault.Unavailable, "%s would not be known as ours again; give the program a name that begins with agent-discover", r.options.Entry.Command)
		return
	}
	e, err := readEntry(d.was.Data, d.file)
	if err != nil {
		d.problem = err
		return
	}
	d.had, d.has = e.ours, true
	switch r.state(e, wanted) {
	case Registered:
		d.nothing = true
	case Stale:
		if d.nothing = starts(e.server, wanted); !d.nothing { // else the link alone is missing
			d.apply(step{Name: Name, Was: true, Is: true}, func(text []byte) (configedit.Change, error) {
				return mend(text, d.file, e.server, wanted)
			})
		}
	case Foreign:
		if !d.replace {
			d.problem = fault.New(fault.Denied, "%s has a server named %s that starts something else; replace it only if you do not need it", d.file.Path, Name)
			return
		}
		fallthrough
	default:
		d.put(wanted, e.there)
	}
}

func (d *draft) put(wanted table.Server, there bool) {
	value, err := table.Spell(d.file.Shape, Name, wanted)
	if err != nil {
		d.problem = err
		return
	}
	d.apply(step{Name: Name, Was: there, Is: true}, func(text []byte) (configedit.Change, error) {
		return configedit.Put(text, d.file.Place, Name, value)
	})
}

func (r *Registrar) unregister(d *draft) {
	e, err := readEntry(d.was.Data, d.file)
	switch {
	case err != nil:
		d.problem = err
		return
	case !e.there:
		d.nothing = true
		return
	case !e.ours && !d.replace:
		d.problem = fault.New(fault.Denied, "the server named %s in %s is not ours: it starts something else", Name, d.file.Path)
		return
	}
	d.had = e.ours
	if c := r.origin(d.file.Path); c == nil || !r.unmake(d, c) {
		d.remove(Name)
	}
}

// origin is the change that brought our entry into a file, nil when that is not
// known, or the file itself is of its making.
func (r *Registrar) origin(path string) *change {
	all, err := r.ledger.all()
	if err != nil {
		return nil
	}
	back := undone(all)
	for _, c := range slices.Backward(all) {
		if c.Path == path && c.Has && !c.Had && c.Before != "" && !back[c.ID] {
			return c
		}
	}
	return nil
}

// unmake takes our entry out with all that was made for it, and reports whether
// that could be done.
func (r *Registrar) unmake(d *draft, c *change) bool {
	texts, err := r.texts(c)
	if err != nil || len(c.steps) != 1 {
		return false
	}
	s := c.steps[0]
	change, err := configedit.Revert(d.text, d.file.Place, Name, configedit.Change{Text: texts[0], Cuts: s.Cuts, Made: s.Made})
	if err != nil {
		return false
	}
	if e, err := readEntry(change.Text, d.file); err != nil || e.there {
		return false
	}
	d.apply(step{Name: Name, Was: true}, func([]byte) (configedit.Change, error) { return change, nil })
	return true
}

// draftTakeOut says what it means to take entries out of a file.
func (r *Registrar) draftTakeOut(ctx context.Context, t target, entries []string) draft {
	d := draft{found: t.found, file: t.file, action: TakeOut, entries: entries, by: "person"}
	d.look()
	if r.readOnly(t) {
		d.problem = fault.New(fault.Denied, "%s is only read: %s makes it anew by itself", t.file.Path, t.found.Name)
	}
	if d.problem == nil {
		for _, name := range entries {
			d.remove(name)
		}
		d.nothing = d.problem == nil && len(d.steps) == 0
	}
	r.complete(ctx, &d, Request{Action: TakeOut})
	return d
}

// readOnly reports whether a file is one of those that are never written.
func (r *Registrar) readOnly(t target) bool {
	return slices.ContainsFunc(r.options.Machine.Beside(t.found.Editor), func(f table.File) bool {
		return f.Path == t.file.Path && slices.Equal(f.Place.Keys, t.file.Place.Keys)
	})
}

// apply makes a step of a change to the text as it is so far: of an entry that
// was, and is then, there or not.
func (d *draft) apply(s step, act func(text []byte) (configedit.Change, error)) {
	if d.problem != nil {
		return
	}
	change, err := act(d.text)
	if err != nil {
		d.problem = err
		return
	}
	if len(change.Cuts) > 0 {
		d.text = change.Text
		s.Cuts, s.Made = change.Cuts, change.Made
		d.steps = append(d.steps, s)
	}
}

// remove takes an entry out.
func (d *draft) remove(name string) {
	d.apply(step{Name: name, Was: true}, func(text []byte) (configedit.Change, error) { return configedit.Remove(text, d.file.Place, name) })
}

// plan is what a person is shown.
func (d *draft) plan() Plan {
	p := Plan{
		Editor: d.found.ID, Path: d.file.Path, Action: d.action, Nothing: d.nothing && !d.taken && d.link == "", Wait: d.wait,
		Before: d.was.Hash, Snippet: d.snippet, Diff: []Line{}, Writer: shown(d.commands),
	}
	switch {
	case d.problem != nil:
		p.Problem = fault.MessageOf(d.problem)
	case d.gone:
		p.Diff = configdiff.Lines(d.was.Data, nil, d.file)
	case !d.nothing:
		p.Diff = configdiff.Lines(d.was.Data, d.text, d.file)
	}
	return p
}
