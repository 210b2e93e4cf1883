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

// effect is what a plan does to its file.
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

// undoKind is how a plan with the action Undo gets the content to restore.
type undoKind int

const (
	fromBackup      undoKind = iota // from the backup; reverting the steps gives the same text
	fromLooseBackup                 // from the backup, of a change that also changed the file outside the steps
	byReverting                     // by reverting only the steps, in a file that has changed since
)

// filePlan is a decision about one file. The same plan is shown as a Plan and
// carried out by perform, so a preview cannot differ from the change.
type filePlan struct {
	found   table.Found
	file    table.File
	action  Action
	entries []string
	by      string
	replace bool
	undoes  string // the id of the change that Undo reverts

	was   atomicfile.File
	text  []byte // the content after editFile
	steps []step
	had   bool // the Agent Discover entry was in the file
	has   bool // the Agent Discover entry is in the file afterwards

	effect   effect
	problem  error    // for refuse
	reason   string   // for keepFile, may be empty
	snippet  string   // for refuse: the text to paste
	folders  []string // for deleteFile
	link     string   // path of a link to the program that is made first; "" for none
	method   method
	commands [][]string // for byEditor
	undo     undoKind
}

// newPlan decides what a Register or Unregister request means for a file.
func (r *Registrar) newPlan(ctx context.Context, t target, q Request) filePlan {
	p := filePlan{found: t.found, file: t.file, action: q.Action, entries: []string{Name}, by: orPerson(q.By), replace: q.Replace}
	if t.problem != nil {
		p.refuse(t.problem)
	} else {
		p.read()
	}
	hash, previewed := q.Expect[p.file.Path]
	switch {
	case p.effect == refuse:
	case previewed && hash != p.was.Hash:
		p.refuse(fault.New(fault.Conflict, "%s was changed since the preview; review the change again", p.file.Path))
		return p
	case q.Action == Register:
		r.register(&p)
	case q.Action == Unregister:
		r.unregister(&p)
	default:
		p.refuse(fault.New(fault.Invalid, "unknown action %q: use register or unregister", q.Action))
	}
	r.complete(ctx, &p)
	return p
}

func orPerson(by string) string {
	if by == "" {
		return "person"
	}
	return by
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

func (p *filePlan) read() {
	was, err := atomicfile.Read(p.file.Path)
	p.was, p.text = was, was.Data
	p.refuse(err)
}

// complete makes the decisions that all plans have in common: whether the file
// can be written, and by which method.
func (r *Registrar) complete(ctx context.Context, p *filePlan) {
	if p.effect == editFile || p.effect == deleteFile {
		p.refuse(p.was.CheckWritable())
	}
	switch p.effect {
	case refuse:
		if p.action == Register {
			p.snippet = r.snippet(p.found.Editor, p.file)
		}
	case keepFile:
		if slices.Contains(p.entries, Name) && r.saved.hasOpposite(p.file.Path, p.action) {
			p.effect = cancelPending
		}
	default:
		if p.file.Scope == userScope && r.mustExit(ctx, p.found) {
			p.method = afterExit
		} else if p.commands = r.editorCommands(p); len(p.commands) > 0 {
			p.method = byEditor
		}
	}
}

// mustExit reports whether an editor is running that would overwrite a change
// to its file.
func (r *Registrar) mustExit(ctx context.Context, found table.Found) bool {
	return len(found.Running) > 0 && r.options.Running(ctx, found.Running)
}

// apply adds a step to the plan. edit changes the text as the previous steps
// left it; an error makes the plan a refusal.
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

// remove adds the removal of an entry.
func (p *filePlan) remove(name string) {
	p.apply(step{Name: name, Was: true}, func(text []byte) (configedit.Change, error) { return configedit.Remove(text, p.file.Place, name) })
}

// preview returns the plan as a person sees it.
func (p *filePlan) preview() Plan {
	out := Plan{
		Editor: p.found.ID, Path: p.file.Path, Action: p.action, Nothing: p.effect == keepFile && p.link == "",
		Wait: p.method == afterExit, Before: p.was.Hash, Snippet: p.snippet, Diff: []configdiff.Line{}, Writer: formatCommands(p.commands),
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
