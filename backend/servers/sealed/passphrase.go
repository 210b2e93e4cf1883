package sealed

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"filippo.io/age"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// minPassphrase is the minimum length of a new passphrase, in characters. A
// program that has a copy of the file can try passphrases without limit.
const minPassphrase = 8

// PassphraseFile is an encrypted file for machines without a keychain. A passphrase
// unlocks it until the process ends.
type PassphraseFile struct {
	file *file
	work int // base-2 logarithm of the work factor of scrypt; 0 for age's default, which takes 256 MB and a second

	opening chan struct{} // closed when the passphrase of UnlockLater was tried; nil if there is none
	refused atomic.Value  // string: why the passphrase of UnlockLater was refused

	mu  sync.Mutex
	key *Key // nil while the file is locked
}

// NewPassphraseFile returns the file at a path. The file is locked. work is the base-2 logarithm of the work factor of
// scrypt, which derives keys from passphrases; 0 means age's default.
func NewPassphraseFile(path string, work int) *PassphraseFile {
	return &PassphraseFile{file: &file{path: path, wrapped: true}, work: work}
}

// Path returns the path of the file.
func (p *PassphraseFile) Path() string { return p.file.path }

// ErrLocked is returned while the file is locked.
var ErrLocked = fault.New(fault.Unavailable,
	"the file of secrets is locked; unlock it with: agent-discover secrets unlock (or start the hub with AGENT_DISCOVER_PASSPHRASE)")

// Await waits until the passphrase of UnlockLater, if any, has been tried.
func (p *PassphraseFile) Await(ctx context.Context) error {
	if p.opening == nil {
		return nil
	}
	select {
	case <-p.opening:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// State returns the state of the file: none, locked or unlocked.
func (p *PassphraseFile) State(ctx context.Context) (string, error) {
	if err := p.Await(ctx); err != nil {
		return "locked", err
	}
	if p.Key() != nil {
		return "unlocked", nil
	}
	held, err := p.file.read()
	if err != nil || held.Identity != "" {
		return "locked", err
	}
	return "none", nil
}

// Key returns the key of the values, and nil while the file is locked.
func (p *PassphraseFile) Key() *Key {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.key
}

// Get returns the value of an account, or keychain.ErrMissing.
func (p *PassphraseFile) Get(ctx context.Context, account string) (string, error) {
	if err := p.Await(ctx); err != nil {
		return "", err
	}
	return p.file.open(account, func() (*Key, error) {
		if key := p.Key(); key != nil {
			return key, nil
		}
		return nil, ErrLocked
	})
}

// Set stores the value of an account.
func (p *PassphraseFile) Set(ctx context.Context, account, value string) error {
	if err := p.Await(ctx); err != nil {
		return err
	}
	key := p.Key()
	if key == nil {
		return ErrLocked
	}
	return p.file.seal(account, value, key)
}

// Delete removes the value of an account. It needs no key.
func (p *PassphraseFile) Delete(_ context.Context, account string) error {
	return p.file.remove(account)
}

// Unlock decrypts the identity with a passphrase. If there is no file, Unlock
// creates one with this passphrase. A wrong passphrase is a fault.Denied.
func (p *PassphraseFile) Unlock(passphrase string) error {
	if passphrase == "" {
		return fault.New(fault.Invalid, "a passphrase is required")
	}
	defer debug.FreeOSMemory() // return the memory that scrypt has used to the system
	var key *Key
	err := p.file.change(func(held *content) (created bool, err error) {
		if held.Identity != "" {
			key, err = unwrap(held.Identity, passphrase)
			return false, err
		}
		if len(held.Values) > 0 {
			return false, p.file.damaged()
		}
		if utf8.RuneCountInString(passphrase) < minPassphrase {
			return false, fault.New(fault.Invalid,
				"the passphrase has fewer than %d characters; nothing was changed. Choose a longer one, such as several words",
				minPassphrase)
		}
		if key, held.Identity, err = p.wrapNew(passphrase); err != nil {
			return false, err
		}
		held.Recipient = key.Recipient().String()
		return true, nil
	})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key = key
	return nil
}

// UnlockLater returns a function that unlocks the file like Unlock. Until that function
// has returned, everything that needs the file waits. The caller must call UnlockLater
// before the file is used, and the function exactly once.
func (p *PassphraseFile) UnlockLater(passphrase string) (unlock func() error) {
	p.opening = make(chan struct{})
	return func() error {
		defer close(p.opening)
		err := p.Unlock(passphrase)
		if err != nil {
			p.refused.Store(fault.MessageOf(err))
		}
		return err
	}
}

// Refused returns why the passphrase of UnlockLater was refused, or "" if it was not.
func (p *PassphraseFile) Refused() string {
	why, _ := p.refused.Load().(string)
	return why
}

// wrapNew creates an identity. It returns the identity and its encrypted form.
func (p *PassphraseFile) wrapNew(passphrase string) (*Key, string, error) {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, "", err
	}
	to, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, "", err
	}
	if p.work > 0 {
		to.SetWorkFactor(p.work)
	}
	wrapped, err := Encrypt([]byte(key.String()), to)
	return key, wrapped, err
}

// unwrap decrypts an identity with a passphrase.
func unwrap(wrapped, passphrase string) (*Key, error) {
	by, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, err
	}
	plain, err := Decrypt(wrapped, by)
	if errors.Is(err, ErrOtherKey) {
		return nil, fault.New(fault.Denied, "the passphrase is wrong; nothing was changed")
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed,
			"the file of secrets is damaged; restore it from a copy, or move it away and set its secrets again")
	}
	return age.ParseX25519Identity(string(plain))
}
