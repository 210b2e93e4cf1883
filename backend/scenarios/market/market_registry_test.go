package market_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestTheRegistryIsNotAskedBeforeTheFirstSearch(t *testing.T) {
	hubtest.NewRegistries(t).Home()
	var asked atomic.Int32
	r := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write([]byte(`{"servers":[],"metadata":{}}`))
	}))
	t.Cleanup(r.Close)
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	for _, path := range []string{"/api/market/start", "/api/market/mirror", "/api/market/updates", "/api/servers", "/api/status"} {
		s.Play(hubtest.Step{Name: path, Method: "GET", Path: path, Status: 200})
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the registry was asked %d times before a search", n)
	}
	s.Play(hubtest.Step{Name: "search", Method: "GET", Path: "/api/browse?query=weather", Status: 200})
	if asked.Load() == 0 {
		t.Error("the registry was not asked by a search")
	}
}

func TestBrowseNamesTheSourcesThatAreMissing(t *testing.T) {
	hubtest.NewRegistries(t).Home()
	r := httptest.NewServer(http.NotFoundHandler())
	r.Close()
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	for _, path := range []string{"/api/browse", "/api/browse?query=git"} {
		s.Play(hubtest.Step{
			Name: path, Method: "GET", Path: path, Status: 200,
			Want: []string{`"missing":[`, `"official: could not reach`, `"listing":"pypi:`},
		})
	}
}
