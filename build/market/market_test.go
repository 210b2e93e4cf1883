// Package market tests the client and the copy of the official registry of MCP servers. The same scenario runs against a
// small registry in memory and, with make test-market, against the real registry server with PostgreSQL.
package market

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
	"github.com/agent-discover/agent-discover/backend/market/official"
	"github.com/agent-discover/agent-discover/backend/store"
)

// registry is a running registry that the test may change.
type registry interface {
	URL() string
	// publish adds a version of a server.
	publish(t *testing.T, server map[string]any)
	// mark changes the status of a version, or of all versions if version is empty.
	mark(t *testing.T, name, version, status, message string)
	// age makes all entries two days older, so that none counts as recently changed.
	age(t *testing.T)
	// stop ends the registry.
	stop()
}

// space is the namespace in which the test may publish without an account.
const space = "io.modelcontextprotocol.anonymous/"

// amount is the number of servers; every tenth has two versions.
const amount = 510

// servers returns the server.json documents of all versions, with packages of all kinds and remotes of both
// transports.
func servers() []map[string]any {
	var out []map[string]any
	for i := range amount {
		if i%10 == 0 {
			out = append(out, server(i, "1.0.0"))
		}
		out = append(out, server(i, "1.10.0"))
	}
	return out
}

var topics = []string{"postgres", "calendar", "weather", "invoices", "kubernetes", "mail", "translation", "maps", "music", "museums"}

func nameOf(i int) string { return fmt.Sprintf("%s%s-%03d", space, topics[i%len(topics)], i) }

func server(i int, version string) map[string]any {
	topic := topics[i%len(topics)]
	s := map[string]any{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":    nameOf(i), "version": version, "title": fmt.Sprintf("%s number %d", topic, i),
		"description": fmt.Sprintf("Answers questions about %s, for department %d", topic, i),
		"repository":  map[string]any{"url": fmt.Sprintf("https://github.com/example/%s", topic), "source": "github"},
	}
	stdio := map[string]any{"type": "stdio"}
	env := []any{map[string]any{"name": "TOKEN", "description": "Access token", "isRequired": true, "isSecret": true}}
	pack := func(kind, identifier string, more map[string]any) {
		p := map[string]any{"registryType": kind, "identifier": identifier, "transport": stdio, "environmentVariables": env}
		for key, value := range more {
			p[key] = value
		}
		s["packages"] = []any{p}
	}
	versioned := map[string]any{"version": version}
	switch i % 8 {
	case 0:
		pack("npm", fmt.Sprintf("@example/%s-%d", topic, i),
			map[string]any{"version": version, "runtimeHint": "npx", "packageArguments": []any{
				map[string]any{
					"type": "named", "name": "--port", "value": "{port}",
					"variables": map[string]any{"port": map[string]any{"default": "8080", "format": "number"}},
				},
				map[string]any{"type": "positional", "valueHint": "folder", "isRequired": true, "format": "filepath"},
			}})
	case 1:
		pack("pypi", fmt.Sprintf("%s-%d", topic, i), versioned)
	case 2:
		pack("oci", fmt.Sprintf("ghcr.io/example/%s:%s-%d", topic, version, i), nil)
	case 3:
		pack("nuget", fmt.Sprintf("Example.%s%d", topic, i), versioned)
	case 4:
		pack("mcpb", fmt.Sprintf("https://github.com/example/%s/releases/download/v%s/%d.mcpb", topic, version, i),
			map[string]any{"fileSha256": strings.Repeat("ab", 32)})
	case 5:
		pack("cargo", fmt.Sprintf("%s-%d", topic, i), versioned)
	case 6:
		s["remotes"] = []any{map[string]any{
			"type": "streamable-http", "url": fmt.Sprintf("https://mcp%d.example.com/mcp", i),
			"headers": []any{
				map[string]any{
					"name": "Authorization", "value": "Bearer {token}",
					"variables": map[string]any{"token": map[string]any{"isRequired": true, "isSecret": true}},
				},
			},
		}}
	case 7:
		s["remotes"] = []any{
			map[string]any{
				"type": "sse", "url": fmt.Sprintf("https://{tenant}.sse%d.example.com/sse", i),
				"variables": map[string]any{"tenant": map[string]any{"isRequired": true, "choices": []any{"eu", "us"}}},
			},
		}
	}
	return s
}

