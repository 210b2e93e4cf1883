package registration

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// survey determines the files of editors and the state of the Agent Discover entry in them.
type survey struct {
	own      *ownEntry
	planner  *planner
	history  *history
	saved    *savedState
	cache    *fileCache
	machine  table.Machine
	seenLast func(ctx context.Context, clients []string) time.Time // Options.LastSeen
}

// Status returns editors in the order of the editor table: the detected ones and those with a
// record in the history or, if all is set, every known editor. environment overrides environment
// variables, as in Request.
func (r *Registrar) Status(ctx context.Context, all bool, environment map[string]string) ([]Status, error) {
	changes, err := r.history.all()
	if err != nil {
		return nil, err
	}
	seen, err := r.saved.editorsSeen()
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
			statuses = append(statuses, r.survey.status(ctx, found, seen, changed))
		}
	}
	return statuses, ctx.Err()
}

// lastChanges returns the time of the newest change to each editor's files.
func lastChanges(all []*change) map[string]time.Time {
	last := make(map[string]time.Time)
	for _, c := range all {
		last[c.Editor] = c.At
		for _, id := range c.Shared {
			last[id] = c.At
		}
	}
	return last
}

func (v *survey) status(ctx context.Context, found table.Found, seen seen, changed time.Time) Status {
	sighting, known := seen.Editors[found.ID]
	s := Status{
		ID: found.ID, Name: found.Name, Detected: found.Detected, Evidence: notNil(found.Evidence), Verified: found.Verified,
		Registrable: found.Register != table.Never && len(found.Files) > 0, Importable: found.Import,
		Files: []FileStatus{}, Reload: string(found.Reload), ReloadHint: found.ReloadHint, ListChanged: found.ListChanged,
		MaxTools: found.MaxTools, MaxName: found.MaxName, Managed: notNil(found.Managed), Note: found.Note,
		New:     seen.Editors != nil && found.Detected && (!known || sighting.New),
		Running: found.Detected && v.planner.mustExit(ctx, found),
	}
	stillRegistered := func(c *change) bool { return v.cache.get(c.file()).entry.ours }
	for _, file := range v.withRecorded(found, stillRegistered) {
		s.Files = append(s.Files, v.fileStatus(found, file))
	}
	s.State = mostUrgent(s.Files)
	if s.State == Registered && found.Reload != table.Hot && !changed.IsZero() {
		var last time.Time
		if v.seenLast != nil {
			last = v.seenLast(ctx, found.Clients)
		}
		s.NeedsReload = changed.After(last)
	}
	return s
}

func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// byUrgency lists the states, the one that most needs attention first.
var byUrgency = []State{Unreadable, Foreign, Dropped, Stale, Waiting, Absent, Registered}

// mostUrgent returns the state of the file that most needs attention.
func mostUrgent(files []FileStatus) State {
	for _, state := range byUrgency {
		if slices.ContainsFunc(files, func(f FileStatus) bool { return f.State == state }) {
			return state
		}
	}
	return Absent
}

// fileStatus returns the state of the Agent Discover entry in one file.
func (v *survey) fileStatus(found table.Found, file table.File) FileStatus {
	content := v.cache.get(file)
	s := FileStatus{
		Path: file.Path, Exists: content.exists, Problem: content.problem, Command: content.entry.server.Command, Also: content.entry.also,
	}
	wanted, _, err := v.own.wanted(found.Editor, "")
	updatable := file.Scope == userScope && found.Register != table.Never && content.unwritable == "" && outdated(content.entry.server)
	switch pending, ok := v.saved.pendingForEntry(file.Path); {
	case content.problem != "":
		s.State = Unreadable
	case err != nil && !content.entry.exists:
		s.State, s.Problem = Unreadable, fault.MessageOf(err)
	default:
		s.State = v.own.state(content.entry, wanted)
		if s.State == Absent && v.dropped(found, file) {
			s.State = Dropped
		}
		if ok && (pending.Action != Register || s.State != Registered || updatable || pending.Surface != "") {
			s.State, s.Problem = Waiting, pending.Problem
		}
	}
	if content.unwritable != "" && s.State != Registered && s.State != Unreadable && found.Register != table.Never {
		s.State, s.Problem = Unreadable, content.unwritable
	}
	if err := content.rejected.problem(found.Name); err != nil && found.Register != table.Never {
		s.State, s.Problem = Unreadable, fault.MessageOf(err)
	}
	if s.State == Unreadable || s.State != Registered && found.Register == table.Never {
		s.Snippet = v.own.snippet(found.Editor, file)
	}
	s.Outdated = updatable && s.State == Registered
	if content.entry.ours {
		s.Surface = cmp.Or(parseArguments(table.Arguments(content.entry.server)).surfaceName(), bareSurface)
	}
	if s.State == Stale && v.own.missing(s.Command) {
		s.Problem = s.Command + " does not exist or is not executable"
	}
	return s
}

// dropped reports whether the newest change added the entry to a file, and the entry is now missing
// although no person asked to remove it.
func (v *survey) dropped(found table.Found, file table.File) bool {
	last := v.history.latest()[file.Path]
	seen, err := v.saved.editorsSeen()
	return err == nil && found.Detected && last != nil && last.Has && !slices.Contains(seen.Refused, file.Path)
}

// MarkReviewed stores that a person has seen the detected editors, so that they
// no longer count as new.
func (r *Registrar) MarkReviewed(context.Context) error {
	err := r.recordNewEditors()
	if err == nil {
		err = r.saved.updateSeen(func(s *seen) bool {
			changed := false
			for id, old := range s.Editors {
				if old.New {
					s.Editors[id] = sighting{Auto: old.Auto}
					changed = true
				}
			}
			return changed
		})
	}
	r.publishChanged()
	return err
}

func (v *survey) detected() []table.Found {
	var all []table.Found
	for _, e := range table.Table() {
		if found := v.machine.Find(e); found.Detected {
			all = append(all, found)
		}
	}
	return all
}
