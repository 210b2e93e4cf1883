package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// modernClient returns the caller of a client that speaks MCP 2026-07-28.
func modernClient() upstream.Caller { return declaring{answering(`{"action":"accept"}`)} }

// mute returns a legacy client that cannot answer questions.
func mute() upstream.Caller { return &client{} }

// eraOf calls the tool named "era" for a client. It returns the era of the client's session and
// the id of the server's process.
func (b *bench) eraOf(s registry.Server, who upstream.Caller) (era, pid string) {
	b.t.Helper()
	result, err := b.Call(b.t.Context(), s, "", who,
		jsonrpc.Call{Method: "tools/call", Params: json.RawMessage(`{"name":"era","arguments":{}}`)})
	if err != nil {
		b.t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(result.JSON), `"text":"`)
	text, _, _ = strings.Cut(text, `"`)
	era, pid, _ = strings.Cut(text, " ")
	return era, pid
}

// protocols returns the versions of MCP of the sessions that clients share.
func (b *bench) protocols(name string) string {
	var versions []string
	for _, c := range b.State(name).Connections {
		versions = append(versions, c.Protocol)
	}
	return strings.Join(versions, " ")
}

// ended waits until a session has ended.
func (b *bench) ended() {
	for state := range b.states {
		if !state.Running {
			return
		}
	}
}

func TestAServerOfBothErasWithLegacyClientsHasOneLegacyProcess(t *testing.T) {
	for _, both := range []string{"locked", "probe"} {
		for name, before := range map[string]func(*bench, registry.Server) error{
			"called first":        func(*bench, registry.Server) error { return nil },
			"listed before":       func(b *bench, s registry.Server) error { return b.Start(b.t.Context(), s) },
			"checked before":      func(b *bench, s registry.Server) error { _, err := b.Check(b.t.Context(), s); return err },
			"stopped and started": func(b *bench, s registry.Server) error { defer b.Stop("s"); return b.Start(b.t.Context(), s) },
		} {
			t.Run(both+", "+name, func(t *testing.T) {
				b := start(t, settings.Limits{})
				s := b.add("s", "-both", both)
				if err := before(b, s); err != nil {
					t.Fatal(err)
				}
				asked := answering(`{"action":"accept"}`)
				for _, method := range []string{"elicitation/create", "sampling/createMessage"} {
					if err := <-b.begin(t.Context(), s, asked, "ask", `{"method":"`+method+`","params":{}}`); err != nil {
						t.Errorf("%s: %v", method, err)
					}
				}
				if len(asked.asked) != 2 {
					t.Errorf("the client got %d questions", len(asked.asked))
				}
				era, pid := b.eraOf(s, mute())
				if state := b.State("s"); era != "legacy" || fmt.Sprint(state.PID) != pid || state.Connections != nil {
					t.Errorf("the session is %s in process %s, and the state %+v", era, pid, state)
				}
				// When the hub itself lists the tools, it uses the session that runs.
				if _, err := b.ListTools(t.Context(), s); err != nil || b.State("s").Connections != nil ||
					fmt.Sprint(b.State("s").PID) != pid {
					t.Errorf("after a list: %v, %+v", err, b.State("s"))
				}
			})
		}
	}
}

func TestClientsOfBothErasUseAServerOfBothInTheirOwn(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s", "-both", "locked")
	first := map[string]string{}
	for range 2 {
		for want, who := range map[string]upstream.Caller{"modern": modernClient(), "legacy": answering(`{}`)} {
			era, pid := b.eraOf(s, who)
			if era != want || first[want] != "" && first[want] != pid {
				t.Errorf("a %s client has a %s session in process %s, before in %s", want, era, pid, first[want])
			}
			first[want] = pid
		}
	}
	if first["modern"] == first["legacy"] {
		t.Errorf("one process serves both: %v", first)
	}
	if got := b.protocols("s"); got != "2026-07-28 2025-06-18" && got != "2025-06-18 2026-07-28" {
		t.Errorf("the state shows %s", got)
	}
	b.Stop("s")
	if state := b.State("s"); state.Running || state.Connections != nil {
		t.Errorf("after Stop: %+v", state)
	}
}

func TestALegacyClientThatCannotBeAskedNeedsNoSecondProcess(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s", "-both", "locked")
	_, modern := b.eraOf(s, modernClient())
	if era, pid := b.eraOf(s, mute()); era != "modern" || pid != modern {
		t.Errorf("it got a %s session in process %s instead of %s", era, pid, modern)
	}
	if c := b.State("s").Connections; c != nil {
		t.Errorf("there are two: %+v", c)
	}
}

