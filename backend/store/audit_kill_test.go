package store

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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

// recordUntilKilled records calls until the process is killed. It prints a line after each refused call.
func recordUntilKilled(file string) error {
	ctx := context.Background()
	s, err := Open(ctx, file)
	if err != nil {
		return err
	}
	log, err := audit.Open(ctx, audit.Options{
		Store: s.Audit, File: filepath.Join(filepath.Dir(file), "audit.head"), Log: slog.New(slog.DiscardHandler),
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
		for range 20 {
			j.Record(journal.Record{Server: "s", Tool: "ok", Outcome: journal.OK}, nil, nil, nil)
		}
		tool := fmt.Sprintf("%d-%d", os.Getpid(), i)
		j.Record(journal.Record{Server: "s", Tool: tool, Outcome: journal.Refused}, nil, nil, nil)
		fmt.Println("refused", tool)
	}
}

func TestTheChainSurvivesKillsAndHasEveryRefusal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "discover.db")
	var refused []string
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
			tool, ok := strings.CutPrefix(lines.Text(), "refused ")
			if !ok {
				t.Fatal(lines.Text())
			}
			refused = append(refused, tool)
			if n == 3+kill {
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
	if got := a.verify(); !got.Intact || got.Entries < int64(len(refused)) {
		t.Errorf("got %+v", got)
	}
	stored, err := a.store.Audit.AuditEntries(t.Context(), audit.Query{Outcome: "refused"})
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	for _, s := range stored {
		e, err := s.Entry()
		if err != nil {
			t.Fatal(err)
		}
		found[e.Tool] = true
	}
	for _, tool := range refused {
		if !found[tool] {
			t.Errorf("the refusal of %s is missing", tool)
		}
	}
}
