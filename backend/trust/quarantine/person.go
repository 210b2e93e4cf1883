package quarantine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Decision identifies the definition that a person was shown before they decided about an item.
type Decision struct {
	// Hash is the hash of the definition that the person was shown.
	Hash string
	// Confirmed reports that the person was shown the evidence against a blocked item and
	// has approved it a second time.
	Confirmed bool
}

// Item returns an item with its texts, or a fault.NotFound.
func (k *Keeper) Item(ctx context.Context, id int64) (Item, error) {
	i, found, err := k.options.Store.TrustItem(ctx, id)
	if err == nil && !found {
		err = fault.New(fault.NotFound, "there is no item %d: its server does not list it any more, or was removed", id)
	}
	return i, err
}

// Items returns the items of a server with their texts, by kind and position.
func (k *Keeper) Items(ctx context.Context, server string) ([]Item, error) {
	return k.options.Store.TrustItems(ctx, server)
}

// Attention returns the items of all servers that are held or warn, without their texts, by
// server, kind and position.
func (k *Keeper) Attention(ctx context.Context) ([]Item, error) {
	return k.options.Store.HeldItems(ctx)
}

// Relaunched returns how the launch of a server differs from the approved one, or nil if
// it does not.
func (k *Keeper) Relaunched(server string) []LaunchChange {
	configured, err := k.options.Servers.Get(server)
	h := k.view.Load().servers[server]
	if err != nil || h == nil || h.Launch == "" {
		return nil
	}
	now := LaunchOf(configured)
	if now.Hash() == h.Launch {
		return nil
	}
	return h.Form.Changes(now)
}

// Approve approves an item on behalf of a person. The error is a fault.Conflict if the
// item's definition is not the one that the person was shown, or if the item is blocked
// and the approval was not confirmed.
func (k *Keeper) Approve(ctx context.Context, id int64, d Decision) error {
	return k.change(ctx, id, d, func(f *file, item *Item) error {
		if item.Verdict == Block && !d.Confirmed {
			evidence := ""
			if len(item.Findings) > 0 { // the strongest is the first
				evidence = " (" + item.Findings[0].Reason + ")"
			}
			return &fault.Error{Kind: fault.Conflict, Code: fault.CodeConfirm, Message: fmt.Sprintf(
				"the scan blocks %s%s; to approve it anyway, confirm that you have read the evidence",
				subject(f.Name, item.Kind, item.Name), evidence)}
		}
		f.decided(item, approve(*item, f.hash, k.options.Now()), "Approved by a person")
		f.settle()
		return nil
	})
}

// Reject keeps an item from agents for as long as it has its current definition. The error
// is a fault.Conflict if that definition is not the one that the person was shown.
func (k *Keeper) Reject(ctx context.Context, id int64, d Decision) error {
	return k.change(ctx, id, d, func(f *file, item *Item) error {
		f.decided(item, reject(*item, k.options.Now()), "Rejected by a person")
		return nil
	})
}

// change carries out a decision about one item.
func (k *Keeper) change(ctx context.Context, id int64, d Decision, do func(*file, *Item) error) error {
	about, err := k.Item(ctx, id)
	if err != nil {
		return err
	}
	return k.decideOn(ctx, about.Server, func(f *file) ([]Kind, error) {
		item := f.items[key{about.Kind, about.Name}]
		if item == nil || item.ID != id {
			return nil, fault.New(fault.NotFound, "there is no item %d any more", id)
		}
		if d.Hash != item.Hash.String() {
			return nil, fault.New(fault.Conflict, "%s has changed since it was shown, and nothing was decided; look at it again",
				subject(f.Name, item.Kind, item.Name))
		}
		return []Kind{item.Kind}, do(f, item)
	})
}

// decideOn calls do to change the file of a server, saves the file, and reapplies the
// server's lists of the changed kinds, which do returns.
func (k *Keeper) decideOn(ctx context.Context, server string, do func(*file) ([]Kind, error)) error {
	affected, err := func() ([]Kind, error) {
		k.writing.Lock()
		defer k.writing.Unlock()
		f, err := k.open(ctx, server)
		if err != nil {
			return nil, err
		}
		affected, err := do(f)
		if err != nil {
			return nil, err
		}
		return affected, k.save(ctx, f)
	}()
	if err != nil {
		return err
	}
	for _, kind := range affected {
		if err := k.options.Reapply(ctx, server, kind); err != nil {
			return err
		}
	}
	return nil
}

