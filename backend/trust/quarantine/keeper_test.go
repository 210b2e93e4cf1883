package quarantine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/store"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
)

// words is a Scanner that judges a definition by words in it.
type words struct{ version string }

func (w words) Version() string { return w.version }

func (w words) Scan(_ string, texts []quarantine.Text) []quarantine.Judgement {
	out := make([]quarantine.Judgement, len(texts))
	for i, text := range texts {
		for verdict, word := range map[quarantine.Verdict]string{quarantine.Warn: "dubious", quarantine.Block: "evil"} {
			if strings.Contains(string(text.JSON), word) {
				out[i] = quarantine.Judgement{
					Verdict: verdict, Points: 3, Findings: []quarantine.Finding{
						{Rule: "word", Verdict: verdict, Text: word, Reason: "It says " + word + "."},
					},
				}
			}
		}
	}
	return out
}

// closer is a Classifier that judges like the Scanner words, but raises the verdict on
// a text with the word subtle: from none to Warn, and from Warn to Block.
type closer struct {
	words
	begun   chan string   // receives the server when Classify begins
	proceed chan struct{} // Classify returns once it is closed
}

func (c closer) Classify(ctx context.Context, server string, texts []quarantine.Text) ([]quarantine.Judgement, error) {
	select {
	case c.begun <- server:
	default:
	}
	select {
	case <-c.proceed:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	out := c.Scan(server, texts)
	for i, text := range texts {
		if strings.Contains(string(text.JSON), "subtle") {
			verdict := quarantine.Warn
			if out[i].Verdict == quarantine.Warn {
				verdict = quarantine.Block
			}
			out[i].Verdict = verdict
			out[i].Findings = append(out[i].Findings,
				quarantine.Finding{Rule: "classifier", Verdict: verdict, Text: "subtle", Reason: "It sounds like an attack."})
		}
	}
	return out, nil
}

// bench is a keeper over a real database.
type bench struct {
	t       testing.TB
	db      *store.Store
	servers *registry.Registry
	keeper  *quarantine.Keeper
	rules   quarantine.Rules
	known   map[quarantine.Kind][]json.RawMessage
	scanner words
	closer  quarantine.Classifier
	now     time.Time
	applied atomic.Int64
	bus     *events.Bus
}

func newBench(t testing.TB) *bench {
	b := &bench{t: t, bus: &events.Bus{}, now: time.Unix(1_000_000, 0), scanner: words{"1"}}
	var err error
	if b.db, err = store.Open(t.Context(), filepath.Join(t.TempDir(), "discover.db")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.db.Close() })
	if b.servers, err = registry.Open(t.Context(), b.db.Servers, b.bus); err != nil {
		t.Fatal(err)
	}
	b.open()
	return b
}

