package secrets

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"
)

// printSize is the length of an encoded fingerprint.
const printSize = 2 + 1 + 4 + 12

// sealPrints returns fingerprints in the form in which they are stored: encrypted,
// because they tell the length of a secret, and bound to its name (see printsOf).
func (k coverKey) sealPrints(boundTo []byte, prints []print) ([]byte, error) {
	plain := make([]byte, 0, len(prints)*printSize)
	for _, p := range prints {
		plain = binary.LittleEndian.AppendUint16(plain, p.length)
		plain = append(plain, byte(p.kind))
		plain = binary.LittleEndian.AppendUint32(plain, p.end)
		plain = append(plain, p.mac[:]...)
	}
	box, err := k.box()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, box.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return box.Seal(nonce, nonce, plain, boundTo), nil
}

// printsOf returns what stored fingerprints are bound to. Increase the version when
// prints finds more forms of a value, so that all fingerprints are made anew.
func printsOf(account string) []byte { return []byte(account + "\x00v2") }

var errPrints = errors.New("the fingerprints were made with another key")

// openPrints returns stored fingerprints, and whether an earlier version made them,
// which knew fewer forms.
func (k coverKey) openPrints(account string, sealed []byte) (out []print, old bool, err error) {
	box, err := k.box()
	if err != nil {
		return nil, false, err
	}
	if len(sealed) < box.NonceSize() {
		return nil, false, errPrints
	}
	nonce, text := sealed[:box.NonceSize()], sealed[box.NonceSize():]
	plain, err := box.Open(nil, nonce, text, printsOf(account))
	if err != nil {
		plain, err = box.Open(nil, nonce, text, []byte(account)) // as version 1 bound them
		old = true
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

func (k coverKey) box() (cipher.AEAD, error) {
	key := sha256.Sum256(append([]byte("agent-discover fingerprints"), k.mac[:]...))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// cover makes the secrets of all servers known to Given, without their values
// where fingerprints are stored. It reads the values of the others, unless that
// would make the keychain prompt the user. The caller holds writing.
func (v *Vault) cover(ctx context.Context) {
	if v.given == nil {
		return
	}
	records, err := v.records(ctx, "")
	if err != nil || len(records) == 0 || !v.findCoverKey(ctx) {
		return
	}
	found := make(map[string]map[string][]print)
	locked, none := v.keychain.check(ctx)
	for _, r := range records {
		prints, old, err := v.given.key.openPrints(accountOf(r.Server, r.Name), r.Prints)
		if silent := r.Kept == InFile || !locked && none == nil; (err != nil || old) && silent { // otherwise, the keychain would prompt the user
			value, failed := v.value(ctx, r)
			if failed == nil {
				var fresh []print
				if fresh, failed = v.mark(ctx, r, value); failed == nil {
					prints, err = fresh, nil
				}
			}
		}
		if err != nil {
			continue
		}
		if found[r.Server] == nil {
			found[r.Server] = make(map[string][]print)
		}
		found[r.Server][r.Name] = prints
	}
	v.given.keep(found)
}

// findCoverKey sets the key of the fingerprints if it can be had without a prompt.
// The key comes from that of the encrypted values, in the keychain or the file
// with a passphrase.
func (v *Vault) findCoverKey(ctx context.Context) bool {
	if v.given.hasKey() {
		return true
	}
	secret := ""
	if locked, err := v.keychain.check(ctx); err == nil && !locked {
		if identity, err := v.sealed.identity(ctx); err == nil {
			secret = identity.String()
		}
	}
	if identity := v.file.unlocked(); secret == "" && identity != nil {
		secret = identity.String()
	}
	if secret == "" {
		return false
	}
	v.given.useKey(coverKeyOf(sha256.Sum256([]byte("agent-discover cover" + secret))))
	return true
}

// mark stores the fingerprints of a secret and where its value may go. It does
// nothing if the secret was set again meanwhile.
func (v *Vault) mark(ctx context.Context, r Record, value string) ([]print, error) {
	prints := v.given.key.prints(value, false)
	sealed, err := v.given.key.sealPrints(printsOf(accountOf(r.Server, r.Name)), prints)
	if err != nil {
		return nil, err
	}
	r.Prints = sealed
	return prints, v.store.MarkSecret(ctx, r)
}

// printsFor returns the stored form of the fingerprints of a value, and makes
// them take effect. It returns nil if there is no key; cover makes them later.
func (v *Vault) printsFor(ctx context.Context, server, name, value string) []byte {
	if v.given == nil || !v.findCoverKey(ctx) {
		return nil
	}
	prints := v.given.key.prints(value, false)
	v.given.keep(map[string]map[string][]print{server: {name: prints}})
	sealed, err := v.given.key.sealPrints(printsOf(accountOf(server, name)), prints)
	if err != nil {
		return nil
	}
	return sealed
}

// coverLater calls cover in the background, at most once at a time.
func (v *Vault) coverLater() {
	if !v.covering.CompareAndSwap(false, true) {
		return
	}
	go func() { // ends with the database at the latest
		defer v.covering.Store(false)
		ctx, cancel := context.WithTimeout(context.Background(), coverTimeout)
		defer cancel()
		if leave, err := v.enter(ctx); err == nil {
			v.cover(ctx)
			leave()
		}
	}()
}

const coverTimeout = time.Minute
