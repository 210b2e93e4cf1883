package mirror_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
	"github.com/agent-discover/agent-discover/backend/market/official"
	"github.com/agent-discover/agent-discover/backend/store"
)

// registry simulates the official registry in memory: entries are ordered by name and version, and an entry that
// becomes the latest one because another was withdrawn does not count as changed.
type registry struct {
	mu      sync.Mutex
	url     string
	entries []official.Entry
	size    int                                  // entries per page; 0 means 2
	asked   []string                             // queries
	fail    func(q official.Query) error         // may be nil
	after   func(q official.Query)               // called after each page; may be nil
	turn    func(q official.Query) (next string) // replaces the cursor; may be nil
	skipped int                                  // number of invalid entries on each page
}

// set changes the registry while a mirror is running.
func (r *registry) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

func (r *registry) URL() string { return r.url }

func (r *registry) Check() error {
	if r.url == "" {
		return fault.New(fault.Unavailable, "no registry is configured")
	}
	return nil
}

func (r *registry) List(_ context.Context, q official.Query) (official.Page, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, describe(q))
	if r.fail != nil {
		if err := r.fail(q); err != nil {
			return official.Page{}, err
		}
	}
	page := official.Page{Date: time.Now(), Skipped: r.skipped}
	size := cmp.Or(r.size, 2)
	for _, e := range r.entries {
		key := e.Name + ":" + e.Version
		if q.Cursor != "" && key <= q.Cursor || q.Latest && !e.Latest || q.Since.IsZero() && e.Status == listing.Deleted ||
			!e.Updated.After(q.Since) {
			continue
		}
		if len(page.Entries) == size {
			break
		}
		if page.Entries = append(page.Entries, e); len(page.Entries) == size {
			page.Next = key
		}
	}
	if r.turn != nil {
		page.Next = r.turn(q)
	}
	if r.after != nil {
		defer r.after(q)
	}
	return page, nil
}

func describe(q official.Query) string {
	kind := "all"
	if q.Latest {
		kind = "latest"
	}
	if !q.Since.IsZero() {
		kind += " since " + q.Since.UTC().Format("02 15:04")
	}
	return strings.TrimSpace(kind + " " + q.Cursor)
}

func (r *registry) Version(_ context.Context, name, version string) (official.Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, "version "+name+" "+version)
	for _, e := range r.entries {
		if e.Name == name && e.Latest {
			return e, nil
		}
	}
	return official.Entry{}, fault.New(fault.NotFound, "no such server")
}

func (r *registry) Search(_ context.Context, text string, limit int) ([]listing.Listing, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, "search "+text)
	var out []listing.Listing
	for _, e := range r.entries {
		if e.Latest && strings.Contains(e.Name, text) && len(out) < limit {
			out = append(out, e.Listing)
		}
	}
	return out, nil
}

// queries returns the queries since the last call of queries.
func (r *registry) queries() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	asked := strings.Join(r.asked, " | ")
	r.asked = nil
	return asked
}

// publish adds a version and makes it the latest one.
func (r *registry) publish(name, version, description string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.entries {
		if r.entries[i].Name == name {
			r.entries[i].Latest = false
		}
	}
	r.entries = append(r.entries, official.Entry{Latest: true, Listing: listing.Listing{
		Source: listing.Official, Name: name, Version: version, Description: description, Status: listing.Active, Updated: time.Now(),
	}})
	slices.SortFunc(r.entries, func(a, b official.Entry) int { return cmp.Compare(a.Name+":"+a.Version, b.Name+":"+b.Version) })
}

// mark changes the status of a version, and makes the last version that is not deleted the latest one.
func (r *registry) mark(name, version string, status listing.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last, kept := -1, -1
	for i := range r.entries {
		e := &r.entries[i]
		if e.Name != name {
			continue
		}
		if e.Version == version {
			e.Status, e.Updated = status, time.Now()
		}
		e.Latest = false
		if last = i; e.Status != listing.Deleted {
			kept = i
		}
	}
	if kept < 0 {
		kept = last
	}
	r.entries[kept].Latest = true
}

