// Package vault keeps the secrets of servers. A Vault stores their values where only this user can read them, and
// passes them to the servers that they belong to.
//
// A value is kept in the system's keychain, in an encrypted file whose key is in the keychain, or in a file that is
// encrypted with a passphrase. The store has the names of secrets, but no values. Vault.Fill, which prepares the
// start of a server, is the only function that returns stored values; Vault.Export returns them encrypted. Vault.Seal
// encrypts other data with the same keys.
package vault

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/servers/keychain"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/sealed"
)

// The places where a value is kept.
const (
	InKeychain = "keychain"
	InSealed   = "sealed" // encrypted file for values that are too long for the keychain; its key is in the keychain
	InFile     = "file"   // file that is encrypted with a passphrase
)

const (
	maxValue = 64 << 10 // bytes; some systems limit an environment variable to twice this size
)

// Record describes a secret without its value.
type Record struct {
	Server, Name string
	Kept         string // InKeychain, InSealed or InFile
	UpdatedAt    time.Time
	// Destination is the only place to which a launch of the secret's server may send the secret: the origin of a
	// remote server, or launch.Local. It is "" until the first use.
	Destination string
	Prints      []byte // encrypted fingerprints; empty if there are none yet
	// Dropped marks a deleted secret whose value could not yet be removed from
	// the place where it is kept.
	Dropped bool
}

// Store persists records and links, but no values. Once a write has returned
// nil, its data survives the end of the process.
type Store interface {
	// Secrets returns the records of a server, dropped ones included, sorted by
	// server and name. If server is "", it returns those of all servers.
	Secrets(ctx context.Context, server string) ([]Record, error)
	PutSecret(ctx context.Context, r Record) error
	// MarkSecret stores the Destination and the Prints of a record, each unless it
	// is empty. It does nothing if the secret was set or dropped since the record
	// was read.
	MarkSecret(ctx context.Context, r Record) error
	// DropSecrets marks the record of a secret as dropped and removes the links
	// to the secret. If name is "", it does so for all secrets of the server,
	// and also removes the server's links to secrets of other servers.
	DropSecrets(ctx context.Context, server, name string) error
	// RemoveDropped removes the record of a secret if the record is dropped.
	RemoveDropped(ctx context.Context, server, name string) error

	SecretLinks(ctx context.Context) ([]Link, error)
	PutSecretLink(ctx context.Context, l Link) error
	RemoveSecretLink(ctx context.Context, l Link) error
}

// Options configure a vault.
type Options struct {
	Store  Store
	Bus    *events.Bus          // on which Changed is published
	Folder paths.Folder         // folder of the files of encrypted values
	Known  *redact.KnownSecrets // gets every secret, to redact it; may be nil
	// Launch returns the current configuration of a server, and false if there is
	// no such server; may be nil.
	Launch func(server string) (l launch.Launch, ok bool)
	// NoKeychain disables the use of the system's keychain.
	NoKeychain bool
	// Deadline limits one operation of the keychain; 0 means 8 seconds.
	Deadline time.Duration
	// Work is the base-2 logarithm of the work factor of scrypt, which derives keys from passphrases. 0 means age's
	// default, which takes about a second and 256 MB.
	Work int
}

// Vault keeps secrets: their names in the store, and their values in the
// system's keychain, or in an encrypted file if there is no keychain. Only Fill
// returns values. All methods are safe for concurrent use.
type Vault struct {
	store    Store
	bus      *events.Bus
	known    *redact.KnownSecrets
	launch   func(server string) (launch.Launch, bool)
	onChange func(server string)

	keychain *keychain.Keychain
	sealed   *sealed.KeychainFile
	file     *sealed.PassphraseFile
	writing  chan struct{} // held by the change in progress
	covering atomic.Bool   // coverLater is at work
	work     int           // see Options.Work
}

