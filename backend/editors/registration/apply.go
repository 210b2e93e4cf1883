package registration

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
)

// The values of Outcome.Status.
const (
	done    = "done"
	nothing = "nothing"
	waiting = "waiting"
	refused = "refused"
	failed  = "failed"
)

// attempts is how many times a change is planned before it fails because the editor writes the file
// at the same moment each time.
const attempts = 5

// performer carries out plans. The caller holds Registrar.writing, and may let the performer write
// several files of one request concurrently.
type performer struct {
	planner *planner
	files   *editorFiles
	history *history
	saved   *savedState
	cache   *fileCache
	run     func(ctx context.Context, program string, args ...string) (output []byte, err error) // Options.Execute
	log     *slog.Logger
}

// planAndPerform carries out a plan for a file. It makes a new plan when the
// file was changed between planning and writing.
func (w *performer) planAndPerform(ctx context.Context, path string, plan func() filePlan) Outcome {
	defer atomicfile.LockFolder(ctx, path)()
	for n := 1; ; n++ {
		p := plan()
		outcome, err := w.perform(ctx, p)
		if p.effect == refuse || fault.KindOf(err) != fault.Conflict || n == attempts {
			return outcome
		}
	}
}

// perform carries out a plan. The outcome describes the error as well.
func (w *performer) perform(ctx context.Context, p filePlan) (Outcome, error) {
	out := Outcome{Editor: p.found.ID, Shared: p.shared, Path: p.file.Path, Snippet: p.snippet, Review: p.review}
	var err error
	if p.effect == refuse {
		err = p.problem
	}
	if err == nil {
		err = p.own.makeLink(p.link)
	}
	if err == nil {
		err = w.carryOut(ctx, p, &out)
	}
	if err == nil && (p.undone || out.Status == done || out.Status == waiting) {
		out.Undone = p.undoes
	}
	if err == nil {
		err = w.saveDecision(p)
	}
	if err != nil {
		out.Status, out.Problem = refused, fault.MessageOf(err)
		switch fault.KindOf(err) {
		case fault.Internal, fault.Failed, fault.Timeout:
			out.Status = failed
		}
		w.log.Info("editor file was not changed", "editor", p.found.ID, "action", string(p.action), "err", err)
	}
	return out, err
}

// carryOut carries out a plan that is not refused, and fills in the outcome.
func (w *performer) carryOut(ctx context.Context, p filePlan, out *Outcome) (err error) {
	switch {
	case p.effect == cancelPending, p.effect == keepFile && p.link != "":
		out.Status = done
	case p.effect == keepFile:
		out.Status, out.Problem = nothing, p.reason
	case p.method == afterExit:
		out.Status, out.Reload = waiting, "Quit "+p.found.Name+"; the change is made as soon as it has exited."
		out.Change, err = w.saved.add(pendingChange{
			Editor: p.found.ID, File: p.file, Action: p.action, Entries: p.entries, Change: p.undoes, Replace: p.replace,
			Surface: p.surface, By: p.by, Program: p.program,
		})
	default:
		var c *change
		if c, err = w.changeFile(ctx, p); err != nil {
			return err
		}
		out.Status, out.Change = done, c.ID
		hints := p.hints(reloadHint)
		switch {
		case p.had && !p.has:
			hints = p.hints(removedHint)
		case p.action == Register:
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
func (w *performer) saveDecision(p filePlan) error {
	if !slices.Contains(p.entries, Name) {
		return nil
	}
	if p.method != afterExit {
		obsolete := func(c pendingChange) bool { return pathname.Here.Equal(c.File.Path, p.file.Path) && c.concernsEntry() }
		if err := w.saved.drop(obsolete); err != nil {
			return err
		}
	}
	if p.by == automatic {
		return nil
	}
	return w.saved.setRefused(p.file.Path, !p.has)
}

// changeFile makes the change of a plan and adds it to the history.
func (w *performer) changeFile(ctx context.Context, p filePlan) (*change, error) {
	defer w.cache.forget(p.file.Path) // if the change empties the file, the cache must not assume that another program is writing it
	if p.method == byEditor {
		return w.changeByEditor(ctx, p)
	}
	c := p.change()
	if err := w.history.begin(ctx, c, p.was.Data); err != nil {
		return nil, err
	}
	var err error
	if p.effect == deleteFile {
		err = w.files.disk.Remove(ctx, p.was)
	} else {
		err = w.files.disk.Replace(ctx, p.was, p.text)
	}
	if err != nil && !w.files.wasMade(c, p.was.Data) {
		w.history.abort(c)
		return nil, err
	}
	if p.effect == deleteFile {
		atomicfile.RemoveEmptyFolders(p.folders)
	}
	if err := w.history.commit(ctx, c, p.was.Data); err != nil {
		w.log.Warn("could not mark a change as made", "change", c.ID, "err", err)
	}
	w.log.Info("editor file changed", "editor", p.found.ID, "action", string(p.action), "by", p.by, "change", c.ID)
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

// makeLink creates or replaces a link to the program, for editors that cannot start a program with
// a space in its path. If link is empty, it does nothing.
func (o *ownEntry) makeLink(link string) error {
	if link == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		return fmt.Errorf("make folder of links: %w", err)
	}
	temp := link + ".new"
	_ = os.Remove(temp)
	if err := os.Symlink(o.server.Command, temp); err != nil {
		return fault.Wrap(err, fault.Failed, "could not create a link without spaces to %s", o.server.Command)
	}
	return paths.Replace(temp, link)
}
