package embedding_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/store"
)

// tooLong is how long a test waits for an event before it fails.
const tooLong = 20 * time.Second

// fixture is a data folder and the dependencies of an index.
type fixture struct {
	t       *testing.T
	file    string
	store   *store.Store
	catalog *catalog.Catalog
	bus     *events.Bus
	log     *record
	clock   *clock
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return openFixture(t, filepath.Join(t.TempDir(), "discover.db"))
}

func openFixture(t *testing.T, file string) *fixture {
	t.Helper()
	d := &fixture{t: t, file: file, bus: &events.Bus{}, log: &record{added: make(chan struct{})}, clock: newClock()}
	var err error
	if d.store, err = store.Open(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.store.Close() })
	if d.catalog, err = catalog.Open(t.Context(), d.store.Tools, d.bus, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	return d
}

// list replaces the tools of a server. Each tool is given as "name:
// description".
func (d *fixture) list(server string, tools ...string) {
	d.t.Helper()
	var definitions []json.RawMessage
	for _, tool := range tools {
		name, description, _ := strings.Cut(tool, ": ")
		data, err := json.Marshal(map[string]string{"name": name, "description": description})
		if err != nil {
			d.t.Fatal(err)
		}
		definitions = append(definitions, data)
	}
	if _, err := d.catalog.Replace(d.t.Context(), server, definitions); err != nil {
		d.t.Fatal(err)
	}
}

func (d *fixture) options(s settings.Search, e embedding.Encoder) embedding.Options {
	return embedding.Options{
		Settings: s, Builtin: embedding.Builtin{Encoder: e, Model: "words", Dimensions: dimensions},
		Catalog: d.catalog, Store: d.store.ToolVectors, Bus: d.bus, Log: slog.New(d.log), Clock: d.clock.Clock(),
		QueryTimeout: 700 * time.Millisecond,
	}
}

// builtin runs an index with an encoder until the test ends or stop is called.
func (d *fixture) builtin(e embedding.Encoder) (x *embedding.Index, stop func()) {
	return d.run(d.options(settings.Search{Provider: settings.ProviderBuiltin, Threads: 1}, e))
}

// run runs an index with the options until the test ends or stop is called.
func (d *fixture) run(o embedding.Options) (x *embedding.Index, stop func()) {
	d.t.Helper()
	x = embedding.New(o)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- x.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			d.t.Error(err)
		}
	})
	d.t.Cleanup(stop)
	return x, stop
}

// await waits until holds returns true. It checks after each change of the
// vectors and each log line.
func (d *fixture) await(what string, holds func() bool) {
	d.t.Helper()
	changed := make(chan struct{}, 1)
	defer events.Signal[embedding.Changed](d.bus, changed)()
	late := time.After(tooLong)
	for {
		logged := d.log.next()
		if holds() {
			return
		}
		select {
		case <-changed:
		case <-logged:
		case <-late:
			d.t.Fatalf("timed out waiting for %s; log: %s", what, d.log.text())
		}
	}
}

// awaitReady waits until the catalog has n tools and each has a vector.
func (d *fixture) awaitReady(x *embedding.Index, n int) {
	d.t.Helper()
	d.await(fmt.Sprint(n, " tools ready"), func() bool { s := x.Status(); return s.Ready == n && s.Tools == n })
}

// stored returns the hashes of the stored vectors of a model.
func (d *fixture) stored(model string) []string {
	d.t.Helper()
	var hashes []string
	err := d.store.ToolVectors.Vectors(d.t.Context(), model, func(hash string, _ float32, _ []byte) { hashes = append(hashes, hash) })
	if err != nil {
		d.t.Fatal(err)
	}
	slices.Sort(hashes)
	return hashes
}

// record is a log handler whose lines tests read concurrently.
type record struct {
	mu    sync.Mutex
	lines []string
	added chan struct{} // closed and replaced with each line
}

func (r *record) Enabled(context.Context, slog.Level) bool { return true }
func (r *record) WithAttrs([]slog.Attr) slog.Handler       { return r }
func (r *record) WithGroup(string) slog.Handler            { return r }

func (r *record) Handle(_ context.Context, line slog.Record) error {
	text := line.Level.String() + " " + line.Message
	line.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, text)
	close(r.added)
	r.added = make(chan struct{})
	return nil
}

// next returns a channel that is closed when the next line is logged.
func (r *record) next() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.added
}

func (r *record) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.lines, "\n")
}

// count returns the number of lines of a level.
func (r *record) count(level string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, line := range r.lines {
		if strings.HasPrefix(line, level+" ") {
			n++
		}
	}
	return n
}

// clock is a clock that only tests advance.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []timer
	set    chan struct{} // closed and replaced with each timer
}

type timer struct {
	after time.Duration
	fires chan time.Time
}

func newClock() *clock {
	return &clock{now: time.Unix(1_800_000_000, 0), set: make(chan struct{})}
}

func (c *clock) Clock() embedding.Clock { return embedding.Clock{Now: c.Now, After: c.After} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) After(d time.Duration) (over <-chan time.Time, stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fires := make(chan time.Time, 1)
	c.timers = append(c.timers, timer{d, fires})
	close(c.set)
	c.set = make(chan struct{})
	return fires, func() { c.stop(fires) }
}

func (c *clock) stop(fires chan time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers = slices.DeleteFunc(c.timers, func(t timer) bool { return t.fires == fires })
}

// pass waits until a timer of duration d is set, fires all such timers and
// advances the clock by d.
func (c *clock) pass(t *testing.T, d time.Duration) {
	t.Helper()
	late := time.After(tooLong)
	for {
		set, passed := c.fire(d)
		if passed {
			return
		}
		select {
		case <-set:
		case <-late:
			t.Fatalf("timed out waiting for a timer of %v", d)
		}
	}
}

// fire fires the timers of duration d. It returns whether there were any, and a
// channel that is closed when the next timer is set.
func (c *clock) fire(d time.Duration) (set <-chan struct{}, fired bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now.Add(d)
	c.timers = slices.DeleteFunc(c.timers, func(t timer) bool {
		if t.after != d {
			return false
		}
		fired, c.now = true, now
		t.fires <- now
		return true
	})
	return c.set, fired
}

const dimensions = 32

// meaning returns a vector of the words in a text: texts that share words have
// similar vectors.
func meaning(text string) []float32 {
	v := make([]float32, dimensions)
	for _, word := range strings.Fields(text) {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(strings.Trim(word, ".")))
		v[sum.Sum32()%dimensions]++
	}
	return v
}

// words is an encoder that records its calls.
type words struct {
	before func(text string) // called before a text is encoded; may be nil

	mu       sync.Mutex
	texts    []string
	busy     int
	most     int // largest number of concurrent calls
	released int
}

func (w *words) Encode(text string, _ int) []float32 {
	w.mu.Lock()
	w.texts = append(w.texts, text)
	w.busy++
	w.most = max(w.most, w.busy)
	w.mu.Unlock()
	if w.before != nil {
		w.before(text)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy--
	return meaning(text)
}

func (w *words) Release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.released++
}

func (w *words) encoded() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.texts)
}

func (w *words) releases() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.released
}
