package mirror_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
	"github.com/agent-discover/agent-discover/backend/market/official"
	"github.com/agent-discover/agent-discover/backend/store"
)

func TestWordsFindServers(t *testing.T) {
	in(t, func(t *testing.T) {
		r := some()
		r.publish("io.github.acme/mcp", "1.0.0", "Official server of the company")
		r.publish("com.zeta/tools", "1.0.0", "Assorted helpers")
		r.entries[slicesIndex(r, "com.zeta/tools")].Packages = []listing.Package{{Kind: listing.KindNPM, Identifier: "@zeta/spreadsheets"}}
		h := start(t, r)
		h.refresh()
		for text, want := range map[string]string{
			"postgres":               "bob/postgres",
			"query a database":       "bob/postgres",
			"storm warning":          "ann/weather",
			"acme":                   "acme/mcp",
			"io.github.bob/postgres": "bob/postgres",
			"spreadsheet":            "com.zeta/tools",
			"calender":               "dan/calendar", // a typing error
		} {
			if got := h.found(text); got != want {
				t.Errorf("%s: found %q, want %q", text, got, want)
			}
		}
		for _, text := range []string{"", "  ", "xylophone", strings.Repeat("a ", 10_000), "'; DROP TABLE mirror; --\x00"} {
			if _, err := h.Search(t.Context(), text, 10); err != nil {
				t.Errorf("%.20q: %v", text, err)
			}
		}
	})
}

func TestWhatFitsBadlyIsLeftOut(t *testing.T) {
	in(t, func(t *testing.T) {
		r := some()
		r.publish("io.github.fay/dinner", "1.0.0", "Reserve a place in a restaurant of the region")
		h := start(t, r)
		h.refresh()
		if got := h.found("weather: storm warnings and forecasts of my region"); got != "ann/weather" {
			t.Errorf("got %s", got)
		}
		if got := h.found("region"); got != "fay/dinner ann/weather" && got != "ann/weather fay/dinner" {
			t.Errorf("got %s", got)
		}
	})
}

func slicesIndex(r *registry, name string) int {
	for i, e := range r.entries {
		if e.Name == name {
			return i
		}
	}
	panic("no entry " + name)
}

func TestADeprecatedServerRanksLower(t *testing.T) {
	in(t, func(t *testing.T) {
		r := some()
		r.publish("io.github.aaa/postgres", "1.0.0", "Query tables of a database")
		r.mark("io.github.aaa/postgres", "1.0.0", listing.Deprecated)
		h := start(t, r)
		h.refresh()
		if got := h.found("query tables of a database"); got != "bob/postgres aaa/postgres" {
			t.Errorf("got %s", got)
		}
		if l, _, _ := h.Lookup(t.Context(), "io.github.aaa/postgres"); strings.Contains(l.Description, "DEPRECATED") {
			t.Errorf("the description of the listing has changed: %s", l.Description)
		}
	})
}

func TestASearchFollowsTheCopy(t *testing.T) {
	in(t, func(t *testing.T) {
		r := some()
		h := start(t, r)
		h.refresh()
		if got := h.found("postgres"); got != "bob/postgres" {
			t.Errorf("after the first refresh: %q", got)
		}
		time.Sleep(3 * time.Hour)
		r.publish("io.github.new/postgres-two", "1.0.0", "Another postgres")
		r.mark("io.github.bob/postgres", "2.0.0", listing.Deleted)
		h.refresh()
		if got := h.found("postgres"); got != "new/postgres-two" {
			t.Errorf("after a change: %q", got)
		}
	})
}

// sorted sorts queries, because a refresh runs concurrently with the search that requests it.
func sorted(queries string) string {
	list := strings.Split(queries, " | ")
	slices.Sort(list)
	return strings.Join(list, " | ")
}

func TestWithoutACopyTheRegistryIsAskedAndRead(t *testing.T) {
	in(t, func(t *testing.T) {
		r := some()
		r.size = 10
		h := start(t, r)
		if got := h.found("postgres"); got != "bob/postgres" {
			t.Errorf("found %q", got)
		}
		synctest.Wait()
		if asked := sorted(r.queries()); asked != "latest | search postgres" {
			t.Errorf("asked %s", asked)
		}
		if got := h.found("query a database"); got != "bob/postgres" || r.queries() != "" {
			t.Errorf("found %q with the copy", got)
		}
	})
}

