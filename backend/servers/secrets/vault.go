package secrets

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// Where a value is kept.
const (
	InKeychain = "keychain"
	InSealed   = "sealed" // too long for the keychain, which has the key
	InFile     = "file"   // opened by a passphrase
)

const (
	maxName  = 128      // characters
	maxValue = 64 << 10 // bytes: an environment takes twice that at most
	maxChain = 3 << 9   // bytes; macOS takes 3,000 encoded, with the account
	shown    = 4        // characters of a value that Masked shows
)

// Record is the name of a secret, which is not secret.
type Record struct {
	Server, Name string
	Kept         string // InKeychain, InSealed or InFile
	UpdatedAt    time.Time
	// Dropped records stand for values that are nobody's and still have to be
	// taken out of their keeper.
	Dropped bool
}

// Store keeps names and links, never a value. A call that returned nil
// survives the end of the process.
type Store interface {
	// Secrets returns the records of a server, of all with an empty name,
	// dropped ones too, sorted by server and name.
	Secrets(ctx context.Context, server string) ([]Record, error)
	PutSecret(ctx context.Context, r Record) error
	// DropSecrets marks a server's record with a name, all of them when it is
	// empty, and removes the links to them; with all of them those of the
	// server itself too.
	DropSecrets(ctx context.Context, server, name string) error
	// RemoveDropped removes a record that is dropped.
	RemoveDropped(ctx context.Context, server, name string) error

	SecretLinks(ctx context.Context) ([]Link, error)
	PutSecretLink(ctx context.Context, l Link) error
	RemoveSecretLink(ctx context.Context, l Link) error
}

// Options configure a vault.
type Options struct {
	Store  Store
	Bus    *events.Bus  // receives Changed events
	Folder paths.Folder // holds the files of encrypted values
	Given  *Given       // receives every value that Fill returns; may be nil
	// NoKeychain makes the vault work without the system's keychain.
	NoKeychain bool
	// Deadline limits one operation of the keychain; 0 means 8 seconds.
	Deadline time.Duration
	// Work is the cost of trying a passphrase, as a power of 2. 0 means age's
	// default, which takes about a second and 256 MB.
	Work int
}

// Vault keeps secrets: values in the system's keychain, or in a sealed file
// where there is none, and names in the store. It never shows a value, but
// fills in what a server is started with. All methods are safe for concurrent
// use.
type Vault struct {
	store    Store
	bus      *events.Bus
	given    *Given
	onChange func(server string)

	chain   *keychain
	long    *overlong
	locker  *locker
	writing chan struct{} // one change at a time
}

// NewVault returns a vault. The sealed file, if there is one, is locked.
func NewVault(o Options) *Vault {
	chain := newKeychain(string(o.Folder), o.NoKeychain, o.Deadline)
	return &Vault{
		store: o.Store, bus: o.Bus, given: o.Given, onChange: func(string) {}, chain: chain, writing: make(chan struct{}, 1),
		long:   &overlong{file: &sealedFile{path: o.Folder.Sealed("secrets-long")}, chain: chain},
		locker: &locker{file: &sealedFile{path: o.Folder.Sealed("secrets"), wrapped: true}, work: o.Work},
	}
}

// OnChange makes the vault call f before Set, Delete, Forget, Link and Unlink
// return, once for every server that gets other values from Fill than before.
// OnChange must be called before the vault is used, and at most once.
func (v *Vault) OnChange(f func(server string)) { v.onChange = f }

// keeper holds values under accounts.
type keeper interface {
	get(ctx context.Context, account string) (string, error) // errMissing when there is none
	set(ctx context.Context, account, value string) error
	delete(ctx context.Context, account string) error // nil when there is none
}

func (v *Vault) keeper(kept string) keeper {
	switch kept {
	case InSealed:
		return v.long
	case InFile:
		return v.locker
	}
	return v.chain
}

func accountOf(server, name string) string { return server + "/" + name }