// New returns a vault. The passphrase-encrypted file is locked until
// Unlock is called.
func New(o Options) *Vault {
	chain := keychain.New(string(o.Folder), o.NoKeychain, o.Deadline)
	return &Vault{
		store: o.Store, bus: o.Bus, known: o.Known, launch: o.Launch, onChange: func(string) {}, keychain: chain,
		writing: make(chan struct{}, 1), work: o.Work,
		sealed: sealed.NewKeychainFile(o.Folder.Sealed("secrets-long"), chain),
		file:   sealed.NewPassphraseFile(o.Folder.Sealed("secrets"), o.Work),
	}
}

// OnChange sets a function that Set, Delete, Forget, Link and Unlink call,
// before they return, for every server to which Fill now returns other values.
// OnChange must be called before the vault is used, and at most once.
func (v *Vault) OnChange(f func(server string)) { v.onChange = f }

// keeper stores values by account.
type keeper interface {
	Get(ctx context.Context, account string) (string, error) // keychain.ErrMissing if the account has no value
	Set(ctx context.Context, account, value string) error
	Delete(ctx context.Context, account string) error // nil if the account has no value
}

func (v *Vault) keeper(kept string) keeper {
	switch kept {
	case InSealed:
		return v.sealed
	case InFile:
		return v.file
	}
	return v.keychain
}

func accountOf(server, name string) string { return server + "/" + name }

// Set stores the value of a server's secret. If the secret already has this value, Set changes only the destination of
// the secret. A fault.Unavailable means that the value cannot be kept anywhere at the moment; its message says what to
// do.
func (v *Vault) Set(ctx context.Context, server, name, value string) error {
	if err := validate(server, name, value); err != nil {
		return err
	}
	leave, err := v.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	old, known, err := v.record(ctx, server, name)
	if err != nil {
		return err
	}
	if known && !old.Dropped {
		if same, err := v.value(ctx, old); err == nil && same == value {
			if old.Destination == v.destination(server) {
				return nil
			}
			old.Destination = v.destination(server)
			if err := v.store.MarkSecret(ctx, old); err != nil {
				return err
			}
			v.notify(server, []string{server})
			return nil
		}
	} else if err := v.store.PutSecret(ctx, Record{Server: server, Name: name, Kept: InKeychain, Dropped: true}); err != nil {
		return err // without a record, the value could never be deleted
	}
	kept, err := v.put(ctx, accountOf(server, name), value)
	if err != nil {
		if !known && !errors.Is(err, keychain.ErrBlocked) { // if the operation is blocked, it may still store the value later
			_ = v.store.RemoveDropped(ctx, server, name)
		}
		return err
	}
	if err := v.store.PutSecret(ctx, Record{
		Server: server, Name: name, Kept: kept, UpdatedAt: time.Now().UTC(),
		Destination: v.destination(server), Prints: v.printsFor(ctx, server, name, value),
	}); err != nil {
		return err
	}
	if known && old.Kept != kept {
		_ = v.keeper(old.Kept).Delete(ctx, accountOf(server, name)) // the old value, to which no record refers any more
	}
	v.sweep(ctx)
	users, _ := v.users(ctx, server, name) // after an error, linked servers keep the old value until their next start
	v.notify(server, users)
	return nil
}

// destination returns the place to which the server's current configuration would send its secrets, as
// launch.Launch.Destination does, or "" if the server is unknown.
func (v *Vault) destination(server string) string {
	if v.launch != nil {
		if l, ok := v.launch(server); ok {
			return l.Destination()
		}
	}
	return ""
}

func validate(server, name, value string) error {
	switch {
	case server == "" || strings.ContainsRune(server, '/') || strings.IndexFunc(server, unicode.IsControl) >= 0:
		return fault.New(fault.Invalid, "invalid server name %q: a secret needs the name of its server", server)
	case name == "":
		return fault.New(fault.Invalid, "name of the secret is required")
	case !utf8.ValidString(name) || strings.IndexFunc(name, unicode.IsControl) >= 0 || strings.ContainsRune(name, '}'):
		return fault.New(fault.Invalid, "invalid name of a secret: use no control characters and no }")
	case utf8.RuneCountInString(name) > launch.MaxSecretName:
		return fault.New(fault.Invalid, "invalid name of a secret: use at most %d characters", launch.MaxSecretName)
	case value == "":
		return fault.New(fault.Invalid, "value is required")
	case len(value) > maxValue:
		return fault.New(fault.Invalid, "the value is longer than %d bytes; keep it in a file and give the server the file's name",
			maxValue)
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		return fault.New(fault.Invalid, "the value is not valid text; encode it, for example with base64")
	}
	return nil
}

