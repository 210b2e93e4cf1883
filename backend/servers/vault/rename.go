package vault

import (
	"context"
	"errors"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/keychain"
)

// Rename gives the secrets of a server to the name that it gets. It first copies the values, then calls store with the
// places where the copies are kept, by the names of the secrets, and at last removes the former values. store must make
// the records of the copies those of the secrets, and mark the former records as dropped. If Rename or the program ends
// before store does, the secrets still belong to the former name.
func (v *Vault) Rename(ctx context.Context, server, to string, store func(kept map[string]string) error) error {
	leave, err := v.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	records, err := v.records(ctx, server)
	if err != nil {
		return err
	}
	kept := make(map[string]string, len(records))
	for _, r := range records {
		if kept[r.Name], err = v.copy(ctx, r, to); err != nil {
			v.sweep(ctx) // removes the copies
			return fault.Wrap(err, fault.KindOf(err), "server %q keeps its name, because its secret %q cannot be copied: %s", server, r.Name,
				fault.MessageOf(err))
		}
	}
	err = store(kept)
	v.sweep(ctx) // removes the former values, or the copies if store has failed
	if err == nil {
		v.cover(ctx)
	}
	return err
}

// copy copies the value of a secret to another server, and returns where the copy is kept. Its record is dropped, so that
// the copy is removed unless store changes the record. A secret whose value is lost has no copy.
func (v *Vault) copy(ctx context.Context, r Record, to string) (kept string, err error) {
	value, err := v.value(ctx, r)
	if errors.Is(err, keychain.ErrMissing) {
		return r.Kept, nil
	}
	if err != nil {
		return "", err
	}
	if err := v.store.PutSecret(ctx, Record{Server: to, Name: r.Name, Kept: r.Kept, Dropped: true}); err != nil {
		return "", err
	}
	return r.Kept, v.keeper(r.Kept).Set(ctx, accountOf(to, r.Name), value)
}
