package marketplace

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/market/federation"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
	"github.com/agent-discover/agent-discover/backend/market/npm"
	"github.com/agent-discover/agent-discover/backend/market/official"
	"github.com/agent-discover/agent-discover/backend/market/probe"
	"github.com/agent-discover/agent-discover/backend/market/pypi"
	"github.com/agent-discover/agent-discover/backend/store"
)

// registry simulates an official registry with two versions of one server, and another server.
type registry struct {
	*httptest.Server
	asked atomic.Int32
	down  atomic.Bool
	few   atomic.Bool // the registry lists only one server
}

func (r *registry) entry(name, version string, latest bool) map[string]any {
	return map[string]any{
		"server": map[string]any{
			"name": name, "version": version, "description": "Tells the weather",
			"remotes": []any{map[string]any{"type": "streamable-http", "url": "http://127.0.0.1:9/mcp"}},
		},
		"_meta": map[string]any{"io.modelcontextprotocol.registry/official": map[string]any{"status": "active", "isLatest": latest}},
	}
}

func (r *registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.asked.Add(1)
	all := []any{
		r.entry("io.example/rain", "1.0.0", true), r.entry("io.example/weather", "1.0.0", false),
		r.entry("io.example/weather", "2.0.0", true),
	}
	if r.few.Load() {
		all = all[:1]
	}
	_, version, ok := strings.Cut(request.URL.Path, "/versions/")
	switch {
	case r.down.Load():
		w.WriteHeader(http.StatusServiceUnavailable)
	case ok && version == "1.0.0":
		_ = json.NewEncoder(w).Encode(all[1])
	case ok && version == "latest":
		_ = json.NewEncoder(w).Encode(all[2])
	case ok:
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"detail":"Server not found"}`))
	default:
		_ = json.NewEncoder(w).Encode(map[string]any{"servers": all, "metadata": map[string]any{}})
	}
}

// newMarketplace returns a marketplace with a registry. npm and PyPI cannot be reached.
func newMarketplace(t *testing.T) (*Marketplace, *registry) {
	t.Helper()
	r := &registry{}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	s, err := store.Open(t.Context(), paths.Folder(t.TempDir()).Database())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	home := t.TempDir()
	environment := func(context.Context) process.Env {
		return process.Clean().With("HOME", home).With("PATH", "").With("npm_config_registry", "http://127.0.0.1:9").With("PIP_INDEX_URL",
			"http://127.0.0.1:9/simple")
	}
	o := Options{
		Official: official.New(official.Options{URL: r.URL}), NPM: npm.New(npm.Options{Environment: environment}),
		PyPI: pypi.New(pypi.Options{Environment: environment}), Prober: probe.New(probe.Options{Store: s.Probes}), Installs: s.Installs,
		Bus: &events.Bus{},
	}
	if o.Mirror, err = mirror.Open(t.Context(), mirror.Options{
		Source: o.Official, Store: s.Mirror, Bus: o.Bus, Log: slog.New(slog.DiscardHandler),
	}); err != nil {
		t.Fatal(err)
	}
	m := New(o)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 2)
	go func() { ended <- m.Run(ctx) }()
	go func() { ended <- o.Mirror.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
	return m, r
}

func TestDetailsAreThoseOfTheChosenVersion(t *testing.T) {
	m, r := newMarketplace(t)
	const id = "official:io.example/weather"
	for _, c := range []struct{ version, want string }{{"", "2.0.0"}, {"2.0.0", "2.0.0"}, {"1.0.0", "1.0.0"}} {
		d, err := m.Details(t.Context(), id, c.version)
		if err != nil || d.Version != c.want || len(d.IDs) != 1 {
			t.Errorf("version %q: got %+v, %v", c.version, d, err)
		}
	}
	before := r.asked.Load()
	if request, err := m.Request(t.Context(), Choice{ID: id, Version: "1.0.0", Name: "w"}); err != nil ||
		request.Listing.Version != "1.0.0" || request.Name != "w" {
		t.Errorf("got %+v, %v", request, err)
	}
	if after := r.asked.Load(); after != before {
		t.Error("a plan asked the registry for details that are known")
	}
	if _, err := m.Details(t.Context(), id, "3.0.0"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a missing version: %v", err)
	}
}

func TestPagesComeFromTheCopyWhileTheRegistryIsDown(t *testing.T) {
	m, r := newMarketplace(t)
	page, err := m.Page(t.Context(), "", "", 10)
	if got := names(page.Listings); err != nil || got != "io.example/rain@1.0.0 io.example/weather@2.0.0" || page.Next != "" {
		t.Errorf("got %s, %+v, %v", got, page, err)
	}
	r.down.Store(true)
	if _, err := m.Page(t.Context(), "", "", 10); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("without a copy: %v", err)
	}
	r.down.Store(false)
	if err := m.options.Mirror.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.down.Store(true)
	var all []string
	for cursor, pages := "", 0; pages == 0 || cursor != "" && pages < 5; pages++ {
		page, err := m.Page(t.Context(), "", cursor, 1)
		if err != nil {
			t.Fatal(err)
		}
		all, cursor = append(all, names(page.Listings)), page.Next
	}
	if want := []string{"io.example/rain@1.0.0", "io.example/weather@2.0.0", ""}; !slices.Equal(all, want) {
		t.Errorf("got %q, want %q", all, want)
	}
	if _, err := m.Page(t.Context(), "weather", "", 10); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("with a text: %v", err)
	}
}

func names(all []listing.Listing) string {
	var out []string
	for _, l := range all {
		out = append(out, l.Name+"@"+l.Version)
	}
	return strings.Join(out, " ")
}

func TestARefreshMakesOldAnswersForgotten(t *testing.T) {
	m, r := newMarketplace(t)
	find := func() int {
		a, err := m.Search(t.Context(), federation.Query{Text: "weather", Source: listing.Official})
		if err != nil {
			t.Fatal(err)
		}
		return len(a.Results)
	}
	for _, few := range []bool{true, false} {
		r.few.Store(few)
		if err := m.options.Mirror.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if few && find() != 1 {
			t.Fatal("the first copy has more than one server")
		}
	}
	for deadline := time.Now().Add(10 * time.Second); find() != 2; runtime.Gosched() { // wait until Run has received the event
		if time.Now().After(deadline) {
			t.Fatal("the old answer was used again")
		}
	}
}

func TestWellKnownServersExist(t *testing.T) {
	m, _ := newMarketplace(t)
	start := m.Start(t.Context())
	if len(start.Servers) != 20 {
		t.Errorf("there are %d servers", len(start.Servers))
	}
	seen := make(map[string]bool)
	for _, w := range start.Servers {
		source, name, ok := listing.SplitID(w.ID)
		switch {
		case !ok || seen[w.ID] || w.Title == "" || w.Purpose == "" || !slices.Contains(start.Categories, w.Category) ||
			source != string(w.Kind):
			t.Errorf("got %+v", w)
		case source == listing.NPM && !npm.ValidName(name):
			t.Errorf("npm has no package %s", name)
		case source == listing.PyPI:
			found, _ := m.options.PyPI.Search(t.Context(), w.Title, 5) // ignore the error: the index cannot be reached
			if !slices.ContainsFunc(found, func(l listing.Listing) bool { return l.Name == name }) {
				t.Errorf("%s is not in the list of package pypi", name)
			}
		}
		seen[w.ID] = true
	}
}
