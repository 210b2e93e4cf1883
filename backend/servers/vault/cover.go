package vault

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/agent-discover/agent-discover/backend/servers/redact"
)

// cover makes the secrets of all servers known to the redactors. It uses the stored fingerprints. It reads a value only
// if the secret has no current fingerprints, and only if the keychain would not prompt the user. The caller holds
// v.writing.
func (v *Vault) cover(ctx context.Context) {
	if v.known == nil {
		return
	}
	records, err := v.records(ctx, "")
	if err != nil || len(records) == 0 || !v.findCoverKey(ctx) {
		return
	}
	found := make(map[string]map[string]redact.Fingerprints)
	locked, none := v.keychain.Check(ctx)
	for _, r := range records {
		prints, old, err := v.known.ReadFingerprints(accountOf(r.Server, r.Name), r.Prints)
		// silent reports whether the value can be read without a prompt of the keychain
		if silent := r.Kept == InFile || !locked && none == nil; (err != nil || old) && silent {
			value, failed := v.value(ctx, r)
			if failed == nil {
				var fresh redact.Fingerprints
				fresh, r.Prints = v.known.Fingerprint(accountOf(r.Server, r.Name), value)
				if v.store.MarkSecret(ctx, r) == nil { // does nothing if the secret was set again meanwhile
					prints, err = fresh, nil
				}
			}
		}
		if err != nil {
			continue
		}
		if found[r.Server] == nil {
			found[r.Server] = make(map[string]redact.Fingerprints)
		}
		found[r.Server][r.Name] = prints
	}
	v.known.AddFingerprints(found)
}

// findCoverKey sets the key of the fingerprints if it can do so without a prompt, and reports whether the key is set.
// The key of the fingerprints is derived from a key of encrypted values: the key in the keychain or, if that cannot be
// read, the key of the file with a passphrase.
func (v *Vault) findCoverKey(ctx context.Context) bool {
	if v.known.HasKey() {
		return true
	}
	secret := ""
	if locked, err := v.keychain.Check(ctx); err == nil && !locked {
		if identity, err := v.sealed.EnsureKey(ctx); err == nil {
			secret = identity.String()
		}
	}
	if identity := v.file.Key(); secret == "" && identity != nil {
		secret = identity.String()
	}
	if secret == "" {
		return false
	}
	v.known.SetKey(sha256.Sum256([]byte("agent-discover cover" + secret)))
	return true
}

// printsFor computes the fingerprints of a value, adds them to the redactors and returns them in the form that is
// stored. It returns nil if there is no key; in that case cover adds them later.
func (v *Vault) printsFor(ctx context.Context, server, name, value string) []byte {
	if v.known == nil || !v.findCoverKey(ctx) {
		return nil
	}
	prints, stored := v.known.Fingerprint(accountOf(server, name), value)
	v.known.AddFingerprints(map[string]map[string]redact.Fingerprints{server: {name: prints}})
	return stored
}

// coverLater calls cover in the background, at most once at a time.
func (v *Vault) coverLater() {
	if !v.covering.CompareAndSwap(false, true) {
		return
	}
	go func() { // ends after coverTimeout at the latest
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
