package upstream_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

func TestOutputOfAChildOutlivesItAndIsRedacted(t *testing.T) {
	b := start(t, settings.Limits{})
	b.add("s")
	s, err := b.servers.Update(t.Context(), "s", func(v *registry.Server) { v.Env = map[string]string{"API_KEY": "correct-horse"} })
	if err != nil {
		t.Fatal(err)
	}
	wrote := make(chan struct{}, 1)
	defer events.Signal[upstream.Wrote](b.bus, wrote)()
	if lines, left := b.Traces.Output("s", 500, 0); len(lines) != 0 || left != 0 || b.Traces.OutputEnd("s") != 0 {
		t.Errorf("lines before the first start: %+v", lines)
	}
	var texts []string
	for _, text := range []string{"it is correct-horse", "and again"} {
		if _, err := b.call(s, "die", `{"text":"`+text+`"}`); err == nil {
			t.Fatal("the server still runs")
		}
		<-wrote
		lines, _ := b.Traces.Output("s", 500, 0)
		texts = nil
		for _, l := range lines {
			texts = append(texts, l.Text)
		}
	}
	if got := strings.Join(texts, "|"); got != "it is [redacted]|and again" {
		t.Errorf("kept %q", got)
	}
	if err := b.Start(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if _, err := b.call(s, "flood", `{"count":5}`); err != nil { // writes a line without a newline
		t.Fatal(err)
	}
	b.Stop("s")
	<-wrote
	if lines, _ := b.Traces.Output("s", 1, 0); len(lines) != 1 || lines[0].Text != "noise" {
		t.Errorf("the last line is %+v", lines)
	}
	if err := b.servers.Remove(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	b.Remove("s")
	if lines, _ := b.Traces.Output("s", 500, 0); len(lines) != 0 {
		t.Errorf("lines of a removed server: %+v", lines)
	}
}

func TestAListOfToolsThatIsCutSaysSo(t *testing.T) {
	b := start(t, settings.Limits{})
	for how, want := range map[string]struct {
		tools int
		text  string
	}{
		"new": {2000, "agent-discover: the server's list of tools has more than 2000 pages; only the first 2000 tools are used"},
		"big": {
			5000, "agent-discover: the server lists more than 5000 tools, or more than 64 MiB of definitions; only the first 5000 tools are used",
		},
		"same": {2, "agent-discover: the server repeats a cursor of its list of tools; the list ends after 2 tools"},
	} {
		s := b.add(how, "-pages", how)
		if err := b.Start(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		lines, _ := b.Traces.Output(how, 1, 0)
		if d, _ := b.Describe(how); len(d.Tools) != want.tools || len(lines) != 1 || lines[0].Text != want.text {
			t.Errorf("%s: %d tools, %+v", how, len(d.Tools), lines)
		}
	}
}
