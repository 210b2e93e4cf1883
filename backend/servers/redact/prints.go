package redact

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

// Fingerprints are the fingerprints of all forms in which the value of one secret may appear.
type Fingerprints []print

// printSize is the length of an encoded fingerprint.
const printSize = 2 + 1 + 4 + 12

// seal returns fingerprints in the form in which they are stored: encrypted, because they reveal the length of a
// secret, and bound to its account (see boundTo).
func (p Fingerprints) seal(k coverKey, account string) []byte {
	plain := make([]byte, 0, len(p)*printSize)
	for _, p := range p {
		plain = binary.LittleEndian.AppendUint16(plain, p.length)
		plain = append(plain, byte(p.kind))
		plain = binary.LittleEndian.AppendUint32(plain, p.end)
		plain = append(plain, p.mac[:]...)
	}
	box := k.box()
	nonce := make([]byte, box.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return box.Seal(nonce, nonce, plain, boundTo(account))
}

// boundTo returns the data that authenticates stored fingerprints: the account and a version. Increase the version
// when prints finds more forms of a value, so that all fingerprints are computed again.
func boundTo(account string) []byte { return []byte(account + "\x00v3") }

var errPrints = errors.New("the fingerprints were made with another key")

// open undoes Fingerprints.seal. old is true if an earlier version of this program, which found fewer forms, made the
// fingerprints.
func (k coverKey) open(account string, sealed []byte) (out Fingerprints, old bool, err error) {
	box := k.box()
	if len(sealed) < box.NonceSize() {
		return nil, false, errPrints
	}
	nonce, text := sealed[:box.NonceSize()], sealed[box.NonceSize():]
	plain, err := box.Open(nil, nonce, text, boundTo(account))
	for _, version := range []string{"\x00v2", ""} {
		if err != nil {
			plain, err = box.Open(nil, nonce, text, []byte(account+version)) // as an earlier version bound them
			old = true
		}
	}
	if err != nil || len(plain)%printSize > 0 {
		return nil, false, errPrints
	}
	for ; len(plain) > 0; plain = plain[printSize:] {
		p := print{length: binary.LittleEndian.Uint16(plain), kind: formKind(plain[2]), end: binary.LittleEndian.Uint32(plain[3:])}
		copy(p.mac[:], plain[7:printSize])
		out = append(out, p)
	}
	return out, old, nil
}

func (k coverKey) box() cipher.AEAD {
	key := sha256.Sum256(append([]byte("agent-discover fingerprints"), k.mac[:]...))
	block, _ := aes.NewCipher(key[:]) // cannot fail for a key of 32 bytes
	box, _ := cipher.NewGCM(block)    // cannot fail for AES
	return box
}
