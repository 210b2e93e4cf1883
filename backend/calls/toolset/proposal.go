package toolset

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Propose adds a toolset for an agent. If the policy is ask, the toolset waits for a person's approval, because clients
// may be configured to use a toolset of that name, and the models of other clients read its notes.
func (k *Keeper) Propose(ctx context.Context, t Toolset) (Toolset, error) {
	policy := k.options.Policy()
	if err := refusal(policy); err != nil {
		return Toolset{}, err
	}
	t.Approved = policy.Alone()
	if t.Approved {
		equipFor := t.EquipFor
		t.EquipFor = nil
		made, err := k.add(ctx, t)
		if err == nil && equipFor != nil {
			err = k.Equip(ctx, *equipFor, made.Name)
		}
		return made, err
	}
	waiting := 0
	for _, other := range k.List() {
		if !other.Approved && other.Name != t.Name {
			waiting++
		}
	}
	if waiting >= maxWaiting {
		return Toolset{}, fault.New(fault.Busy,
			"%d toolsets wait for approval, which is the limit; ask the user to approve or delete some in the dashboard", waiting)
	}
	return k.add(ctx, t)
}

// refusal returns the error if agents may not change toolsets, or nil.
func refusal(policy registry.Permission) error {
	return policy.Refusal("change toolsets", "do so in the dashboard")
}

// Approve accepts a toolset that an agent has proposed. hash is the Hash of the toolset that the person was shown; if
// the toolset has changed since, the error is a fault.Conflict.
func (k *Keeper) Approve(ctx context.Context, name, hash string) (Toolset, error) {
	var equipFor *string
	t, err := k.change(ctx, name, func(t Toolset, exists bool) (Toolset, error) {
		switch {
		case !exists:
			return t, k.missing(name)
		case t.Approved:
			return t, nil
		case t.Hash() != hash:
			return t, fault.New(fault.Conflict, "the toolset %q has changed since it was shown; look at it once more", name)
		}
		equipFor = t.EquipFor
		t.Approved, t.EquipFor, t.Updated = true, nil, now()
		return t, nil
	})
	if err == nil && equipFor != nil {
		err = k.Equip(ctx, *equipFor, name)
	}
	return t, err
}

// ProposeNote adds a note of an agent to a tool. If the policy is ask and a person has approved the toolset, the note
// waits for approval. waits reports whether the note waits.
func (k *Keeper) ProposeNote(ctx context.Context, name string, tool catalog.Key, note, client string) (waits bool, err error) {
	policy := k.options.Policy()
	if err := refusal(policy); err != nil {
		return false, err
	}
	if note == "" {
		return false, fault.New(fault.Invalid, "note is required: the text to append to the description")
	}
	if err := checkText("note", note, maxNote); err != nil {
		return false, err
	}
	_, err = k.changeTool(ctx, name, tool, func(t Toolset, r *Reference) error {
		if waits = t.Approved && !policy.Alone(); waits {
			r.Proposed, r.ProposedBy = note, client
		} else {
			r.Note = note
		}
		return nil
	})
	return waits, err
}

// Note sets the note of a tool for a person; an empty note removes it. A note that an agent has proposed is
// discarded.
func (k *Keeper) Note(ctx context.Context, name string, tool catalog.Key, note string) (Toolset, error) {
	return k.changeTool(ctx, name, tool, func(_ Toolset, r *Reference) error {
		r.Note, r.Proposed, r.ProposedBy = note, "", ""
		return nil
	})
}

func (k *Keeper) changeTool(ctx context.Context, name string, tool catalog.Key, f func(t Toolset, r *Reference) error) (Toolset, error) {
	return k.change(ctx, name, func(t Toolset, exists bool) (Toolset, error) {
		if !exists {
			return t, k.missing(name)
		}
		at := t.index(tool)
		if at < 0 {
			return t, fault.New(fault.NotFound, "the toolset %q does not have the tool %s.%s", name, tool.Server, tool.Tool)
		}
		t.Updated = now()
		return t, f(t, &t.Tools[at])
	})
}

// DeleteForAgent deletes a toolset for an agent. If the policy is ask, an agent may delete only toolsets that wait for
// approval.
func (k *Keeper) DeleteForAgent(ctx context.Context, name string) error {
	t, err := k.Get(name)
	if err != nil {
		return err
	}
	policy := k.options.Policy()
	if err := refusal(policy); err != nil {
		return err
	}
	if !policy.Alone() && t.Approved {
		return fault.New(fault.Denied,
			"agents may not delete the toolset %q here, because a person has approved it; ask the user to delete it in the dashboard", name)
	}
	return k.Delete(ctx, name)
}
