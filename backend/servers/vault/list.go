package vault

import (
	"context"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Entry describes a secret to the user.
type Entry struct {
	Name      string
	Masked    string // the same for all secrets: a part of a value, or its length, would reveal too much
	UpdatedAt time.Time
	Kept      string // InKeychain, InSealed or InFile
}

const masked = "********"

// List returns a server's secrets, sorted by name. It reads no values.
func (v *Vault) List(ctx context.Context, server string) ([]Entry, error) {
	records, err := v.records(ctx, server)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, r := range records {
		entries = append(entries, Entry{Name: r.Name, Masked: masked, UpdatedAt: r.UpdatedAt, Kept: r.Kept})
	}
	return entries, nil
}

// Readable returns the names of a server's secrets, and for each whether its
// value can be read without a prompt of the keychain.
func (v *Vault) Readable(ctx context.Context, server string) (map[string]bool, error) {
	records, err := v.records(ctx, server)
	if err != nil {
		return nil, err
	}
	names, closed := make(map[string]bool), make(map[string]bool)
	if locked, none := v.keychain.Check(ctx); none == nil && locked {
		closed[InKeychain], closed[InSealed] = true, true
	}
	for _, r := range records {
		names[r.Name] = false
		if !closed[r.Kept] {
			_, err := v.value(ctx, r)
			names[r.Name], closed[r.Kept] = err == nil, err != nil && fault.KindOf(err) == fault.Unavailable
		}
	}
	return names, nil
}

// Names returns the names of a server's secrets, sorted. It reads no values.
func (v *Vault) Names(ctx context.Context, server string) ([]string, error) {
	records, err := v.records(ctx, server)
	names := make([]string, len(records))
	for i, r := range records {
		names[i] = r.Name
	}
	return names, err
}

// Records returns the records of the secrets of all servers, sorted by server
// and name. It reads no values.
func (v *Vault) Records(ctx context.Context) ([]Record, error) { return v.records(ctx, "") }

// records returns the records of a server, or of all servers if server is "".
// It leaves out dropped ones.
func (v *Vault) records(ctx context.Context, server string) ([]Record, error) {
	records, err := v.store.Secrets(ctx, server)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(records, func(r Record) bool { return r.Dropped }), nil
}

// Status reports where the next value will be kept, and why.
type Status struct {
	Keeper string // keychain, file or none
	Why    string // reason for Keeper, as a sentence
	Advice string // what to do if no place is available; otherwise empty
	File   string // state of the passphrase-encrypted file: none, locked or unlocked
}

// Status returns where the next value will be kept. It does not make the keychain
// prompt the user.
func (v *Vault) Status(ctx context.Context) Status {
	locked, err := v.keychain.Check(ctx)
	state, fileErr := v.file.State(ctx)
	s := Status{File: state}
	switch {
	case err == nil && locked:
		s.Keeper, s.Why = "keychain", "values are in the system's keychain, which is locked and will prompt you when a value is needed"
	case err == nil:
		s.Keeper, s.Why = "keychain", "values are in the system's keychain"
	case state == "unlocked":
		s.Keeper, s.Why = "file", fault.MessageOf(err)+"; values are in "+v.file.Path()+", encrypted under your passphrase"
	default:
		s.Keeper, s.Why, s.Advice = "none", fault.MessageOf(err), v.unlockAdvice(state)
	}
	if fileErr != nil && err != nil {
		s.Advice = fault.MessageOf(fileErr)
	}
	return s
}