// decided replaces an item with the result of a person's decision, and adds an event.
func (f *file) decided(item *Item, by Item, text string) {
	*item = by
	f.changed[item] = true
	f.events = append(f.events, Event{Server: f.Name, Kind: by.Kind, Name: by.Name, State: by.State, Text: text, Person: true})
}

// settle makes the current launch the approved one, unless an item still waits because the
// launch has changed.
func (f *file) settle() {
	for _, item := range f.items {
		if item.Listed && item.Held() && item.State != Rejected && item.Reason == Relaunch {
			return
		}
	}
	f.accept()
}

// accept makes the current launch the approved one.
func (f *file) accept() { f.Launch, f.Form = f.hash, f.launch }

// ApproveClean approves, on behalf of a person, the launch of a server and those of its
// held items in which the scan finds nothing. launchHash is the hash of the configuration
// that the person was shown, as launch.Launch.Hash returns it. If the configuration has
// changed since, nothing is approved and the error is a fault.Conflict. ApproveClean
// returns how many items it has approved, and how many still wait.
func (k *Keeper) ApproveClean(ctx context.Context, server, launchHash string) (approved, waiting int, err error) {
	err = k.decideOn(ctx, server, func(f *file) (affected []Kind, err error) {
		if launchHash != launch.Of(f.configured).Hash() {
			return nil, fault.New(fault.Conflict,
				"the configuration of server %q has changed since it was shown, and nothing was approved; look at it again", f.Name)
		}
		f.accept()
		for _, item := range f.items {
			switch {
			case !item.Waits():
			case !item.Clean():
				if item.Reason == Relaunch { // decide again, because the launch is approved now
					f.set(item, f.decide(*item, item.Hash, k.circumstances(f, item.Kind, false)))
				}
				waiting++
			default:
				f.decided(item, approve(*item, f.hash, k.options.Now()), "Approved by a person")
				approved++
				if !slices.Contains(affected, item.Kind) {
					affected = append(affected, item.Kind)
				}
			}
		}
		return affected, nil
	})
	return approved, waiting, err
}

// Expect announces s, the configuration that a person is about to give a server. Until
// Accept is called, the launch of s counts as approved, so that no item is held in between.
func (k *Keeper) Expect(s registry.Server) {
	k.writing.Lock()
	defer k.writing.Unlock()
	if h := k.view.Load().servers[s.Name]; h != nil {
		now := *h
		now.expected = LaunchOf(s).Hash()
		k.view.Store(k.view.Load().with(&now))
	}
}

// AcceptVersion is like Accept for a new version of a server, which lists the given tools.
// shown reports that the person was shown how these tools differ from the former ones. In
// that case, AcceptVersion also approves the tools in which the scan finds nothing.
func (k *Keeper) AcceptVersion(ctx context.Context, server string, tools []json.RawMessage, shown bool) error {
	if err := k.Accept(ctx, server, false); err != nil || !shown {
		return err
	}
	k.writing.Lock()
	defer k.writing.Unlock()
	f, err := k.open(ctx, server)
	if err != nil {
		return err
	}
	listed := f.list(Tool, tools)
	if f.unjudged(k.options.Scanner.Version()) {
		if _, err := k.judge(ctx, f, Tool); err != nil {
			return err
		}
	}
	for item, before := range listed {
		if next := f.decide(*item, before, k.circumstances(f, Tool, false)); next.Waits() && next.Verdict < Warn {
			f.decided(item, approve(*item, f.hash, k.options.Now()), "Approved with a version of its server")
		} else {
			f.set(item, next)
		}
	}
	delete(k.listed, list{server, Tool})
	if err := k.save(ctx, f); err != nil {
		return err
	}
	k.classifySoon(f)
	return nil
}

// Accept records that a person has approved the current launch of a server. Items with an
// approved definition are then approved for this launch. If an agent proposed the server,
// clean reports that the person also approves the items in which the scan finds nothing.
func (k *Keeper) Accept(ctx context.Context, server string, clean bool) error {
	return k.decideOn(ctx, server, func(f *file) (affected []Kind, err error) {
		f.carry()
		f.Clean = f.Clean || clean
		for _, item := range f.items {
			if !item.Listed {
				continue
			}
			before := item.State
			next := f.decide(*item, item.Hash, k.circumstances(f, item.Kind, item.Reason == Proposed))
			f.set(item, next)
			if before != next.State && !slices.Contains(affected, item.Kind) {
				affected = append(affected, item.Kind)
			}
		}
		return affected, nil
	})
}