// remove deletes all versions of a server without a trace.
func (r *registry) remove(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = slices.DeleteFunc(r.entries, func(e official.Entry) bool { return e.Name == name })
}

// hub is a running mirror with its store and registry.
type hub struct {
	*mirror.Mirror
	t         *testing.T
	file      string
	registry  *registry
	store     *store.Store
	bus       *events.Bus
	installed []string
	meaning   func(*store.Store) mirror.Meaning
	end       func()
}

// start runs a mirror of a registry with an empty store. It must be called in a synctest bubble.
func start(t *testing.T, r *registry) *hub {
	t.Helper()
	h := &hub{t: t, registry: r, file: filepath.Join(t.TempDir(), "discover.db")}
	h.open()
	t.Cleanup(func() { h.end() })
	return h
}

// open opens the store and runs the mirror.
func (h *hub) open() {
	h.t.Helper()
	var err error
	if h.store, err = store.Open(context.Background(), h.file); err != nil {
		h.t.Fatal(err)
	}
	h.bus = &events.Bus{}
	options := mirror.Options{
		Source: h.registry, Store: h.store.Mirror, Bus: h.bus, Log: slog.New(slog.DiscardHandler),
		Installed: func(context.Context) ([]string, error) { return h.installed, nil },
	}
	if h.meaning != nil {
		options.Meaning = h.meaning(h.store)
	}
	if h.Mirror, err = mirror.Open(context.Background(), options); err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		_ = h.Run(ctx) // returns nil
		close(ended)
	}()
	h.end = func() {
		cancel()
		<-ended
		_ = h.store.Close()
		h.end = func() {}
	}
}

// restart ends the mirror, and opens it again with the same store.
func (h *hub) restart() {
	h.t.Helper()
	h.end()
	h.open()
}

// refresh refreshes the copy and fails the test if that fails.
func (h *hub) refresh() {
	h.t.Helper()
	if err := h.Refresh(context.Background()); err != nil {
		h.t.Fatal(err)
	}
}

// listed returns the names and versions of the copy.
func (h *hub) listed() string {
	h.t.Helper()
	all, err := h.Page(context.Background(), "", 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	var out []string
	for _, l := range all {
		out = append(out, strings.TrimPrefix(l.Name, "io.github.")+"@"+l.Version)
	}
	return strings.Join(out, " ")
}

// found returns the names that a search finds.
func (h *hub) found(text string) string {
	h.t.Helper()
	all, err := h.Search(context.Background(), text, 10)
	if err != nil {
		h.t.Fatal(err)
	}
	var out []string
	for _, l := range all {
		out = append(out, strings.TrimPrefix(l.Name, "io.github."))
	}
	return strings.Join(out, " ")
}

// some returns a registry with five servers, of which one has two versions.
func some() *registry {
	r := &registry{url: "https://registry.example.com"}
	r.publish("io.github.ann/weather", "1.0.0", "Storm warnings and forecasts of a region")
	r.publish("io.github.ann/weather", "1.1.0", "Storm warnings and forecasts of a region")
	r.publish("io.github.bob/postgres", "2.0.0", "Query tables of a database")
	r.publish("io.github.cid/mail", "3.0.0", "Send and read messages")
	r.publish("io.github.dan/calendar", "4.0.0", "Appointments and invitations")
	r.publish("io.github.eve/maps", "5.0.0", "Routes between addresses")
	return r
}

const allOfSome = "ann/weather@1.1.0 bob/postgres@2.0.0 cid/mail@3.0.0 dan/calendar@4.0.0 eve/maps@5.0.0"

// in runs a test in a synctest bubble.
func in(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

func numbered(n int) *registry {
	r := &registry{url: "https://registry.example.com", size: 100}
	for i := range n {
		r.publish(fmt.Sprintf("io.github.user%d/server%03d", i, i), "1.0.0", fmt.Sprintf("Does the thing with number %d", i))
	}
	return r
}
