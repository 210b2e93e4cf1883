//go:build unix

package updates_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/updates"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func variable(name string, secret bool) listing.Field {
	return listing.Field{Name: name, Input: listing.Input{Required: true, Secret: secret}}
}

var says = map[string]string{"about": `text([version, process.env.CITY, process.env.TOKEN, process.env.KEY, process.env.MINE].join(" "))`}

func first() string {
	return program("1.0.0", []string{
		tool("about", "Says what it knows.", "", true), tool("forecast", "Says how it will be.", `"day":{"type":"string"}`, true),
		tool("archive", "Says how it was.", "", true),
	}, says)
}

func second() string {
	return program("1.1.0", []string{
		tool("about", "Says what it knows.", "", true), tool("forecast", "Says how it will be, with wind.",
			`"day":{"type":"number"},"wind":{"type":"boolean"}`, false), tool("alerts", "Warns.", "", true),
	}, says)
}

func TestAServerIsComparedUpdatedAndRolledBack(t *testing.T) {
	h := newHub(t)
	h.install(h.offer("1.0.0", first(), variable("CITY", false), variable("TOKEN", true)),
		map[string][]string{"CITY": {"Oslo"}, "TOKEN": {"t0ken-value"}})
	if _, err := h.servers.Update(t.Context(), "weather",
		func(s *registry.Server) { s.Env["MINE"], s.Env["CITY"], s.AlwaysListed = "1", "Bergen", true }); err != nil {
		t.Fatal(err)
	}
	if got := h.call("about"); got != "1.0.0 Bergen t0ken-value  1" {
		t.Fatalf("before the update: %q", got)
	}
	h.offer("1.1.0", second(), variable("CITY", false), variable("TOKEN", true), variable("KEY", true))
	before := h.state()

	if all, err := h.Check(t.Context()); err != nil || len(all) != 1 || !all[0].Updatable || all[0].Latest != "1.1.0" ||
		all[0].Version != "1.0.0" || all[0].Former != "" {
		t.Fatalf("got %+v, %v", all, err)
	}
	if s, err := h.servers.Get("weather"); err != nil || s.Package.Latest != "1.1.0" || s.Package.Version != "1.0.0" {
		t.Errorf("got %+v, %v", s.Package, err)
	}
	if got := h.Updatable(t.Context()); !got["official:io.example/weather"] {
		t.Errorf("got %v", got)
	}

	result, err := h.fail(h.Compare(t.Context(), "weather", updates.CompareOrder{}))
	if c, _ := h.Comparison("weather"); !result.Questions || len(c.Inputs) != 1 || c.Inputs[0].Name != "KEY" || !c.Inputs[0].Missing ||
		c.Hash != "" || !strings.Contains(c.Problem, "KEY") {
		t.Errorf("without an answer: %+v, %+v, %v", result.Progress, c, err)
	}
	h.succeed(h.Compare(t.Context(), "weather", updates.CompareOrder{Answers: map[string][]string{"KEY": {"k3y-value"}}}))
	c, err := h.Comparison("weather")
	if err != nil || c.From != "1.0.0" || c.To != "1.1.0" || fmt.Sprint(c.Added, c.Removed) != "[alerts] [archive]" ||
		len(c.Changed) != 1 || c.Problem != "" || len(c.Hash) != 64 {
		t.Fatalf("got %+v, %v", c, err)
	}
	if got := c.Changed[0]; got.Tool != "forecast" || !got.Description || !got.Schema || !got.Hints ||
		got.After != "Says how it will be, with wind." || fmt.Sprint(got.Added, got.Changed) != "[wind] [day]" {
		t.Errorf("got %+v", got)
	}
	if !slices.Contains(c.Command, "@ada/weather@1.1.0") || c.Env["MINE"] != "1" || c.Env["CITY"] != "Bergen" ||
		c.Env["KEY"] != "${secret:KEY}" {
		t.Errorf("got %q, %v", c.Command, c.Env)
	}
	if text, _ := json.Marshal(c); strings.Contains(string(text), "-value") {
		t.Errorf("the comparison has a secret: %s", text)
	}
	if after := h.state(); after != before {
		t.Errorf("the comparison has left something behind:\n%s\nbefore:\n%s", after, before)
	}

	if _, err := h.fail(h.Apply(t.Context(), "weather", updates.ApplyOrder{
		Hash: strings.Repeat("0", 64), Answers: map[string][]string{"KEY": {"k3y-value"}},
	})); fault.KindOf(err) != fault.Conflict {
		t.Errorf("with another hash: %v", err)
	}
	if after := h.state(); after != before {
		t.Errorf("a refused update has changed something:\n%s\nbefore:\n%s", after, before)
	}
	changes, unsubscribe := events.Subscribe[updates.Changed](h.bus, 10)
	defer unsubscribe()
	h.succeed(h.Apply(t.Context(), "weather", updates.ApplyOrder{Hash: c.Hash}))
	if event := <-changes; len(event.Servers) != 1 || event.Servers[0].Version != "1.1.0" || event.Servers[0].Updatable {
		t.Errorf("got %+v", event)
	}
	if s := h.only(); s.Version != "1.1.0" || s.Former != "1.0.0" || s.Updatable {
		t.Errorf("after the update: %+v", s)
	}
	s, err := h.servers.Get("weather")
	if err != nil || !s.AlwaysListed || !s.Approved || s.Package.Version != "1.1.0" || !slices.Contains(s.Args, "@ada/weather@1.1.0") {
		t.Errorf("after the update: %+v, %v", s, err)
	}
	if _, lists := h.catalog.Snapshot().Lookup("weather", "alerts"); !lists || len(h.catalog.Snapshot().Tools) != 3 {
		t.Error("the catalog does not have the new tools")
	}
	if got := h.call("about"); got != "1.1.0 Bergen t0ken-value k3y-value 1" {
		t.Errorf("after the update: %q", got)
	}
	if _, err := h.fail(h.Compare(t.Context(), "weather", updates.CompareOrder{})); fault.CodeOf(err) != fault.CodeUpToDate {
		t.Errorf("without a newer version: %v", err)
	}

	h.succeed(h.Rollback(t.Context(), "weather"))
	programtest.Eventually(t, "the newer version ends", func() bool { return len(h.children()) == 0 })
	if s := h.only(); s.Version != "1.0.0" || s.Former != "" || !s.Updatable {
		t.Errorf("after the rollback: %+v", s)
	}
	if got := h.call("about"); got != "1.0.0 Bergen t0ken-value k3y-value 1" { // the secret of the newer version is kept
		t.Errorf("after the rollback: %q", got)
	}
	if _, lists := h.catalog.Snapshot().Lookup("weather", "archive"); !lists {
		t.Error("the catalog does not have the former tools")
	}
	if _, err := h.fail(h.Rollback(t.Context(), "weather")); fault.KindOf(err) != fault.Conflict {
		t.Errorf("without a former version: %v", err)
	}
	h.succeed(h.Apply(t.Context(), "weather", updates.ApplyOrder{})) // the key is stored already
	if got := h.call("about"); got != "1.1.0 Bergen t0ken-value k3y-value 1" {
		t.Errorf("after the second update: %q", got)
	}
}

