package surfaces_test

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
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// awaitContext waits until the context costs of clients meet a condition. The hub
// measures them in the background.
func awaitContext(t *testing.T, h *hub.Hub, meets func(operations.ContextCost) bool) operations.ContextCost {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var cost operations.ContextCost
	for began := time.Now(); time.Since(began) < hubtest.Deadline; <-tick.C {
		hubtest.Do(t, h, http.MethodGet, "/api/context", nil, &cost)
		if meets(cost) {
			return cost
		}
	}
	t.Fatalf("the context costs stay %+v", cost)
	return cost
}

func TestContextCostsOfClientsAreMeasuredAndStored(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	first, ended := hubtest.RunHub(t, hub.Options{Folder: folder})
	empty := awaitContext(t, first, func(operations.ContextCost) bool { return true })
	if empty.Tools != 0 || empty.WholeTokens != 0 || empty.EntryTokens == 0 || len(empty.Clients) != 0 {
		t.Errorf("an empty hub reports %+v", empty)
	}
	s := &hubtest.Scenario{T: t, Hub: first, Events: hubtest.RecordEvents(t, first)}
	s.Play(
		hubtest.Step{
			Name: "add server", Method: "POST", Path: "/api/servers", Body: s.Server("sky", "-definition", hubtest.Weather),
			Status: 201, Keep: "id",
		},
		hubtest.Step{Name: "list tools", Method: "POST", Path: "/api/servers/{id}/refresh", Status: 200},
	)
	all, forecast := 0, hubtest.AwaitTokenCounts(t, first)["forecast"].Tokens
	for _, tool := range hubtest.AwaitTokenCounts(t, first) {
		all += tool.Tokens
	}
	name := "claude \u001b[31m" + strings.Repeat("é", 200)
	claude, cursor := hubtest.Join(t, first, name), hubtest.Join(t, first, "cursor")
	stored := func(tokens int) { // waits until the numbers are stored
		t.Helper()
		awaitContext(t, first, func(cost operations.ContextCost) bool {
			kept, err := first.Remembered(t.Context())
			return err == nil && len(kept) == 2 && kept[0].Listed+kept[1].Listed == 2*cost.EntryTokens+tokens
		})
	}
	stored(0)
	cursor.Registry(`{"action":"find_tool","query":"weather forecast","limit":1}`)
	claude.Ask("ping", `{}`)
	hubtest.Join(t, first, "agent-discover-cli") // the command line does not count as an AI client
	listed := tokens.Count(string(cursor.Ask("tools/list", `{}`)))
	now := awaitContext(t, first, func(operations.ContextCost) bool { return true })
	if now.Tools != 18 || now.WholeTokens != all || len(now.Clients) != 2 {
		t.Fatalf("with two clients the hub reports %+v", now)
	}
	if want := []operations.ServerContext{{Server: "sky", Tools: 18, Tokens: all, Share: float64(all) / 200_000}}; now.Window != 200_000 ||
		!slices.Equal(now.Servers, want) {
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
	s.Play( // no session lists the tools of this server
		hubtest.Step{
			Name: "add another server", Method: "POST", Path: "/api/servers",
			Body: s.Server("sea", "-only", "-tool", "tide=When the water comes"), Status: 201,
		},
		hubtest.Step{Name: "list tools", Method: "POST", Path: "/api/servers/2/refresh", Status: 200},
	)
	all += hubtest.AwaitTokenCounts(t, first)["tide"].Tokens
	claude.Leave()
	awaitContext(t, first, func(cost operations.ContextCost) bool { return len(cost.Clients) == 2 && !cost.Clients[1].Connected })
	first.Stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	cursor.Leave()
	again, _ := hubtest.RunHub(t, hub.Options{Folder: folder})
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
