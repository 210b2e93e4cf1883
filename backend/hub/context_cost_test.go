package hub_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/hub"
)

// awaitContext waits until the context costs of clients meet a condition. The hub
// measures them in the background.
func awaitContext(t *testing.T, h *hub.Hub, meets func(operations.ContextCost) bool) operations.ContextCost {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var cost operations.ContextCost
	for began := time.Now(); time.Since(began) < deadline; <-tick.C {
		do(t, h, http.MethodGet, "/api/context", nil, &cost)
		if meets(cost) {
			return cost
		}
	}
	t.Fatalf("the context costs stay %+v", cost)
	return cost
}

func TestContextCostsOfClientsAreMeasuredAndStored(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	first, ended := runHub(t, hub.Options{Folder: folder})
	empty := awaitContext(t, first, func(operations.ContextCost) bool { return true })
	if empty.Tools != 0 || empty.WholeTokens != 0 || empty.EntryTokens == 0 || len(empty.Clients) != 0 {
		t.Errorf("an empty hub reports %+v", empty)
	}
	s := &scenario{t: t, hub: first, events: recordEvents(t, first)}
	s.play(
		step{name: "add server", method: "POST", path: "/api/servers", body: s.server("sky", "-definition", weather), status: 201, keep: "id"},
		step{name: "list tools", method: "POST", path: "/api/servers/{id}/refresh", status: 200},
	)
	all, forecast := 0, awaitTokenCounts(t, first)["forecast"].Tokens
	for _, tool := range awaitTokenCounts(t, first) {
		all += tool.Tokens
	}
	name := "claude \u001b[31m" + strings.Repeat("é", 200)
	claude, cursor := join(t, first, name), join(t, first, "cursor")
	stored := func(tokens int) { // a killed hub would not lose these numbers
		t.Helper()
		awaitContext(t, first, func(cost operations.ContextCost) bool {
			kept, err := first.Remembered(t.Context())
			return err == nil && len(kept) == 2 && kept[0].Listed+kept[1].Listed == 2*cost.EntryTokens+tokens
		})
	}
	stored(0)
	cursor.registry(`{"action":"find_tool","query":"weather forecast","limit":1}`)
	claude.ask("ping", `{}`)
	join(t, first, "agent-discover-cli") // the command line is not an AI client
	listed := tokens.Count(string(cursor.ask("tools/list", `{}`)))
	now := awaitContext(t, first, func(operations.ContextCost) bool { return true })
	if now.Tools != 18 || now.WholeTokens != all || len(now.Clients) != 2 {
		t.Fatalf("with two clients the hub reports %+v", now)
	}
	if want := []operations.ServerContext{{Server: "sky", Tools: 18, Tokens: all, Share: float64(all) / 200_000}}; now.Window != 200_000 || !slices.Equal(now.Servers, want) {
		t.Errorf("the servers cost %+v, want %+v", now.Servers, want)
	}
	for _, c := range now.Clients {
		want := now.EntryTokens
		if c.Name == "cursor" {
			want += forecast
			if far := float64(listed-want) / float64(want); far < -0.05 || far > 0.05 {
				t.Errorf("the list costs %d tokens, reported are %d", listed, want)
			}
		} else if utf8.RuneCountInString(c.Name) != 100 || !strings.HasPrefix(c.Name, "claude \u001b[31mé") {
			t.Errorf("the name of a client is reported as %q", c.Name)
		}
		if !c.Connected || c.Version != "7.1" || c.ListedTokens != want || c.WholeTokens != all || c.SavedTokens != all-want {
			t.Errorf("a client is reported as %+v, want %d tokens of %d", c, want, all)
		}
	}
	stored(forecast)
	s.play( // no session lists the tools of this server
		step{name: "add another server", method: "POST", path: "/api/servers", body: s.server("sea", "-only", "-tool", "tide=When the water comes"), status: 201},
		step{name: "list tools", method: "POST", path: "/api/servers/2/refresh", status: 200},
	)
	all += awaitTokenCounts(t, first)["tide"].Tokens
	claude.leave()
	awaitContext(t, first, func(cost operations.ContextCost) bool { return len(cost.Clients) == 2 && !cost.Clients[1].Connected })
	first.Stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	cursor.leave()
	again, _ := runHub(t, hub.Options{Folder: folder})
	later := awaitContext(t, again, func(operations.ContextCost) bool { return true })
	for i, c := range later.Clients {
		before := now.Clients[slices.IndexFunc(now.Clients, func(b operations.ClientContext) bool { return b.Name == c.Name })]
		if c.Connected || c.ListedTokens != before.ListedTokens || c.WholeTokens != all || c.FirstSeen > before.LastSeen {
			t.Errorf("client %d was %+v before the restart and is %+v after it", i, before, c)
		}
	}
	if len(later.Clients) != 2 {
		t.Errorf("after the restart the clients are %+v", later.Clients)
	}
}
