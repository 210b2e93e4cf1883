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

func openAt(now *time.Time, file string) *Sessions {
	return OpenSessions(file, func() time.Time { return *now }, slog.New(slog.DiscardHandler))
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

func TestASessionIsRestoredFromItsHashUntilItExpires(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	file := filepath.Join(t.TempDir(), "sessions.json")
	before := openAt(&now, file)
	usedToken, used := before.Begin()
	idleToken, idle := before.Begin()
	now = now.Add(time.Hour)
	before.visit(usedToken)
	save(before)
	if text := read(t, file); strings.Contains(text, usedToken) || strings.Contains(text, idleToken) || !strings.Contains(text, fmt.Sprintf("%x", hashOf(usedToken))) {
		t.Errorf("the file does not hold just the hashes: %s", text)
	}
	now = now.Add(sessionLife - time.Minute) // idle has expired, used has not
	after := openAt(&now, file)
	if got, ok := after.visit(usedToken); !ok || got.ID() != used.ID() {
		t.Error("the used session is not restored")
	}
	if _, ok := after.visit(idleToken); ok {
		t.Error("a restart extends the idle session")
	}
	if text := read(t, file); strings.Contains(text, idle.ID()) || !strings.Contains(text, used.ID()) {
		t.Errorf("the file holds an expired session: %s", text)
	}
	restored, _ := after.visit(usedToken)
	after.End(restored)
	if text := read(t, file); text != "[]\n" {
		t.Errorf("the file after the end of the last session: %s", text)
	}
	if _, ok := openAt(&now, file).visit(usedToken); ok {
		t.Error("an ended session is restored")
	}
}

func TestAnExpiredSessionLeavesTheFile(t *testing.T) {
	now := time.Now()
	file := filepath.Join(t.TempDir(), "sessions.json")
	s := openAt(&now, file)
	_, session := s.Begin()
	now = now.Add(sessionLife + time.Second)
	if _, ok := s.ProofKey(session.ID()); ok {
		t.Error("ProofKey returns the key of an expired session")
	}
	s.Begin()
	now = now.Add(sessionLife + time.Second)
	save(s)
	if text := read(t, file); text != "[]\n" {
		t.Errorf("the file holds %s", text)
	}
}

func TestAskingForAProofDoesNotExtendASession(t *testing.T) {
	now := time.Now()
	s := sessionsAt(&now)
	token, session := s.Begin()
	now = now.Add(sessionLife)
	hash := hashOf(token)
	if key, ok := s.ProofKey(session.ID()); !ok || key != string(hash[:]) {
		t.Error("ProofKey does not return the hash of the token")
	}
	now = now.Add(time.Second)
	if _, ok := s.visit(token); ok {
		t.Error("asking for a proof has extended the session")
	}
	if _, ok := s.ProofKey(""); ok {
		t.Error("an empty id names a session")
	}
}

func TestMalformedEntriesOfTheFileAreIgnored(t *testing.T) {
	now := time.Now()
	good := fmt.Sprintf(`{"id":"good","sha256":"%x","used":%q}`, hashOf("token"), now.Add(time.Hour).Format(time.RFC3339))
	var many strings.Builder
	for i := range 2 * maxSessions {
		used := now.Add(-time.Duration(i) * time.Second).Format(time.RFC3339)
		fmt.Fprintf(&many, `{"id":"s%d","sha256":"%x","used":%q},`, i, hashOf(fmt.Sprint(i)), used)
	}
	for name, c := range map[string]struct {
		text string
		left int
	}{
		"empty file":         {"", 0},
		"invalid JSON":       {"{", 0},
		"object":             {`{"id":"x"}`, 0},
		"short hash":         {`[{"id":"x","sha256":"00","used":"2026-01-02T03:04:05Z"}]`, 0},
		"hash without hex":   {fmt.Sprintf(`[{"id":"x","sha256":"zz","used":%q}]`, now.Format(time.RFC3339)), 0},
		"empty id":           {strings.Replace("["+good+"]", `"good"`, `""`, 1), 0},
		"missing time":       {strings.Replace("["+good+"]", `"used"`, `"x"`, 1), 0},
		"time in the future": {"[" + good + "]", 1},
		"too many sessions":  {"[" + strings.TrimSuffix(many.String(), ",") + "]", maxSessions},
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
			if _, ok := s.visit("0"); c.left > 1 && !ok {
				t.Error("the session used last is missing")
			}
		})
	}
}
