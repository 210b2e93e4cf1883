package vault

import (
	"context"
	"errors"

	"github.com/agent-discover/agent-discover/backend/base/events"
)

// Delete deletes a secret and the links to it. Deleting a missing secret is not
// an error. If the value cannot be removed from the place where it is kept, it
// is removed later; until then no server gets it.
func (v *Vault) Delete(ctx context.Context, server, name string) error {
	leave, err := v.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if r, known, err := v.record(ctx, server, name); err != nil || !known || r.Dropped {
		return err
	}
	return v.drop(ctx, server, name)
}

// Forget calls remove, which removes a server and marks the records of its secrets as dropped, and then deletes the values
// of the secrets and all links to and from the server. If remove fails, Forget deletes nothing. If the program ends after
// remove, Run deletes the values.
func (v *Vault) Forget(ctx context.Context, server string, remove func() error) error {
	users, err := v.users(ctx, server, "") // remove deletes the links
	if err != nil {
		return err
	}
	if err := remove(); err != nil {
		return err
	}
	leave, err := v.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if err := v.store.DropSecrets(ctx, server, ""); err != nil { // those that were set while remove was running
		return err
	}
	records, err := v.store.Secrets(ctx, server)
	if err != nil || len(records) == 0 { // no secret is deleted, so no server gets other values
		return err
	}
	v.sweep(ctx)
	v.notify(server, users)
	return nil
}

func (v *Vault) drop(ctx context.Context, server, name string) error {
	users, err := v.users(ctx, server, name)
	if err != nil {
		return err
	}
	if err := v.store.DropSecrets(ctx, server, name); err != nil {
		return err
	}
	v.sweep(ctx)
	v.notify(server, users)
	return nil
}

// sweep removes the values of dropped records. It keeps the records of values
// that cannot be removed; the next sweep tries again.
func (v *Vault) sweep(ctx context.Context) {
	records, err := v.store.Secrets(ctx, "")
	if err != nil {
		return
	}
	for _, r := range records {
		if r.Dropped && v.purge(ctx, r) == nil {
			_ = v.store.RemoveDropped(ctx, r.Server, r.Name)
		}
	}
}

// purge removes the value of a record from all places where it may be kept. A
// value that was set while the keychain was locked is in the file, and the
// keychain may have an older one.
func (v *Vault) purge(ctx context.Context, r Record) error {
	account := accountOf(r.Server, r.Name)
	err := errors.Join(v.sealed.Delete(ctx, account), v.file.Delete(ctx, account))
	if r.Kept == InKeychain {
		return errors.Join(err, v.keychain.Delete(ctx, account))
	}
	if locked, none := v.keychain.Check(ctx); none == nil && !locked { // using a locked keychain would prompt the user
		_ = v.keychain.Delete(ctx, account)
	}
	return err
}

// Run removes the values of deleted secrets that could not be removed before this process started, and makes all
// other secrets known to Options.Known. Then it waits for the end of ctx.
func (v *Vault) Run(ctx context.Context) error {
	if records, err := v.Records(ctx); err == nil && len(records) == 0 {
		v.known.Settle() // the vault is empty, so the records that wait for Settle need not wait for the passphrase
	}
	if v.file.Await(ctx) != nil {
		return nil
	}
	if leave, err := v.enter(ctx); err == nil {
		v.sweep(ctx)
		v.cover(ctx)
		leave()
	}
	v.known.Settle()
	<-ctx.Done()
	return nil
}

// notify calls onChange for each server in users, and publishes that the
// secrets of server have changed.
func (v *Vault) notify(server string, users []string) {
	for _, user := range users {
		v.onChange(user)
	}
	events.Publish(v.bus, Changed{Server: server})
}

// users returns server and the servers that have a link to its secret with the given name. If name is "", it returns
// server and the servers that have a link to any of its secrets.
func (v *Vault) users(ctx context.Context, server, name string) ([]string, error) {
	links, err := v.store.SecretLinks(ctx)
	if err != nil {
		return nil, err
	}
	users := []string{server}
	for _, l := range links {
		if l.Owner == server && (name == "" || l.Name == name) {
			users = append(users, l.Server)
		}
	}
	return users, nil
}
