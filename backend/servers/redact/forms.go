package redact

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strings"

	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

const (
	// window and smallWindow are how many bytes at the end of a form are hashed. A form is the value of a secret as
	// it may be written in a text, such as in base64. Forms that are shorter than window use smallWindow.
	window, smallWindow = 8, 4
	// maxForm is the maximum length of a form in bytes. A longer form is split into several forms, so that the
	// beginning of a long secret is also found in a text that has been truncated.
	maxForm = 192
	// minShared is the minimum length of a value that is redacted in the texts of all servers. A shorter value is
	// redacted only in the texts of the server that it belongs to, because it may be an ordinary word.
	minShared = 6
	// minSpaced is the minimum length of a form that is found with white space
	// between its characters.
	minSpaced = 12
)

// coverKey is the key with which fingerprints are computed.
type coverKey struct {
	mix uint64 // odd multiplier of the hash
	mac [32]byte
}

func coverKeyOf(secret [32]byte) coverKey {
	derive := func(purpose string) []byte {
		mac := hmac.New(sha256.New, secret[:])
		mac.Write([]byte(purpose))
		return mac.Sum(nil)
	}
	return coverKey{mix: binary.LittleEndian.Uint64(derive("mix")) | 1, mac: [32]byte(derive("mac"))}
}

func (k coverKey) hash(end uint64) uint32 { return uint32(end * k.mix >> 32) }

// print is the fingerprint of one form of a secret.
type print struct {
	length uint16
	kind   formKind
	end    uint32
	mac    [12]byte
}

// formKind says how a form is found and redacted.
type formKind uint8

const (
	asIs    formKind = 0
	widened formKind = 1 // base64: the characters beside the form may contain more bits of the secret
	ofOwner formKind = 2 // redacted only in texts of the secret's own server
)

func (k coverKey) sum(form string) [12]byte { return sumOf(hmac.New(sha256.New, k.mac[:]), form) }

// sumOf returns the first 12 bytes of the HMAC of a form. It reuses mac, because creating an HMAC takes longer than
// most sums.
func sumOf(mac hash.Hash, form string) (out [12]byte) {
	mac.Reset()
	mac.Write([]byte(form))
	copy(out[:], mac.Sum(nil))
	return out
}

// endOf returns the last window or smallWindow bytes of a form, as a number.
func endOf(form string) uint64 {
	n := window
	if len(form) < window {
		n = smallWindow
	}
	var end uint64
	for i := len(form) - n; i < len(form); i++ {
		end = end<<8 | uint64(form[i])
	}
	return end
}

// prints returns the fingerprints of all forms of a secret's value. If private is set, the value is redacted only in
// texts of its own server.
func (k coverKey) prints(value string, private bool) Fingerprints {
	if len(value) < minValue {
		return nil
	}
	var known forms
	known.addSecret(value)
	var out Fingerprints
	seen, mac := make(map[string]bool), hmac.New(sha256.New, k.mac[:])
	add := func(form string, kind formKind) {
		if private || len(strings.TrimSpace(value)) < minShared {
			kind |= ofOwner
		}
		if len(form) < minValue {
			return
		}
		for rest := form; rest != ""; rest = rest[min(maxForm, len(rest)):] {
			part := rest[:min(maxForm, len(rest))]
			if len(part) < window && part != form {
				part = form[len(form)-window:] // the last part would be shorter than window; let it overlap the one before
			}
			if !seen[part] {
				seen[part] = true
				out = append(out, print{uint16(len(part)), kind, k.hash(endOf(part)), sumOf(mac, part)})
			}
		}
	}
	for _, form := range known {
		add(form, asIs)
	}
	for _, plain := range []string{value, secretscan.WithoutScheme(value)} {
		if len(plain) < secretscan.MinLength || len(plain) > maxEncoded {
			continue
		}
		for _, form := range byteForms(plain) {
			add(form, asIs)
		}
		for _, form := range base64Forms(plain) {
			add(form, widened)
		}
	}
	return out
}

// maxEncoded is the maximum length of a value whose hexadecimal and base64 forms are found.
const maxEncoded = 4 << 10

// byteForms returns hexadecimal encodings of a value: plain, separated by ":" or "-", as 0x bytes, and as percent and
// \x escapes, in lower and upper case.
func byteForms(value string) (out []string) {
	lower := hex.EncodeToString([]byte(value))
	between := func(before, after string) string {
		var b strings.Builder
		for i := 0; i < len(lower); i += 2 {
			b.WriteString(before + lower[i:i+2] + after)
		}
		return strings.TrimSuffix(b.String(), after)
	}
	for _, form := range []string{lower, between("", ":"), between("", "-"), between("0x", ","), between(`\x`, ""), between("%", "")} {
		out = append(out, form, strings.ReplaceAll(strings.ToUpper(form), "X", "x"))
	}
	return append(out, between(`\\x`, "")) // in JSON
}

// base64Forms returns the forms that a value has within longer text in base64: one for
// each of the three positions at which the value may begin in a group of three bytes,
// and for each alphabet. Characters that also contain bits of the text before or after
// the value are left out.
func base64Forms(value string) (out []string) {
	for before := range 3 { // bytes of other text in the first group
		padded := append(make([]byte, before), value...)
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := alphabet.EncodeToString(padded)
			text = text[(before*8+5)/6:]
			if len(padded)%3 > 0 {
				text = text[:len(text)-1]
			}
			if len(text) >= secretscan.MinLength {
				out = append(out, text)
			}
		}
	}
	return out
}
