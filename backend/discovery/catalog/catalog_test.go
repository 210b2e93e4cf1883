package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
)

// memory is a store that can be told to fail.
type memory struct {
	tools  map[string][]*Tool
	counts chan map[Key]int
	fail   error
}

func (m *memory) Tools(context.Context) ([]*Tool, error) { return nil, m.fail }

func (m *memory) ReplaceTools(_ context.Context, server string, tools []*Tool) error {
	if m.fail == nil {
		m.tools[server] = tools
	}
	return m.fail
}

func (m *memory) SetTokens(_ context.Context, counts map[Key]int) error {
	m.counts <- counts
	return m.fail
}

func open(t *testing.T) (*Catalog, *memory, <-chan Changed) {
	t.Helper()
	m, bus := &memory{tools: make(map[string][]*Tool), counts: make(chan map[Key]int, 4)}, &events.Bus{}
	changes, stop := events.Subscribe[Changed](bus, 8)
	t.Cleanup(stop)
	c, err := Open(t.Context(), m, bus, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return c, m, changes
}

func raw(defs ...string) []json.RawMessage {
	var out []json.RawMessage
	for _, def := range defs {
		out = append(out, json.RawMessage(def))
	}
	return out
}

func TestASnapshotStaysWhatItWas(t *testing.T) {
	c, _, changes := open(t)
	if changed, err := c.Replace(t.Context(), "b", raw(`{"name":"y"}`, `{"name":"x"}`)); err != nil || !changed {
		t.Fatal(changed, err)
	}
	before := c.Snapshot()
	if _, err := c.Replace(t.Context(), "a", raw(`{"name":"z"}`, `{"nameless":1}`, `[]`, `{"name":"z","twice":1}`)); err != nil {
		t.Fatal(err)
	}
	if len(before.Tools) != 1+1 || len(c.Snapshot().Tools) != 3 {
		t.Errorf("before %d, now %d", len(before.Tools), len(c.Snapshot().Tools))
	}
	var names []string
	for _, tool := range c.Snapshot().Tools {
		names = append(names, tool.Proxied())
	}
	if got := strings.Join(names, " "); got != "a__z b__y b__x" {
		t.Errorf("order %s", got)
	}
	if tool, ok := c.Snapshot().Lookup("b", "x"); !ok || tool.CallAs() != "mcp__b__x" {
		t.Errorf("lookup: %v, %v", tool, ok)
	}
	if first, second := <-changes, <-changes; first.Server != "b" || second.Server != "a" {
		t.Errorf("events %v, %v", first, second)
	}
}

func TestTheSameListIsNoChange(t *testing.T) {
	c, _, changes := open(t)
	for i, want := range []bool{true, false} {
		if changed, err := c.Replace(t.Context(), "a", raw(`{"name":"x","n":1}`)); err != nil || changed != want {
			t.Errorf("round %d: %v, %v", i, changed, err)
		}
	}
	if len(changes) != 1 {
		t.Errorf("%d events", len(changes))
	}
	if changed, _ := c.Replace(t.Context(), "a", raw(`{"name":"x","n":2}`)); !changed {
		t.Error("another definition is a change")
	}
}

func TestWhatIsNotStoredIsNotSeen(t *testing.T) {
	c, m, changes := open(t)
	m.fail = errors.New("disk full")
	if _, err := c.Replace(t.Context(), "a", raw(`{"name":"x"}`)); err == nil {
		t.Error("the failure of the store is hidden")
	}
	if len(c.Snapshot().Tools) != 0 || len(changes) != 0 {
		t.Error("a tool that was not stored is seen")
	}
}

func TestForgottenToolsAreGone(t *testing.T) {
	c, m, _ := open(t)
	_, _ = c.Replace(t.Context(), "a", raw(`{"name":"x"}`))
	if err := c.Forget(t.Context(), "a"); err != nil || len(c.Snapshot().Tools) != 0 || len(m.tools["a"]) != 0 {
		t.Errorf("left: %v, %v", c.Snapshot().Tools, err)
	}
}

func TestTokensAreCountedInTheBackground(t *testing.T) {
	c, m, _ := open(t)
	_, _ = c.Replace(t.Context(), "a", raw(`{"name":"x","description":"hello world"}`))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	counts := <-m.counts
	cancel()
	<-done
	n := counts[Key{"a", "x"}]
	if n < 8 || n > 20 {
		t.Errorf("counted %d tokens", n)
	}
	if got := c.Snapshot().Tools[0].Tokens; got != n {
		t.Errorf("the snapshot says %d, the store %d", got, n)
	}
}

func TestHashCoversWhatCallersRelyOn(t *testing.T) {
	base := `{"name":"x","description":"d","inputSchema":{"type":"object","properties":{"a":{"maximum":9007199254740993}}}}`
	same := []string{
		` {"inputSchema":{"properties":{"a":{"maximum":9007199254740993}},"type":"object"}, "description":"d","name":"x"}`,
		`{"name":"x","description":"d","inputSchema":{"type":"object","properties":{"a":{"maximum":9007199254740993}}},"_meta":{"v":2}}`,
	}
	other := []string{
		strings.Replace(base, `"d"`, `"e"`, 1), strings.Replace(base, "0993", "0992", 1),
		strings.Replace(base, `"name"`, `"title":"t","name"`, 1), strings.Replace(base, `"name"`, `"annotations":{},"name"`, 1),
	}
	want := HashOf("s", json.RawMessage(base))
	for _, def := range same {
		if HashOf("s", json.RawMessage(def)) != want {
			t.Errorf("another hash for %s", def)
		}
	}
	for _, def := range other {
		if HashOf("s", json.RawMessage(def)) == want {
			t.Errorf("the same hash for %s", def)
		}
	}
	if HashOf("other", json.RawMessage(base)) == want {
		t.Error("the same hash on another server")
	}
}

func TestSummaryIsTheFirstSentence(t *testing.T) {
	for description, want := range map[string]string{
		"Reads a file. Then more.":  "Reads a file.",
		"One\n line":                "One line",
		"":                          "",
		strings.Repeat("wörd ", 40): strings.TrimSuffix(strings.Repeat("wörd ", 24)[:0]+strings.Repeat("wörd ", 23)+"wörd", " ") + "…",
	} {
		tool := &Tool{Description: description}
		got := tool.Summary()
		if strings.HasPrefix(description, "wörd") {
			if n := len([]rune(got)); n > 120 || !strings.HasSuffix(got, "…") {
				t.Errorf("%d characters: %q", n, got)
			}
		} else if got != want {
			t.Errorf("%q: got %q, want %q", description, got, want)
		}
	}
}