func TestEachSessionOfAServerOfBothErasStopsWhenItIsIdle(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s", "-both", "locked")
	_, modern := b.eraOf(s, modernClient())
	_, legacy := b.eraOf(s, answering(`{}`))
	b.BeginIdleStopOfSecond("s")
	b.ended()
	if state := b.State("s"); fmt.Sprint(state.PID) != modern || state.Connections != nil {
		t.Errorf("without the second session: %+v", state)
	}
	if era, pid := b.eraOf(s, answering(`{}`)); era != "legacy" || pid == legacy {
		t.Errorf("a call after it: %s in process %s, before in %s", era, pid, legacy)
	}
	_, legacy = b.eraOf(s, answering(`{}`))
	b.BeginIdleStop("s")
	b.ended()
	if state := b.State("s"); fmt.Sprint(state.PID) != legacy || !state.Running {
		t.Errorf("without the first session: %+v", state)
	}
	if _, err := b.ListTools(t.Context(), s); err != nil || b.State("s").Connections != nil {
		t.Errorf("a list starts another session: %v, %+v", err, b.State("s"))
	}
}

func TestAtTheLimitOfProcessesAClientUsesTheOtherEra(t *testing.T) {
	b := start(t, settings.Limits{Processes: 1})
	s := b.add("s", "-both", "locked")
	lease, err := b.Lease(t.Context(), s, "", modernClient())
	if err != nil {
		t.Fatal(err)
	}
	_, pid := b.eraOf(s, modernClient())
	if era, other := b.eraOf(s, answering(`{}`)); era != "modern" || other != pid {
		t.Errorf("while the server is used: %s in process %s, want %s", era, other, pid)
	}
	lease.Release()
	if era, _ := b.eraOf(s, answering(`{}`)); era != "legacy" {
		t.Errorf("when it is not, a %s session", era)
	}
	if b.State("s").Connections != nil {
		t.Error("two processes run")
	}
}

func TestAServerOfTheModernEraOnlyIsUsedByEachClient(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s", "-modern")
	lease, err := b.Lease(t.Context(), s, "", modernClient())
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	pid := b.State("s").PID
	for range 2 {
		if err := <-b.begin(t.Context(), s, answering(`{}`), "echo", `{"text":"x"}`); err != nil {
			t.Error(err)
		}
		if state := b.State("s"); state.PID != pid || state.Connections != nil {
			t.Errorf("the state is %+v", state)
		}
	}
}

func TestTheListsOfAServerOfBothErasAreReadOnce(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s", "-both", "locked")
	b.eraOf(s, modernClient())
	changes, stop := events.Subscribe[catalog.Changed](b.bus, 64)
	defer stop()
	unchanged, stopUnchanged := events.Subscribe[upstream.Announced](b.bus, 64)
	defer stopUnchanged()
	b.eraOf(s, answering(`{}`)) // begins a second session, which lists the same tools
	grow := func(who upstream.Caller, tool string) {
		t.Helper()
		if err := <-b.begin(t.Context(), s, who, "grow", `{"name":"`+tool+`","text":"new"}`); err != nil {
			t.Fatal(err)
		}
	}
	grow(answering(`{}`), "second")
	grow(modernClient(), "first")
	<-changes
	has := func(tool string) bool { _, ok := b.tools.Snapshot().Lookup("s", tool); return ok }
	if !has("first") || has("second") || len(changes) != 0 || len(unchanged) != 0 {
		t.Errorf("first %t, second %t, %d further changes, %d repeated announcements", has("first"), has("second"), len(changes),
			len(unchanged))
	}
	// When the first session has ended, the hub takes the lists of the server from the
	// second one.
	b.BeginIdleStop("s")
	for !has("second") {
		<-changes
	}
	if has("first") {
		t.Error("the list of the first session is left")
	}
}

func TestToolsOfASecondProcessWithOtherDefinitionsAreNoticed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools")
	write := func(description string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(`{"name":"listed","description":"`+description+`","inputSchema":{"type":"object"}}`+"\n"),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := start(t, settings.Limits{})
	write("first")
	s := b.add("s", "-both", "locked", "-listed", file)
	b.eraOf(s, modernClient())
	write("second") // like an update of the server's package
	b.eraOf(s, answering(`{}`))
	if tool, ok := b.tools.Snapshot().Lookup("s", "listed"); !ok || !strings.Contains(string(tool.Definition), "second") {
		t.Errorf("the catalog has %v", tool)
	}
}

