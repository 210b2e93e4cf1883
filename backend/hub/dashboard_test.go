package hub_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
)

func TestCallsAndErrorsAreCountedOverTime(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	s := newScenario(t, hub.Options{})
	recordSome(s.hub) // four calls, an hour apart from 2026-03-14T09:26:53 on; the third one failed
	const hours = "/api/metrics/series?since=2026-03-14T09:30:00Z&until=2026-03-14T13:00:00Z&step=3600"
	s.play(
		step{
			name: "aligned, with what is empty", method: "GET", path: "/api/metrics/series?since=2026-03-14T08:10:00Z&until=2026-03-14T12:10:00.5Z&step=3600", status: 200,
			want: []string{
				`{"since":"2026-03-14T08:00:00Z","until":"2026-03-14T13:00:00Z","step":3600,"points":[` +
					`{"at":"2026-03-14T08:00:00Z","calls":0,"errors":0},{"at":"2026-03-14T09:00:00Z","calls":1,"errors":0},` +
					`{"at":"2026-03-14T10:00:00Z","calls":1,"errors":0},{"at":"2026-03-14T11:00:00Z","calls":1,"errors":1},` +
					`{"at":"2026-03-14T12:00:00Z","calls":1,"errors":0}]}`,
			},
		},
		step{
			name: "of a tool", method: "GET", path: hours + "&tool=fail", status: 200,
			want: []string{`{"at":"2026-03-14T10:00:00Z","calls":0,"errors":0},{"at":"2026-03-14T11:00:00Z","calls":1,"errors":1}`},
		},
		step{name: "of another server", method: "GET", path: hours + "&server=two", status: 200, want: []string{`"points":[{"at"`}, never: []string{`"calls":1`}},
		step{name: "a day by default", method: "GET", path: "/api/metrics/series", status: 200, want: []string{`"step":900,`}, never: []string{`"calls":1`}},
		step{name: "a long time by default", method: "GET", path: "/api/metrics/series?since=2000-01-01&until=2026-03-14", status: 200, want: []string{`"points":[{`}, never: []string{`"step":900,`}},
		step{name: "all of time", method: "GET", path: "/api/metrics/series?since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59Z", status: 200, want: []string{`"calls":4,"errors":1}`}},
		step{name: "too many points", method: "GET", path: "/api/metrics/series?since=2026-03-14T00:00:00Z&until=2026-03-14T12:00:00Z&step=10", status: 400, want: []string{"4320 points", "at most 1000"}},
		step{name: "no step", method: "GET", path: "/api/metrics/series?step=0", status: 400, want: []string{`step is \"0\"; it must be seconds, from 1 to 31622400`}},
		step{name: "an odd step", method: "GET", path: "/api/metrics/series?step=1h", status: 400, want: []string{"step"}},
		step{name: "the wrong way round", method: "GET", path: "/api/metrics/series?since=2026-03-14T12:00:00Z&until=2026-03-14T12:00:00Z", status: 400, want: []string{"since must be earlier"}},
		step{name: "no time", method: "GET", path: "/api/metrics/series?since=yesterday", status: 400, want: []string{"since"}},
		step{name: "no end", method: "GET", path: "/api/metrics/series?until=later", status: 400, want: []string{"until"}},
	)
}

func TestToolsAreRankedOverAllServers(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_LOG_RETENTION_DAYS", "0")
	s := newScenario(t, hub.Options{})
	recordSome(s.hub)
	for range 3 {
		s.hub.Journal().Record(journal.Record{At: day, Server: "two", Tool: "slow", Outcome: journal.OK, Latency: 2 * time.Second}, nil, nil, nil)
	}
	s.play(
		step{
			name: "the most called", method: "GET", path: "/api/metrics/tools", status: 200,
			want: []string{
				`[{"server_name":"two","tool_name":"slow","call_count":3,"error_count":0,"avg_latency_ms":2000,"last_called_at":"2026-03-14 09:26:53","p50_ms":1906.6,"p95_ms":1906.6,"max_ms":2000},` +
					`{"server_name":"one","tool_name":"echo"`,
			},
		},
		step{name: "the most failing", method: "GET", path: "/api/metrics/tools?sort=errors&limit=1", status: 200, want: []string{`[{"server_name":"one","tool_name":"fail"`}, never: []string{"slow"}},
		step{name: "the slowest", method: "GET", path: "/api/metrics/tools?sort=p95&limit=2", status: 200, want: []string{`[{"server_name":"two","tool_name":"slow"`}, never: []string{`"long"`}},
		step{name: "no such order", method: "GET", path: "/api/metrics/tools?sort=name", status: 400, want: []string{"one of: calls, errors, p95"}},
		step{name: "no such number", method: "GET", path: "/api/metrics/tools?limit=0", status: 400, want: []string{"limit"}},
		step{name: "no number", method: "GET", path: "/api/metrics/tools?limit=all", status: 400, want: []string{"limit"}},
	)
}