func TestAVersionThatStartsDifferentlyIsNotStartedBeforeItWasSeen(t *testing.T) {
	h := newHub(t)
	h.install(h.offer("1.0.0", first(), variable("CITY", false)), map[string][]string{"CITY": {"Oslo"}})
	fixed := listing.Field{Name: "GREETING", Input: listing.Input{Value: "nobody has seen this"}}
	h.offer("1.1.0", second(), variable("CITY", false), fixed)
	before := h.state()
	h.succeed(h.Compare(t.Context(), "weather", updates.CompareOrder{Hash: strings.Repeat("0", 64)}))
	c, err := h.Comparison("weather")
	if err != nil || !c.Unstarted || len(c.Added) > 0 || len(c.Hash) != 64 || c.Env["GREETING"] != "nobody has seen this" ||
		!strings.Contains(fmt.Sprint(c.Notes), "was not started yet") {
		t.Fatalf("got %+v, %v", c, err)
	}
	if after := h.state(); after != before {
		t.Errorf("left behind:\n%s\nbefore:\n%s", after, before)
	}
	h.succeed(h.Compare(t.Context(), "weather", updates.CompareOrder{Hash: c.Hash}))
	if c, err := h.Comparison("weather"); err != nil || c.Unstarted || fmt.Sprint(c.Added) != "[alerts]" {
		t.Errorf("once it was seen: %+v, %v", c, err)
	}
}