func TestWithoutACopyAFailingRegistryIsNotReadAtEachSearch(t *testing.T) {
	in(t, func(t *testing.T) {
		r := some()
		r.fail = func(official.Query) error { return fault.New(fault.Failed, "broken") }
		h := start(t, r)
		for range 3 {
			if got := h.found("postgres"); got != "bob/postgres" {
				t.Errorf("found %q", got)
			}
			synctest.Wait()
		}
		if asked := sorted(r.queries()); asked != "latest | search postgres | search postgres | search postgres" {
			t.Errorf("asked %s", asked)
		}
	})
}

func TestASearchDuringTheFirstRefreshFindsWhatIsThere(t *testing.T) {
	in(t, func(t *testing.T) {
		r := some()
		h := start(t, r)
		hold, held := make(chan struct{}), make(chan struct{}, 1)
		r.fail = func(q official.Query) error {
			if q.Cursor == "io.github.dan/calendar:4.0.0" {
				held <- struct{}{}
				<-hold
			}
			return nil
		}
		done := make(chan error, 1)
		go func() { done <- h.Refresh(context.Background()) }()
		<-held
		if got := h.found("storm"); got != "ann/weather" {
			t.Errorf("found %q", got)
		}
		if s := h.Status(); !s.Running || s.Read != 4 {
			t.Errorf("got %+v", s)
		}
		close(hold)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got := h.found("routes"); got != "eve/maps" {
			t.Errorf("found %q", got)
		}
	})
}

// senses is an encoder that gives some words the same meaning.
type senses struct{ encoded chan string }

func (s senses) Encode(text string, _ int) []float32 {
	s.encoded <- text
	v := []float32{0.1, 0.1, 0.1}
	for i, words := range [][]string{{"postgres", "relational", "tables"}, {"mail", "correspondence"}, {"maps", "navigation"}} {
		for _, w := range words {
			if strings.Contains(text, w) {
				v[i]++
			}
		}
	}
	return v
}

func (senses) Release() {}

func TestMeaningIsComputedOnceSomebodySearches(t *testing.T) {
	in(t, func(t *testing.T) {
		encoded := make(chan string, 100)
		h := &hub{t: t, registry: some(), file: t.TempDir() + "/discover.db"}
		h.meaning = func(s *store.Store) mirror.Meaning {
			return mirror.Meaning{
				Settings: settings.Search{Provider: settings.ProviderBuiltin, Threads: 1}, Store: s.MirrorVectors,
				Builtin: embedding.Builtin{Encoder: senses{encoded}, Model: "all-minilm-l6-v2", Dimensions: 3},
			}
		}
		h.open()
		defer func() { h.end() }()
		h.refresh()
		synctest.Wait()
		if len(encoded) != 0 {
			t.Errorf("%d texts were encoded before a search", len(encoded))
		}
		h.found("anything")
		synctest.Wait()
		if got := h.found("navigation"); got == "" || !strings.HasPrefix(got, "eve/maps") {
			t.Errorf("found %q", got)
		}
		if ready, all := h.Indexed(); ready != 5 || all != 5 {
			t.Errorf("%d of %d have vectors", ready, all)
		}

		time.Sleep(time.Hour) // the finder is unloaded
		if ready, all := h.Indexed(); ready+all != 0 {
			t.Errorf("%d of %d vectors are still held", ready, all)
		}
		h.restart()
		for len(encoded) > 0 {
			<-encoded
		}
		h.found("anything")
		synctest.Wait()
		if got := h.found("correspondence"); !strings.HasPrefix(got, "cid/mail") {
			t.Errorf("after a restart: found %q", got)
		}
		for len(encoded) > 0 {
			if text := <-encoded; text != "anything" && text != "correspondence" {
				t.Errorf("encoded again: %s", text)
			}
		}
	})
}
