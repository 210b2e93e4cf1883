//go:build unix

package market_test

import (
	"database/sql"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestAServerOfTheMarketplaceIsInstalledCalledAndRemoved(t *testing.T) {
	r := hubtest.NewRegistries(t)
	r.Home()
	r.Add("io.github.ada/weather", "1.0.0", hubtest.WeatherEntry())
	r.Publish("@ada/weather", hubtest.NpmPackage{
		Version: "1.0.0", Description: "An MCP server for weather", Program: hubtest.WeatherStation,
	})
	t.Setenv("AGENT_DISCOVER_PASSPHRASE", "correct horse")
	folder := hubtest.NewDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")
	s := hubtest.NewScenario(t, hub.Options{Folder: folder})
	const token = "open-sesame-1234567"
	choice := `{"id":"official:io.github.ada/weather","answers":{"STATION_TOKEN":["` + token + `"]}}`
	secret := []string{token}
	s.Play(
		hubtest.Step{
			Name: "start page", Method: "GET", Path: "/api/market/start", Status: 200,
			Want: []string{`"id":"npm:@modelcontextprotocol/server-filesystem"`, `"categories":["databases"`},
		},
		hubtest.Step{
			Name: "search", Method: "GET", Path: "/api/market/search?query=weather&wait_ms=15000", Status: 200,
			Want: []string{`"ids":["official:io.github.ada/weather","npm:@ada/weather"]`, `"installed":false`, `"done":true`},
		},
		hubtest.Step{
			Name: "another source", Method: "GET", Path: "/api/market/search?query=weather&source=cargo",
			Status: 422, Want: []string{`"error":`},
		},
		hubtest.Step{
			Name: "details", Method: "GET", Path: "/api/market/details?id=official:io.github.ada/weather", Status: 200,
			Want: []string{`"description":"Weather forecasts for stations"`, `"options":[{"id":"npm"`, `"program":"npx"`},
		},
		hubtest.Step{
			Name: "unknown server", Method: "GET", Path: "/api/market/details?id=official:io.github.ada/rain",
			Status: 404, Want: []string{`"code":"not_found"`},
		},
		hubtest.Step{
			Name: "no id", Method: "GET", Path: "/api/market/details?id=weather", Status: 404, Want: []string{"an ID is SOURCE:NAME"},
		},
		hubtest.Step{
			Name: "plan without answers", Method: "POST", Path: "/api/market/plan", Body: `{"id":"official:io.github.ada/weather"}`,
			Status: 200,
			Want:   []string{`"name":"STATION_TOKEN"`, `"missing":true`},
		},
		hubtest.Step{
			Name: "plan", Method: "POST", Path: "/api/market/plan", Body: choice, Status: 200, Keep: "hash", Never: secret,
			Want: []string{
				`"command":["npx","-y","@ada/weather@1.0.0"]`, `"env":{"STATION_TOKEN":"${secret:STATION_TOKEN}"}`, `"missing":false`,
			},
		},
		hubtest.Step{
			Name: "install without a hash", Method: "POST", Path: "/api/market/install", Body: `{"request":` + choice + `}`, Status: 422,
			Never: secret, Person: true,
		},
		hubtest.Step{
			Name: "install another plan", Method: "POST", Path: "/api/market/install", Body: `{"request":` + choice + `,"hash":"x"}`,
			Status: 202, Never: secret, Person: true,
			Events: []string{`market.job "error":"official:io.github.ada/weather is not what was approved any more`},
		},
		hubtest.Step{
			Name: "install", Method: "POST", Path: "/api/market/install", Body: `{"request":` + choice + `,"hash":"{hash}"}`, Status: 202,
			Never: secret, Person: true, Keep: "id",
			Want:   []string{`"kind":"install"`, `"state":"running"`},
			Events: []string{`market.job "step":"download"`, `market.output npm http fetch`, `market.job "state":"done"`},
		},
		hubtest.Step{
			Name: "jobs", Method: "GET", Path: "/api/market/jobs", Status: 200, Want: []string{`"id":"{id}"`, `"tools":1`}, Never: secret,
		},
		hubtest.Step{
			Name: "job", Method: "GET", Path: "/api/market/jobs/{id}", Status: 200, Want: []string{`"state":"done"`}, Never: secret,
		},
		hubtest.Step{
			Name: "lines", Method: "GET", Path: "/api/market/jobs/{id}/lines", Status: 200, Want: []string{`"lines":[`}, Never: secret,
		},
		hubtest.Step{Name: "cancel", Method: "POST", Path: "/api/market/jobs/{id}/cancel", Status: 409},
		hubtest.Step{Name: "unknown job", Method: "GET", Path: "/api/market/jobs/x", Status: 404},
		hubtest.Step{
			Name: "search again", Method: "GET", Path: "/api/market/search?query=weather", Status: 200, Want: []string{`"installed":true`},
		},
		hubtest.Step{
			Name: "servers", Method: "GET", Path: "/api/servers", Status: 200, Want: []string{`"name":"weather"`}, Keep: "0.id",
			Never: secret,
		},
		hubtest.Step{Name: "activate", Method: "POST", Path: "/api/servers/{0.id}/activate", Status: 200},
		hubtest.Step{
			Name: "call", Method: "POST", Path: "/api/servers/{0.id}/call", Body: `{"tool":"forecast","args":{}}`, Status: 200,
			Want: []string{"sunny"},
		},
		hubtest.Step{Name: "remove", Method: "DELETE", Path: "/api/servers/{0.id}", Status: 200},
		hubtest.Step{
			Name: "search after the removal", Method: "GET", Path: "/api/market/search?query=weather", Status: 200,
			Want: []string{`"installed":false`},
		},
	)
	for _, message := range s.Events.Received() {
		if strings.Contains(message, token) {
			t.Errorf("a message contains the token: %.500s", message)
		}
	}
	s.Hub.Stop()
	hubtest.AwaitEnd(t, s.Ended)
	checkFilesWithout(t, string(folder), token)
}

// checkFilesWithout checks that no file of a folder contains a text.
func checkFilesWithout(t *testing.T, folder, text string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			t.Errorf("%s contains it", path)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files were read: %v", files, err)
	}
}

