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

// tooLong is when a test gives up on what never comes.
const tooLong = 20 * time.Second

// desk is a data folder with what an index works with.
type desk struct {
	t       *testing.T
	file    string
	store   *store.Store
	catalog *catalog.Catalog
	bus     *events.Bus
	log     *record
	clock   *clock
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	return openDesk(t, filepath.Join(t.TempDir(), "discover.db"))
}

func openDesk(t *testing.T, file string) *desk {
	t.Helper()
	d := &desk{t: t, file: file, bus: &events.Bus{}, log: &record{moved: make(chan struct{})}, clock: newClock()}
	var err error
	if d.store, err = store.Open(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.store.Close() })
	if d.catalog, err = catalog.Open(t.Context(), d.store, d.bus, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	return d
}

// list makes tools, as "name: description", those of a server.
func (d *desk) list(server string, tools ...string) {
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

func (d *desk) options(s settings.Search, e embedding.Encoder) embedding.Options {
	return embedding.Options{
		Settings: s, Builtin: embedding.Builtin{Encoder: e, Model: "words", Dimensions: dimensions},
		Catalog: d.catalog, Store: d.store, Bus: d.bus, Log: slog.New(d.log), Clock: d.clock.Clock(),
		Patience: 700 * time.Millisecond,
	}
}

// builtin runs an index with an encoder until the test ends or stop is called.
func (d *desk) builtin(e embedding.Encoder) (x *embedding.Index, stop func()) {
	return d.run(d.options(settings.Search{Provider: settings.ProviderBuiltin, Threads: 1}, e))
}

func (d *desk) run(o embedding.Options) (x *embedding.Index, stop func()) {
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

// await waits until something holds that comes with a change of the vectors or
// with a line in the log.
func (d *desk) await(what string, holds func() bool) {
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
			d.t.Fatalf("never: %s; the log: %s", what, d.log.text())
		}
	}
}

func (d *desk) awaitReady(x *embedding.Index, n int) {
	d.t.Helper()
	d.await(fmt.Sprint(n, " tools ready"), func() bool { s := x.Status(); return s.Ready == n && s.Tools == n })
}

// stored returns the hashes of the vectors of a model that are stored.
func (d *desk) stored(model string) []string {
	d.t.Helper()
	var hashes []string
	err := d.store.Vectors(d.t.Context(), model, func(hash string, _ float32, _ []byte) { hashes = append(hashes, hash) })
	if err != nil {
		d.t.Fatal(err)
	}
	slices.Sort(hashes)
	return hashes
}

// record is a log that is read while it is written.
type record struct {
	mu    sync.Mutex
	lines []string
	moved chan struct{} // closed and renewed with each line
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
	close(r.moved)
	r.moved = make(chan struct{})
	return nil
}

func (r *record) next() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.moved
}

func (r *record) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.lines, "\n")
}

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

// clock stands still until it is told to go on.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []timer
	set    chan struct{} // closed and renewed with each timer
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

func (c *clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	fires := make(chan time.Time, 1)
	c.timers = append(c.timers, timer{d, fires})
	close(c.set)
	c.set = make(chan struct{})
	return fires
}

// pass lets time go on by what somebody waits for, once somebody does.
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
			t.Fatalf("nobody waits for %v", d)
		}
	}
}

func (c *clock) fire(d time.Duration) (set <-chan struct{}, any bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now.Add(d)
	c.timers = slices.DeleteFunc(c.timers, func(t timer) bool {
		if t.after != d {
			return false
		}
		any, c.now = true, now
		t.fires <- now
		return true
	})
	return c.set, any
}

const dimensions = 32

// meaning is a vector of the words of a text: texts that share words are near.
func meaning(text string) []float32 {
	v := make([]float32, dimensions)
	for _, word := range strings.Fields(text) {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(strings.Trim(word, ".")))
		v[sum.Sum32()%dimensions]++
	}
	return v
}

// words is an encoder that counts.
type words struct {
	before func(text string) // before it encodes; may be nil

	mu       sync.Mutex
	texts    []string
	busy     int
	most     int // that it did at a time
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
