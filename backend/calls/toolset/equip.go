package toolset

import (
	"context"
	"maps"
)

// AnyClient is the key of the toolset for all clients that have not chosen one themselves.
const AnyClient = ""

// Equipped returns the name of the toolset that a client uses: the one that it has equipped or, if it has not chosen
// any, that of AnyClient. The name is empty if the client uses none.
func (k *Keeper) Equipped(client string) string {
	equipped := k.known.Load().equipped
	if name, own := equipped[client]; own {
		return name
	}
	return equipped[AnyClient]
}

// AllEquipped returns the names of the equipped toolsets by client. An empty name means that the client uses no
// toolset, even if AnyClient has one.
func (k *Keeper) AllEquipped() map[string]string { return maps.Clone(k.known.Load().equipped) }

// Equip makes a client use an approved toolset until another one is equipped.
func (k *Keeper) Equip(ctx context.Context, client, name string) error {
	k.writing.Lock()
	defer k.writing.Unlock()
	if err := k.Usable(name); err != nil {
		return err
	}
	return k.equip(ctx, client, name)
}

// equip stores which toolset a client has equipped. The caller holds writing.
func (k *Keeper) equip(ctx context.Context, client, name string) error {
	if err := k.options.Store.SaveEquipped(ctx, client, name); err != nil {
		return err
	}
	now := k.known.Load()
	next := &known{sets: now.sets, equipped: maps.Clone(now.equipped)}
	next.equipped[client] = name
	k.publish(next)
	return nil
}

// Unequip makes a client use no toolset, not even that of AnyClient, and reports whether it used one before.
func (k *Keeper) Unequip(ctx context.Context, client string) (had bool, err error) {
	k.writing.Lock()
	defer k.writing.Unlock()
	had = k.Equipped(client) != ""
	now := k.known.Load()
	if client != AnyClient && now.equipped[AnyClient] != "" {
		return had, k.equip(ctx, client, "")
	}
	if _, own := now.equipped[client]; !own {
		return had, nil
	}
	if err := k.options.Store.DeleteEquipped(ctx, client); err != nil {
		return had, err
	}
	next := &known{sets: now.sets, equipped: maps.Clone(now.equipped)}
	delete(next.equipped, client)
	k.publish(next)
	return had, nil
}