func TestWhatAProgramInstallsWaitsForAPerson(t *testing.T) {
	r := hubtest.NewRegistries(t)
	r.Home()
	r.Add("io.github.ada/weather", "1.0.0", hubtest.WeatherEntry())
	t.Setenv("AGENT_DISCOVER_PASSPHRASE", "correct horse")
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	choice := `{"id":"official:io.github.ada/weather","answers":{"STATION_TOKEN":["open-sesame-1234567"]}}`
	s.Play(
		hubtest.Step{Name: "plan", Method: "POST", Path: "/api/market/plan", Body: choice, Status: 200, Keep: "hash"},
		hubtest.Step{
			Name: "install", Method: "POST", Path: "/api/market/install", Body: `{"request":` + choice + `,"hash":"{hash}"}`, Status: 202,
			Events: []string{`market.job "waiting_for_approval":true`, `market.job "state":"done"`},
		},
		hubtest.Step{
			Name: "servers", Method: "GET", Path: "/api/servers", Status: 200, Want: []string{`"approved":false`, `"state":"waiting"`},
		},
		hubtest.Step{
			Name: "a program", Method: "POST", Path: "/api/market/programs/node/install", Status: 403, Want: []string{"only a person"},
		},
		hubtest.Step{Name: "an unknown program", Method: "POST", Path: "/api/market/programs/rm/install", Status: 422, Person: true},
	)
}

func TestNothingIsRequestedBeforeSomebodyUsesTheMarketplace(t *testing.T) {
	r := hubtest.NewRegistries(t)
	r.Add("io.github.ada/weather", "1.0.0", hubtest.WeatherEntry())
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	s.Play(
		hubtest.Step{Name: "start page", Method: "GET", Path: "/api/market/start", Status: 200},
		hubtest.Step{
			Name: "copy", Method: "GET", Path: "/api/market/mirror", Status: 200,
			Want: []string{`{"address":"` + r.URL + `","entries":0,"running":false}`},
		},
	)
	if asked := r.Asked(); len(asked) > 0 {
		t.Errorf("the registry was asked for %v", asked)
	}
	s.Play(hubtest.Step{
		Name: "refresh", Method: "POST", Path: "/api/market/sync", Status: 202, Events: []string{`market.mirror "entries":1,"refreshed"`},
	})
}

