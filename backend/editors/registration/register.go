package registration

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// checkRegistrable returns why an editor cannot be registered, or nil.
func (o *ownEntry) checkRegistrable(p *filePlan) error {
	name := p.found.Name
	switch {
	case p.found.Register == table.Never:
		return fault.New(fault.Denied, "%s cannot be registered automatically; paste the entry into its settings", name)
	case p.found.Register == table.IfExisting && !p.was.Exists && p.file.Scope == userScope:
		return fault.New(fault.Denied,
			"%s does not exist, and %s may not read a new file there; add a server in %s first, or paste the entry yourself",
			p.file.Path, name, name)
	case o.missing(o.server.Command):
		return fault.New(fault.Unavailable,
			"%s does not exist or is not executable; install agent-discover there again, or restart it from its new location",
			o.server.Command)
	case !table.Ours(o.server):
		return fault.New(fault.Unavailable,
			"%s would not be recognized as Agent Discover later; give the program a name that begins with agent-discover",
			o.server.Command)
	}
	return nil
}

// register plans to add the entry to a file, or to repair, update or replace it
// there.
func (pl *planner) register(p *filePlan) {
	if err := p.own.checkRegistrable(p); err != nil {
		p.refuse(err)
		return
	}
	wanted, link, err := p.own.wanted(p.found.Editor, p.surface)
	if err != nil {
		p.refuse(err)
		return
	}
	e, err := readEntry(p.was.Data, p.file)
	if err != nil {
		p.refuse(err)
		return
	}
	var rejected rejection
	rejected.which, rejected.line, _ = configedit.FindExtension(p.was.Data, p.file.Rejects)
	if err := rejected.problem(p.found.Name); err != nil {
		p.refuse(err)
		return
	}
	if link != "" && !p.own.isProgram(link) {
		p.link = link
	}
	p.had, p.has = e.ours, true
	switch p.own.state(e, wanted) {
	case Registered, Stale:
		shown := parseArguments(table.Arguments(e.server)).surfaceName()
		if equivalent(e.server, wanted) && !outdated(e.server) && (p.surface == "" || p.surface == shown) {
			p.keep("") // the entry needs no change; at most the link is missing
			return
		}
		p.apply(step{Name: Name, Was: true, Is: true}, func(text []byte) (configedit.Change, error) {
			return repair(text, p.file, e, wanted, p.surface != "")
		})
		p.addSetting()
	case Foreign:
		if !p.replace {
			p.refuse(fault.New(fault.Denied,
				"%s already has a server named %s that starts another program; replace it only if you do not need it", p.file.Path, Name))
			return
		}
		fallthrough
	default:
		p.put(wanted, e.exists)
	}
}

// rejection says why an editor does not read a file that this package could change: the file uses
// an extension of JSON. The zero value means that the editor reads the file.
type rejection struct {
	which configedit.Extension
	line  int
}

func (r rejection) problem(editor string) error {
	what := map[configedit.Extension]string{
		configedit.ByteOrderMark: "a byte order mark at its start",
		configedit.Comment:       "a comment", configedit.TrailingComma: "a comma after the last item",
	}[r.which]
	if what == "" {
		return nil
	}
	return fault.New(fault.Invalid, "line %d: %s does not read a file with %s; remove it, so that %s can read the entry",
		r.line, editor, what, editor)
}

// put adds the entry, or replaces one that exists.
func (p *filePlan) put(wanted table.Server, exists bool) {
	value, err := table.Spell(p.file.Shape, Name, wanted)
	if err != nil {
		p.refuse(err)
		return
	}
	p.apply(step{Name: Name, Was: exists, Is: true}, func(text []byte) (configedit.Change, error) {
		return configedit.Put(text, p.file.Place, Name, value)
	})
	p.addSetting()
}

// unregister plans to remove the entry from a file.
func (pl *planner) unregister(ctx context.Context, p *filePlan) {
	e, err := readEntry(p.was.Data, p.file)
	switch {
	case err != nil:
		p.refuse(err)
		return
	case !e.exists:
		p.keep("")
		return
	case !e.ours && !p.replace:
		p.refuse(fault.New(fault.Denied, "the server named %s in %s starts another program, so it is not removed", Name, p.file.Path))
		return
	}
	p.had = e.ours
	c := pl.origin(p.file.Path)
	if c == nil || !pl.revertOrigin(ctx, p, c) {
		p.remove(Name)
	}
	p.removeSetting()
	if c != nil && c.Before == "" && p.effect == editFile && holdsNothing(p.text) {
		p.effect, p.folders = deleteFile, c.Folders
	}
}

// holdsNothing reports whether a text is blank or contains nothing but an empty JSON object.
func holdsNothing(text []byte) bool {
	return strings.Join(strings.Fields(string(text)), "") == "{}" || len(bytes.TrimSpace(text)) == 0
}

// origin returns the change that added the Agent Discover entry to a file, or nil if the history
// does not contain it. This change may have created the file.
func (pl *planner) origin(path string) *change {
	all, err := pl.history.all()
	if err != nil {
		return nil
	}
	undone := undoneIn(all)
	for _, c := range slices.Backward(all) {
		if pathname.Here.Equal(c.Path, path) && c.Has && !c.Had && !undone[c.ID] {
			return c
		}
	}
	return nil
}

// revertOrigin removes the Agent Discover entry together with the collections and blank lines that
// c added for it. If that is not possible, it returns false and changes nothing.
func (pl *planner) revertOrigin(ctx context.Context, p *filePlan, c *change) bool {
	steps, err := pl.history.stepsOf(ctx, c)
	if err != nil || len(steps) == 0 || slices.ContainsFunc(steps[1:], func(s step) bool { return s.Keys == nil }) {
		return false
	}
	s, texts := steps[0], pl.texts(ctx, c, steps)
	reverted, err := configedit.Revert(p.text, p.file.Place, Name, configedit.Change{Text: texts[0], Edits: s.Edits, Made: s.Made})
	if err != nil {
		return false
	}
	if e, err := readEntry(reverted.Text, p.file); err != nil || e.exists {
		return false
	}
	p.apply(step{Name: Name, Was: true}, func([]byte) (configedit.Change, error) { return reverted, nil })
	for i, s := range steps[1:] {
		p.revertSetting(s, configedit.Change{Text: texts[i+1], Edits: s.Edits, Made: s.Made})
	}
	return true
}

// newTakeOutPlan decides how to remove the entries of imported servers.
func (pl *planner) newTakeOutPlan(ctx context.Context, t target, entries []string) filePlan {
	p := filePlan{found: t.found, file: t.file, action: TakeOut, entries: entries, by: "person"}
	p.read(ctx, pl.files.readAtRest)
	generated := slices.ContainsFunc(pl.machine.Beside(t.found.Editor), func(f table.File) bool {
		return pathname.Here.Equal(f.Path, t.file.Path) && slices.Equal(f.Place.Keys, t.file.Place.Keys)
	})
	if generated {
		p.refuse(fault.New(fault.Denied, "%s cannot be changed: %s generates it", t.file.Path, t.found.Name))
	}
	for _, name := range entries {
		p.remove(name)
	}
	if p.effect == editFile && len(p.steps) == 0 {
		p.keep("")
	}
	pl.complete(ctx, &p)
	return p
}