// run runs the scenario against a registry with the servers.
func run(t *testing.T, r registry) {
	client := official.New(official.Options{URL: r.URL()})
	t.Run("paging", func(t *testing.T) { testPaging(t, client) })
	t.Run("search", func(t *testing.T) { testSearch(t, client) })
	t.Run("conversion", func(t *testing.T) { testConversion(t, client) })
	t.Run("faults", func(t *testing.T) { testFaults(t, client) })
	t.Run("mirror", func(t *testing.T) { testMirror(t, r, client) })
}

// all returns the entries that a query selects, of all pages.
func all(t *testing.T, c *official.Client, q official.Query) []official.Entry {
	t.Helper()
	var out []official.Entry
	for {
		page, err := c.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if page.Skipped > 0 {
			t.Errorf("%d entries were left out", page.Skipped)
		}
		out = append(out, page.Entries...)
		if q.Cursor = page.Next; q.Cursor == "" {
			return out
		}
	}
}

func testPaging(t *testing.T, c *official.Client) {
	for _, limit := range []int{0, 7, 51, 1000} {
		entries := all(t, c, official.Query{Limit: limit})
		seen := make(map[string]bool)
		latest := 0
		for _, e := range entries {
			seen[e.Name+"@"+e.Version] = true
			if e.Latest {
				latest++
			}
			if e.Latest != (e.Version == "1.10.0") || !e.Verified || e.Status != listing.Active || e.Published.IsZero() {
				t.Errorf("got %+v", e)
			}
		}
		if len(entries) != len(servers()) || len(seen) != len(entries) || latest != amount {
			t.Errorf("limit %d: %d entries, %d of them different, %d latest; want %d and %d", limit, len(entries), len(seen), latest,
				len(servers()), amount)
		}
	}
	if n := len(all(t, c, official.Query{Latest: true})); n != amount {
		t.Errorf("%d latest versions, want %d", n, amount)
	}
	if n := len(all(t, c, official.Query{Since: time.Now().Add(time.Hour)})); n != 0 {
		t.Errorf("%d entries have changed in the future", n)
	}
}

func testSearch(t *testing.T, c *official.Client) {
	found, err := c.Search(t.Context(), "museums-009", 10)
	if err != nil || len(found) != 1 || found[0].Name != nameOf(9) {
		t.Errorf("got %v, %v", found, err)
	}
	if found, err = c.Search(t.Context(), "some POSTGRES servers", 10); err != nil || len(found) != 10 ||
		!strings.Contains(found[0].Name, "postgres") {
		t.Errorf("got %d, %v", len(found), err)
	}
	if found, err = c.Search(t.Context(), "xylophone", 10); err != nil || len(found) != 0 {
		t.Errorf("got %v, %v", found, err)
	}
	if _, err = c.Search(t.Context(), "x y", 10); fault.KindOf(err) != fault.Invalid {
		t.Errorf("words that are too short: %v", err)
	}
	for asked, want := range map[string]string{official.LatestVersion: "1.10.0", "1.0.0": "1.0.0"} {
		if e, err := c.Version(t.Context(), nameOf(20), asked); err != nil || e.Version != want || e.Latest != (want == "1.10.0") {
			t.Errorf("version %s: got %s, %t, %v", asked, e.Version, e.Latest, err)
		}
	}
}

