package registration

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configdiff"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// effect is the effect of a plan on its file.
type effect int

const (
	editFile      effect = iota // text replaces the content
	deleteFile                  // the file and the folders made for it are removed
	keepFile                    // the file is already as requested
	cancelPending               // keepFile, and a pending change of the opposite kind is cancelled
	refuse                      // problem contains the reason
)

// method is how editFile and deleteFile are carried out.
type method int

const (
	direct    method = iota // this process writes the file
	byEditor                // the editor's own commands write the file
	afterExit               // the change becomes pending until the editor has exited
)

// filePlan is a decision about one file. The same plan is shown as a Plan and
// carried out by perform, so a preview cannot differ from the change.
type filePlan struct {
	found   table.Found
	file    table.File
	action  Action
	entries []string
	shared  []string // ids of other editors that read the same file
	by      string
	replace bool
	surface string // for Register: the surface of the entry; "" keeps the current one
	program string // for Register: the program of the entry; "" for that of the hub
	own     *ownEntry
	undoes  string // the id of the change that Undo reverts
	undone  bool   // the change with the id undoes is undone already

	was   atomicfile.File
	text  []byte // the content after editFile
	steps []step
	had   bool // the Agent Discover entry was in the file before the change
	has   bool // the Agent Discover entry is in the file after the change

	effect   effect
	problem  error    // for refuse
	review   bool     // for refuse: the reason is that the plan differs from the previewed one
	reason   string   // for keepFile, may be empty
	snippet  string   // for refuse: the entry, for a person to paste into the file
	folders  []string // for deleteFile: the folders to remove
	link     string   // path of a link to the program that is made first; "" for none
	method   method
	commands [][]string // for byEditor: the commands of the editor
	reverts  bool       // for Undo: the file has changed since, so only the steps are reverted and other changes stay
}

// planner decides how a request changes a file. It changes nothing itself.
type planner struct {
	own      *ownEntry
	files    *editorFiles
	history  *history
	saved    *savedState
	machine  table.Machine
	running  func(ctx context.Context, names []string) bool
	commands bool // the editors' own commands can be executed
}

// newPlan decides how a Register or Unregister request changes a file. It reads the file with read.
func (pl *planner) newPlan(ctx context.Context, t target, q Request, read reader) filePlan {
	p := filePlan{
		found: t.found, file: t.file, action: q.Action, entries: []string{Name}, shared: t.shared, by: cmp.Or(q.By, "person"),
		replace: q.Replace, surface: q.Surface, program: q.Program, own: pl.own.with(q.Program),
	}
	if t.problem != nil {
		p.refuse(t.problem)
	} else {
		p.read(ctx, read)
	}
	switch {
	case p.effect == refuse:
	case q.Action == Register:
		pl.register(&p)
	case q.Action == Unregister:
		pl.unregister(ctx, &p)
	default:
		p.refuse(fault.New(fault.Invalid, "unknown action %q: use register or unregister", q.Action))
	}
	pl.complete(ctx, &p)
	p.compare(q.Expect, p.file.Path)
	return p
}

// compare refuses the plan if it differs from the plan that was previewed under the given key. Plans count as
// different only if both the content of the file and the change of its entries differ.
func (p *filePlan) compare(expect map[string]string, key string) {
	previewed, ok := expect[key]
	if !ok || p.effect == refuse || p.effect == keepFile || previewed == p.was.Hash || previewed == p.difference() {
		return
	}
	p.refuse(fault.New(fault.Conflict, "%s was changed since the preview; review the change again", p.file.Path))
	p.review = true
}

// refuse makes the plan a refusal for the reason err. It does nothing if err
// is nil.
func (p *filePlan) refuse(err error) {
	if err != nil {
		p.effect, p.problem = refuse, err
	}
}

// keep makes the plan leave the file unchanged.
func (p *filePlan) keep(reason string) { p.effect, p.reason = keepFile, reason }

type reader func(ctx context.Context, file table.File) (atomicfile.File, error)

func (p *filePlan) read(ctx context.Context, read reader) {
	was, err := read(ctx, p.file)
	p.was, p.text = was, was.Data
	p.refuse(err)
}

