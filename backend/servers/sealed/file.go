// Package sealed keeps values in files that are encrypted with age. The key of a file is
// in the system's keychain, or in the file itself, encrypted with a passphrase.
package sealed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/servers/keychain"
)

// file is a file of values that are encrypted with age. Each value is encrypted
// separately, so that values can be added and removed without decrypting any. One
// X25519 identity decrypts all values. The identity is kept in the keychain, or in the
// file itself, encrypted with a passphrase.
type file struct {
	path    string
	wrapped bool       // the file contains its identity, encrypted with a passphrase
	mu      sync.Mutex // held while the file is read, changed and written
}

// content is the content of a file, as JSON.
type content struct {
	Format    int               `json:"format"`
	Recipient string            `json:"recipient"`          // public key with which values are encrypted
	Identity  string            `json:"identity,omitempty"` // private key, encrypted with the passphrase, armored
	Values    map[string]string `json:"values"`             // encrypted values by account, armored
}

// entry is a value before encryption. It contains the account, so that a
// value that was moved to another account in the file is rejected.
type entry struct {
	Account string `json:"account"`
	Value   string `json:"value"`
}

const format = 1

// read returns the content of the file. A missing file counts as empty.
func (f *file) read() (content, error) {
	empty := content{Format: format, Values: map[string]string{}}
	data, err := paths.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, fault.Wrap(err, fault.Unavailable, "could not read the encrypted secrets in %s: %s", f.path, paths.Reason(err))
	}
	var held content
	if json.Unmarshal(data, &held) != nil || held.Format != format {
		return empty, f.damaged()
	}
	if held.Values == nil {
		held.Values = empty.Values
	}
	return held, nil
}

func (f *file) damaged() error {
	return fault.New(fault.Failed,
		"the encrypted secrets in %s are damaged or were written by a newer version; restore the file from a copy, or move it away and "+
			"set its secrets again", f.path)
}

// change calls edit with the content of the file and writes it back if edit returns
// true.
func (f *file) change(edit func(*content) (bool, error)) error {
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

// open returns the value of an account, or keychain.ErrMissing. It calls key, which returns the identity, only if the
// account has a value.
func (f *file) open(account string, key func() (*Key, error)) (string, error) {
	held, err := f.read()
	if err != nil {
		return "", err
	}
	text, ok := held.Values[account]
	if !ok {
		return "", keychain.ErrMissing
	}
	identity, err := key()
	if err != nil {
		return "", err
	}
	plain, err := Decrypt(text, identity)
	if errors.Is(err, ErrOtherKey) {
		return "", fault.Wrap(err, fault.Failed, "a secret in %s was encrypted with a key that is no longer in use; set it again", f.path)
	}
	if err != nil {
		return "", f.damaged()
	}
	var v entry
	if json.Unmarshal(plain, &v) != nil || v.Account != account {
		return "", f.damaged()
	}
	return v.Value, nil
}

// seal adds or replaces the value of an account. If a file with a passphrase was
// replaced after it was unlocked, seal does not change it, because the identity in the
// new file could not decrypt the value.
func (f *file) seal(account, value string, identity *Key) error {
	plain, err := json.Marshal(entry{account, value})
	if err != nil {
		return err
	}
	text, err := Encrypt(plain, identity.Recipient())
	if err != nil {
		return err
	}
	to := identity.Recipient().String()
	return f.change(func(held *content) (bool, error) {
		if f.wrapped && held.Recipient != to {
			return false, fault.New(fault.Unavailable,
				"the file of secrets was removed or replaced since it was unlocked; unlock it again: agent-discover secrets unlock")
		}
		held.Recipient, held.Values[account] = to, text
		return true, nil
	})
}

// remove removes the value of an account. It needs no key.
func (f *file) remove(account string) error {
	return f.change(func(held *content) (bool, error) {
		_, found := held.Values[account]
		delete(held.Values, account)
		return found, nil
	})
}

// Key is the key that decrypts the values of a file.
type Key = age.X25519Identity

// ErrOtherKey is returned by Decrypt for a text that was encrypted with another key.
var ErrOtherKey = errors.New("encrypted with another key")

// Encrypt returns data in encrypted form, as text.
func Encrypt(plain []byte, to age.Recipient) (string, error) {
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

// Decrypt undoes Encrypt.
func Decrypt(text string, by age.Identity) ([]byte, error) {
	opened, err := age.Decrypt(armor.NewReader(strings.NewReader(text)), by)
	if _, other := errors.AsType[*age.NoIdentityMatchError](err); other {
		return nil, fmt.Errorf("%w: %w", ErrOtherKey, err)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(opened)
}
