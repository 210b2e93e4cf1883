package market_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestASearchHasPages(t *testing.T) {
	hubtest.NewRegistries(t).Home()
	r := httptest.NewServer(http.NotFoundHandler())
	r.Close()
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	type found struct {
		Servers []operations.PublishedServer `json:"servers"`
		Next    string                       `json:"next_cursor"`
	}
	browse := func(query, limit, cursor string) (page found) {
		hubtest.Do(t, s.Hub, "GET", "/api/browse?"+url.Values{"query": {query}, "limit": {limit}, "cursor": {cursor}}.Encode(), nil, &page)
		return page
	}
	ids := func(page found) (out []string) {
		for _, v := range page.Servers {
			out = append(out, v.ID)
		}
		return out
	}
	all := browse("database", "100", "")
	if len(all.Servers) < 5 || all.Next != "" {
		t.Fatalf("the whole list: %v, %q", ids(all), all.Next)
	}
	var paged []string
	for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
		page := browse("database", "2", cursor)
		if len(page.Servers) == 0 || len(page.Servers) > 2 {
			t.Fatalf("page %d has %v", pages, ids(page))
		}
		paged, cursor = append(paged, ids(page)...), page.Next
	}
	if !slices.Equal(paged, ids(all)) {
		t.Errorf("the pages have %v, the whole list has %v", paged, ids(all))
	}
	agent := hubtest.Join(t, s.Hub, "agent")
	var first, second struct {
		Servers []struct{ ID string }
		Next    string `json:"next_cursor"`
	}
	for cursor, page := range map[string]any{"": &first, "results:1": &second} {
		answer := agent.Registry(`{"action":"browse","query":"database","limit":1,"cursor":"` + cursor + `"}`)
		if err := json.Unmarshal([]byte(answer), page); err != nil {
			t.Fatal(answer)
		}
	}
	if first.Next != "results:1" || len(second.Servers) != 1 || second.Servers[0].ID != paged[1] {
		t.Errorf("an agent gets %+v, then %+v", first, second)
	}
	s.Play(
		hubtest.Step{
			Name: "an invalid cursor", Method: "GET", Path: "/api/browse?query=x&cursor=results:x", Status: 422,
			Want: []string{"unknown cursor"},
		},
		hubtest.Step{
			Name: "proxy", Method: "GET", Path: "/api/browse?query=proxy", Status: 200, Want: []string{`"listing":"pypi:mcp-proxy"`},
		},
	)
}
