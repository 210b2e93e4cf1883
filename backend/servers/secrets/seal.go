package secrets

import (
	"context"
	"errors"

	"filippo.io/age"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Seal encrypts data that other parts of the program keep in files of their
// own, such as backups. The key is the one for values that are too long for the
// keychain or, if the keychain cannot be used at the moment, that of the file
// with a passphrase. Seal does not prompt the user. A fault.Unavailable says
// why there is no key.
func (v *Vault) Seal(ctx context.Context, data []byte) ([]byte, error) {
	key, err := v.sealingKey(ctx)
	if err != nil {
		return nil, err
	}
	text, err := encrypt(data, key.Recipient())
	return []byte(text), err
}

func (v *Vault) sealingKey(ctx context.Context) (*age.X25519Identity, error) {
	leave, err := v.enter(ctx) // so that only one key is created
	if err != nil {
		return nil, err
	}
	defer leave()
	locked, err := v.keychain.check(ctx)
	if err == nil && locked {
		err = errBlocked
	}
	if err == nil {
		var key *age.X25519Identity
		if key, err = v.sealed.identity(ctx); err == nil {
			return key, nil
		}
	}
	state, fileErr := v.file.state(ctx)
	if fileErr != nil {
		return nil, fileErr
	}
	if key := v.file.unlocked(); key != nil {
		return key, nil
	}
	return nil, fault.Wrap(err, fault.Unavailable, "%s; or %s", fault.MessageOf(err), v.unlockAdvice(state))
}

// Unseal decrypts what Seal has encrypted. The keychain may prompt the user.
func (v *Vault) Unseal(ctx context.Context, sealed []byte) ([]byte, error) {
	state, _ := v.file.state(ctx) // waits for a passphrase that is being tried
	file := v.file.unlocked()
	if file != nil {
		if data, err := unseal(sealed, file); !isOtherKey(err) {
			return data, err
		}
	}
	key, err := v.keychainKey(ctx)
	if err == nil {
		data, err := unseal(sealed, key)
		if !isOtherKey(err) {
			return data, err
		}
	}
	switch {
	case state == "locked":
		return nil, errLocked
	case err == nil || errors.Is(err, errMissing) || file != nil:
		return nil, otherKey(err)
	}
	return nil, err
}

// keychainKey returns the key in the keychain.
func (v *Vault) keychainKey(ctx context.Context) (*age.X25519Identity, error) {
	text, err := v.keychain.get(ctx, identityAccount)
	if err != nil {
		return nil, err
	}
	return age.ParseX25519Identity(text)
}

func unseal(sealed []byte, key *age.X25519Identity) ([]byte, error) {
	data, err := decrypt(string(sealed), key)
	if _, other := errors.AsType[*age.NoIdentityMatchError](err); other {
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
