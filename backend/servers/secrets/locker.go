package secrets

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"

	"filippo.io/age"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// locker is the keeper of a machine without a keychain: a file that a
// passphrase unlocks once for the life of the hub.
type locker struct {
	file *sealedFile
	work int // of scrypt, 0 for age's own: 256 MB and a second

	mu  sync.Mutex
	key *age.X25519Identity // nil while it is locked
}

var errLocked = fault.New(fault.Unavailable, "the file of secrets is locked; unlock it with: agent-discover secrets unlock (or start the hub with AGENT_DISCOVER_PASSPHRASE)")

// state says none, locked or unlocked.
func (l *locker) state() (string, error) {
	if l.unlocked() != nil {
		return "unlocked", nil
	}
	held, err := l.file.read()
	if err != nil || held.Identity != "" {
		return "locked", err
	}
	return "none", nil
}

func (l *locker) unlocked() *age.X25519Identity {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.key
}

func (l *locker) get(_ context.Context, account string) (string, error) {
	return l.file.open(account, func() (*age.X25519Identity, error) {
		if key := l.unlocked(); key != nil {
			return key, nil
		}
		return nil, errLocked
	})
}

func (l *locker) set(_ context.Context, account, value string) error {
	key := l.unlocked()
	if key == nil {
		return errLocked
	}
	return l.file.seal(account, value, key)
}

func (l *locker) delete(_ context.Context, account string) error { return l.file.remove(account) }

// unlock opens the file, or makes it with this passphrase when there is none.
func (l *locker) unlock(passphrase string) error {
	if passphrase == "" {
		return fault.New(fault.Invalid, "a passphrase is required")
	}
	defer debug.FreeOSMemory() // what scrypt took is never needed again
	var key *age.X25519Identity
	err := l.file.change(func(held *sealedData) (created bool, err error) {
		if held.Identity != "" {
			key, err = unwrap(held.Identity, passphrase)
			return false, err
		}
		if len(held.Values) > 0 {
			return false, l.file.damaged()
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

func (l *locker) wrapNew(passphrase string) (*age.X25519Identity, string, error) {
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
		return nil, fault.Wrap(err, fault.Failed, "the file of secrets is damaged; put a copy in its place, or move it away and set its secrets anew")
	}
	return age.ParseX25519Identity(string(plain))
}
