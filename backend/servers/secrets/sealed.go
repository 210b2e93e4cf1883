package secrets

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// sealedFile keeps values encrypted with age, each by itself: one is read
// without the others, and added or removed without reading any. What opens
// them is one X25519 identity, which is kept elsewhere or in the file itself,
// wrapped by a passphrase.
type sealedFile struct {
	path    string
	wrapped bool       // the identity is in the file
	mu      sync.Mutex // held over reading, changing and writing
}

// sealedData is the file, as JSON.
type sealedData struct {
	Format    int               `json:"format"`
	Recipient string            `json:"recipient"`          // whom the values are sealed to
	Identity  string            `json:"identity,omitempty"` // armored; what opens them, wrapped by the passphrase
	Values    map[string]string `json:"values"`             // by account; armored
}

// sealedValue is what is encrypted. The account is in it so that one value
// cannot take another's place.
type sealedValue struct {
	Account string `json:"account"`
	Value   string `json:"value"`
}

const sealedFormat = 1

// read returns what the file holds; an empty one when there is none.
func (f *sealedFile) read() (sealedData, error) {
	empty := sealedData{Format: sealedFormat, Values: map[string]string{}}
	data, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, fault.Wrap(err, fault.Unavailable, "the file of sealed secrets %s cannot be read", f.path)
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
	return fault.New(fault.Failed, "the file of sealed secrets %s is damaged, or of a newer version; put a copy in its place, or move it away and set its secrets anew", f.path)
}

// change lets edit change what the file holds, if it returns true.
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
		return fault.Wrap(err, fault.Unavailable, "the file of sealed secrets %s cannot be written; is the disk full?", f.path)
	}
	return nil
}

// open returns a value.
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
		return "", fault.Wrap(err, fault.Failed, "a secret in %s was sealed with another key than today's; set it anew", f.path)
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

// seal adds a value, or puts it in the place of another. It adds none to a
// file that was replaced since it was unlocked: nothing would open that.
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
			return false, fault.New(fault.Unavailable, "the file of secrets is gone or another one since it was unlocked; unlock it again: agent-discover secrets unlock")
		}
		held.Recipient, held.Values[account] = to, text
		return true, nil
	})
}

// remove takes a value out. It needs no key.
func (f *sealedFile) remove(account string) error {
	return f.change(func(held *sealedData) (bool, error) {
		_, there := held.Values[account]
		delete(held.Values, account)
		return there, nil
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

// overlong keeps the values that are too long for the keychain in a file, and
// in the keychain what opens it.
type overlong struct {
	file  *sealedFile
	chain *keychain
}

// account is where the keychain has the identity: no secret's has one slash.
const identityAccount = "identity"

func (o *overlong) get(ctx context.Context, account string) (string, error) {
	return o.file.open(account, func() (*age.X25519Identity, error) {
		text, err := o.chain.get(ctx, identityAccount)
		if errors.Is(err, errMissing) {
			return nil, fault.New(fault.Failed, "the key to the sealed secrets in %s is not in the keychain any more; set them anew", o.file.path)
		}
		if err != nil {
			return nil, err
		}
		return age.ParseX25519Identity(text)
	})
}

func (o *overlong) set(ctx context.Context, account, value string) error {
	identity, err := o.identity(ctx)
	if err != nil {
		return err
	}
	return o.file.seal(account, value, identity)
}

// identity returns the key, which is made by the first value.
func (o *overlong) identity(ctx context.Context) (*age.X25519Identity, error) {
	text, err := o.chain.get(ctx, identityAccount)
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
	return identity, o.chain.set(ctx, identityAccount, identity.String())
}

func (o *overlong) delete(_ context.Context, account string) error { return o.file.remove(account) }