// complete makes the decisions that all plans have in common: whether the file
// can be written, and by which method.
func (pl *planner) complete(ctx context.Context, p *filePlan) {
	if p.effect == editFile || p.effect == deleteFile {
		p.refuse(p.was.CheckWritable())
		p.refuse(p.checkInProject())
	}
	switch p.effect {
	case refuse:
		if p.action == Register {
			p.snippet = p.own.snippet(p.found.Editor, p.file)
		}
	case keepFile:
		pending, ok := pl.saved.pendingForEntry(p.file.Path)
		if ok && pending.Action != p.action && slices.Contains(p.entries, Name) {
			p.effect = cancelPending
		}
	default:
		if p.file.Scope == userScope && pl.mustExit(ctx, p.found) {
			p.method = afterExit
		} else if p.effect == editFile {
			if p.commands = pl.editorCommands(p); len(p.commands) > 0 {
				p.method = byEditor
			}
		}
	}
}

// mustExit reports whether an editor is running that would overwrite a change
// to its file.
func (pl *planner) mustExit(ctx context.Context, found table.Found) bool {
	return len(found.Running) > 0 && pl.running(ctx, found.Running)
}

// apply adds a step to the plan. edit changes the text that the previous steps have produced. If edit fails, the plan
// becomes a refusal.
func (p *filePlan) apply(s step, edit func(text []byte) (configedit.Change, error)) {
	if p.effect == refuse {
		return
	}
	change, err := edit(p.text)
	if err != nil {
		p.refuse(err)
		return
	}
	if len(change.Edits) > 0 {
		p.text = change.Text
		s.Edits, s.Made = change.Edits, change.Made
		p.steps = append(p.steps, s)
	}
}

// remove adds a step that removes an entry.
func (p *filePlan) remove(name string) {
	p.apply(step{Name: name, Was: true},
		func(text []byte) (configedit.Change, error) { return configedit.Remove(text, p.file.Place, name) })
}

// preview returns the plan as a person sees it.
func (p *filePlan) preview() Plan {
	out := Plan{
		Editor: p.found.ID, Shared: p.shared, Path: p.file.Path, Action: p.action, Nothing: p.effect == keepFile && p.link == "",
		Wait: p.method == afterExit, Before: p.was.Hash, Difference: p.difference(), Change: p.undoes,
		Snippet: p.snippet, Diff: []configdiff.Line{}, Writer: formatCommands(p.commands),
	}
	if p.was.Target != p.file.Path {
		out.Target = p.was.Target
	}
	if p.action == Register {
		out.Hint = strings.Join(p.hints(projectHint), " ")
	}
	switch p.effect {
	case refuse:
		out.Problem = fault.MessageOf(p.problem)
	case deleteFile:
		out.Diff = configdiff.Lines(p.was.Data, nil, p.file)
	case editFile:
		out.Diff = configdiff.Lines(p.was.Data, p.text, p.file)
	}
	return out
}

// hints calls its argument for each editor that reads the file. It returns the hints that are not empty, each once.
func (p *filePlan) hints(of func(e *table.Editor, scope string) string) []string {
	editors := []*table.Editor{p.found.Editor}
	for _, id := range p.shared {
		if e, ok := table.ByID(id); ok {
			editors = append(editors, e)
		}
	}
	var all []string
	for _, e := range editors {
		if hint := of(e, p.file.Scope); hint != "" && !slices.Contains(all, hint) {
			all = append(all, hint)
		}
	}
	return all
}

func projectHint(e *table.Editor, scope string) string {
	if scope == userScope {
		return ""
	}
	return e.ProjectHint
}

func reloadHint(e *table.Editor, _ string) string {
	if e.Reload == table.Hot {
		return ""
	}
	return e.ReloadHint
}

func removedHint(e *table.Editor, _ string) string {
	if e.Reload == table.Hot {
		return ""
	}
	return e.RemovedHint
}

// difference returns a hash of the change that a plan makes to its entries: the entries before and after it, and how
// the change is made. The rest of the file does not affect it. It is "" for a plan that changes nothing.
func (p *filePlan) difference() string {
	if p.effect != editFile && p.effect != deleteFile {
		return ""
	}
	type state struct{ Name, Before, After string }
	var states []state
	for _, name := range p.entries {
		s := state{Name: name, Before: valueOf(p.was.Data, p.file, name)}
		if p.effect == editFile {
			s.After = valueOf(p.text, p.file, name)
		}
		states = append(states, s)
	}
	text, _ := json.Marshal([]any{p.was.Target, p.action, p.effect, p.method, p.commands, states}) // cannot fail
	return atomicfile.HashOf(text)
}

// valueOf returns an entry as text; "" when the text has no such entry.
func valueOf(text []byte, file table.File, name string) string {
	list, _ := configedit.Read(text, file.Place)
	for _, e := range list {
		if e.Name == name {
			value, _ := json.Marshal(e.Value) // cannot fail: it was parsed
			return string(value)
		}
	}
	return ""
}