// Set keeps a value under a name of a server. The same value again changes
// nothing. A fault.Unavailable says that there is no place for it just now,
// and what to do.
func (v *Vault) Set(ctx context.Context, server, name, value string) error {
	if err := check(server, name, value); err != nil {
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
			return nil
		}
	} else if err := v.store.PutSecret(ctx, Record{Server: server, Name: name, Kept: InKeychain, Dropped: true}); err != nil {
		return err // nothing is kept that no record leads to
	}
	kept, err := v.put(ctx, accountOf(server, name), value)
	if err != nil {
		if !known && !errors.Is(err, errWaits) { // else it may be kept yet
			_ = v.store.RemoveDropped(ctx, server, name)
		}
		return err
	}
	if err := v.store.PutSecret(ctx, Record{Server: server, Name: name, Kept: kept, UpdatedAt: time.Now().UTC()}); err != nil {
		return err
	}
	if known && old.Kept != kept {
		_ = v.keeper(old.Kept).delete(ctx, accountOf(server, name)) // a value of the past, which nothing leads to
	}
	v.sweep(ctx)
	v.announce(ctx, server, name)
	return nil
}

func check(server, name, value string) error {
	switch {
	case server == "" || strings.ContainsRune(server, '/') || strings.IndexFunc(server, unicode.IsControl) >= 0:
		return fault.New(fault.Invalid, "a secret belongs to a server; %q is no name of one", server)
	case name == "":
		return fault.New(fault.Invalid, "a secret needs a name")
	case !utf8.ValidString(name) || strings.IndexFunc(name, unicode.IsControl) >= 0 || strings.ContainsRune(name, '}'):
		return fault.New(fault.Invalid, "a secret's name holds no control characters and no }")
	case utf8.RuneCountInString(name) > maxName:
		return fault.New(fault.Invalid, "a secret's name has at most %d characters", maxName)
	case value == "":
		return fault.New(fault.Invalid, "value is required")
	case len(value) > maxValue:
		return fault.New(fault.Invalid, "the value is longer than %d bytes; keep it in a file and give the server the file's name", maxValue)
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		return fault.New(fault.Invalid, "the value is no text; encode it, for example with base64")
	}
	return nil
}

// enter waits until no other change is under way.
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

// put keeps a value where it can be kept, and says where that was.
func (v *Vault) put(ctx context.Context, account, value string) (kept string, err error) {
	kept = InKeychain
	if len(value) > maxChain {
		kept = InSealed
	}
	if err = v.keeper(kept).set(ctx, account, value); err == nil || ctx.Err() != nil {
		return kept, err
	}
	state, fileErr := v.locker.state()
	switch {
	case fileErr != nil:
		return "", fileErr
	case state == "unlocked":
		return InFile, v.locker.set(ctx, account, value)
	}
	return "", fault.Wrap(err, fault.KindOf(err), "%s; without it: %s", fault.MessageOf(err), unlockAdvice(state))
}

func unlockAdvice(state string) string {
	if state == "locked" {
		return "unlock the file of secrets with agent-discover secrets unlock, or start the hub with AGENT_DISCOVER_PASSPHRASE"
	}
	return "let a file keep the secrets, under a passphrase that you choose: agent-discover secrets unlock"
}

// value reads what a record stands for.
func (v *Vault) value(ctx context.Context, r Record) (string, error) {
	return v.keeper(r.Kept).get(ctx, accountOf(r.Server, r.Name))
}

// Holds reports whether a secret has a value, as read back from its keeper.
func (v *Vault) Holds(ctx context.Context, server, name, value string) bool {
	r, known, err := v.record(ctx, server, name)
	if err != nil || !known || r.Dropped {
		return false
	}
	held, err := v.value(ctx, r)
	return err == nil && held == value
}

// Unlock opens the sealed file. Where there is none it is made, and this
// passphrase is its own from now on. A wrong one is a fault.Denied.
func (v *Vault) Unlock(ctx context.Context, passphrase string) error {
	leave, err := v.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if err := v.locker.unlock(passphrase); err != nil {
		return err
	}
	v.sweep(ctx)
	return nil
}
