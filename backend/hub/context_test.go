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
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/hub"
)

// contextOf waits until what the context of clients costs is as wanted, which
// the hub sees off every path.
func contextOf(t *testing.T, h *hub.Hub, meets func(resources.ContextCost) bool) resources.ContextCost {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var cost resources.ContextCost
	for range 4000 {
		do(t, h, http.MethodGet, "/api/context", nil, &cost)
		if meets(cost) {
			return cost
		}
		<-tick.C
	}
	t.Fatalf("the context never is as wanted: %+v", cost)
	return cost
}

func TestWhatIsSavedInContextsIsKnownAndRemembered(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	first, ended := runHub(t, hub.Options{Folder: folder})
	empty := contextOf(t, first, func(resources.ContextCost) bool { return true })
	if empty.Tools != 0 || empty.WholeTokens != 0 || empty.EntryTokens == 0 || len(empty.Clients) != 0 {
		t.Errorf("an empty hub says %+v", empty)
	}
	s := &scenario{t: t, hub: first, listen: listen(t, first)}
	s.play(
		step{name: "added", method: "POST", path: "/api/servers", body: s.server("sky", "-definition", weather), status: 201, keep: "id"},
		step{name: "listed", method: "POST", path: "/api/servers/{id}/refresh", status: 200},
	)
	whole, forecast := 0, counted(t, first)["forecast"].Tokens
	for _, tool := range counted(t, first) {
		whole += tool.Tokens
	}
	name := "claude \u001b[31m" + strings.Repeat("é", 200)
	claude, cursor := join(t, first, name), join(t, first, "cursor")
	remembered := func(tokens int) { // also if the hub were killed
		t.Helper()
		contextOf(t, first, func(cost resources.ContextCost) bool {
			kept, err := first.Remembered(t.Context())
			return err == nil && len(kept) == 2 && kept[0].Listed+kept[1].Listed == 2*cost.EntryTokens+tokens
		})
	}
	remembered(0)
	cursor.registry(`{"action":"find_tool","query":"weather forecast","limit":1}`)
	claude.ask("ping", `{}`)
	join(t, first, "agent-discover-cli") // a person's command line
	listed := tokens.Count(string(cursor.ask("tools/list", `{}`)))
	now := contextOf(t, first, func(resources.ContextCost) bool { return true })
	if now.Tools != 17 || now.WholeTokens != whole || len(now.Clients) != 2 {
		t.Fatalf("with two clients it says %+v", now)
	}
	for _, c := range now.Clients {
		want := now.EntryTokens
		if c.Name == "cursor" {
			want += forecast
			if far := float64(listed-want) / float64(want); far < -0.05 || far > 0.05 {
				t.Errorf("its list costs %d tokens and is said to cost %d", listed, want)
			}
		} else if utf8.RuneCountInString(c.Name) != 100 || !strings.HasPrefix(c.Name, "claude \u001b[31mé") {
			t.Errorf("a client is called %q", c.Name)
		}
		if !c.Connected || c.Version != "7.1" || c.ListedTokens != want || c.WholeTokens != whole || c.SavedTokens != whole-want {
			t.Errorf("a client costs %+v, not %d of %d", c, want, whole)
		}
	}
	remembered(forecast)
	s.play( // changes nobody's list
		step{name: "another", method: "POST", path: "/api/servers", body: s.server("sea", "-only", "-tool", "tide=When the water comes"), status: 201},
		step{name: "listed", method: "POST", path: "/api/servers/2/refresh", status: 200},
	)
	whole += counted(t, first)["tide"].Tokens
	claude.leave()
	contextOf(t, first, func(cost resources.ContextCost) bool { return len(cost.Clients) == 2 && !cost.Clients[1].Connected })
	first.Stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	cursor.leave()
	again, _ := runHub(t, hub.Options{Folder: folder})
	later := contextOf(t, again, func(resources.ContextCost) bool { return true })
	for i, c := range later.Clients {
		before := now.Clients[slices.IndexFunc(now.Clients, func(b resources.ClientContext) bool { return b.Name == c.Name })]
		if c.Connected || c.ListedTokens != before.ListedTokens || c.WholeTokens != whole || c.FirstSeen > before.LastSeen {
			t.Errorf("client %d was %+v and is remembered as %+v", i, before, c)
		}
	}
	if len(later.Clients) != 2 {
		t.Errorf("remembered are %+v", later.Clients)
	}
}
