package guard

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const ours = "127.0.0.1:3424"

func openAt(now *time.Time, file string) *Sessions {
	return OpenSessions(SessionOptions{
		Address: ours, File: file, Now: func() time.Time { return *now }, Log: slog.New(slog.DiscardHandler),
	})
}

// save ends expired sessions and writes the file, as Run does at intervals.
func save(s *Sessions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sync()
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// restored reports whether s has a session with an id.
func restored(s *Sessions, id string) bool { _, ok := s.ProofKeyOf(id); return ok }

func TestAPageResumesItsSessionWithTheNextHub(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	file := filepath.Join(t.TempDir(), "sessions.json")
	before := openAt(&now, file)
	page, reload := newKey(t), newKey(t)
	token, session := before.Begin(Keys{Page: &page.PublicKey, Reload: &reload.PublicKey})
	_, plain := before.Begin(Keys{Reload: &reload.PublicKey})
	text := read(t, file)
	for name, secret := range map[string]string{
		"the token": token, "the hash of the token": fmt.Sprintf("%x", hashOf(token)),
		"the key in the browser's storage": hexKey(t, reload),
	} {
		if strings.Contains(text, secret) {
			t.Errorf("the file contains %s: %s", name, text)
		}
	}

	after := openAt(&now, file)
	if _, ok := after.visit(token); ok {
		t.Error("the token of an earlier hub is accepted")
	}
	if restored(after, plain.ID()) {
		t.Error("a session without a page's key is restored")
	}
	if key, ok := after.ProofKeyOf(session.ID()); !ok || key != session.ProofKey() {
		t.Error("the hub cannot prove that it knows the restored session")
	}
	if _, _, ok := resume(t, after, session.ID(), reload, Keys{}); ok {
		t.Error("a key in the browser's storage is accepted by the next hub")
	}
	fresh, resumed, ok := resume(t, after, session.ID(), page, Keys{Page: &page.PublicKey})
	if !ok || fresh == token {
		t.Fatalf("the page cannot resume its session: %t", ok)
	}
	if got, ok := after.visit(fresh); !ok || got != resumed {
		t.Error("the new token is refused")
	}
	if restored(after, session.ID()) {
		t.Error("the old session goes on beside the one that replaced it")
	}
}

func TestASessionOfAnotherPortIsNotRestored(t *testing.T) {
	now := time.Now()
	file := filepath.Join(t.TempDir(), "sessions.json")
	page := newKey(t)
	_, session := openAt(&now, file).Begin(Keys{Page: &page.PublicKey})
	other := OpenSessions(SessionOptions{Address: "127.0.0.1:3425", File: file, Log: slog.New(slog.DiscardHandler)})
	if restored(other, session.ID()) {
		t.Error("a hub on another port knows the session")
	}
}

func TestAnExpiredSessionLeavesTheFile(t *testing.T) {
	now := time.Now()
	file := filepath.Join(t.TempDir(), "sessions.json")
	s := openAt(&now, file)
	page := newKey(t)
	_, session := s.Begin(Keys{Page: &page.PublicKey})
	if text := read(t, file); !strings.Contains(text, session.ID()) {
		t.Errorf("the file lacks the session: %s", text)
	}
	now = now.Add(sessionLife + time.Second)
	if restored(s, session.ID()) {
		t.Error("an expired session has a key of proofs")
	}
	s.Begin(Keys{Page: &page.PublicKey})
	now = now.Add(sessionLife + time.Second)
	save(s)
	if text := read(t, file); text != "[]\n" {
		t.Errorf("the file holds %s", text)
	}
}

func TestAskingForAProofDoesNotExtendASession(t *testing.T) {
	now := time.Now()
	s := sessionsAt(&now)
	token, session := s.Begin(Keys{})
	now = now.Add(sessionLife)
	if !restored(s, session.ID()) {
		t.Error("ProofKeyOf does not know the session")
	}
	now = now.Add(time.Second)
	if _, ok := s.visit(token); ok {
		t.Error("asking for a proof has extended the session")
	}
	if restored(s, "") {
		t.Error("an empty id names a session")
	}
}

func TestMalformedEntriesOfTheFileAreIgnored(t *testing.T) {
	now := time.Now()
	key := hexKey(t, newKey(t))
	proof := strings.Repeat("a", secretLength)
	good := fmt.Sprintf(`{"id":"good","address":%q,"public_key":%q,"proof_key":%q,"used":%q}`, ours, key, proof,
		now.Add(time.Hour).Format(time.RFC3339))
	var many strings.Builder
	for i := range 2 * maxSessions {
		used := now.Add(-time.Duration(i) * time.Second).Format(time.RFC3339)
		fmt.Fprintf(&many, `{"id":"s%d","address":%q,"public_key":%q,"proof_key":%q,"used":%q},`, i, ours, key, proof, used)
	}
	for name, c := range map[string]struct {
		text string
		left int
	}{
		"empty file":           {"", 0},
		"invalid JSON":         {"{", 0},
		"object":               {`{"id":"x"}`, 0},
		"hash of a token":      {fmt.Sprintf(`[{"id":"x","sha256":"%x","used":%q}]`, hashOf("x"), now.Format(time.RFC3339)), 0},
		"key that is no point": {"[" + strings.Replace(good, key, "04"+strings.Repeat("1", 128), 1) + "]", 0},
		"key without hex":      {"[" + strings.Replace(good, key, "zz", 1) + "]", 0},
		"short key of proofs":  {"[" + strings.Replace(good, proof, "a", 1) + "]", 0},
		"empty id":             {strings.Replace("["+good+"]", `"good"`, `""`, 1), 0},
		"missing time":         {strings.Replace("["+good+"]", `"used"`, `"x"`, 1), 0},
		"time in the future":   {"[" + good + "]", 1},
		"too many sessions":    {"[" + strings.TrimSuffix(many.String(), ",") + "]", maxSessions},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "sessions.json")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			s := openAt(&now, file)
			if len(s.sessions) != c.left {
				t.Errorf("%d sessions, want %d", len(s.sessions), c.left)
			}
			for _, session := range s.sessions {
				if session.used.After(now) {
					t.Error("a session was last used in the future")
				}
			}
			if c.left > 1 && !restored(s, "s0") {
				t.Error("the session used last is missing")
			}
		})
	}
}