func TestATaskStaysWithTheSessionThatKnowsIt(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s", "-both", "locked", "-tasks")
	who := answering(`{}`)
	result, err := b.Call(t.Context(), s, "", who,
		jsonrpc.Call{Method: "tools/call", Params: json.RawMessage(`{"name":"job","arguments":{"text":"done"},"task":{}}`)})
	if err != nil {
		t.Fatal(err)
	}
	lease := result.Lease()
	defer lease.Release()
	b.eraOf(s, modernClient())
	notes, stop := events.Subscribe[upstream.Announced](b.bus, 64)
	defer stop()
	state, err := b.CallOver(t.Context(), s, "", lease, modernClient(),
		jsonrpc.Call{Method: "tasks/get", Params: json.RawMessage(`{"taskId":"1"}`)})
	if err != nil || !strings.Contains(string(state.JSON), `"taskId":"1"`) {
		t.Errorf("the task: %s, %v", state.JSON, err)
	}
	if note := <-notes; note.Method != "notifications/tasks/status" || !note.Over(lease) {
		t.Errorf("its state is announced by %s", note.Method)
	}
	other, err := b.Lease(t.Context(), s, "", modernClient())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Release()
	if _, err := b.Call(t.Context(), s, "", who, jsonrpc.Call{Method: "tasks/get", Params: json.RawMessage(`{"taskId":"1"}`)}); err != nil {
		t.Error(err)
	}
	if note := <-notes; note.Over(other) {
		t.Error("the other session has announced its state")
	}
}

func TestAServerThatIsKeptRunningKeepsOneSession(t *testing.T) {
	b := start(t, settings.Limits{IdleStop: 1}) // the manager looks for idle servers all the time
	b.add("s", "-both", "locked")
	s, err := b.servers.Update(t.Context(), "s", func(v *registry.Server) { v.KeepRunning = true })
	if err != nil {
		t.Fatal(err)
	}
	lease, err := b.Lease(t.Context(), s, "", modernClient())
	if err != nil {
		t.Fatal(err)
	}
	b.eraOf(s, answering(`{}`))
	for b.State("s").Connections != nil {
		b.ended() // the first end may be that of an earlier session of the other era, which KeepRunning started
	}
	lease.Release()
	if state := b.State("s"); !state.Running || state.Connections != nil {
		t.Errorf("the state is %+v", state)
	}
}

// A server over HTTP may name only versions of the modern era although it speaks both eras.
func TestALegacyClientGetsItsEraOfARemoteServerThatNamesOnlyTheOther(t *testing.T) {
	for name, refused := range map[string]bool{"speaks both": false, "speaks one": true} {
		t.Run(name, func(t *testing.T) {
			url := fake(t, answers{
				"server/discover": func(w http.ResponseWriter, id string) {
					fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}`, id)
				},
				"initialize": func(w http.ResponseWriter, id string) {
					if refused {
						w.WriteHeader(http.StatusBadRequest)
						return
					}
					fmt.Fprintf(w,
						`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`,
						id)
				},
			})
			b := start(t, settings.Limits{})
			s := b.addRemote("s", "streamable-http", url, nil)
			call := jsonrpc.Call{Method: "tools/call", Params: json.RawMessage(`{"name":"x"}`)}
			for _, who := range []upstream.Caller{modernClient(), answering(`{}`)} {
				if _, err := b.Call(t.Context(), s, "", who, call); err != nil {
					t.Error(err)
				}
			}
			if got, want := b.protocols("s"), map[bool]string{false: "2026-07-28 2025-11-25"}[refused]; got != want {
				t.Errorf("the state shows %q, want %q", got, want)
			}
		})
	}
}

// stored are the lists that earlier sessions have stored.
type stored []json.RawMessage

func (s stored) Of(string, features.Kind) []json.RawMessage { return s }

func (stored) Replace(context.Context, string, features.Kind, []json.RawMessage) (bool, error) {
	return false, nil
}

func TestAServerThatIsKnownToSpeakBothErasIsOpenedInThatOfTheClient(t *testing.T) {
	known := stored{json.RawMessage(`{"protocolVersion":"2026-07-28","capabilities":{}}`)}
	for _, row := range []struct {
		who  upstream.Caller
		want string
	}{
		{answering(`{}`), "initialize"},
		{mute(), "initialize"},
		{modernClient(), "server/discover"},
	} {
		b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Features = known })
		s := b.add("s", "-both", "locked")
		b.eraOf(s, row.who)
		if sent, _ := b.exchanged("s"); len(sent) == 0 || !strings.Contains(sent[0], row.want) {
			t.Errorf("the first messages are %v, want %s", sent, row.want)
		}
	}
}