// weather is a tool with everything; its texts are not to be trusted.
const weather = `{"name":"forecast","title":"Weather <b>now</b>","description":"Weather of the coming days for a city","inputSchema":{"type":"object","properties":{"city":{"type":"string","description":"where"}},"required":["city"]},"x":9007199254740993}`

func TestAPersonFindsWhatAnAgentWouldAndSeesWhy(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(
		step{
			name: "nothing is known", method: "POST", path: "/api/find", body: `{"query":"weather"}`, status: 200,
			want: []string{`{"found":false,"confidence":"none","score":0,`, `"hits":[],"hint":"no tools are known yet`, `"reply":{"found":false,"matches":[],"top_score":0,"hint":"no tools`},
		},
		step{name: "added", method: "POST", path: "/api/servers", body: s.server("sky", "-definition", weather), status: 201, keep: "id"},
		step{name: "listed", method: "POST", path: "/api/servers/{id}/refresh", status: 200, want: []string{`"tool_count":17`}},
		step{
			name: "found", method: "POST", path: "/api/find", body: `{"query":"weather forecast for a city","limit":2}`, status: 200,
			want: []string{
				`{"found":true,"confidence":"high","score":0.`, `"call_as":"mcp__sky__forecast","server":"sky","tool":"forecast","title":"Weather <b>now</b>","description":"Weather of`,
				`{"field":"name","terms":["forecast"],"points":0.`, `{"field":"description","terms":["city","weather"],"points":0.`, `{"field":"parameters","terms":["city"],"points":0.`,
			},
			never: []string{`"hint"`, `"tokens":0`},
		},
		step{name: "by its name", method: "POST", path: "/api/find", body: `{"query":"forecast"}`, status: 200, want: []string{`"score":1,`, `"why":[{"field":"name","terms":["forecast"],"points":1}]`}},
		step{name: "nothing fits", method: "POST", path: "/api/find", body: `{"query":"xyzzy"}`, status: 200, want: []string{`"found":false,"confidence":"none","score":0,`, `"hint":"no tools matched with sufficient confidence`}},
		step{name: "no query", method: "POST", path: "/api/find", body: `{"query":"  "}`, status: 422, want: []string{`{"error":"query is required","code":`}},
		step{name: "no words", method: "POST", path: "/api/find", body: `{"query":["a"]}`, status: 422, want: []string{"query has the wrong type"}},
		step{name: "no object", method: "POST", path: "/api/find", body: `[]`, status: 422, want: []string{"must be a JSON object"}},
		step{name: "an odd limit", method: "POST", path: "/api/find", body: `{"query":"echo","limit":-1e300}`, status: 200, want: []string{`"found":true`}},
	)
	reader := join(t, s.hub, "reader")
	before := string(reader.ask("tools/list", `{}`))
	for _, query := range []string{"weather forecast for a city", "give back the text", "xyzzy", "echo"} {
		var found struct {
			Score float64
			Reply map[string]any
			Hits  []struct {
				Score float64
				Why   []struct{ Points float64 }
			}
		}
		do(t, s.hub, http.MethodPost, "/api/find", map[string]any{"query": query, "limit": 3}, &found)
		for _, hit := range found.Hits {
			sum := 0.0
			for _, why := range hit.Why {
				sum += why.Points
			}
			if sum < hit.Score-0.005 || sum > hit.Score+0.005 {
				t.Errorf("%s: reasons add up to %f of %f", query, sum, hit.Score)
			}
		}
		told := join(t, s.hub, "asker").registry(fmt.Sprintf(`{"action":"find_tool","query":%q,"limit":3}`, query))
		var want map[string]any
		if err := json.Unmarshal([]byte(told), &want); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(found.Reply); got != fmt.Sprint(want) {
			t.Errorf("%s: shown is\n%s\nand an agent is told\n%s", query, got, told)
		}
	}
	if after := string(reader.ask("tools/list", `{}`)); after != before {
		t.Error("looking changed what an agent has")
	}
}

