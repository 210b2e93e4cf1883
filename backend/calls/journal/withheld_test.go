package journal

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
)

// openAwaiting returns a running journal whose texts can be redacted completely once
// known is closed.
func openAwaiting(t *testing.T, m *memory, known <-chan struct{}) (j *Journal, stop func()) {
	t.Helper()
	j, err := Open(t.Context(),
		Options{Store: m, Bus: &events.Bus{}, Log: slog.New(slog.DiscardHandler), Await: func(ctx context.Context) bool {
			select {
			case <-known:
				return true
			case <-ctx.Done():
				return false
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = j.Run(ctx) }()
	return j, func() { cancel(); <-ended }
}

func TestAHubThatStopsBeforeItKnowsTheSecretsRecordsNoTexts(t *testing.T) {
	m := &memory{tallies: []Tally{{Server: "s", Tool: "echo"}}}
	j, stop := openAwaiting(t, m, nil)
	j.Record(Record{Server: "s", Tool: "unknown secret", Outcome: OK}, nil, nil, nil)
	j.Record(Record{Server: "s", Tool: "echo", Outcome: OK}, json.RawMessage(`{"text":"unknown secret"}`),
		json.RawMessage(`{"content":[{"type":"text","text":"unknown secret"}]}`), nil)
	stop()
	j.Record(Record{Server: "s", Tool: "echo", Outcome: Refused, Response: "unknown secret"},
		json.RawMessage(`{"text":"unknown secret"}`), nil, nil)

	if len(m.records) != 3 {
		t.Fatalf("%d records are stored", len(m.records))
	}
	if got := m.records[0].Tool; got != Withheld {
		t.Errorf("stored the name %s", got)
	}
	for _, r := range m.records[1:] {
		if strings.Contains(r.Args+r.Response, "unknown secret") || !strings.Contains(r.Args, Withheld) ||
			!strings.Contains(r.Response, Withheld) || r.Tool != "echo" {
			t.Errorf("stored %+v", r)
		}
	}
}

func TestARefusalIsRecordedOnceTheSecretsAreKnown(t *testing.T) {
	m, known := &memory{}, make(chan struct{})
	j, stop := openAwaiting(t, m, known)
	defer stop()
	recorded := make(chan struct{})
	go func() {
		defer close(recorded)
		j.Record(Record{Server: "s", Tool: "echo", Outcome: Refused}, json.RawMessage(`{"text":"x"}`), nil, nil)
	}()
	close(known)
	<-recorded
	if len(m.records) != 1 || m.records[0].Args != `{"text":"x"}` {
		t.Errorf("stored %+v", m.records)
	}
}

func TestASecretInANameIsCovered(t *testing.T) {
	m := &memory{}
	j := open(t, m)
	redactor := redact.ForLaunch(launch.Launch{Env: map[string]string{"API_TOKEN": "tok-0123456789-value", "PASSWORD": "postgres"}})

	j.Record(Record{Server: "tok-0123456789-value", Tool: "tok-0123456789-value", Outcome: Refused}, nil, nil, redactor)
	j.Record(Record{Server: "postgres", Tool: "query", Outcome: Refused}, nil, nil, redactor)

	if got := m.records[0].Server + " " + m.records[0].Tool; got != "[redacted] [redacted]" {
		t.Errorf("stored the names %s", got)
	}
	if got := m.records[1].Server + " " + m.records[1].Tool; got != "postgres query" {
		t.Errorf("the ordinary names became %s", got)
	}
}
