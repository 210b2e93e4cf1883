package catalog_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

// open returns an empty catalog with its store, its event bus and a
// subscription to its changes.
func open(t *testing.T) (*catalog.Catalog, *catalogtest.Store, *events.Bus, <-chan catalog.Changed) {
	t.Helper()
	store, bus := &catalogtest.Store{}, &events.Bus{}
	changes, stop := events.Subscribe[catalog.Changed](bus, 8)
	t.Cleanup(stop)
	return reopen(t, store, bus), store, bus, changes
}

func reopen(t *testing.T, store catalog.Store, bus *events.Bus) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(t.Context(), store, bus, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// replace replaces the tools of a server and reports whether that changed the
// catalog.
func replace(t *testing.T, c *catalog.Catalog, server string, tools ...string) bool {
	t.Helper()
	changed, err := c.Replace(t.Context(), server, catalogtest.Definitions(tools...))
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func TestSnapshotsAreImmutable(t *testing.T) {
	c, _, _, changes := open(t)
	if !replace(t, c, "b", `{"name":"y"}`, `{"name":"x"}`) {
		t.Error("the first list of a server is not reported as a change")
	}
	before := c.Snapshot()
	replace(t, c, "a", `{"name":"z"}`, `{"nameless":1}`, `[]`, `{"name":"z","twice":1}`)
	if len(before.Tools) != 2 || len(c.Snapshot().Tools) != 3 {
		t.Errorf("got %d tools in the old snapshot and %d in the new one, want 2 and 3", len(before.Tools), len(c.Snapshot().Tools))
	}
	var names []string
	for _, tool := range c.Snapshot().Tools {
		names = append(names, tool.Proxied())
	}
	if got := strings.Join(names, " "); got != "a__z b__y b__x" {
		t.Errorf("got the order %s, want a__z b__y b__x", got)
	}
	if tool, ok := c.Snapshot().Lookup("b", "x"); !ok || tool.CallAs() != "mcp__b__x" {
		t.Errorf("lookup of b, x: got %v, %v", tool, ok)
	}
	if first, second := <-changes, <-changes; first.Server != "b" || second.Server != "a" {
		t.Errorf("got events for %s and %s, want b and a", first.Server, second.Server)
	}
}

func TestListingTheSameToolsAgainChangesNothing(t *testing.T) {
	c, _, _, changes := open(t)
	for i, want := range []bool{true, false} {
		if changed := replace(t, c, "a", `{"name":"x","n":1}`); changed != want {
			t.Errorf("list %d: changed is %v, want %v", i, changed, want)
		}
	}
	if len(changes) != 1 {
		t.Errorf("got %d events, want 1", len(changes))
	}
	if !replace(t, c, "a", `{"name":"x","n":2}`) {
		t.Error("a different definition is not reported as a change")
	}
}

func TestToolsThatCannotBeStoredStayOutOfTheCatalog(t *testing.T) {
	c, store, _, changes := open(t)
	store.Fail(errors.New("disk full"))
	if _, err := c.Replace(t.Context(), "a", catalogtest.Definitions(`{"name":"x"}`)); err == nil {
		t.Error("Replace does not return the error of the store")
	}
	if len(c.Snapshot().Tools) != 0 || len(changes) != 0 {
		t.Errorf("got %d tools and %d events, want none", len(c.Snapshot().Tools), len(changes))
	}
}

func TestForgetRemovesTheToolsOfAServer(t *testing.T) {
	c, store, bus, _ := open(t)
	replace(t, c, "a", `{"name":"x"}`)
	if err := c.Forget(t.Context(), "a"); err != nil || len(c.Snapshot().Tools) != 0 {
		t.Errorf("got %v, %v", c.Snapshot().Tools, err)
	}
	if again := reopen(t, store, bus).Snapshot().Tools; len(again) != 0 {
		t.Errorf("the store still has %v", again)
	}
}

func TestTokensAreCountedInTheBackground(t *testing.T) {
	c, store, bus, _ := open(t)
	counted, stop := events.Subscribe[catalog.Counted](bus, 1)
	defer stop()
	replace(t, c, "a", `{"name":"x","description":"hello world"}`)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	<-counted
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	n := c.Snapshot().Tools[0].Tokens
	if n < 8 || n > 20 {
		t.Errorf("got %d tokens, want 8 to 20", n)
	}
	if stored := reopen(t, store, bus).Snapshot().Tools[0].Tokens; stored != n {
		t.Errorf("the snapshot has %d tokens, the store %d", n, stored)
	}
}

// changing is a context that changes the catalog when its method Err is first called,
// which is while Run counts tokens.
type changing struct {
	context.Context
	once   *sync.Once
	change func()
}

func (c changing) Err() error {
	c.once.Do(c.change)
	return c.Context.Err()
}

func TestAToolThatChangesWhileItIsCountedIsCountedAgain(t *testing.T) {
	c, _, bus, _ := open(t)
	counted, stop := events.Subscribe[catalog.Counted](bus, 2)
	defer stop()
	replace(t, c, "a", `{"name":"x"}`)
	later := `{"name":"x","description":"` + strings.Repeat("a much longer description ", 20) + `"}`
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = c.Run(changing{ctx, new(sync.Once), func() { replace(t, c, "a", later) }}) }()
	<-counted
	if got, want := c.Snapshot().Tools[0].Tokens, tokens.Count(later); got != want {
		t.Errorf("the changed tool has %d tokens, want %d", got, want)
	}
}

func TestTheHashCoversWhatCallersRelyOn(t *testing.T) {
	hash := func(server, definition string) string {
		tool, ok := catalog.NewTool(server, json.RawMessage(definition))
		if !ok {
			t.Fatalf("invalid definition %s", definition)
		}
		return tool.Hash
	}
	base := `{"name":"x","description":"d","inputSchema":{"type":"object","properties":{"a":{"maximum":9007199254740993}}}}`
	same := []string{
		` {"inputSchema":{"properties":{"a":{"maximum":9007199254740993}},"type":"object"}, "description":"d","name":"x"}`,
		`{"name":"x","description":"d","inputSchema":{"type":"object","properties":{"a":{"maximum":9007199254740993}}},"_meta":{"v":2}}`,
	}
	other := []string{
		strings.Replace(base, `"d"`, `"e"`, 1), strings.Replace(base, "0993", "0992", 1),
		strings.Replace(base, `"name"`, `"title":"t","name"`, 1), strings.Replace(base, `"name"`, `"annotations":{},"name"`, 1),
	}
	want := hash("s", base)
	for _, definition := range same {
		if hash("s", definition) != want {
			t.Errorf("the hash of %s differs from that of %s", definition, base)
		}
	}
	for _, definition := range other {
		if hash("s", definition) == want {
			t.Errorf("the hash of %s equals that of %s", definition, base)
		}
	}
	if hash("other", base) == want {
		t.Error("the same definition on two servers has one hash")
	}
}

func TestSummaryIsTheFirstSentence(t *testing.T) {
	for description, want := range map[string]string{
		"Reads a file. Then more.":  "Reads a file.",
		"One\n line":                "One line",
		"":                          "",
		strings.Repeat("wörd ", 40): strings.Repeat("wörd ", 23) + "wörd…",
	} {
		tool := &catalog.Tool{Description: description}
		if got := tool.Summary(); got != want || len([]rune(got)) > 120 {
			t.Errorf("%q: got %q, want %q", description, got, want)
		}
	}
}

// slow is a store whose Tools waits until its channel is closed.
type slow struct {
	catalogtest.Store
	proceed chan struct{}
}

func (s *slow) Tools(ctx context.Context) ([]*catalog.Tool, error) {
	<-s.proceed
	return s.Store.Tools(ctx)
}

func TestReadersAndWritersWaitForTheStoredTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{proceed: make(chan struct{})}
		stored, ok := catalog.NewTool("one", []byte(`{"name":"a"}`))
		if !ok {
			t.Fatal("a valid tool was refused")
		}
		stored.ID = 7
		if err := s.ReplaceTools(t.Context(), "one", []*catalog.Tool{stored}, nil); err != nil {
			t.Fatal(err)
		}
		c := catalog.New(s, new(events.Bus), slog.New(slog.DiscardHandler))
		var done atomic.Int32
		go func() {
			if _, known := c.Snapshot().Lookup("one", "a"); !known {
				t.Error("a reader did not see the stored tool")
			}
			done.Add(1)
		}()
		go func() {
			if _, err := c.Replace(t.Context(), "two", catalogtest.Definitions(`{"name":"b"}`)); err != nil {
				t.Error(err)
			}
			done.Add(1)
		}()
		loaded := make(chan error)
		go func() { loaded <- c.Load(t.Context()) }()
		synctest.Wait()
		if n := done.Load(); n != 0 {
			t.Errorf("%d did not wait", n)
		}
		close(s.proceed)
		if err := <-loaded; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if b, known := c.Snapshot().Lookup("two", "b"); done.Load() != 2 || !known || b.ID != 8 {
			t.Errorf("%d are done; the new tool is %+v", done.Load(), b)
		}
	})
}
