package vault

import (
	"context"
	"errors"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/keychain"
	"github.com/agent-discover/agent-discover/backend/servers/sealed"
)

// Seal encrypts data that other parts of the program keep in files of their own, such
// as backups. It uses the key for values that are too long for the keychain or, if the
// keychain cannot be used at the moment, the key of the file with a passphrase. Seal
// does not prompt the user. A fault.Unavailable says why neither key can be used.
func (v *Vault) Seal(ctx context.Context, data []byte) ([]byte, error) {
	key, err := v.sealingKey(ctx)
	if err != nil {
		return nil, err
	}
	text, err := sealed.Encrypt(data, key.Recipient())
	return []byte(text), err
}

func (v *Vault) sealingKey(ctx context.Context) (*sealed.Key, error) {
	leave, err := v.enter(ctx) // so that only one key is created
	if err != nil {
		return nil, err
	}
	defer leave()
	locked, err := v.keychain.Check(ctx)
	if err == nil && locked {
		err = keychain.ErrBlocked
	}
	if err == nil {
		var key *sealed.Key
		if key, err = v.sealed.EnsureKey(ctx); err == nil {
			return key, nil
		}
	}
	state, fileErr := v.file.State(ctx)
	if fileErr != nil {
		return nil, fileErr
	}
	if key := v.file.Key(); key != nil {
		return key, nil
	}
	return nil, fault.Wrap(err, fault.Unavailable, "%s; or %s", fault.MessageOf(err), v.unlockAdvice(state))
}

// Unseal decrypts data that Seal has encrypted. The keychain may prompt the user. A fault.NotFound means that the key
// is no longer in use.
func (v *Vault) Unseal(ctx context.Context, ciphertext []byte) ([]byte, error) {
	state, _ := v.file.State(ctx) // waits for a passphrase that is being tried
	file := v.file.Key()
	if file != nil {
		if data, err := unseal(ciphertext, file); !isOtherKey(err) {
			return data, err
		}
	}
	key, err := v.sealed.Key(ctx)
	if err == nil {
		data, err := unseal(ciphertext, key)
		if !isOtherKey(err) {
			return data, err
		}
	}
	switch {
	case state == "locked":
		return nil, sealed.ErrLocked
	case err == nil || errors.Is(err, keychain.ErrMissing) || file != nil:
		return nil, otherKey(err)
	}
	return nil, err
}

func unseal(ciphertext []byte, key *sealed.Key) ([]byte, error) {
	data, err := sealed.Decrypt(string(ciphertext), key)
	if errors.Is(err, sealed.ErrOtherKey) {
		return nil, otherKey(err)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "the encrypted data are damaged")
	}
	return data, nil
}

func otherKey(err error) error {
	return fault.Wrap(err, fault.NotFound, "the key with which this was encrypted is no longer in use")
}

func isOtherKey(err error) bool { return fault.KindOf(err) == fault.NotFound }
