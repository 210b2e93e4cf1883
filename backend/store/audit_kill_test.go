package store

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/calls/audit"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
)

// killedWriter is the environment variable that passes the path of the database to a child process of a test.
const killedWriter = "AGENT_DISCOVER_TEST_AUDIT_WRITER"

func TestMain(m *testing.M) {
	if file := os.Getenv(killedWriter); file != "" {
		fmt.Println(recordUntilKilled(file))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// recordUntilKilled records calls until the process is killed. It prints a line when a call has begun, when it is
// answered, and when it is refused.
func recordUntilKilled(file string) error {
	ctx := context.Background()
	s, err := Open(ctx, file)
	if err != nil {
		return err
	}
	log, err := audit.Open(ctx, audit.Options{
		Store: s.Audit, File: filepath.Join(filepath.Dir(file), "audit.head"), Begun: filepath.Join(filepath.Dir(file), "begun"),
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	j, err := journal.Open(ctx, journal.Options{Store: s.Calls, Bus: &events.Bus{}, Log: slog.New(slog.DiscardHandler), Audit: log})
	if err != nil {
		return err
	}
	go func() { _ = j.Run(ctx) }()
	for i := 0; ; i++ {
		for n := range 20 {
			r := journal.Record{At: time.Now(), Server: "s", Tool: fmt.Sprintf("%d-%d-%d", os.Getpid(), i, n)}
			r.Begun, err = j.Begin(r, nil, nil)
			if err != nil {
				return err
			}
			fmt.Println("begun", r.Tool)
			r.Outcome = journal.OK
			j.Record(r, nil, nil, nil)
			fmt.Println("answered", r.Tool)
		}
		tool := fmt.Sprintf("%d-%d", os.Getpid(), i)
		j.Record(journal.Record{Server: "s", Tool: tool, Outcome: journal.Refused}, nil, nil, nil)
		fmt.Println("refused", tool)
	}
}

func TestTheChainSurvivesKillsAndHasEveryCall(t *testing.T) {
	file := filepath.Join(t.TempDir(), "discover.db")
	seen := make(map[string][]string) // the tools in the printed lines, by their first word
	for kill := range 8 {
		c := exec.CommandContext(t.Context(), os.Args[0])
		c.Env = append(os.Environ(), killedWriter+"="+file)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			what, tool, ok := strings.Cut(lines.Text(), " ")
			if !ok {
				t.Fatal(lines.Text())
			}
			seen[what] = append(seen[what], tool)
			if n == 83+31*kill {
				if err := c.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = c.Wait() // reports that the process was killed
	}
	a := &audited{t: t, file: file, hubLog: new(strings.Builder)}
	a.open()
	defer func() { _ = a.store.Close() }()
	j, stop := a.runJournal()
	if err := j.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop()
	if got := a.verify(); !got.Intact || len(got.Gaps) > 0 {
		t.Errorf("got %+v", got)
	}
	stored, err := a.store.Audit.AuditEntries(t.Context(), audit.Query{})
	if err != nil {
		t.Fatal(err)
	}
	outcomes := make(map[string][]string) // by tool
	for _, s := range stored {
		e, err := s.Entry()
		if err != nil {
			t.Fatal(err)
		}
		outcomes[e.Tool] = append(outcomes[e.Tool], e.Outcome)
	}
	for what, allowed := range map[string][]string{"refused": {"refused"}, "answered": {"ok"}, "begun": {"ok", "unknown"}} {
		if len(seen[what]) < 20 {
			t.Errorf("only %d calls were %s", len(seen[what]), what)
		}
		for _, tool := range seen[what] {
			if got := outcomes[tool]; len(got) != 1 || !slices.Contains(allowed, got[0]) {
				t.Errorf("call %s was %s, and has the outcomes %q in the audit log", tool, what, got)
			}
		}
	}
}
