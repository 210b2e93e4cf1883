package sealed

import (
	"errors"
	"runtime/debug"
	"unicode/utf8"

	"filippo.io/age"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// maxWork is the greatest work factor that DecryptWith accepts. Decrypting a text with this factor takes 512 MB.
const maxWork = 19

// EncryptWith returns data encrypted with a passphrase, as text. work is the base-2 logarithm of the work factor of
// scrypt; 0 means age's default. A passphrase that is too short is a fault.Invalid.
func EncryptWith(passphrase string, data []byte, work int) (string, error) {
	if utf8.RuneCountInString(passphrase) < minPassphrase {
		return "", fault.New(fault.Invalid, "the passphrase has fewer than %d characters; choose a longer one, such as several words",
			minPassphrase)
	}
	defer debug.FreeOSMemory() // return the memory that scrypt has used to the system
	to, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return "", err
	}
	if work > 0 {
		to.SetWorkFactor(work)
	}
	return Encrypt(data, to)
}

// DecryptWith undoes EncryptWith. A wrong passphrase is a fault.Denied.
func DecryptWith(passphrase, text string) ([]byte, error) {
	if passphrase == "" {
		return nil, fault.New(fault.Invalid, "a passphrase is required")
	}
	defer debug.FreeOSMemory()
	by, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, err
	}
	by.SetMaxWorkFactor(maxWork)
	data, err := Decrypt(text, by)
	switch {
	case errors.Is(err, ErrOtherKey):
		return nil, fault.New(fault.Denied, "the passphrase is wrong; nothing was changed")
	case err != nil:
		return nil, fault.Wrap(err, fault.Invalid, "the encrypted part is damaged; nothing was changed")
	}
	return data, nil
}