// open opens the keeper again, as a hub does when it starts.
func (b *bench) open() {
	var err error
	b.keeper, err = quarantine.Open(b.t.Context(), quarantine.Options{
		Store: b.db.Trust, Servers: b.servers, Scanner: b.scanner, Classifier: b.closer, Rules: func() quarantine.Rules { return b.rules },
		Known:   func(_ string, kind quarantine.Kind) []json.RawMessage { return b.known[kind] },
		Reapply: func(context.Context, string, quarantine.Kind) error { b.applied.Add(1); return nil },
		Bus:     b.bus, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return b.now },
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) add(name, proposedBy string) {
	b.t.Helper()
	if _, err := b.servers.Add(b.t.Context(), registry.Server{
		Name: name, Command: "run", Approved: true, ProposedBy: proposedBy,
	}); err != nil {
		b.t.Fatal(err)
	}
}

func tool(name, description string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"name":%q,"description":%q}`, name, description))
}

// admit admits tools and compares the tools that agents get with want.
func (b *bench) admit(what, want string, tools ...json.RawMessage) {
	b.t.Helper()
	served, err := b.keeper.Admit(b.t.Context(), "one", quarantine.Tool, tools)
	var names []string
	for _, definition := range served {
		var t struct{ Name, Description string }
		_ = json.Unmarshal(definition, &t) // cannot fail, because the test has written the definition
		names = append(names, t.Name+"="+t.Description)
	}
	if got := strings.Join(names, " "); err != nil || got != want {
		b.t.Errorf("%s: agents get %q, %v; want %q", what, got, err, want)
	}
}

func (b *bench) server(name string) registry.Server {
	s, err := b.servers.Get(name)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// refused checks whether a call of a tool is refused.
func (b *bench) refused(what, tool string, want bool) {
	b.t.Helper()
	err := b.keeper.RefuseTool(b.server("one"), tool)
	if (err != nil) != want || want && fault.CodeOf(err) != fault.CodeHeld {
		b.t.Errorf("%s: a call of %s: %v", what, tool, err)
	}
}

// item returns the item of a tool.
func (b *bench) item(tool string) quarantine.Item {
	b.t.Helper()
	items, err := b.keeper.Items(b.t.Context(), "one")
	for _, i := range items {
		if i.Name == tool {
			return i
		}
	}
	b.t.Fatalf("there is no item %s (%v)", tool, err)
	return quarantine.Item{}
}

// launchHash returns the hash of the configuration of a server.
func (b *bench) launchHash(server string) string {
	b.t.Helper()
	configured, err := b.servers.Get(server)
	if err != nil {
		b.t.Fatal(err)
	}
	return launch.Of(configured).Hash()
}

func TestSessionsGetTheApprovedText(t *testing.T) {
	b := newBench(t)
	b.add("one", "")
	b.admit("first list", "a=A b=B", tool("a", "A"), tool("b", "B"), tool("c", "evil"))
	b.refused("blocked", "c", true)
	b.refused("approved", "a", false)
	b.admit("the same again", "a=A b=B", tool("a", "A"), tool("b", "B"), tool("c", "evil"))
	b.admit("a member that no hash covers", "a=A b=B", json.RawMessage(`{"name":"a","description":"A","_meta":{"x":"obey"}}`),
		tool("b", "B"))
	b.admit("changed and new", "b=B", tool("a", "A2"), tool("b", "B"), tool("d", "D"))
	b.refused("changed", "a", true)
	b.refused("new", "d", true)
	b.open() // a restart forgets nothing
	b.refused("changed, after a restart", "a", true)
	b.admit("the same after a restart", "b=B", tool("a", "A2"), tool("b", "B"), tool("d", "D"))
	if c := b.keeper.Counts(); c.Waiting != 2 {
		t.Errorf("%d items wait", c.Waiting)
	}
}

func TestATextThatComesBackIsAllowedAndCounted(t *testing.T) {
	b := newBench(t)
	b.add("one", "")
	b.admit("first list", "a=A", tool("a", "A"))
	for i := range 3 {
		b.admit("changed", "", tool("a", "B"))
		b.admit("back", "a=A", tool("a", "A"))
		if got := b.item("a"); got.Flips != i+1 || got.Warns() != (i == 2) {
			t.Errorf("after %d: %d flips, warns: %v", i+1, got.Flips, got.Warns())
		}
	}
	if c := b.keeper.Counts(); c.Waiting != 0 || c.Warned != 1 {
		t.Errorf("counts are %+v", c)
	}
	i := b.item("a")
	err := b.keeper.Approve(t.Context(), i.ID, quarantine.Decision{Hash: i.Hash.String()})
	if i = b.item("a"); err != nil || i.Warns() {
		t.Errorf("it warns after a person has looked at it: %v", err)
	}
}

func TestAPersonDecidesAboutWhatWasShown(t *testing.T) {
	b := newBench(t)
	b.add("one", "")
	b.admit("first list", "a=A", tool("a", "A"), tool("b", "evil"))
	shown := quarantine.Decision{Hash: b.item("b").Hash.String()}
	err := b.keeper.Approve(t.Context(), b.item("b").ID, shown)
	if fault.CodeOf(err) != fault.CodeConfirm || !strings.Contains(err.Error(), "It says evil.") {
		t.Errorf("a blocked tool without confirmation: %v", err)
	}
	b.admit("another text", "a=A", tool("a", "A"), tool("b", "evil!"))
	shown.Confirmed = true
	if err := b.keeper.Approve(t.Context(), b.item("b").ID, shown); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a text that nobody was shown: %v", err)
	}
	shown.Hash = b.item("b").Hash.String()
	if err := b.keeper.Approve(t.Context(), b.item("b").ID, shown); err != nil || b.applied.Load() != 1 {
		t.Errorf("approved: %v, applied %d times", err, b.applied.Load())
	}
	b.admit("approved", "a=A b=evil!", tool("a", "A"), tool("b", "evil!"))
	if err := b.keeper.Reject(t.Context(), b.item("a").ID, quarantine.Decision{Hash: b.item("a").Hash.String()}); err != nil {
		t.Error(err)
	}
	b.admit("rejected", "b=evil!", tool("a", "A"), tool("b", "evil!"), tool("c", "C"))
	b.refused("rejected", "a", true)
	before := b.launchHash("one")
	if _, err := b.servers.Update(t.Context(), "one", func(s *registry.Server) { s.Args = []string{"other"} }); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.keeper.ApproveClean(t.Context(), "one", before); fault.KindOf(err) != fault.Conflict ||
		b.keeper.Relaunched("one") == nil {
		t.Errorf("a launch that nobody was shown: %v", err)
	}
	if _, err := b.servers.Update(t.Context(), "one", func(s *registry.Server) { s.Args = nil }); err != nil {
		t.Fatal(err)
	}
	if approved, waiting, err := b.keeper.ApproveClean(t.Context(), "one", b.launchHash("one")); approved != 1 || waiting != 0 ||
		err != nil {
		t.Errorf("approved %d, %d wait, %v", approved, waiting, err)
	}
	b.admit("all that is clean", "b=evil! c=C", tool("a", "A"), tool("b", "evil!"), tool("c", "C"))
	if _, err := b.keeper.Item(t.Context(), 999); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an unknown item: %v", err)
	}
}

func TestToolsOfAProposedServerWait(t *testing.T) {
	b := newBench(t)
	b.add("one", "an agent")
	b.admit("first list", "", tool("a", "A"), tool("b", "dubious"))
	b.refused("proposed", "a", true)
	if err := b.keeper.Accept(t.Context(), "one", true); err != nil {
		t.Fatal(err)
	}
	b.admit("accepted with what is clean", "a=A", tool("a", "A"), tool("b", "dubious"))
	b.refused("dubious", "b", true)
	b.rules.Agents = true
	b2 := newBench(t)
	b2.rules.Agents = true
	b2.add("one", "an agent")
	b2.admit("agents may install", "a=A", tool("a", "A"), tool("b", "dubious"))
}

func TestAnotherLaunchRevokesApprovals(t *testing.T) {
	b := newBench(t)
	b.add("one", "")
	b.admit("first list", "a=A b=B", tool("a", "A"), tool("b", "B"))
	if _, err := b.servers.Update(t.Context(), "one",
		func(s *registry.Server) { s.Env = map[string]string{"TOKEN": "1", "MODE": "fast"}; s.Description = "x" }); err != nil {
		t.Fatal(err)
	}
	b.refused("a launch that Run has not noticed", "a", true)
	b.refused("an unknown tool of it", "zzz", true)
	b.admit("listed with another launch", "", tool("a", "A"), tool("b", "B2"))
	changes := b.keeper.Relaunched("one")
	if len(changes) != 1 || changes[0] != (quarantine.LaunchChange{Field: "env", After: "MODE=fast TOKEN=${…}"}) {
		t.Errorf("the change is %+v", changes)
	}
	if err := b.keeper.Accept(t.Context(), "one", false); err != nil {
		t.Fatal(err)
	}
	b.admit("accepted", "a=A", tool("a", "A"), tool("b", "B2"))
	b.refused("unchanged", "a", false)
	b.refused("changed", "b", true)
	if b.keeper.Relaunched("one") != nil {
		t.Error("the accepted launch is still reported")
	}
	if _, err := b.servers.Update(t.Context(), "one", func(s *registry.Server) { s.Env["TOKEN"] = "${TOKEN}" }); err != nil {
		t.Fatal(err)
	}
	b.refused("another value of a credential", "a", false)
	if _, err := b.servers.Update(t.Context(), "one", func(s *registry.Server) { s.Env["MODE"] = "slow" }); err != nil {
		t.Fatal(err)
	}
	b.refused("another value of a variable", "a", true)
}

func TestWhatWasInUseStaysInUseAfterAnUpgrade(t *testing.T) {
	b := newBench(t)
	b.add("one", "an agent")
	b.known = map[quarantine.Kind][]json.RawMessage{quarantine.Tool: {tool("a", "A"), tool("b", "evil")}}
	if err := b.db.Trust.SaveTrust(t.Context(), quarantine.Server{Name: "one"}, nil, nil); err != nil { // as the migration does
		t.Fatal(err)
	}
	b.open()
	b.refused("before it is looked at", "a", false)
	changed, unsubscribe := events.Subscribe[quarantine.Changed](b.bus, 16)
	defer unsubscribe()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- b.keeper.Run(ctx) }()
	<-changed // Run has scanned the server
	b.refused("scanned", "b", true)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	b.admit("the first list after the upgrade", "a=A", tool("a", "A"), tool("b", "evil"), tool("c", "C"))
	if b.item("b").State != quarantine.Blocked || b.item("c").Reason != quarantine.New || b.item("a").By != quarantine.Existing {
		t.Errorf("states are %s, %s, %s", b.item("a").State, b.item("b").State, b.item("c").State)
	}
}

func TestCleanChangesAreQuietIfTheSettingsSaySo(t *testing.T) {
	b := newBench(t)
	b.rules.Quiet = true
	b.add("one", "")
	b.admit("first list", "a=A", tool("a", "A"))
	b.admit("clean changes", "a=A2 b=B", tool("a", "A2"), tool("b", "B"))
	b.admit("a dubious change", "b=B", tool("a", "dubious"), tool("b", "B"))
}

func TestEveryRequestForAHeldItemIsRefused(t *testing.T) {
	b := newBench(t)
	b.add("one", "an agent")
	for kind, definition := range map[quarantine.Kind]string{
		quarantine.Prompt: `{"name":"p"}`, quarantine.Resource: `{"uri":"mem://r"}`,
		quarantine.Template: `{"uriTemplate":"mem://notes/{id}"}`,
	} {
		if _, err := b.keeper.Admit(t.Context(), "one", kind, []json.RawMessage{json.RawMessage(definition)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct{ method, params string }{
		{"prompts/get", `{"name":"p"}`},
		{"prompts/get", `{"name":"other","name":"p"}`},
		{"prompts/get", `{"name":"p","name":"other"}`},
		{"resources/read", `{"uri":"mem://r"}`},
		{"resources/subscribe", `{"uri":"mem://r"}`},
		{"resources/read", `{"uri":"mem://notes/1"}`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"p"}}`},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"mem://notes/{id}"}}`},
	} {
		if err := b.keeper.Refuse(b.server("one"), row.method, json.RawMessage(row.params)); fault.CodeOf(err) != fault.CodeHeld {
			t.Errorf("%s %s: %v", row.method, row.params, err)
		}
	}
	for _, row := range []struct{ method, params string }{
		{"prompts/get", `{"name":"other"}`}, {"resources/read", `{"uri":"mem://other"}`}, {"ping", `{}`},
	} {
		if err := b.keeper.Refuse(b.server("one"), row.method, json.RawMessage(row.params)); err != nil {
			t.Errorf("%s %s: %v", row.method, row.params, err)
		}
	}
	shown := b.keeper.Shown(t.Context(), "one", "prompts/list",
		json.RawMessage(`{"prompts":[{"name":"p"},{"name":"new"}],"nextCursor":"x"}`))
	if string(shown) != `{"prompts":[],"nextCursor":"x"}` {
		t.Errorf("shown is %s", shown)
	}
}

func TestTheClassifierHoldsWhatTheRulesOnlySuspect(t *testing.T) {
	b := newBench(t)
	c := closer{words: b.scanner, begun: make(chan string, 1), proceed: make(chan struct{})}
	b.closer = c
	b.open()
	b.add("one", "")
	ctx, stop := context.WithCancel(t.Context())
	changes, unsubscribe := events.Subscribe[quarantine.Changed](b.bus, 16)
	defer unsubscribe()
	done := make(chan error, 1)
	go func() { done <- b.keeper.Run(ctx) }()

	// A server that a person has added is usable before the classifier has judged it.
	b.admit("before the classifier", "a=fine b=dubious and subtle c=subtle", tool("a", "fine"), tool("b", "dubious and subtle"),
		tool("c", "subtle"))
	<-c.begun
	b.refused("before the classifier", "b", false)
	close(c.proceed)
	for b.keeper.RefuseTool(b.server("one"), "b") == nil {
		<-changes
	}
	b.refused("a text that only sounds like an attack", "c", false)
	if got := b.keeper.Counts(); got != (quarantine.Counts{Waiting: 1, Warned: 1}) {
		t.Errorf("%+v", got)
	}
	// A list with one more tool neither releases the held tool nor discards what
	// the classifier has found.
	b.admit("after the classifier", "a=fine c=subtle", tool("a", "fine"), tool("b", "dubious and subtle"), tool("c", "subtle"),
		tool("d", "evil"))
	b.refused("after another list", "b", true)
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestItemsAreScannedAgainOnlyForNewRules(t *testing.T) {
	b := newBench(t)
	c := closer{words: b.scanner, begun: make(chan string, 1), proceed: make(chan struct{})}
	run := func() (stop func()) {
		b.closer = c
		b.open()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- b.keeper.Run(ctx) }()
		return func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
	stop := run()
	b.add("one", "")
	changes, unsubscribe := events.Subscribe[quarantine.Changed](b.bus, 16)
	defer unsubscribe()
	b.admit("the first list", "a=fine b=dubious and subtle", tool("a", "fine"), tool("b", "dubious and subtle"))
	<-c.begun
	close(c.proceed)
	for b.keeper.RefuseTool(b.server("one"), "b") == nil {
		<-changes
	}
	stop()
	for scan, want := range map[string]string{"1+classifier": "[]", "2+classifier": "[one]"} {
		if got, err := b.db.Trust.Unscanned(t.Context(), scan); err != nil || fmt.Sprint(got) != want {
			t.Errorf("not scanned by %s: %v, %v; want %s", scan, got, err, want)
		}
	}
	b.scanner = words{"2"}
	stop = run()
	defer stop()
	if got := <-c.begun; got != "one" {
		t.Errorf("the new rules judged %s", got)
	}
}

func TestWhatNobodyVouchesForIsClassifiedBeforeItIsUsed(t *testing.T) {
	b := newBench(t)
	c := closer{words: b.scanner, proceed: make(chan struct{})}
	close(c.proceed)
	b.closer, b.rules = c, quarantine.Rules{Agents: true}
	b.open()
	b.add("one", "an agent")
	b.admit("a server of an agent", "a=fine", tool("a", "fine"), tool("b", "subtle"))
	b.rules = quarantine.Rules{Quiet: true}
	b.admit("a suspicious change", "", tool("a", "subtle"), tool("b", "subtle"))
	b.admit("a clean change", "a=finer", tool("a", "finer"), tool("b", "subtle"))
}

// offer admits items of a kind, and returns the names of those that agents get.
func (b *bench) offer(kind quarantine.Kind, items ...json.RawMessage) (names []string) {
	b.t.Helper()
	served, err := b.keeper.Admit(b.t.Context(), "one", kind, items)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, definition := range served {
		var item struct{ Name string }
		_ = json.Unmarshal(definition, &item) // cannot fail, because the test has written the definition
		names = append(names, item.Name)
	}
	return names
}

func TestWhatAServerHidesStaysHeld(t *testing.T) {
	b := newBench(t)
	b.add("one", "")
	b.admit("first list", "a=A", tool("a", "A"), tool("evil", "evil"))
	b.admit("a later list", "a=A", tool("a", "A"), tool("evil", "evil"), tool("new", "N"))
	b.admit("without what is held", "a=A", tool("a", "A"))
	b.refused("blocked and hidden", "evil", true)
	b.refused("new and hidden", "new", true)
	b.open() // a restart changes nothing
	b.refused("hidden before a restart", "new", true)
	attention, err := b.keeper.Attention(t.Context())
	if err != nil || len(attention) != 2 || attention[0].Listed || attention[1].Listed {
		t.Errorf("a person sees %+v, %v", attention, err)
	}
	if c := b.keeper.Counts(); c.Waiting != 0 {
		t.Errorf("%d items wait", c.Waiting)
	}
	b.rules.Quiet = true
	b.admit("listed again", "a=A new=N", tool("a", "A"), tool("evil", "evil"), tool("new", "N")) // the tool new is clean
	b.rules.Quiet = false
	b.refused("blocked and listed again", "evil", true)
	if err := b.keeper.Approve(t.Context(), b.item("evil").ID, quarantine.Decision{
		Hash: b.item("evil").Hash.String(), Confirmed: true,
	}); err != nil {
		t.Fatal(err)
	}
	b.admit("approved", "a=A evil=evil new=N", tool("a", "A"), tool("evil", "evil"), tool("new", "N"))
}

func TestAServerCannotFillTheListOfWhatItHides(t *testing.T) {
	b := newBench(t)
	b.add("one", "")
	b.admit("first list", "a=A", tool("a", "A"))
	for round := range 3 {
		b.now = b.now.Add(time.Minute)
		list := []json.RawMessage{tool("a", "A")}
		for i := range 150 {
			list = append(list, tool(fmt.Sprintf("t%d-%d", round, i), "T"))
		}
		b.admit("a list", "a=A", list...)
		b.admit("without it", "a=A", tool("a", "A"))
	}
	items, err := b.keeper.Items(t.Context(), "one")
	if err != nil || len(items) != 201 {
		t.Errorf("%d items are kept, %v", len(items), err)
	}
	b.refused("the last", "t2-0", true)
	b.refused("the first", "t0-0", false) // its item is deleted; package call refuses calls of tools that no list contains
}

func TestANameThatMayBeTakenForAnotherWaitsForAPerson(t *testing.T) {
	b := newBench(t)
	b.rules.Quiet = true
	b.add("one", "")
	b.admit("both in the first list", "read=R", tool("wipe", "W"), tool("Wipe", "W"), tool("read", "R"))
	if i := b.item("Wipe"); i.State != quarantine.Pending || i.Reason != quarantine.Alike {
		t.Errorf("it is %s, %s", i.State, i.Reason)
	}
	b.admit("of one in use", "read=R", tool("read", "R"), tool("read\u200b", "R"), tool("READ", "dubious"))
	b.refused("one in use", "read", false)
	b.refused("another spelling", "read\u200b", true)
	if i := b.item("READ"); i.State != quarantine.Pending || i.Reason != quarantine.Found {
		t.Errorf("a suspicious one is %s, %s", i.State, i.Reason)
	}
	b.admit("of one that is gone", "", tool("Read", "R"))
	if approved, waiting, err := b.keeper.ApproveClean(t.Context(), "one", b.launchHash("one")); approved != 0 || waiting != 1 ||
		err != nil {
		t.Errorf("approved together %d, waiting %d, %v", approved, waiting, err)
	}
	if err := b.keeper.Approve(t.Context(), b.item("Read").ID, quarantine.Decision{Hash: b.item("Read").Hash.String()}); err != nil {
		t.Fatal(err)
	}
	b.admit("approved by a person", "Read=R", tool("Read", "R"))
	prompt := func(name string) json.RawMessage { return json.RawMessage(fmt.Sprintf(`{"name":%q}`, name)) }
	if got := b.offer(quarantine.Prompt, prompt("greet"), prompt("GREET"), prompt("other")); fmt.Sprint(got) != "[other]" {
		t.Errorf("the prompts are %q", got)
	}
}

func TestAHeldResourceIsHeldInEverySpellingOfItsURI(t *testing.T) {
	b := newBench(t)
	b.add("one", "")
	item := func(member, name, text string) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{%q:%q,"name":%q,"description":%q}`, member, name, name, text))
	}
	b.offer(quarantine.Resource, item("uri", "note://secret", "evil"), item("uri", "https://host/a%20b/c", "evil"),
		item("uri", "note://Secret", "fine"), item("uri", "note://other", "fine"))
	b.offer(quarantine.Template, item("uriTemplate", "file:///private/{path}", "evil"), item("uriTemplate", "note://day/{d}", "fine"))
	for uri, held := range map[string]bool{
		"note://secret": true, "NOTE://secret": true, "note://SECRET": true, "note://secret/": true, "note:///secret": true,
		"note://secret#part": true, "note://secret?x=1": true, "note://%73ecret": true, "note://%2573ecret": true,
		"note://%73ecret?%zz": true, " note://secret": true, "note://sec\u200bret": true, "note://ｓecret": true, "note://x/../secret": true,
		"note://./secret": true, `note:\\secret`: true, "https://HOST:443/a b/./c": true, "https://host/a%20b/c?": true,
		"file:///private/x": true, "file:///PRIVATE/x": true, "file://localhost/private/x/y": true, "file:///%70rivate/x": true,
		"file:///public/../private/x?y": true, "file:/private/x": true, "note://Secret": false, "note://other": false,
		"note://secrets": false, "note://day/1": false, "file:///public/x": false, "https://host/a": false, "other://x": false, "": false,
	} {
		for method, params := range map[string]string{
			"resources/read": `{"uri":%s}`, "resources/subscribe": `{"uri":%s}`,
			"completion/complete": `{"ref":{"type":"ref/resource","uri":%s}}`,
		} {
			quoted, _ := json.Marshal(uri)
			if method == "completion/complete" && strings.HasPrefix(strings.ToLower(uri), "file:") {
				continue // completions of templates are tested below
			}
			if err := b.keeper.Refuse(b.server("one"), method,
				json.RawMessage(fmt.Sprintf(params, quoted))); (fault.CodeOf(err) == fault.CodeHeld) != held {
				t.Errorf("%s of %q: %v", method, uri, err)
			}
		}
	}
	for template, held := range map[string]bool{
		"file:///private/{path}": true, "FILE:///private/{other}": true, "file:///private/%7Bpath%7D": false, "file:///{path}": false,
		"note://day/{d}": false,
	} {
		params := fmt.Sprintf(`{"ref":{"type":"ref/resource","uri":%q}}`, template)
		if err := b.keeper.Refuse(b.server("one"), "completion/complete", json.RawMessage(params)); (err != nil) != held {
			t.Errorf("completion of %q: %v", template, err)
		}
	}
	b.offer(quarantine.Resource, item("uri", "note://other", "fine"))
	if err := b.keeper.Refuse(b.server("one"), "resources/read",
		json.RawMessage(`{"uri":"note://%73ecret"}`)); fault.CodeOf(err) != fault.CodeHeld {
		t.Errorf("a held resource that its server hides: %v", err)
	}
}
