package toolset

import (
	"context"
	"maps"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// Create adds an approved toolset for a person. Each tool is pinned as its server defines it now.
func (k *Keeper) Create(ctx context.Context, t Toolset) (Toolset, error) {
	t.Approved, t.ProposedBy, t.EquipFor = true, "", nil
	return k.add(ctx, t)
}

// add adds a toolset and pins its tools, which must be in the catalog. A toolset that waits for approval replaces an
// earlier one of the same name that also waits.
func (k *Keeper) add(ctx context.Context, t Toolset) (Toolset, error) {
	t = t.clone()
	if err := k.pinAll(t.Tools, nil); err != nil {
		return Toolset{}, err
	}
	return k.change(ctx, t.Name, func(was Toolset, exists bool) (Toolset, error) {
		if exists && (was.Approved || t.Approved) {
			return was, fault.New(fault.Conflict, "there is a toolset %q already; delete it or use another name", t.Name)
		}
		t.Created = now()
		t.Updated = t.Created
		return t, nil
	})
}

// pinAll pins each of tools to its current definition, except that tools in before keep the pins and proposed notes
// that they have there. It returns a fault.NotFound if a tool to pin is not in the catalog.
func (k *Keeper) pinAll(tools []Reference, before []Reference) error {
	snapshot := k.options.Catalog.Snapshot()
	known := make(map[catalog.Key]Reference)
	for _, r := range before {
		known[r.Key()] = r
	}
	for i, r := range tools {
		if was, ok := known[r.Key()]; ok {
			r.Hash, r.Pinned, r.Proposed, r.ProposedBy = was.Hash, was.Pinned, was.Proposed, was.ProposedBy
			tools[i] = r
			continue
		}
		present, ok := snapshot.Lookup(r.Server, r.Tool)
		if _, held := snapshot.Withheld(r.Key()); held || !ok {
			if err := k.options.Held(r.Key()); err != nil {
				return err
			}
		}
		if !ok {
			return fault.New(fault.NotFound, "unknown tool %s: no server lists it; see: agent-discover find", r.Qualified())
		}
		tools[i] = pin(Reference{Server: r.Server, Tool: r.Tool, Note: r.Note}, present)
	}
	return nil
}

// Update replaces the description and the tools of a toolset on a person's request. Tools that the toolset already
// has keep their pins and get the given notes.
func (k *Keeper) Update(ctx context.Context, name, description string, tools []Reference) (Toolset, error) {
	tools = slices.Clone(tools)
	return k.change(ctx, name, func(t Toolset, exists bool) (Toolset, error) {
		if !exists {
			return t, k.missing(name)
		}
		if err := k.pinAll(tools, t.Tools); err != nil {
			return t, err
		}
		t.Description, t.Tools, t.Updated = description, tools, now()
		return t, nil
	})
}

// Pin accepts the current definitions of the given tools, or of all drifted ones if tools is nil. shown has the
// hashes of the definitions that the person has seen; if a tool has changed since, the error is a fault.Conflict.
// If shown is nil, the hashes are not compared. A tool that is held only because it has changed is thereby approved for
// all clients; other held tools are refused.
func (k *Keeper) Pin(ctx context.Context, name string, tools []catalog.Key, shown map[catalog.Key]string) (Toolset, error) {
	return k.change(ctx, name, func(t Toolset, exists bool) (Toolset, error) {
		if !exists {
			return t, k.missing(name)
		}
		for _, tool := range tools {
			if t.index(tool) < 0 {
				return t, fault.New(fault.NotFound, "the toolset %q does not have the tool %s.%s", name, tool.Server, tool.Tool)
			}
		}
		var held []*catalog.Tool
		for i, e := range k.Entries(t) {
			if tools != nil && !slices.Contains(tools, e.Key()) || tools == nil && e.State != Drifted {
				continue
			}
			if e.Present == nil {
				return t, fault.New(fault.NotFound, "the tool %s is missing, so that it cannot be pinned", e.Qualified())
			}
			if hash, ok := shown[e.Key()]; shown != nil && (!ok || !e.wasShown(hash)) {
				return t, fault.New(fault.Conflict, "the tool %s has changed again; look at it once more", e.Qualified())
			}
			if t.Tools[i] = pin(e.Reference, e.Present); e.Held {
				held = append(held, e.Present)
			}
		}
		for _, tool := range held {
			if err := k.options.Accept(ctx, tool); err != nil {
				return t, err
			}
		}
		t.Updated = now()
		return t, nil
	})
}

// Delete deletes a toolset. Clients that have equipped it fall back to the toolset of AnyClient, if there is one.
func (k *Keeper) Delete(ctx context.Context, name string) error {
	if err := k.drop(ctx, name); err != nil || k.options.Removed == nil {
		return err
	}
	return k.options.Removed(ctx, name)
}

func (k *Keeper) drop(ctx context.Context, name string) error {
	k.writing.Lock()
	defer k.writing.Unlock()
	if err := k.missing(name); err != nil {
		return err
	}
	if err := k.options.Store.DeleteToolset(ctx, name); err != nil {
		return err
	}
	now := k.known.Load()
	next := &known{sets: maps.Clone(now.sets), equipped: maps.Clone(now.equipped)}
	delete(next.sets, name)
	maps.DeleteFunc(next.equipped, func(_, of string) bool { return of == name })
	k.publish(next)
	return nil
}

// Forget removes the pins of the tools of a removed server, because a later server of the
// same name is a different server.
func (k *Keeper) Forget(ctx context.Context, server string) error {
	for _, t := range k.List() {
		if !t.has(server) {
			continue
		}
		_, err := k.change(ctx, t.Name, func(now Toolset, exists bool) (Toolset, error) {
			if !exists {
				return now, k.missing(t.Name)
			}
			for i := range now.Tools {
				if now.Tools[i].Server == server {
					now.Tools[i].Hash, now.Tools[i].Pinned = "", nil
				}
			}
			return now, nil
		})
		if err != nil && fault.KindOf(err) != fault.NotFound { // a toolset that was deleted meanwhile has no pins
			return err
		}
	}
	return nil
}
