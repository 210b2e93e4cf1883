package registration

import (
	"context"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// Status returns editors in the table's order: those that are detected or have
// a record, all when asked for all.
func (r *Registrar) Status(ctx context.Context, all bool, environment map[string]string) ([]Status, error) {
	changes, err := r.ledger.all()
	if err != nil {
		return nil, err
	}
	seen, err := r.notes.look()
	if err != nil {
		return nil, err
	}
	last := lastChanges(changes)
	machine := r.options.Machine.With(environment)
	statuses := []Status{}
	for _, e := range table.Table() {
		found := machine.Find(e)
		changed, recorded := last[e.ID]
		if all || recorded || found.Detected {
			statuses = append(statuses, r.status(ctx, found, seen, changed))
		}
	}
	return statuses, ctx.Err()
}

// lastChanges says when each editor's files were last changed by us.
func lastChanges(all []*change) map[string]time.Time {
	last := make(map[string]time.Time)
	for _, c := range all {
		last[c.Editor] = c.At
	}
	return last
}

func (r *Registrar) status(ctx context.Context, found table.Found, seen seen, changed time.Time) Status {
	sighting, known := seen.Editors[found.ID]
	s := Status{
		ID: found.ID, Name: found.Name, Detected: found.Detected, Evidence: notNil(found.Evidence), Verified: found.Verified,
		Registrable: found.Register != table.Never && len(found.Files) > 0, Importable: found.Import,
		Files: []FileStatus{}, Reload: string(found.Reload), ReloadHint: found.ReloadHint, ListChanged: found.ListChanged,
		MaxTools: found.MaxTools, MaxName: found.MaxName, Managed: notNil(found.Managed), Note: found.Note,
		New:     seen.Editors != nil && found.Detected && (!known || sighting.New),
		Running: found.Detected && r.runs(ctx, found),
	}
	for _, file := range r.withRecorded(found, r.stillOurs) {
		s.Files = append(s.Files, r.fileStatus(found, file))
	}
	s.State = worst(s.Files)
	if s.State == Registered && found.Reload != table.Hot && !changed.IsZero() {
		s.NeedsReload = changed.After(r.lastSeen(ctx, found.Clients))
	}
	return s
}

func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// stillOurs reports whether a file that is not where the editor's are has our
// entry: it may be of a project, or named by a variable.
func (r *Registrar) stillOurs(c *change) bool { return r.looks.at(c.file()).entry.ours }

func (r *Registrar) lastSeen(ctx context.Context, clients []string) time.Time {
	if r.options.LastSeen == nil {
		return time.Time{}
	}
	return r.options.LastSeen(ctx, clients)
}

// byWeight are the states, the one first that needs something done most.
var byWeight = []State{Unreadable, Foreign, Dropped, Stale, Waiting, Absent, Registered}

func worst(files []FileStatus) State {
	for _, state := range byWeight {
		if slices.ContainsFunc(files, func(f FileStatus) bool { return f.State == state }) {
			return state
		}
	}
	return Absent
}

// fileStatus says what our entry is in a file.
func (r *Registrar) fileStatus(found table.Found, file table.File) FileStatus {
	seen := r.looks.at(file)
	s := FileStatus{Path: file.Path, Exists: seen.exists, Problem: seen.problem, Command: seen.entry.server.Command}
	wanted, _, err := r.wanted(found.Editor)
	switch w, waits := r.notes.waitsFor(file.Path); {
	case seen.problem != "":
		s.State = Unreadable
	case err != nil && !seen.entry.there:
		s.State, s.Problem = Unreadable, fault.MessageOf(err)
	default:
		s.State = r.state(seen.entry, wanted)
		if s.State == Absent && r.dropped(found, file) {
			s.State = Dropped
		}
		if waits && (w.Action != Register || s.State != Registered) {
			s.State, s.Problem = Waiting, w.Problem
		}
	}
	if seen.closed != "" && s.State != Registered && s.State != Unreadable && found.Register != table.Never {
		s.State, s.Problem = Unreadable, seen.closed
	}
	if s.State == Unreadable || s.State != Registered && found.Register == table.Never {
		s.Snippet = r.snippet(found.Editor, file)
	}
	if s.State == Stale && r.missing(s.Command) {
		s.Problem = s.Command + " is not there, or no program"
	}
	return s
}

// dropped reports whether we put our entry into a file, and neither we nor a
// person by us took it out.
func (r *Registrar) dropped(found table.Found, file table.File) bool {
	last := r.ledger.latest()[file.Path]
	seen, err := r.notes.look()
	return err == nil && found.Detected && last != nil && last.Has && !slices.Contains(seen.Refused, file.Path)
}

// MarkReviewed notes that a person has seen the editors that are there: none of
// them is new from now on.
func (r *Registrar) MarkReviewed(context.Context) error {
	found := r.detected()
	err := r.notes.sight(func(s *seen) bool {
		changed := s.Editors == nil
		if changed {
			s.Editors = map[string]sighting{}
		}
		for _, f := range found {
			if old, known := s.Editors[f.ID]; !known || old.New {
				s.Editors[f.ID] = sighting{Auto: old.Auto}
				changed = true
			}
		}
		return changed
	})
	r.tell()
	return err
}

func (r *Registrar) detected() []table.Found {
	var all []table.Found
	for _, e := range table.Table() {
		if found := r.options.Machine.Find(e); found.Detected {
			all = append(all, found)
		}
	}
	return all
}