func TestAVersionThatDoesNotWorkChangesNothing(t *testing.T) {
	h := newHub(t)
	h.install(h.offer("1.0.0", first()), nil)
	for name, c := range map[string]struct {
		version, program string
		broken           bool // the registry has no such version
		want             string
	}{
		"it exits at once": {
			"1.1.0", "#!/usr/bin/env node\nconsole.error('Error: the station is closed'); process.exit(1)\n", false,
			"the station is closed",
		},
		"it cannot be downloaded":    {"1.2.0", "", true, "No matching version found"},
		"it asks for a new variable": {"1.3.0", second(), false, "KEY"},
	} {
		t.Run(name, func(t *testing.T) {
			l := h.offer(c.version, c.program)
			if c.broken {
				h.npm.publish("1.0.0", h.npm.files["1.0.0"])
				delete(h.npm.files, c.version)
			}
			if c.want == "KEY" {
				l.Packages[0].Env = []listing.Field{variable("KEY", true)}
				h.listings.set(l, nil)
			}
			before := h.state()
			for kind, start := range map[string]func() (installer.Progress, error){
				"compare": func() (installer.Progress, error) {
					return h.Compare(t.Context(), "weather", updates.CompareOrder{})
				},
				"apply": func() (installer.Progress, error) { return h.Apply(t.Context(), "weather", updates.ApplyOrder{}) },
			} {
				result, err := h.fail(start())
				if !strings.Contains(fault.MessageOf(err), c.want) || result.State != installer.Failed ||
					strings.Contains(result.Error, "__transient__") {
					t.Errorf("%s: %+v, %v", kind, result.Progress, err)
				}
				if after := h.state(); after != before {
					t.Errorf("%s has left something behind:\n%s\nbefore:\n%s", kind, after, before)
				}
			}
			if got := h.call("about"); !strings.HasPrefix(got, "1.0.0") {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestACancelledComparisonLeavesNothingBehind(t *testing.T) {
	h := newHub(t)
	h.install(h.offer("1.0.0", first()), nil)
	// the new version never answers
	h.offer("1.1.0", "#!/usr/bin/env node\nrequire('fs').writeFileSync(process.env.HOME + '/started', ''); process.stdin.resume()\n")
	before := h.state()
	p, err := h.Compare(t.Context(), "weather", updates.CompareOrder{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Apply(t.Context(), "weather", updates.ApplyOrder{}); fault.KindOf(err) != fault.Busy {
		t.Errorf("a second job: %v", err)
	}
	programtest.Eventually(t, "the new version has started", func() bool { // poll, because a process that has not answered sends no event
		_, err := os.Stat(filepath.Join(h.home, "started"))
		return err == nil
	})
	if len(h.children()) == 0 {
		t.Error("the process is not found")
	}
	if err := h.installer.Cancel(p.ID); err != nil {
		t.Fatal(err)
	}
	if result, _ := h.fail(p, nil); result.State != installer.Cancelled {
		t.Errorf("got %+v", result.Progress)
	}
	if after := h.state(); after != before {
		t.Errorf("left behind:\n%s\nbefore:\n%s", after, before)
	}
}

func TestRecordedCallsAreReplayedUnlessTheyMayChangeSomething(t *testing.T) {
	h := newHub(t)
	tools := []string{
		tool("forecast", "Says how it will be.", "", true),
		tool("list", "Lists stations.", "", true), tool("old", "Says how it was.", "", true), tool("send", "Sends a message.", "", false),
		tool("claims", "Changes something.", "", false), tool("fails", "Fails.", "", true),
	}
	h.install(h.offer("1.0.0", program("1.0.0", tools, nil)), nil)
	newer := slices.Clone(tools)
	newer = slices.Delete(newer, 2, 3)
	newer[3] = tool("claims", "Changes something.", "", true) // only the newer version declares the tool read-only
	h.offer("1.1.0", program("1.1.0", newer, map[string]string{
		"forecast": `text({sky: "grey", wind: args && args.day === "two" ? "strong" : 3})`,
		"list":     `text([{id: 1}, {id: 2}])`, "send": `text("sent")`, "claims": `text("changed")`,
		"fails": `({...text("it fails"), isError: true})`,
	}))
	since := time.Now()
	for n, r := range []struct {
		tool, args, answer string
		outcome            journal.Outcome
	}{
		{"forecast", `{"day":"one"}`, `{"sky":"clear","wind":9}`, journal.OK},
		{"forecast", `{"day":"two"}`, `{"sky":"clear","wind":9}`, journal.OK},
		{"forecast", `{"day":"two"}`, `{"sky":"clear","wind":8}`, journal.OK},
		{"forecast", `{"api_key":"correct-horse-battery"}`, `{"sky":"clear","wind":9}`, journal.OK},
		{"forecast", `{"day":"` + strings.Repeat("x", 5000) + `"}`, `{"sky":"clear","wind":9}`, journal.OK},
		{"forecast", `{"day":"three"}`, "", journal.Timeout},
		{"list", "", `[{"id":1,"name":"x"}]`, journal.OK},
		{"old", `{}`, "rain", journal.OK},
		{"fails", `{}`, "it fails", journal.ToolError},
		{"send", `{"to":"a"}`, "sent", journal.OK},
		{"claims", `{}`, "changed", journal.OK},
	} {
		answer, _ := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": r.answer}}})
		h.journal.Record(journal.Record{
			At: since.Add(time.Duration(n) * time.Millisecond), Server: "weather", Tool: r.tool, Outcome: r.outcome, Client: "an editor",
		}, json.RawMessage(r.args), answer, h.processes.Redactor(registry.Server{Name: "weather"}))
	}
	h.succeed(h.Compare(t.Context(), "weather", updates.CompareOrder{Replay: &updates.ReplayOrder{}}))
	c, err := h.Comparison("weather")
	if err != nil || c.Replay == nil {
		t.Fatalf("got %+v, %v", c, err)
	}
	want := updates.Left{Redacted: 1, Cut: 1, NotReadOnly: 2, Unanswered: 1, Repeated: 1}
	if c.Replay.Left != want || c.Replay.Same != 2 || c.Replay.Different != 3 {
		t.Errorf("got %+v", c.Replay)
	}
	var got []string
	for _, call := range c.Replay.Calls {
		got = append(got, fmt.Sprint(call.Tool, string(call.Arguments), " ", call.Before, " ", call.After, " ", call.Same,
			call.Differences, " ", call.Answer))
	}
	if text := strings.Join(got, "\n"); text != `fails{} tool_error tool_error true [] it fails
old{} ok failed false [] MCP error -32602: unknown tool old
list ok ok false [{[].name text }] [{"id":1},{"id":2}]
forecast{"day":"two"} ok ok false [{wind number text}] {"sky":"grey","wind":"strong"}
forecast{"day":"one"} ok ok true [] ` {
		t.Errorf("got:\n%s", text)
	}
	called := func() string {
		text, _ := os.ReadFile(filepath.Join(h.home, "calls"))
		return string(text)
	}
	if all := called(); strings.Contains(all, "send") || strings.Contains(all, "claims") || strings.Contains(all, "1.0.0") ||
		strings.Count(all, "\n") != 5 {
		t.Errorf("called were:\n%s", all)
	}
	if records, _, err := h.journal.Records(t.Context(), journal.Query{Limit: 100}); err != nil || len(records) != 11 {
		t.Errorf("the journal has %d records, %v", len(records), err)
	}

	h.succeed(h.Compare(t.Context(), "weather", updates.CompareOrder{Replay: &updates.ReplayOrder{Tools: []string{"send"}, Limit: 2}}))
	if c, _ = h.Comparison("weather"); c.Replay.Left.NotReadOnly != 1 || c.Replay.Left.Limited != 5 || len(c.Replay.Calls) != 2 ||
		c.Replay.Calls[0].Tool != "send" || !c.Replay.Calls[0].Same {
		t.Errorf("got %+v", c.Replay)
	}
	if all := called(); strings.Count(all, "send") != 1 || strings.Contains(all, "claims") {
		t.Errorf("called were:\n%s", all)
	}
}

func TestOnlyInstalledServersHaveVersions(t *testing.T) {
	h := newHub(t)
	h.offer("1.0.0", first())
	if _, err := h.servers.Add(t.Context(), registry.Server{
		Name: "weather", Command: "npx", Args: []string{"-y", "@ada/weather@0.9.0"}, Approved: true,
	}); err != nil {
		t.Fatal(err)
	}
	if all, err := h.Check(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("got %+v, %v", all, err)
	}
	if _, err := h.Compare(t.Context(), "weather", updates.CompareOrder{}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
	if _, err := h.Rollback(t.Context(), "weather"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
}

func TestACheckThatFailsKeepsTheVersionThatWasKnown(t *testing.T) {
	h := newHub(t)
	l := h.offer("1.0.0", first())
	h.install(l, nil)
	newer := h.offer("1.1.0", second())
	if _, err := h.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	deprecated, deleted := newer, newer
	deprecated.Status, deprecated.Message, deleted.Status = listing.Deprecated, "use another one", listing.Deleted
	for name, c := range map[string]struct {
		listing listing.Listing
		err     error
		problem string
		status  listing.Status
	}{
		"the registry does not answer": {
			listing.Listing{}, fault.New(fault.Unavailable, "the registry does not answer"), "the registry does not answer", "",
		},
		"not listed any more": {listing.Listing{}, fault.New(fault.NotFound, "no such server"), "is not listed any more", ""},
		"withdrawn":           {deleted, nil, "withdrawn", listing.Deleted},
		"deprecated":          {deprecated, nil, "", listing.Deprecated},
	} {
		h.listings.set(c.listing, c.err)
		h.listings.all[newer.ID()] = c.listing
		if _, err := h.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := h.only(); !s.Updatable || s.Latest != "1.1.0" || !strings.Contains(s.Problem, c.problem) ||
			s.Problem != "" && c.problem == "" || s.Status != c.status {
			t.Errorf("%s: %+v", name, s)
		}
	}
	h.offer("0.9.0", first())
	if _, err := h.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := h.only(); s.Updatable || s.Latest != "0.9.0" {
		t.Errorf("an older version: %+v", s)
	}
}
