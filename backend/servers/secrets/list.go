package secrets

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Entry is a secret as it may be seen.
type Entry struct {
	Name string
	// Masked is the first four characters and ****, **** alone for a short
	// value or one that cannot be read just now.
	Masked    string
	UpdatedAt time.Time
	Kept      string // InKeychain, InSealed or InFile
}

// List returns a server's secrets, sorted by name.
func (v *Vault) List(ctx context.Context, server string) ([]Entry, error) {
	records, err := v.records(ctx, server)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	closed := make(map[string]bool) // keepers that answer nothing
	if locked, none := v.chain.look(ctx); none == nil && locked {
		closed[InKeychain], closed[InSealed] = true, true // nobody is to be asked for a mask
	}
	for _, r := range records {
		e := Entry{Name: r.Name, Masked: "****", UpdatedAt: r.UpdatedAt, Kept: r.Kept}
		if !closed[r.Kept] {
			value, err := v.value(ctx, r)
			closed[r.Kept] = err != nil && fault.KindOf(err) == fault.Unavailable
			e.Masked = mask(value)
		}
		entries = append(entries, e)
	}
	return entries, nil
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

// records returns the records of a server, or of all servers if server is "",
// without dropped ones.
func (v *Vault) records(ctx context.Context, server string) ([]Record, error) {
	records, err := v.store.Secrets(ctx, server)
	if err != nil {
		return nil, err
	}
	kept := records[:0]
	for _, r := range records {
		if !r.Dropped {
			kept = append(kept, r)
		}
	}
	return kept, nil
}

func mask(value string) string {
	if runes := []rune(value); len(runes) > shown {
		return string(runes[:shown]) + "****"
	}
	return "****"
}

// Status says where the next value is kept, and why.
type Status struct {
	Keeper string // keychain, file or none
	Why    string // a sentence
	Advice string // what to do; empty when nothing is missing
	File   string // none, locked or unlocked: the file under a passphrase
}

// Status looks at the keepers. The keychain is made to ask nothing.
func (v *Vault) Status(ctx context.Context) Status {
	locked, err := v.chain.look(ctx)
	state, fileErr := v.locker.state()
	s := Status{File: state}
	switch {
	case err == nil && locked:
		s.Keeper, s.Why = "keychain", "values are in the system's keychain, which is locked and will ask you when one is needed"
	case err == nil:
		s.Keeper, s.Why = "keychain", "values are in the system's keychain"
	case state == "unlocked":
		s.Keeper, s.Why = "file", fault.MessageOf(err)+"; values are in "+v.locker.file.path+", under your passphrase"
	default:
		s.Keeper, s.Why, s.Advice = "none", fault.MessageOf(err), unlockAdvice(state)
	}
	if fileErr != nil && err != nil {
		s.Advice = fault.MessageOf(fileErr)
	}
	return s
}