func testConversion(t *testing.T, c *official.Client) {
	kinds := map[int]listing.Kind{0: "npm", 1: "pypi", 2: "oci", 3: "nuget", 4: "mcpb", 5: "cargo"}
	for i := range 8 {
		e, err := c.Version(t.Context(), nameOf(i+8), official.LatestVersion)
		if err != nil {
			t.Fatal(err)
		}
		if kind, ok := kinds[i]; ok {
			if len(e.Packages) != 1 || e.Packages[0].Kind != kind || e.Packages[0].Identifier == "" || len(e.Packages[0].Env) != 1 ||
				!e.Packages[0].Env[0].Secret {
				t.Errorf("%s: got %+v", kind, e.Packages)
			}
		} else if len(e.Remotes) != 1 {
			t.Errorf("%s: got %+v", e.Name, e.Remotes)
		}
		switch i {
		case 0:
			args := e.Packages[0].Arguments
			if len(args) != 2 || args[0].Name != "--port" || args[0].Variables["port"].Default != "8080" || !args[1].Required ||
				args[1].Hint != "folder" {
				t.Errorf("arguments %+v", args)
			}
		case 4:
			if e.Packages[0].SHA256 != strings.Repeat("ab", 32) {
				t.Errorf("checksum %s", e.Packages[0].SHA256)
			}
		case 6:
			if h := e.Remotes[0].Headers; len(h) != 1 || h[0].Value != "Bearer {token}" || !h[0].Variables["token"].Secret {
				t.Errorf("headers %+v", h)
			}
		case 7:
			if v := e.Remotes[0].Variables["tenant"]; e.Remotes[0].Type != "sse" || !v.Required ||
				!slices.Equal(v.Choices, []string{"eu", "us"}) {
				t.Errorf("remote %+v", e.Remotes[0])
			}
		}
	}
}

func testFaults(t *testing.T, c *official.Client) {
	_, err := c.Version(t.Context(), space+"does-not-exist", official.LatestVersion)
	if fault.KindOf(err) != fault.NotFound || !strings.Contains(fault.MessageOf(err), "does-not-exist") {
		t.Errorf("a missing server: %v", err)
	}
	_, err = c.Version(t.Context(), nameOf(1), "9.9.9+x/..;$(id)")
	if fault.KindOf(err) != fault.NotFound || !strings.Contains(fault.MessageOf(err), "9.9.9") {
		t.Errorf("a missing version: %v", err)
	}
	if _, err := c.List(t.Context(), official.Query{Search: "ab"}); fault.KindOf(err) != fault.Failed ||
		!strings.Contains(fault.MessageOf(err), "at least 3 characters") {
		t.Errorf("a search that is too short: %v", err)
	}
}

// counted is a source that counts requests for pages, and can fail.
type counted struct {
	*official.Client
	pages atomic.Int32
	fail  atomic.Int32 // the page that fails; 0 for none
	last  atomic.Pointer[official.Query]
}

func (c *counted) List(ctx context.Context, q official.Query) (official.Page, error) {
	c.last.Store(&q)
	if c.pages.Add(1) == c.fail.Load() {
		return official.Page{}, context.Canceled // as when the hub is stopped
	}
	return c.Client.List(ctx, q)
}