func TestTheCopyIsSearchedByMeaning(t *testing.T) {
	r := hubtest.NewRegistries(t)
	r.Home()
	r.Add("io.github.ada/weather", "1.0.0", hubtest.WeatherEntry())
	r.Add("io.github.ada/ledger", "1.0.0", map[string]any{"description": "Bookkeeping for small companies"})
	folder := hubtest.NewDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")
	s := hubtest.NewScenario(t, hub.Options{Folder: folder})
	s.Play(
		hubtest.Step{
			Name: "refresh", Method: "POST", Path: "/api/market/sync", Status: 202,
			Events: []string{`market.mirror "entries":2,"refreshed"`},
		},
		hubtest.Step{
			Name: "a word", Method: "GET", Path: "/api/market/search?query=weather&source=official",
			Status: 200, Want: []string{`"name":"io.github.ada/weather"`},
		},
	)
	database, err := sql.Open("sqlite", "file:"+folder.Database()+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	programtest.Eventually(t, "the copy has vectors in a table of its own", func() bool {
		var own, tools int
		if err := database.QueryRow("SELECT (SELECT count(*) FROM mirror_vectors), (SELECT count(*) FROM vectors)").Scan(&own,
			&tools); err != nil {
			t.Fatal(err)
		}
		if tools > 0 {
			t.Fatal("the vectors of tools contain those of the copy")
		}
		return own == 2
	})
	s.Play(hubtest.Step{
		Name: "a meaning", Method: "GET", Path: "/api/market/search?query=meteorology&source=official",
		Status: 200, Want: []string{`"name":"io.github.ada/weather"`},
	})
}

func TestWithoutARegistryTheMarketplaceSaysSo(t *testing.T) {
	r := hubtest.NewRegistries(t)
	r.Home()
	r.Publish("@ada/weather-mcp-server", hubtest.NpmPackage{Version: "1.0.0", Description: "An MCP server for weather"})
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{Name: "refresh", Method: "POST", Path: "/api/market/sync", Status: 503, Want: []string{"set market.registry_url"}},
		hubtest.Step{
			Name: "search", Method: "GET", Path: "/api/market/search?query=weather", Status: 200,
			Want: []string{
				`"ids":["npm:@ada/weather-mcp-server"]`,
				`{"source":"official","progress":"missing","found":0,"problem":"the official registry is switched off`,
			},
		},
		hubtest.Step{Name: "browse", Method: "GET", Path: "/api/browse", Status: 200, Want: []string{`"name":"@ada/weather-mcp-server"`}},
		hubtest.Step{
			Name: "another page", Method: "GET", Path: "/api/browse?cursor=x", Status: 503,
			Want: []string{"the official registry is switched off"},
		},
		hubtest.Step{
			Name: "a package", Method: "GET", Path: "/api/npm-check?package=@ada/weather-mcp-server",
			Status: 200, Want: []string{`{"exists":true}`},
		},
		hubtest.Step{
			Name: "a missing package", Method: "GET", Path: "/api/npm-check?package=rain", Status: 200, Want: []string{`{"exists":false}`},
		},
		hubtest.Step{
			Name: "no name of a package", Method: "GET", Path: "/api/npm-check?package=--help", Status: 200,
			Want: []string{`{"exists":false}`},
		},
		hubtest.Step{
			Name: "no package", Method: "GET", Path: "/api/npm-check", Status: 400, Want: []string{"package query parameter is required"},
		},
	)
}

func TestARefreshGoesOnAfterARestart(t *testing.T) {
	r := hubtest.NewRegistries(t)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		r.Add("io.github.ada/"+name, "1.0.0", map[string]any{"description": "Server " + name})
	}
	r.PageSize = 2
	reached, release := make(chan struct{}, 1), make(chan struct{})
	r.Hold = func(query url.Values) {
		if query.Get("cursor") == "4" {
			reached <- struct{}{}
			<-release
		}
	}
	folder := hubtest.NewDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")
	h, ended := hubtest.RunHub(t, hub.Options{Folder: folder})
	hubtest.Do(t, h, http.MethodPost, "/api/market/sync", nil, nil)
	<-reached
	h.Stop()
	hubtest.AwaitEnd(t, ended)
	close(release)
	r.Mu.Lock()
	r.Requests, r.Hold = nil, nil
	r.Mu.Unlock()

	h, _ = hubtest.RunHub(t, hub.Options{Folder: folder})
	var state operations.MirrorState
	hubtest.Do(t, h, http.MethodGet, "/api/market/mirror", nil, &state)
	if state.Entries != 4 || !state.Refreshed.IsZero() {
		t.Errorf("after the restart: %+v", state)
	}
	hubtest.Do(t, h, http.MethodPost, "/api/market/sync", nil, nil)
	programtest.Eventually(t, "the refresh is complete", func() bool {
		hubtest.Do(t, h, http.MethodGet, "/api/market/mirror", nil, &state)
		return !state.Refreshed.IsZero()
	})
	if asked := r.Asked(); state.Entries != 5 || len(asked) != 1 || !strings.Contains(asked[0], "cursor=4") {
		t.Errorf("asked for %v: %+v", asked, state)
	}
}
