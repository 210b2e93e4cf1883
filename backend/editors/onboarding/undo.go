package onboarding

import (
	"context"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
)

// SetupUndone is the outcome of undoing a run.
type SetupUndone struct {
	Editors []registration.Outcome `json:"editors" nullable:"false" doc:"The changes of editors' files that were undone."`
	Removed []string               `json:"removed" nullable:"false" doc:"Names of the servers that were removed from the hub."`
	Kept    []string               `json:"kept" nullable:"false" doc:"Names of the servers that stay in the hub, because their entries could not be returned to the editors."`
}

// errNoSetup is the error for requests about a run before the first one.
func errNoSetup() error {
	return fault.New(fault.NotFound, "there was no setup yet; see: agent-discover setup")
}

// Undo returns the files of editors to what they were before the last run, and removes the servers that it imported. A
// server whose entry could not be returned to an editor is kept.
func (g *Guide) Undo(ctx context.Context) (out SetupUndone, err error) {
	g.running.Lock()
	defer g.running.Unlock()
	out = SetupUndone{Editors: []registration.Outcome{}, Removed: []string{}, Kept: []string{}}
	run, err := g.Last()
	if err != nil {
		return out, err
	}
	if run.At.IsZero() {
		return out, errNoSetup()
	}
	if run.Undone != nil {
		return out, fault.New(fault.Conflict, "the setup was undone already, at %s", run.Undone.Local().Format("2006-01-02 15:04"))
	}
	if changes := run.changes(); len(changes) > 0 {
		if out.Editors, err = g.options.Editors.Undo(ctx, changes, nil); err != nil {
			return out, err
		}
	}
	left := run.notUndone(out.Editors)
	lost := run.notReturned(left)
	for _, s := range run.Servers {
		server, missing := g.options.Registry.ByID(s.ID) // a person may have renamed it
		switch {
		case s.ID == 0 || missing != nil: // not imported, or removed by a person
		case slices.Contains(lost, s.Name):
			out.Kept = append(out.Kept, server.Name)
		default:
			if err := g.options.Remove(ctx, server.Name); err != nil {
				return out, err
			}
			out.Removed = append(out.Removed, server.Name)
		}
	}
	if len(left) > 0 {
		return out, nil // a later Undo tries again
	}
	now := time.Now().UTC().Truncate(time.Second)
	run.Undone = &now
	return out, g.save(run)
}

// changes returns the identifiers of the changes that a run made to files, the last one first.
func (r SetupRun) changes() (ids []string) {
	for _, o := range r.Editors {
		if o.Change != "" {
			ids = append(ids, o.Change)
		}
	}
	for _, removed := range r.Removed {
		if removed.Change != "" {
			ids = append(ids, removed.Change)
		}
	}
	slices.Reverse(ids)
	return ids
}

// notUndone returns the identifiers of the run's changes of files that are not undone, given the outcomes of undoing them.
func (r SetupRun) notUndone(outcomes []registration.Outcome) []string {
	return slices.DeleteFunc(r.changes(), func(id string) bool {
		return slices.ContainsFunc(outcomes, func(o registration.Outcome) bool { return o.Undone == id })
	})
}

// notReturned returns the names of the imported servers whose entries are not in the editors again, given the identifiers
// of the changes that are not undone.
func (r SetupRun) notReturned(changes []string) (names []string) {
	for _, removed := range r.Removed {
		if removed.Change != "" && slices.Contains(changes, removed.Change) {
			names = append(names, removed.Servers...)
		}
	}
	return names
}