// open runs a mirror with a database until the returned function is called.
func open(t *testing.T, file string, source mirror.Source) (*mirror.Mirror, func()) {
	t.Helper()
	s, err := store.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mirror.Open(t.Context(), mirror.Options{
		Source: source, Store: s.Mirror, Bus: &events.Bus{}, Log: slog.New(slog.DiscardHandler),
		Installed: func(context.Context) ([]string, error) { return []string{nameOf(3)}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	return m, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func testMirror(t *testing.T, r registry, client *official.Client) {
	r.age(t)
	source := &counted{Client: client}
	source.fail.Store(4)
	file := filepath.Join(t.TempDir(), "discover.db")
	m, end := open(t, file, source)
	if err := m.Refresh(t.Context()); err == nil {
		t.Fatal("the refresh was not interrupted")
	}
	if n := m.Status().Entries; n != 3*official.PageSize {
		t.Errorf("%d entries before the interruption, want %d", n, 3*official.PageSize)
	}
	end()
	source.pages.Store(0)
	source.fail.Store(0)
	m, end = open(t, file, source)
	defer func() { end() }()
	refresh(t, m)
	if n := source.pages.Load(); n > 3 || source.last.Load().Cursor == "" {
		t.Errorf("%d pages were read after the restart; it began anew", n)
	}
	compare(t, m, client)

	r.publish(t, server(5, "2.0.0"))
	r.publish(t, server(amount+1, "1.10.0"))
	r.mark(t, nameOf(1), "1.10.0", "deprecated", "use another one")
	r.mark(t, nameOf(2), "1.10.0", "deleted", "")
	r.mark(t, nameOf(3), "1.10.0", "deleted", "it was wrong") // an installed server
	r.mark(t, nameOf(10), "1.10.0", "deleted", "")            // the earlier version is the latest one now
	r.mark(t, nameOf(20), "", "deleted", "")                  // both versions
	source.pages.Store(0)
	refresh(t, m)
	if n := source.pages.Load(); n != 1 || source.last.Load().Since.IsZero() {
		t.Errorf("%d pages were read to find the changes", n)
	}
	compare(t, m, client)
	lookup(t, m, 1, "1.10.0", listing.Deprecated)
	lookup(t, m, 2, "", "")
	lookup(t, m, 3, "1.10.0", listing.Deleted)
	lookup(t, m, 5, "2.0.0", listing.Active)
	lookup(t, m, 10, "1.0.0", listing.Active)
	lookup(t, m, 20, "", "")

	r.age(t)
	r.mark(t, nameOf(20), "1.0.0", "active", "") // one of the two versions is active again
	r.mark(t, nameOf(1), "1.10.0", "active", "")
	refresh(t, m)
	compare(t, m, client)
	lookup(t, m, 20, "1.0.0", listing.Active)

	r.stop()
	if err := m.Refresh(t.Context()); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a refresh without the registry: %v", err)
	}
	end()
	m, end = open(t, file, source)
	found, err := m.Search(t.Context(), "questions about museums for department 9", 5)
	if err != nil || len(found) == 0 || found[0].Name != nameOf(9) || found[0].Packages[0].Identifier != "museums-9" {
		t.Errorf("a search without the registry: %v, %v", found, err)
	}
	if s := m.Status(); s.Problem == "" || s.Refreshed.IsZero() || s.Entries != amount-1 {
		t.Errorf("got %+v", s)
	}
}

func refresh(t *testing.T, m *mirror.Mirror) {
	t.Helper()
	if err := m.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// compare compares the copy with what the registry lists.
func compare(t *testing.T, m *mirror.Mirror, c *official.Client) {
	t.Helper()
	var want, got []string
	for _, e := range all(t, c, official.Query{Latest: true}) {
		want = append(want, fmt.Sprintf("%s@%s:%s", e.Name, e.Version, e.Status))
	}
	copied, err := m.Page(t.Context(), "", 10_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range copied {
		got = append(got, fmt.Sprintf("%s@%s:%s", l.Name, l.Version, l.Status))
	}
	slices.Sort(want)
	slices.Sort(got)
	if m.Status().Entries != len(want) {
		t.Errorf("the copy has %d entries, the registry %d", m.Status().Entries, len(want))
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("the copy lacks %s", w)
		}
	}
	for _, g := range got {
		if !slices.Contains(want, g) {
			t.Errorf("the registry lacks %s", g)
		}
	}
}

// lookup checks the version and status of a server; an empty version means that it must not be in the copy.
func lookup(t *testing.T, m *mirror.Mirror, i int, version string, status listing.Status) {
	t.Helper()
	l, ok, err := m.Lookup(t.Context(), nameOf(i))
	if err != nil || ok != (version != "") || l.Version != version || l.Status != status {
		t.Errorf("%s: got %q, %s, %t, %v; want %q, %s", nameOf(i), l.Version, l.Status, ok, err, version, status)
	}
}

func TestTheClientAndTheCopyWorkWithARegistry(t *testing.T) { run(t, newSmall(t)) }
