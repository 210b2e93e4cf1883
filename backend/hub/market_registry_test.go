package hub_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
)

func TestTheRegistryIsNotAskedBeforeTheFirstSearch(t *testing.T) {
	newRegistries(t).home()
	var asked atomic.Int32
	r := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write([]byte(`{"servers":[],"metadata":{}}`))
	}))
	t.Cleanup(r.Close)
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	for _, path := range []string{"/api/market/start", "/api/market/mirror", "/api/market/updates", "/api/servers", "/api/status"} {
		s.play(step{name: path, method: "GET", path: path, status: 200})
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the registry was asked %d times before a search", n)
	}
	s.play(step{name: "search", method: "GET", path: "/api/browse?query=weather", status: 200})
	if asked.Load() == 0 {
		t.Error("the registry was not asked by a search")
	}
}

func TestBrowseNamesTheSourcesThatAreMissing(t *testing.T) {
	newRegistries(t).home()
	r := httptest.NewServer(http.NotFoundHandler())
	r.Close()
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	for _, path := range []string{"/api/browse", "/api/browse?query=git"} {
		s.play(step{name: path, method: "GET", path: path, status: 200, want: []string{`"missing":[`, `"official: could not reach`, `"listing":"pypi:`}})
	}
}