func TestAToolIsShownWithItsUses(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(
		step{name: "added", method: "POST", path: "/api/servers", body: s.server("sky", "-only", "-definition", weather, "-definition", `{"name":"bare"}`), status: 201, keep: "id"},
		step{name: "listed", method: "POST", path: "/api/servers/{id}/refresh", status: 200},
	)
	cat := counted(t, s.hub)
	forecast := fmt.Sprintf("/api/tools/%d", cat["forecast"].ID)
	s.play(
		step{
			name: "unused", method: "GET", path: forecast, status: 200,
			want: []string{
				`"title":"Weather <b>now`, `"enabled":false`, `"definition":{"name":"forecast"`, `"x":9007199254740993`,
				fmt.Sprintf(`"tokens":%d,`, cat["forecast"].Tokens), `"used":{"enabled":false,"lent_to":[],"clients":[]}`,
			},
			never: []string{`"metrics"`},
		},
		step{
			name: "brief", method: "GET", path: "/api/tools?brief=true", status: 200,
			want:  []string{`{"server":"sky","id":`, `"name":"bare","title":"","description":""`, `"enabled":false}`},
			never: []string{"input_schema", "city\":"},
		},
		step{name: "in full", method: "GET", path: "/api/tools?name=forecast", status: 200, want: []string{`"input_schema":{"type":"object"`, `"enabled":false`}, never: []string{"bare"}},
		step{name: "without a schema", method: "GET", path: "/api/tools?name=bare", status: 200, want: []string{`"input_schema":null`}},
		step{name: "no such tool", method: "GET", path: "/api/tools/9999", status: 404, want: []string{`{"error":"Not found","code":`}},
		step{name: "no id", method: "GET", path: "/api/tools/forecast", status: 404, want: []string{`{"error":"Not found","code":`}},
	)
	finder := join(t, s.hub, "zed\u202e<script>")
	finder.registry(`{"action":"find_tool","query":"weather forecast"}`)
	for _, name := range []string{"cursor", "cursor", "zed"} {
		join(t, s.hub, name).ask("tools/call", `{"name":"sky__forecast","arguments":{"city":"Oslo"}}`)
	}
	s.play(
		step{name: "activated", method: "POST", path: "/api/servers/{id}/activate", status: 200},
		step{
			name: "used", method: "GET", path: forecast, status: 200,
			want: []string{
				`"metrics":{"tool_name":"forecast","call_count":3,"error_count":0,`,
				`"used":{"enabled":true,"lent_to":["zed` + "\u202e" + `<script>"],"clients":[{"name":"cursor","calls":2,"last_called_at":"20`, `},{"name":"zed","calls":1,`,
			},
		},
		step{name: "enabled", method: "GET", path: "/api/tools?brief=true", status: 200, want: []string{`"enabled":true}`}, never: []string{`"enabled":false`}},
	)
}

// counted waits until the tokens of all tools are counted, and returns them by
// name.
func counted(t *testing.T, h *hub.Hub) map[string]resources.KnownTool {
	t.Helper()
	changes, stop := h.Counted()
	defer stop()
	for {
		var list []resources.KnownTool
		do(t, h, http.MethodGet, "/api/tools?brief=true", nil, &list)
		out, done := make(map[string]resources.KnownTool), len(list) > 0
		for _, tool := range list {
			out[tool.Name], done = tool, done && tool.Tokens > 0
		}
		if done {
			return out
		}
		select {
		case <-changes:
		case <-time.After(20 * time.Second):
			t.Fatal("tokens are never counted")
		}
	}
}
