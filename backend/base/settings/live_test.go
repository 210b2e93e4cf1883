package settings

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
)

// following is a Live that follows a file in a test.
type following struct {
	*Live
	t       *testing.T
	bus     *events.Bus
	applied atomic.Int32
	writes  atomic.Int64
}

func follow(t *testing.T, text string) *following {
	t.Helper()
	f := &following{t: t, bus: new(events.Bus)}
	file := filepath.Join(t.TempDir(), "config.yaml")
	f.Live = &Live{file: file}
	f.write(text)
	var err error
	if f.Live, err = Open(file, f.bus, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	f.Apply(func(Settings) { f.applied.Add(1) }, "discovery", "results.folder")
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = f.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	synctest.Wait()
	return f
}

// write writes the file as a text editor does. It sets a different modification time
// for each version of the file, because the test waits in virtual time and two versions
// could otherwise get the same time from the disk.
func (f *following) write(text string) {
	f.t.Helper()
	n := f.writes.Add(1)
	if err := os.WriteFile(f.file, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Chtimes(f.file, time.Time{}, time.Unix(n, 0)); err != nil {
		f.t.Fatal(err)
	}
}

// after lets time pass and returns the state at its end.
func (f *following) after(d time.Duration) *State {
	time.Sleep(d) // advances the virtual clock of synctest
	synctest.Wait()
	return f.State()
}

const limit = 499 * time.Millisecond // a change applies within half a second

func rules(s *State) string { return fmt.Sprint(len(s.Settings.Discovery.ToolRules)) }

func TestAChangedFileAppliesWithinHalfASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, "port: 4000")
		reloaded, stop := events.Subscribe[Reloaded](f.bus, 8)
		defer stop()
		f.write("port: 4000\ndiscovery: {tool_rules: [{pattern: '/x|y{2}/i', enabled: false}]}")
		if s := f.after(limit); rules(s) != "1" || len(s.Problems)+len(s.Restart) != 0 || f.applied.Load() != 1 || len(reloaded) != 1 {
			t.Errorf("got %+v, applied %d times, %d events", s, f.applied.Load(), len(reloaded))
		}
		f.write("port: 4000\n# a comment\ndiscovery: {tool_rules: [{pattern: '/x|y{2}/i', enabled: false}]}")
		if f.after(limit); f.applied.Load() != 1 || len(reloaded) != 1 {
			t.Error("a change of a comment was applied")
		}
		f.write("port: 5000\ndiscovery: {tool_rules: [{pattern: x, enabled: true}]}")
		if s := f.after(limit); fmt.Sprint(s.Restart) != "[port]" || f.applied.Load() != 2 {
			t.Errorf("need a restart: %v", s.Restart)
		}
		f.write("port: 4000\ndiscovery: {tool_rules: [{pattern: x, enabled: true}]}")
		if s := f.after(limit); len(s.Restart) != 0 {
			t.Errorf("need a restart: %v", s.Restart)
		}
	})
}

func TestAnInvalidFileKeepsTheSettingsAndShowsTheProblem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, "discovery: {tool_rules: [{pattern: x, enabled: false}]}")
		f.write("discovery:\n  tool_rules: [{pattern: '[', enabled: false}]\nresults: {folder: /x}")
		s := f.after(limit)
		if rules(s) != "1" || s.Settings.Results.Folder != "" || f.applied.Load() != 0 || len(s.Problems) != 1 || s.Problems[0].Line != 2 ||
			s.Problems[0].Column != 27 {
			t.Errorf("got %+v", s)
		}
		if _, err := f.Reload(); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("the reload of an invalid file: %v", err)
		}
		f.write("discovery: {tool_rules: [{pattern: x, enabled: false}]}")
		if s := f.after(limit); len(s.Problems) != 0 || rules(s) != "1" {
			t.Errorf("the problem remains: %+v", s)
		}
	})
}

