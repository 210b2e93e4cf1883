package secrets

import (
	"context"
	"errors"

	"github.com/agent-discover/agent-discover/backend/base/events"
)

// Delete takes a secret and the links to it away. One that is not there is no
// error. A value that its keeper does not let go now goes later: nothing
// leads to it any more.
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

// Forget takes away all that a removed server had: values, names and links.
func (v *Vault) Forget(ctx context.Context, server string) error {
	leave, err := v.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	records, err := v.store.Secrets(ctx, server)
	if err != nil {
		return err
	}
	if len(records) == 0 { // nothing that anybody was given
		return v.store.DropSecrets(ctx, server, "")
	}
	return v.drop(ctx, server, "")
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
	v.tell(server, users)
	return nil
}

// sweep takes the values of dropped records out of their keepers. What fails
// is tried again with the next change.
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

// purge removes a value wherever it may be. A value that went to the file
// while the keychain was locked may have left an older one there.
func (v *Vault) purge(ctx context.Context, r Record) error {
	account := accountOf(r.Server, r.Name)
	err := errors.Join(v.long.delete(ctx, account), v.locker.delete(ctx, account))
	if r.Kept == InKeychain {
		return errors.Join(err, v.chain.delete(ctx, account))
	}
	if locked, none := v.chain.look(ctx); none == nil && !locked { // nobody is to be asked for it
		_ = v.chain.delete(ctx, account)
	}
	return err
}

// Run takes away the values that an earlier hub could not.
func (v *Vault) Run(ctx context.Context) error {
	if leave, err := v.enter(ctx); err == nil {
		v.sweep(ctx)
		leave()
	}
	<-ctx.Done()
	return nil
}

// announce tells whom a changed secret is given to.
func (v *Vault) announce(ctx context.Context, server, name string) {
	users, _ := v.users(ctx, server, name) // who is not told learns it at its next start
	v.tell(server, users)
}

func (v *Vault) tell(server string, users []string) {
	for _, user := range users {
		v.onChange(user)
	}
	events.Publish(v.bus, Changed{Server: server})
}

// users returns the server and those that are linked to its secret; to any of
// its secrets when name is empty.
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