// enter waits until no other change is in progress.
func (v *Vault) enter(ctx context.Context) (leave func(), err error) {
	select {
	case v.writing <- struct{}{}:
		return func() { <-v.writing }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (v *Vault) record(ctx context.Context, server, name string) (r Record, known bool, err error) {
	records, err := v.store.Secrets(ctx, server)
	for _, r := range records {
		if r.Name == name {
			return r, true, err
		}
	}
	return Record{}, false, err
}

// put stores a value in the first place that accepts it and returns the place.
func (v *Vault) put(ctx context.Context, account, value string) (kept string, err error) {
	kept = InKeychain
	if len(value) > keychain.MaxValue {
		kept = InSealed
	}
	if err = v.keeper(kept).Set(ctx, account, value); err == nil || ctx.Err() != nil {
		return kept, err
	}
	state, fileErr := v.file.State(ctx)
	switch {
	case fileErr != nil:
		return "", fileErr
	case state == "unlocked":
		return InFile, v.file.Set(ctx, account, value)
	}
	return "", fault.Wrap(err, fault.KindOf(err), "%s; or %s", fault.MessageOf(err), v.unlockAdvice(state))
}

// unlockAdvice says how the user can make the passphrase-encrypted file usable.
func (v *Vault) unlockAdvice(state string) string {
	advice := "choose a passphrase for an encrypted file of secrets with: agent-discover secrets unlock"
	if state == "locked" {
		advice = "unlock the encrypted file of secrets: agent-discover secrets unlock (or start the hub with AGENT_DISCOVER_PASSPHRASE)"
	}
	if why := v.file.Refused(); why != "" {
		advice += "; AGENT_DISCOVER_PASSPHRASE was refused: " + why
	}
	return advice
}

// value returns the value of a secret from the place where it is kept.
func (v *Vault) value(ctx context.Context, r Record) (string, error) {
	return v.keeper(r.Kept).Get(ctx, accountOf(r.Server, r.Name))
}

// Holds reports whether a secret has this value. It reads the value from the
// place where it is kept.
func (v *Vault) Holds(ctx context.Context, server, name, value string) bool {
	r, known, err := v.record(ctx, server, name)
	if err != nil || !known || r.Dropped {
		return false
	}
	held, err := v.value(ctx, r)
	return err == nil && held == value
}

// Unlock unlocks the passphrase-encrypted file until the process ends. If there
// is no file, Unlock creates one with this passphrase. A wrong passphrase is a
// fault.Denied.
func (v *Vault) Unlock(ctx context.Context, passphrase string) error {
	if err := v.file.Await(ctx); err != nil { // deriving two keys at once would need twice the memory
		return err
	}
	leave, err := v.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if err := v.file.Unlock(passphrase); err != nil {
		return err
	}
	v.sweep(ctx)
	v.cover(ctx)
	return nil
}

// UnlockLater returns a function that unlocks the passphrase-encrypted file like Unlock. Call UnlockLater before the
// vault is used, and the function exactly once. Until the function has run, everything that needs the file waits.
// Deriving the key takes about a second and cannot be interrupted: if ctx ends, the function returns at once.
func (v *Vault) UnlockLater(passphrase string) (unlock func(ctx context.Context) error) {
	unlockFile := v.file.UnlockLater(passphrase)
	return func(ctx context.Context) error {
		done := make(chan error, 1)
		go func() { done <- unlockFile() }()
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}
