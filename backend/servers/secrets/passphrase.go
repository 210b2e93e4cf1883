package secrets

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"unicode/utf8"

	"filippo.io/age"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// minPassphrase is the minimum length of a new passphrase, in characters. A
// program that has a copy of the file can try passphrases without limit.
const minPassphrase = 8

// passphraseKeeper is the keeper for machines without a keychain. It stores
// values in a file that is encrypted with a passphrase. Once unlocked, the file
// stays unlocked until the process ends.
type passphraseKeeper struct {
	file *sealedFile
	work int // cost of scrypt as a power of 2; 0 for age's default, which takes 256 MB and a second

	opening chan struct{} // closed when UnlockLater has tried its passphrase; nil if it is not used

	mu  sync.Mutex
	key *age.X25519Identity // nil while the file is locked
}

var errLocked = fault.New(fault.Unavailable, "the file of secrets is locked; unlock it with: agent-discover secrets unlock (or start the hub with AGENT_DISCOVER_PASSPHRASE)")

// await waits until a passphrase that was given at the start has been tried.
func (l *passphraseKeeper) await(ctx context.Context) error {
	if l.opening == nil {
		return nil
	}
	select {
	case <-l.opening:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// state returns the state of the file: none, locked or unlocked.
func (l *passphraseKeeper) state(ctx context.Context) (string, error) {
	if err := l.await(ctx); err != nil {
		return "locked", err
	}
	if l.unlocked() != nil {
		return "unlocked", nil
	}
	held, err := l.file.read()
	if err != nil || held.Identity != "" {
		return "locked", err
	}
	return "none", nil
}

func (l *passphraseKeeper) unlocked() *age.X25519Identity {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.key
}

func (l *passphraseKeeper) get(ctx context.Context, account string) (string, error) {
	if err := l.await(ctx); err != nil {
		return "", err
	}
	return l.file.open(account, func() (*age.X25519Identity, error) {
		if key := l.unlocked(); key != nil {
			return key, nil
		}
		return nil, errLocked
	})
}

func (l *passphraseKeeper) set(ctx context.Context, account, value string) error {
	if err := l.await(ctx); err != nil {
		return err
	}
	key := l.unlocked()
	if key == nil {
		return errLocked
	}
	return l.file.seal(account, value, key)
}

func (l *passphraseKeeper) delete(_ context.Context, account string) error {
	return l.file.remove(account)
}

// unlock decrypts the identity with a passphrase. If there is no file, unlock creates
// one with this passphrase.
func (l *passphraseKeeper) unlock(passphrase string) error {
	if passphrase == "" {
		return fault.New(fault.Invalid, "a passphrase is required")
	}
	defer debug.FreeOSMemory() // scrypt needs a lot of memory, which nothing else here does
	var key *age.X25519Identity
	err := l.file.change(func(held *sealedData) (created bool, err error) {
		if held.Identity != "" {
			key, err = unwrap(held.Identity, passphrase)
			return false, err
		}
		if len(held.Values) > 0 {
			return false, l.file.damaged()
		}
		if utf8.RuneCountInString(passphrase) < minPassphrase {
			return false, fault.New(fault.Invalid, "the passphrase has fewer than %d characters; nothing was changed. Choose a longer one, such as several words", minPassphrase)
		}
		if key, held.Identity, err = l.wrapNew(passphrase); err != nil {
			return false, err
		}
		held.Recipient = key.Recipient().String()
		return true, nil
	})
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.key = key
	return nil
}

// wrapNew creates an identity. It returns the identity and its encrypted form.
func (l *passphraseKeeper) wrapNew(passphrase string) (*age.X25519Identity, string, error) {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, "", err
	}
	to, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, "", err
	}
	if l.work > 0 {
		to.SetWorkFactor(l.work)
	}
	wrapped, err := encrypt([]byte(key.String()), to)
	return key, wrapped, err
}

// unwrap decrypts an identity with a passphrase.
func unwrap(wrapped, passphrase string) (*age.X25519Identity, error) {
	by, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, err
	}
	plain, err := decrypt(wrapped, by)
	if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
		return nil, fault.New(fault.Denied, "the passphrase is wrong; nothing was changed")
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "the file of secrets is damaged; restore it from a copy, or move it away and set its secrets again")
	}
	return age.ParseX25519Identity(string(plain))
}