func TestAFileThatIsBeingSavedIsNotReadHalf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, "discovery: {tool_rules: [{pattern: x, enabled: false}]}")
		f.write("")
		if s := f.after(limit); rules(s) != "1" {
			t.Error("an empty file was applied at once")
		}
		f.write("discovery: {tool_rules: [{pattern: x, enabled: false}, {pattern: y, enabled: false}]}")
		if s := f.after(limit); rules(s) != "2" || f.applied.Load() != 1 {
			t.Errorf("%s rules apply, applied %d times", rules(s), f.applied.Load())
		}
		if err := os.Remove(f.file); err != nil {
			t.Fatal(err)
		}
		if s := f.after(limit); rules(s) != "2" {
			t.Error("a missing file was applied at once")
		}
		if s := f.after(time.Second); rules(s) != "0" {
			t.Error("a deleted file is not noticed")
		}
		for i := range 20 { // a file that keeps changing
			f.write(strings.Repeat("#", i+1))
			f.after(rest / 2)
		}
		if f.applied.Load() != 2 {
			t.Errorf("applied %d times", f.applied.Load())
		}
	})
}

func TestAFileThatIsSavedWhileItIsReadIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const one = "discovery: {tool_rules: [{pattern: x, enabled: false}]}"
		const two = "discovery: {tool_rules: [{pattern: y, enabled: false}]}"
		f := &following{t: t, bus: new(events.Bus), Live: &Live{file: filepath.Join(t.TempDir(), "config.yaml")}}
		f.write(one)
		var err error
		if f.Live, err = Open(f.file, f.bus, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		saved := false
		f.load = func(file string) (Settings, error) {
			if saved {
				return Load(file)
			}
			saved = true
			f.write("") // a text editor has truncated the file, and not yet written it
			defer f.write(two)
			return Load(file)
		}
		f.Apply(func(s Settings) {
			f.applied.Add(1)
			if len(s.Discovery.ToolRules) != 1 {
				t.Error("the settings of a truncated file were applied")
			}
		}, "discovery")
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- f.Run(ctx) }()
		f.write(two)
		f.after(time.Second)
		stop()
		if <-done; !saved || f.applied.Load() != 1 {
			t.Errorf("applied %d times, saved while it was read: %v", f.applied.Load(), saved)
		}
	})
}

func TestReadersNeverSeeHalfOfAReload(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	text := func(n int) string {
		rule := fmt.Sprintf("{pattern: 'x%d', enabled: false}", n)
		return fmt.Sprintf("discovery: {tool_rules: [%s], clients: [{client: 'x%d', deny: a}]}",
			strings.Join([]string{rule, rule, rule}, ", "), n)
	}
	write := func(n int) {
		if err := os.WriteFile(file, []byte(text(n)), 0o600); err != nil {
			t.Error(err)
		}
	}
	write(0)
	l, err := Open(file, new(events.Bus), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	broken := make(chan string, 50)
	for range 50 {
		go func() {
			wrong := ""
			for ctx.Err() == nil {
				d := l.State().Settings.Discovery
				for _, rule := range d.ToolRules {
					if rule.Patterns[0].String() != d.Clients[0].Client {
						wrong = fmt.Sprintf("%+v", d)
					}
				}
			}
			broken <- wrong
		}()
	}
	for n := range 20 {
		write(n)
		if _, err := l.Reload(); err != nil {
			t.Error(err)
		}
	}
	stop()
	for range 50 {
		if wrong := <-broken; wrong != "" {
			t.Fatal(wrong)
		}
	}
}

func TestAChangeIsReportedToWhoMakesItWhileTheFileIsReloaded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	l, err := Open(file, new(events.Bus), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var reloading sync.WaitGroup
	defer reloading.Wait()
	defer stop()
	reloading.Go(func() {
		for ctx.Err() == nil {
			_, _ = l.Reload()
		}
	})
	for n := range 100 {
		keys, err := l.Change(func() error {
			return os.WriteFile(file, fmt.Appendf(nil, "port: %d\n", 4000+n), 0o600)
		})
		if err != nil || !slices.Equal(keys, []string{"port"}) {
			t.Fatalf("change %d: %v, %v", n, keys, err)
		}
	}
}

func TestValuesHaveTheirOrigin(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_PORT", "4001")
	s, err := load(t, "port: 4000\nlimits: {idle_stop: 90s}\ndiscovery: {tool_overrides: [{server: a, tool: b, arguments: {key: hidden}}]}")
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"port": "environment 4001", "limits.idle_stop": "file 1m30s", "limits.call_timeout": "default 1m0s",
		"discovery.cache.ttl": "default 3600", "roots": "default []",
	} {
		if got := fmt.Sprint(s.OriginOf(key), " ", s.Values()[key]); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
}
