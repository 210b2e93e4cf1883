package guard

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
)

// maxChallenges limits the unanswered challenges of a session. A session has several when tabs that share its reload
// key are reloaded at the same time.
const maxChallenges = 16

// Keys are the public keys with which a page resumes its session. The private keys never leave the browser, and no
// script can read them.
type Keys struct {
	// Page is the public part of a key that exists only in the memory of the page. The hub saves Page, so that an open
	// page can resume its session with the next hub on the same port.
	Page *ecdsa.PublicKey
	// Reload is the public part of a key in the storage of the browser, with which a reloaded page resumes its session.
	// The hub does not save Reload: another program that uses the port later can read the storage, and must not find a
	// key that a hub accepts.
	Reload *ecdsa.PublicKey
}

// ParseKey returns the public key on the curve P-256 whose uncompressed point is written in hexadecimal.
func ParseKey(text string) (*ecdsa.PublicKey, error) {
	point, err := hex.DecodeString(text)
	if err != nil {
		return nil, fault.New(fault.Invalid, "a public key must be an uncompressed P-256 point in hexadecimal")
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return nil, fault.New(fault.Invalid, "a public key must be an uncompressed P-256 point in hexadecimal")
	}
	return key, nil
}

// challenge is a random text that a page signs to resume a session.
type challenge struct {
	text    string
	expires time.Time
}

// Challenge returns a text that the page of a session must sign within half a minute to resume the session, and the
// name of this run of the hub, which the page signs too.
func (ss *Sessions) Challenge(id string) (text, instanceName string, ok bool) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	s, ok := ss.sessions[id]
	if !ok || !ss.alive(s) || s.keys == (Keys{}) {
		return "", "", false
	}
	c := challenge{text: instance.NewSecret(), expires: ss.now().Add(ticketLife)}
	if len(s.challenges) == maxChallenges {
		s.challenges = slices.Delete(s.challenges, 0, 1)
	}
	s.challenges = append(s.challenges, c)
	return c.text, ss.instance, true
}

// Resume opens a new session for a page that has signed a challenge with a key of the session id. keys are the keys
// of the new session; if keys.Reload is nil, the new session has the reload key of the old one. A signature with the
// page key ends the old session. A signature with the reload key does not, because other tabs may use that session.
func (ss *Sessions) Resume(id, text string, signature []byte, keys Keys) (token string, resumed *Session, ok bool) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	s, ok := ss.sessions[id]
	if !ok || !ss.alive(s) || !s.takeChallenge(text, ss.now()) {
		return "", nil, false
	}
	signed := strings.Join([]string{"agent-discover", "resume", ss.instance, ss.address, id, text}, "\n")
	byPage := verify(s.keys.Page, signed, signature)
	if !byPage && !verify(s.keys.Reload, signed, signature) {
		return "", nil, false
	}
	if keys.Reload == nil {
		keys.Reload = s.keys.Reload
	}
	if byPage {
		ss.end(s)
	} else {
		s.used, ss.unsaved = ss.now(), true
	}
	token, resumed = ss.begin(keys)
	return token, resumed, true
}

// takeChallenge invalidates a challenge and reports whether it was valid.
func (s *Session) takeChallenge(text string, now time.Time) bool {
	i := slices.IndexFunc(s.challenges, func(c challenge) bool { return c.text == text })
	if i < 0 {
		return false
	}
	valid := !now.After(s.challenges[i].expires)
	s.challenges = slices.Delete(s.challenges, i, i+1)
	return valid
}

// verify reports whether signature is an ECDSA signature of text by key, in the format of WebCrypto: r and s, 32
// bytes each.
func verify(key *ecdsa.PublicKey, text string, signature []byte) bool {
	if key == nil || len(signature) != 64 {
		return false
	}
	hash := sha256.Sum256([]byte(text))
	return ecdsa.Verify(key, hash[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
}
