package syncfolder

import (
	"context"
	"maps"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Request selects what a synchronization does.
type Request struct {
	DryRun bool
	// Hash is that of the dry run that a person has seen. Without it, nothing on this machine is changed.
	Hash string
	// Mine and Theirs name objects whose conflicts are decided for this machine or for the folder, as NAME or KIND/NAME.
	Mine, Theirs []string
	Deletions    bool // objects are deleted even if many are missing on one side
	Unseen       bool // a program sends the request: what changes this machine waits for a person
}

// run is one synchronization.
type run struct {
	*Keeper
	Request
	folder   folder
	machine  string
	mine     *side
	base     Objects
	theirs   Objects
	machines map[string]machineFile
	steps    []step
	items    []SyncedItem // of the steps, in the same order
}

// Sync merges the changes of this machine and of the folder. What changes this machine is done for a person who has seen
// a dry run; otherwise it waits. What the person has not seen waits, too: then the error is a fault.Conflict.
func (k *Keeper) Sync(ctx context.Context, q Request) (Synced, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	state, err := k.Folder()
	if err != nil {
		return Synced{}, err
	}
	r := &run{Keeper: k, Request: q, folder: folder(state.Path), machine: state.Machine}
	if err := r.read(ctx, state.ID); err != nil {
		return Synced{}, err
	}
	if err := r.plan(); err != nil {
		return Synced{}, err
	}
	report := Synced{Folder: state.Path, Hash: hash(r.steps, r.machines), DryRun: q.DryRun}
	if !q.DryRun && !q.Unseen && q.Hash != report.Hash && slices.ContainsFunc(r.steps, func(s step) bool { return s.here }) {
		return Synced{}, fault.New(fault.Conflict, "the folder has changed since its changes were shown; nothing was synchronized. To try again: "+
			"agent-discover sync")
	}
	for _, s := range r.steps {
		r.items = append(r.items, s.item())
	}
	r.take(ctx)
	if !q.DryRun {
		if err := r.finish(ctx, state.ID); err != nil {
			return Synced{}, err
		}
	}
	report.Items = append([]SyncedItem{}, r.items...)
	for _, key := range slices.SortedFunc(maps.Keys(r.mine.apart), compareKeys) {
		report.Items = append(report.Items, SyncedItem{Kind: key.Kind, Name: key.Name, Action: Apart, Why: r.mine.apart[key]})
	}
	return report, nil
}

// read reads both sides and what they had in common.
func (r *run) read(ctx context.Context, id string) error {
	m, err := r.folder.marker()
	if err != nil {
		return err
	}
	if m.ID != id {
		return fault.New(fault.Conflict, "%s is not the folder with which this machine synchronizes, but another one; to use it: "+
			"agent-discover sync init FOLDER", r.folder)
	}
	if r.theirs, err = r.folder.read(); err != nil {
		return err
	}
	if r.machines, err = r.folder.machines(); err != nil {
		return err
	}
	if r.base, err = r.readBase(id); err != nil {
		return err
	}
	if r.mine, err = r.collect(ctx, r.base); err != nil {
		return err
	}
	for key, other := range clashes(r.mine.objects, r.theirs) {
		r.mine.apart[key] = "its name differs only in case from " + other + ", and many disks cannot have both; rename or remove one of them"
	}
	return nil
}

// plan merges the two sides.
func (r *run) plan() error {
	synced := func(o Objects) Objects {
		o = maps.Clone(o)
		for key := range r.mine.apart {
			delete(o, key)
		}
		return o
	}
	base, mine, theirs := synced(r.base), synced(r.mine.objects), synced(r.theirs)
	if !r.Deletions {
		if err := lost(base, theirs, mine, "in "+string(r.folder), "perhaps it was not fetched completely; wait until it is"); err != nil {
			return err
		}
		if err := lost(base, mine, theirs, "on this machine", "perhaps its data folder was replaced or is an older copy"); err != nil {
			return err
		}
	}
	open := merge(base, mine, theirs, func(Key) Side { return Undecided })
	decided := make(map[Key]Side)
	for side, names := range map[Side][]string{Mine: r.Mine, Theirs: r.Theirs} {
		for _, name := range names {
			found := false
			for _, s := range open {
				if len(s.conflicts) > 0 && (name == s.Name || name == s.Key.String()) {
					decided[s.Key], found = side, true
				}
			}
			if !found {
				return fault.New(fault.NotFound, "there is no conflict about %q; to see what differs: agent-discover sync status", name)
			}
		}
	}
	r.steps = merge(base, mine, theirs, func(key Key) Side { return decided[key] })
	return nil
}

// finish writes the folder, and remembers what both sides have in common now.
func (r *run) finish(ctx context.Context, id string) error {
	base := maps.Clone(r.base)
	set := func(key Key, o Object) {
		if o == nil {
			delete(base, key)
		} else {
			base[key] = o
		}
	}
	for key := range r.base {
		if r.mine.objects[key].equal(r.theirs[key]) && r.mine.apart[key] == "" {
			set(key, r.theirs[key])
		}
	}
	for key, o := range r.mine.objects {
		if o.equal(r.theirs[key]) {
			set(key, o)
		}
	}
	for n, s := range r.steps {
		item := &r.items[n]
		if item.Action == Conflict || item.Action == Failed || item.Waiting {
			continue
		}
		if s.there {
			if err := r.folder.write(s.Key, s.theirs, s.value); err != nil {
				item.Action, item.Why = Failed, fault.MessageOf(err)
				continue
			}
		}
		set(s.Key, s.value)
	}
	if err := r.writeBase(id, base); err != nil {
		return err
	}
	now, err := r.collect(ctx, base)
	if err != nil {
		return err
	}
	return r.folder.writeMachine(r.machine, thisMachine(now.values))
}
