//go:build unix

package hub_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
)

// stationTwo is the newer version of weatherStation: it has another tool and needs a region.
var stationTwo = strings.NewReplacer(
	`"1.0.0"`, `"2.0.0"`, `"Forecasts the weather"`, `"Forecasts the weather of a region"`,
	`tools: [{`, `tools: [{name: "alerts", description: "Warns", inputSchema: {type: "object"}}, {`, `"sunny"`, `"sunny in " + process.env.REGION`,
).Replace(weatherStation)

// republish adds a newer version to both registries.
func (r *registries) republish() {
	entry := weatherEntry()
	pkg := entry["packages"].([]any)[0].(map[string]any)
	pkg["version"] = "2.0.0"
	pkg["environmentVariables"] = append(pkg["environmentVariables"].([]any), map[string]any{"name": "REGION", "isRequired": true})
	r.add("io.github.ada/weather", "2.0.0", entry)
	r.publish("@ada/weather", npmPackage{version: "2.0.0", description: "An MCP server for weather", program: stationTwo})
}

func TestAServerOfTheMarketplaceIsUpdatedAndRolledBack(t *testing.T) {
	r := newRegistries(t)
	r.home()
	r.add("io.github.ada/weather", "1.0.0", weatherEntry())
	r.publish("@ada/weather", npmPackage{version: "1.0.0", description: "An MCP server for weather", program: weatherStation})
	t.Setenv("AGENT_DISCOVER_PASSPHRASE", "correct horse")
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	choice := `{"id":"official:io.github.ada/weather","answers":{"STATION_TOKEN":["open-sesame-1234567"]}}`
	secret := []string{"open-sesame-1234567"}
	s.play(
		step{name: "plan", method: "POST", path: "/api/market/plan", body: choice, status: 200, keep: "hash"},
		step{
			name: "install", method: "POST", path: "/api/market/install", body: `{"request":` + choice + `,"hash":"{hash}"}`, status: 202, person: true,
			events: []string{`market.job "state":"done"`},
		},
		step{name: "servers", method: "GET", path: "/api/servers", status: 200, keep: "0.id"},
		step{name: "activate", method: "POST", path: "/api/servers/{0.id}/activate", status: 200},
		step{name: "not compared yet", method: "GET", path: "/api/market/updates/weather", status: 404},
		step{name: "another server", method: "POST", path: "/api/market/updates/rain/compare", body: "{}", status: 404, person: true},
		step{
			name: "check without a newer version", method: "POST", path: "/api/market/updates/check", status: 200,
			want: []string{`"server":"weather"`, `"version":"1.0.0","latest":"1.0.0","updatable":false`},
		},
		step{name: "roll back without a former version", method: "POST", path: "/api/market/updates/weather/rollback", status: 202, person: true, events: []string{`market.job "error":"server \"weather\" has no former version`}},
	)
	r.republish()
	s.play(
		step{name: "refresh", method: "POST", path: "/api/market/sync", status: 202, events: []string{`market.mirror "refreshed"`}},
		step{
			name: "check", method: "POST", path: "/api/market/updates/check", status: 200, want: []string{`"version":"1.0.0","latest":"2.0.0","updatable":true`},
			events: []string{`market.updates "latest":"2.0.0"`},
		},
		step{name: "list", method: "GET", path: "/api/market/updates", status: 200, want: []string{`"latest":"2.0.0","updatable":true`}},
		step{name: "search", method: "GET", path: "/api/market/search?query=weather", status: 200, want: []string{`"installed":true`, `"updatable":true`}},
		step{name: "compare as a program", method: "POST", path: "/api/market/updates/weather/compare", body: "{}", status: 403, want: []string{"only a person"}},
		step{
			name: "compare without an answer", method: "POST", path: "/api/market/updates/weather/compare", body: "{}", status: 202, person: true,
			events: []string{`market.job "questions":true`},
		},
		step{
			name: "its result", method: "GET", path: "/api/market/updates/weather", status: 200, never: secret,
			want: []string{`"inputs":[{"name":"REGION"`, `"problem":"official:io.github.ada/weather needs answers: REGION`},
		},
		step{
			name: "compare", method: "POST", path: "/api/market/updates/weather/compare", body: `{"answers":{"REGION":["Oslo"]},"replay":true}`, status: 202, person: true,
			want: []string{`"kind":"compare"`}, events: []string{`market.job "step":"replay"`, `market.job "state":"done"`},
		},
		step{
			name: "result", method: "GET", path: "/api/market/updates/weather", status: 200, keep: "hash", never: secret,
			want: []string{`"from":"1.0.0","to":"2.0.0"`, `"command":["npx","-y","@ada/weather@2.0.0"]`, `"added":["alerts"]`, `"tool":"forecast"`, `"replay":{"calls":[]`},
		},
		step{name: "nothing has changed", method: "GET", path: "/api/servers", status: 200, want: []string{"@ada/weather@1.0.0"}, never: []string{"2.0.0\"]", "__transient__"}},
		step{name: "apply without a hash", method: "POST", path: "/api/market/updates/weather/apply", body: "{}", status: 422, person: true},
		step{name: "apply as a program", method: "POST", path: "/api/market/updates/weather/apply", body: `{"hash":"{hash}"}`, status: 403},
		step{
			name: "apply something else", method: "POST", path: "/api/market/updates/weather/apply", body: `{"hash":"x","answers":{"REGION":["Oslo"]}}`, status: 202, person: true,
			events: []string{`market.job "error":"the update of \"weather\" is not what was approved any more`},
		},
		step{
			name: "apply", method: "POST", path: "/api/market/updates/weather/apply", body: `{"hash":"{hash}"}`, status: 202, person: true,
			want: []string{`"kind":"update"`}, events: []string{`market.job "step":"switch"`, `market.updates "version":"2.0.0"`, `market.job "state":"done"`},
		},
		step{name: "call", method: "POST", path: "/api/servers/{0.id}/call", body: `{"tool":"forecast","args":{}}`, status: 200, want: []string{"sunny in Oslo"}},
		step{name: "list after the update", method: "GET", path: "/api/market/updates", status: 200, want: []string{`"version":"2.0.0","latest":"2.0.0","updatable":false,"former":"1.0.0"`}},
		step{name: "roll back as a program", method: "POST", path: "/api/market/updates/weather/rollback", status: 403},
		step{
			name: "roll back", method: "POST", path: "/api/market/updates/weather/rollback", status: 202, person: true,
			want: []string{`"kind":"rollback"`}, events: []string{`market.job "step":"switch"`, `market.job "state":"done"`},
		},
		step{name: "call after the rollback", method: "POST", path: "/api/servers/{0.id}/call", body: `{"tool":"forecast","args":{}}`, status: 200, want: []string{`"sunny"`}},
		step{name: "list after the rollback", method: "GET", path: "/api/market/updates", status: 200, want: []string{`"version":"1.0.0","latest":"2.0.0","updatable":true`}},
		step{name: "remove", method: "DELETE", path: "/api/servers/{0.id}", status: 200},
		step{name: "list after the removal", method: "GET", path: "/api/market/updates", status: 200, want: []string{`{"servers":[]}`}},
	)
	for _, message := range s.events.received() {
		if strings.Contains(message, secret[0]) {
			t.Errorf("a message contains the token: %.500s", message)
		}
	}
}
