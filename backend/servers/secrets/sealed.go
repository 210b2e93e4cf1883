package secrets

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// sealedFile is a file of values that are encrypted with age. Each value is
// encrypted separately, so that values can be added and removed without
// decrypting any. One X25519 identity decrypts all of them. It is kept in the
// keychain, or in the file itself, encrypted with a passphrase.
type sealedFile struct {
	path    string
	wrapped bool       // the file contains its identity, encrypted with a passphrase
	mu      sync.Mutex // held while the file is read, changed and written
}

// sealedData is the content of a sealedFile, as JSON.
type sealedData struct {
	Format    int               `json:"format"`
	Recipient string            `json:"recipient"`          // public key with which values are encrypted
	Identity  string            `json:"identity,omitempty"` // private key, encrypted with the passphrase, armored
	Values    map[string]string `json:"values"`             // encrypted values by account, armored
}

// sealedValue is a value before encryption. It contains the account, so that a
// value that was moved to another account in the file is rejected.
type sealedValue struct {
	Account string `json:"account"`
	Value   string `json:"value"`
}

const sealedFormat = 1

// read returns the content of the file. A missing file counts as empty.
func (f *sealedFile) read() (sealedData, error) {
	empty := sealedData{Format: sealedFormat, Values: map[string]string{}}
	data, err := paths.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, fault.Wrap(err, fault.Unavailable, "could not read the encrypted secrets in %s", f.path)
	}
	var held sealedData
	if json.Unmarshal(data, &held) != nil || held.Format != sealedFormat {
		return empty, f.damaged()
	}
	if held.Values == nil {
		held.Values = empty.Values
	}
	return held, nil
}

func (f *sealedFile) damaged() error {
	return fault.New(fault.Failed, "the encrypted secrets in %s are damaged or were written by a newer version; restore the file from a copy, or move it away and set its secrets again", f.path)
}

// change calls edit with the content of the file and writes it back if edit returns
// true.
func (f *sealedFile) change(edit func(*sealedData) (bool, error)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	held, err := f.read()
	if err != nil {
		return err
	}
	changed, err := edit(&held)
	if err != nil || !changed {
		return err
	}
	data, err := json.MarshalIndent(held, "", " ")
	if err != nil {
		return err
	}
	if err := paths.WriteDurable(f.path, data); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not write the encrypted secrets in %s: %s", f.path, paths.Reason(err))
	}
	return nil
}

// open returns the value of an account. It calls key for the identity only if
// the account has a value.
func (f *sealedFile) open(account string, key func() (*age.X25519Identity, error)) (string, error) {
	held, err := f.read()
	if err != nil {
		return "", err
	}
	text, ok := held.Values[account]
	if !ok {
		return "", errMissing
	}
	identity, err := key()
	if err != nil {
		return "", err
	}
	plain, err := decrypt(text, identity)
	if _, other := errors.AsType[*age.NoIdentityMatchError](err); other {
		return "", fault.Wrap(err, fault.Failed, "a secret in %s was encrypted with a key that is no longer in use; set it again", f.path)
	}
	if err != nil {
		return "", f.damaged()
	}
	var v sealedValue
	if json.Unmarshal(plain, &v) != nil || v.Account != account {
		return "", f.damaged()
	}
	return v.Value, nil
}

// seal adds or replaces the value of an account. If the file under a passphrase
// was replaced after it was unlocked, seal does not change it, because the
// identity in the new file could not decrypt the value.
func (f *sealedFile) seal(account, value string, identity *age.X25519Identity) error {
	plain, err := json.Marshal(sealedValue{account, value})
	if err != nil {
		return err
	}
	text, err := encrypt(plain, identity.Recipient())
	if err != nil {
		return err
	}
	to := identity.Recipient().String()
	return f.change(func(held *sealedData) (bool, error) {
		if f.wrapped && held.Recipient != to {
			return false, fault.New(fault.Unavailable, "the file of secrets was removed or replaced since it was unlocked; unlock it again: agent-discover secrets unlock")
		}
		held.Recipient, held.Values[account] = to, text
		return true, nil
	})
}

// remove removes the value of an account. It needs no key.
func (f *sealedFile) remove(account string) error {
	return f.change(func(held *sealedData) (bool, error) {
		_, found := held.Values[account]
		delete(held.Values, account)
		return found, nil
	})
}

func encrypt(plain []byte, to age.Recipient) (string, error) {
	var text bytes.Buffer
	armored := armor.NewWriter(&text)
	sealing, err := age.Encrypt(armored, to)
	if err != nil {
		return "", err
	}
	if _, err := sealing.Write(plain); err != nil {
		return "", err
	}
	if err := errors.Join(sealing.Close(), armored.Close()); err != nil {
		return "", err
	}
	return text.String(), nil
}

func decrypt(text string, by age.Identity) ([]byte, error) {
	opened, err := age.Decrypt(armor.NewReader(strings.NewReader(text)), by)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(opened)
}

// sealedKeeper is the keeper of values that are too long for the keychain. It
// stores them in an encrypted file, and the identity that decrypts the file in
// the keychain.
type sealedKeeper struct {
	file     *sealedFile
	keychain *keychain
}

// identityAccount is the account of the identity in the keychain. It contains
// no slash, so that it differs from all accounts of secrets.
const identityAccount = "identity"

func (o *sealedKeeper) get(ctx context.Context, account string) (string, error) {
	return o.file.open(account, func() (*age.X25519Identity, error) {
		text, err := o.keychain.get(ctx, identityAccount)
		if errors.Is(err, errMissing) {
			return nil, fault.New(fault.Failed, "the key of the encrypted secrets in %s is no longer in the keychain; set the secrets again", o.file.path)
		}
		if err != nil {
			return nil, err
		}
		return age.ParseX25519Identity(text)
	})
}

func (o *sealedKeeper) set(ctx context.Context, account, value string) error {
	identity, err := o.identity(ctx)
	if err != nil {
		return err
	}
	return o.file.seal(account, value, identity)
}

// identity returns the identity from the keychain. It creates the identity if
// the keychain has none.
func (o *sealedKeeper) identity(ctx context.Context) (*age.X25519Identity, error) {
	text, err := o.keychain.get(ctx, identityAccount)
	if err == nil {
		return age.ParseX25519Identity(text)
	}
	if !errors.Is(err, errMissing) {
		return nil, err
	}
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	return identity, o.keychain.set(ctx, identityAccount, identity.String())
}

func (o *sealedKeeper) delete(_ context.Context, account string) error { return o.file.remove(account) }
