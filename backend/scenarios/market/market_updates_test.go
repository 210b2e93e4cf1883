//go:build unix

package market_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestAServerOfTheMarketplaceIsUpdatedAndRolledBack(t *testing.T) {
	r := hubtest.NewRegistries(t)
	r.Home()
	r.Add("io.github.ada/weather", "1.0.0", hubtest.WeatherEntry())
	r.Publish("@ada/weather", hubtest.NpmPackage{
		Version: "1.0.0", Description: "An MCP server for weather", Program: hubtest.WeatherStation,
	})
	t.Setenv("AGENT_DISCOVER_PASSPHRASE", "correct horse")
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	choice := `{"id":"official:io.github.ada/weather","answers":{"STATION_TOKEN":["open-sesame-1234567"]}}`
	secret := []string{"open-sesame-1234567"}
	s.Play(
		hubtest.Step{Name: "plan", Method: "POST", Path: "/api/market/plan", Body: choice, Status: 200, Keep: "hash"},
		hubtest.Step{
			Name: "install", Method: "POST", Path: "/api/market/install", Body: `{"request":` + choice + `,"hash":"{hash}"}`,
			Status: 202, Person: true,
			Events: []string{`market.job "state":"done"`},
		},
		hubtest.Step{Name: "servers", Method: "GET", Path: "/api/servers", Status: 200, Keep: "0.id"},
		hubtest.Step{Name: "activate", Method: "POST", Path: "/api/servers/{0.id}/activate", Status: 200},
		hubtest.Step{Name: "not compared yet", Method: "GET", Path: "/api/market/updates/weather", Status: 404},
		hubtest.Step{
			Name: "another server", Method: "POST", Path: "/api/market/updates/rain/compare", Body: "{}", Status: 404, Person: true,
		},
		hubtest.Step{
			Name: "check without a newer version", Method: "POST", Path: "/api/market/updates/check", Status: 200,
			Want: []string{`"server":"weather"`, `"version":"1.0.0","latest":"1.0.0","updatable":false`},
		},
		hubtest.Step{
			Name: "roll back without a former version", Method: "POST", Path: "/api/market/updates/weather/rollback", Status: 202,
			Person: true, Events: []string{`market.job "error":"server \"weather\" has no former version`},
		},
	)
	r.Republish()
	s.Play(
		hubtest.Step{Name: "refresh", Method: "POST", Path: "/api/market/sync", Status: 202, Events: []string{`market.mirror "refreshed"`}},
		hubtest.Step{
			Name: "check", Method: "POST", Path: "/api/market/updates/check", Status: 200,
			Want:   []string{`"version":"1.0.0","latest":"2.0.0","updatable":true`},
			Events: []string{`market.updates "latest":"2.0.0"`},
		},
		hubtest.Step{
			Name: "list", Method: "GET", Path: "/api/market/updates", Status: 200, Want: []string{`"latest":"2.0.0","updatable":true`},
		},
		hubtest.Step{
			Name: "search", Method: "GET", Path: "/api/market/search?query=weather", Status: 200,
			Want: []string{`"installed":true`, `"updatable":true`},
		},
		hubtest.Step{
			Name: "compare as a program", Method: "POST", Path: "/api/market/updates/weather/compare",
			Body: "{}", Status: 403, Want: []string{"only a person"},
		},
		hubtest.Step{
			Name: "compare without an answer", Method: "POST", Path: "/api/market/updates/weather/compare", Body: "{}", Status: 202,
			Person: true,
			Events: []string{`market.job "questions":true`},
		},
		hubtest.Step{
			Name: "its result", Method: "GET", Path: "/api/market/updates/weather", Status: 200, Never: secret,
			Want: []string{`"inputs":[{"name":"REGION"`, `"problem":"official:io.github.ada/weather needs answers: REGION`},
		},
		hubtest.Step{
			Name: "compare", Method: "POST", Path: "/api/market/updates/weather/compare",
			Body: `{"answers":{"REGION":["Oslo"]},"replay":true}`, Status: 202, Person: true, Want: []string{`"kind":"compare"`},
			Events: []string{`market.job "step":"replay"`, `market.job "state":"done"`},
		},
		hubtest.Step{
			Name: "result", Method: "GET", Path: "/api/market/updates/weather", Status: 200, Keep: "hash", Never: secret,
			Want: []string{
				`"from":"1.0.0","to":"2.0.0"`, `"command":["npx","-y","@ada/weather@2.0.0"]`,
				`"added":["alerts"]`, `"tool":"forecast"`, `"replay":{"calls":[]`,
			},
		},
		hubtest.Step{
			Name: "nothing has changed", Method: "GET", Path: "/api/servers", Status: 200, Want: []string{"@ada/weather@1.0.0"},
			Never: []string{"2.0.0\"]", "__transient__"},
		},
		hubtest.Step{
			Name: "apply without a hash", Method: "POST", Path: "/api/market/updates/weather/apply", Body: "{}", Status: 422, Person: true,
		},
		hubtest.Step{
			Name: "apply as a program", Method: "POST", Path: "/api/market/updates/weather/apply", Body: `{"hash":"{hash}"}`, Status: 403,
		},
		hubtest.Step{
			Name: "apply something else", Method: "POST", Path: "/api/market/updates/weather/apply",
			Body: `{"hash":"x","answers":{"REGION":["Oslo"]}}`, Status: 202, Person: true,
			Events: []string{`market.job "error":"the update of \"weather\" is not what was approved any more`},
		},
		hubtest.Step{
			Name: "apply", Method: "POST", Path: "/api/market/updates/weather/apply", Body: `{"hash":"{hash}"}`, Status: 202, Person: true,
			Want:   []string{`"kind":"update"`},
			Events: []string{`market.job "step":"switch"`, `market.updates "version":"2.0.0"`, `market.job "state":"done"`},
		},
		hubtest.Step{
			Name: "call", Method: "POST", Path: "/api/servers/{0.id}/call", Body: `{"tool":"forecast","args":{}}`, Status: 200,
			Want: []string{"sunny in Oslo"},
		},
		hubtest.Step{
			Name: "list after the update", Method: "GET", Path: "/api/market/updates", Status: 200,
			Want: []string{`"version":"2.0.0","latest":"2.0.0","updatable":false,"former":"1.0.0"`},
		},
		hubtest.Step{Name: "roll back as a program", Method: "POST", Path: "/api/market/updates/weather/rollback", Status: 403},
		hubtest.Step{
			Name: "roll back", Method: "POST", Path: "/api/market/updates/weather/rollback", Status: 202, Person: true,
			Want: []string{`"kind":"rollback"`}, Events: []string{`market.job "step":"switch"`, `market.job "state":"done"`},
		},
		hubtest.Step{
			Name: "call after the rollback", Method: "POST", Path: "/api/servers/{0.id}/call", Body: `{"tool":"forecast","args":{}}`,
			Status: 200, Want: []string{`"sunny"`},
		},
		hubtest.Step{
			Name: "list after the rollback", Method: "GET", Path: "/api/market/updates", Status: 200,
			Want: []string{`"version":"1.0.0","latest":"2.0.0","updatable":true`},
		},
		hubtest.Step{Name: "remove", Method: "DELETE", Path: "/api/servers/{0.id}", Status: 200},
		hubtest.Step{
			Name: "list after the removal", Method: "GET", Path: "/api/market/updates", Status: 200, Want: []string{`{"servers":[]}`},
		},
	)
	for _, message := range s.Events.Received() {
		if strings.Contains(message, secret[0]) {
			t.Errorf("a message contains the token: %.500s", message)
		}
	}
}
