package api

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func restored(now *time.Time, file string) *passes {
	p := passesAt(now)
	p.restore(sessionFile{file, slog.New(slog.DiscardHandler)})
	return p
}

func contents(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestASessionOutlivesTheHubAsAHashAndKeepsItsEnd(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	file := filepath.Join(t.TempDir(), "sessions.json")
	first := restored(&now, file)
	token, s := first.begin()
	idle, other := first.begin()
	now = now.Add(time.Hour)
	first.visit(token)
	first.tidy()
	if all := contents(t, file); strings.Contains(all, token) || strings.Contains(all, idle) || !strings.Contains(all, fmt.Sprintf("%x", hashOf(token))) {
		t.Errorf("the file holds %s", all)
	}
	now = now.Add(sessionLife - time.Minute) // the idle one has ended by now
	second := restored(&now, file)
	if got, ok := second.visit(token); !ok || got.id != s.id {
		t.Error("the session has not come back")
	}
	if _, ok := second.visit(idle); ok {
		t.Error("a session lives longer by a restart")
	}
	if all := contents(t, file); strings.Contains(all, other.id) || !strings.Contains(all, s.id) {
		t.Errorf("a session that has ended is in the file: %s", all)
	}
	back, _ := second.visit(token)
	second.close(back)
	if all := contents(t, file); all != "[]\n" {
		t.Errorf("after its end the file holds %s", all)
	}
	if _, ok := restored(&now, file).visit(token); ok {
		t.Error("it comes back after its end")
	}
}

func TestASessionThatNobodyUsesLeavesTheFile(t *testing.T) {
	now := time.Now()
	file := filepath.Join(t.TempDir(), "sessions.json")
	p := restored(&now, file)
	_, s := p.begin()
	now = now.Add(sessionLife + time.Second)
	if _, ok := p.named(s.id); ok {
		t.Error("it is known after its end")
	}
	p.begin()
	now = now.Add(sessionLife + time.Second)
	p.tidy()
	if all := contents(t, file); all != "[]\n" {
		t.Errorf("the file holds %s", all)
	}
}

func TestToAskForAProofIsNoUseOfASession(t *testing.T) {
	now := time.Now()
	p := passesAt(&now)
	token, s := p.begin()
	now = now.Add(sessionLife)
	if key, ok := p.named(s.id); !ok || key != hashOf(token) {
		t.Error("it is not known")
	}
	now = now.Add(time.Second)
	if _, ok := p.visit(token); ok {
		t.Error("a stranger keeps it alive")
	}
	if _, ok := p.named(""); ok {
		t.Error("no id names a session")
	}
}

func TestWhatIsWrongInTheFileLetsNobodyIn(t *testing.T) {
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
		"nothing":       {"", 0},
		"no JSON":       {"{", 0},
		"no list":       {`{"id":"x"}`, 0},
		"half a hash":   {`[{"id":"x","sha256":"00","used":"2026-01-02T03:04:05Z"}]`, 0},
		"no hash":       {fmt.Sprintf(`[{"id":"x","sha256":"zz","used":%q}]`, now.Format(time.RFC3339)), 0},
		"no id":         {strings.Replace("["+good+"]", `"good"`, `""`, 1), 0},
		"never used":    {strings.Replace("["+good+"]", `"used"`, `"x"`, 1), 0},
		"used tomorrow": {"[" + good + "]", 1},
		"too many":      {"[" + strings.TrimSuffix(many.String(), ",") + "]", maxSessions},
	} {
		file := filepath.Join(t.TempDir(), "sessions.json")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		p := restored(&now, file)
		if len(p.sessions) != c.left {
			t.Errorf("%s: %d sessions, want %d", name, len(p.sessions), c.left)
		}
		for _, s := range p.sessions {
			if s.used.After(now) {
				t.Errorf("%s: it lives longer than it may", name)
			}
		}
		if _, ok := p.visit("0"); c.left > 1 && !ok {
			t.Error("the last used one is left out")
		}
	}
}
