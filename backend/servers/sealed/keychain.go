package sealed

import (
	"context"
	"errors"

	"filippo.io/age"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/keychain"
)

// KeychainFile is an encrypted file for values that are too long for the keychain. The
// key that decrypts it is in the keychain.
type KeychainFile struct {
	file     *file
	keychain *keychain.Keychain
}

// NewKeychainFile returns the file at a path. Its key is in chain.
func NewKeychainFile(path string, chain *keychain.Keychain) *KeychainFile {
	return &KeychainFile{file: &file{path: path}, keychain: chain}
}

// keyAccount is the account of the key in the keychain. It contains no slash, so that
// it differs from all accounts of secrets.
const keyAccount = "identity"

// Get returns the value of an account, or keychain.ErrMissing.
func (k *KeychainFile) Get(ctx context.Context, account string) (string, error) {
	return k.file.open(account, func() (*Key, error) {
		key, err := k.Key(ctx)
		if errors.Is(err, keychain.ErrMissing) {
			return nil, fault.New(fault.Failed,
				"the key of the encrypted secrets in %s is no longer in the keychain; set the secrets again", k.file.path)
		}
		return key, err
	})
}

// Set stores the value of an account.
func (k *KeychainFile) Set(ctx context.Context, account, value string) error {
	key, err := k.EnsureKey(ctx)
	if err != nil {
		return err
	}
	return k.file.seal(account, value, key)
}

// Delete removes the value of an account. It needs no key.
func (k *KeychainFile) Delete(_ context.Context, account string) error { return k.file.remove(account) }

// Key returns the key of the values, or keychain.ErrMissing if there is none yet.
func (k *KeychainFile) Key(ctx context.Context) (*Key, error) {
	text, err := k.keychain.Get(ctx, keyAccount)
	if err != nil {
		return nil, err
	}
	return age.ParseX25519Identity(text)
}

// EnsureKey returns the key of the values. It creates the key if there is none.
func (k *KeychainFile) EnsureKey(ctx context.Context) (*Key, error) {
	key, err := k.Key(ctx)
	if !errors.Is(err, keychain.ErrMissing) {
		return key, err
	}
	if key, err = age.GenerateX25519Identity(); err != nil {
		return nil, err
	}
	return key, k.keychain.Set(ctx, keyAccount, key.String())
}
