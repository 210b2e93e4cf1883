package guard

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"
)

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// hexKey returns the public key in hexadecimal, as a page sends it.
func hexKey(t *testing.T, key *ecdsa.PrivateKey) string {
	t.Helper()
	point, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(point)
}

// sign signs lines as WebCrypto does.
func sign(t *testing.T, key *ecdsa.PrivateKey, lines ...string) []byte {
	t.Helper()
	hash := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	r, s, err := ecdsa.Sign(rand.Reader, key, hash[:])
	if err != nil {
		t.Fatal(err)
	}
	return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
}

// resume gets a challenge for the session id, signs it with key and resumes the session.
func resume(t *testing.T, s *Sessions, id string, key *ecdsa.PrivateKey, keys Keys) (token string, resumed *Session, ok bool) {
	t.Helper()
	text, instance, ok := s.Challenge(id)
	if !ok {
		return "", nil, false
	}
	return s.Resume(id, text, sign(t, key, "agent-discover", "resume", instance, s.address, id, text), keys)
}

func TestAReloadedPageResumesWithTheKeyInTheBrowsersStorage(t *testing.T) {
	now := time.Now()
	s := sessionsAt(&now)
	reload := newKey(t)
	token, session := s.Begin(Keys{Reload: &reload.PublicKey})
	second, resumed, ok := resume(t, s, session.ID(), reload, Keys{})
	if !ok || second == token || resumed == session {
		t.Fatal("the page cannot resume its session")
	}
	if _, ok := s.visit(token); !ok {
		t.Error("the session of another tab has ended")
	}
	if _, _, ok := resume(t, s, resumed.ID(), reload, Keys{}); !ok {
		t.Error("the page cannot be reloaded twice")
	}
	s.End(resumed)
	if _, _, ok := resume(t, s, resumed.ID(), reload, Keys{}); ok {
		t.Error("an ended session is resumed")
	}
	now = now.Add(sessionLife + time.Second)
	if _, _, ok := resume(t, s, session.ID(), reload, Keys{}); ok {
		t.Error("an expired session is resumed")
	}
}

func TestASignatureIsValidForOneChallengeOfOneHub(t *testing.T) {
	now := time.Now()
	s := sessionsAt(&now)
	key, other := newKey(t), newKey(t)
	_, session := s.Begin(Keys{Page: &key.PublicKey})
	_, stranger := s.Begin(Keys{Page: &other.PublicKey})
	id := session.ID()
	for name, c := range map[string]struct {
		key   *ecdsa.PrivateKey
		lines func(instance, text string) []string
	}{
		"another key":     {other, func(i, c string) []string { return []string{"agent-discover", "resume", i, ours, id, c} }},
		"another hub":     {key, func(_, c string) []string { return []string{"agent-discover", "resume", "other", ours, id, c} }},
		"another port":    {key, func(i, c string) []string { return []string{"agent-discover", "resume", i, "127.0.0.1:1", id, c} }},
		"another session": {key, func(i, c string) []string { return []string{"agent-discover", "resume", i, ours, stranger.ID(), c} }},
		"another text":    {key, func(i, _ string) []string { return []string{"agent-discover", "resume", i, ours, id, "other"} }},
		"another purpose": {key, func(i, c string) []string { return []string{"agent-discover", "session", i, ours, id, c} }},
	} {
		text, instance, ok := s.Challenge(id)
		if !ok {
			t.Fatal("no challenge")
		}
		if _, _, ok := s.Resume(id, text, sign(t, c.key, c.lines(instance, text)...), Keys{}); ok {
			t.Errorf("a signature over %s is accepted", name)
		}
	}
	text, instance, _ := s.Challenge(id)
	valid := sign(t, key, "agent-discover", "resume", instance, ours, id, text)
	for name, signature := range map[string][]byte{"an empty signature": nil, "zeros": make([]byte, 64), "a short signature": valid[:63]} {
		if _, _, ok := s.Resume(id, text, signature, Keys{}); ok {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, _, ok := s.Resume(id, text, valid, Keys{}); ok {
		t.Error("a challenge is accepted after a wrong answer")
	}

	text, instance, _ = s.Challenge(id)
	late := sign(t, key, "agent-discover", "resume", instance, ours, id, text)
	now = now.Add(ticketLife + time.Millisecond)
	if _, _, ok := s.Resume(id, text, late, Keys{}); ok {
		t.Error("an expired challenge is accepted")
	}
	if _, _, ok := resume(t, s, id, key, Keys{}); !ok {
		t.Error("the page itself cannot resume its session")
	}
}

func TestChallengesAreLimited(t *testing.T) {
	now := time.Now()
	s := sessionsAt(&now)
	key := newKey(t)
	_, session := s.Begin(Keys{Page: &key.PublicKey})
	for range 3 * maxChallenges {
		if _, _, ok := s.Challenge(session.ID()); !ok {
			t.Fatal("no challenge")
		}
	}
	if len(session.challenges) != maxChallenges {
		t.Errorf("%d challenges are kept", len(session.challenges))
	}
	_, plain := s.Begin(Keys{})
	for _, id := range []string{"", "unknown", plain.ID()} {
		if _, _, ok := s.Challenge(id); ok {
			t.Errorf("the session %q gets a challenge", id)
		}
	}
}
