package hub_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/hub"
)

// weather is a tool definition with every kind of member, one of them with HTML.
const weather = `{"name":"forecast","title":"Weather <b>now</b>","description":"Weather of the coming days for a city","inputSchema":{"type":"object","properties":{"city":{"type":"string","description":"where"}},"required":["city"]},"x":9007199254740993}`

func TestFindReturnsTheReplyForAgentsWithReasons(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(
		step{
			name: "without tools", method: "POST", path: "/api/find", body: `{"query":"weather"}`, status: 200,
			want: []string{`{"found":false,"confidence":"none","score":0,`, `"hits":[],"closest":[],"hint":"no tools are known yet`, `"reply":{"found":false,"matches":[],"top_score":0,"hint":"no tools`},
		},
		step{name: "add server", method: "POST", path: "/api/servers", body: s.server("sky", "-definition", weather), status: 201, keep: "id"},
		step{name: "list tools", method: "POST", path: "/api/servers/{id}/refresh", status: 200, want: []string{`"tool_count":18`}},
		step{
			name: "match", method: "POST", path: "/api/find", body: `{"query":"weather forecast for a city","limit":2}`, status: 200,
			want: []string{
				`{"found":true,"confidence":"high","score":0.`, `"call_as":"mcp__sky__forecast","server":"sky","tool":"forecast","title":"Weather <b>now</b>","description":"Weather of`,
				`{"field":"name","terms":["forecast"],"points":0.`, `{"field":"description","terms":["city","weather"],"points":0.`, `{"field":"parameters","terms":["city"],"points":0.`,
			},
			never: []string{`"hint"`, `"tokens":0`, `"read_as"`},
		},
		step{name: "match by name", method: "POST", path: "/api/find", body: `{"query":"forecast"}`, status: 200, want: []string{`"score":1,`, `"why":[{"field":"name","terms":["forecast"],"points":1}]`}},
		step{
			name: "another language", method: "POST", path: "/api/find", body: `{"query":"Wettervorhersage für Hamburg"}`, status: 200,
			want: []string{`{"found":true,`, `"read_as":["weather","forecast"],"hits":[{`, `"tool":"forecast"`},
		},
		step{name: "no match", method: "POST", path: "/api/find", body: `{"query":"xyzzy"}`, status: 200, want: []string{`"found":false,"confidence":"none","score":0`, `"hint":"no tools matched with sufficient confidence`}},
		step{name: "empty query", method: "POST", path: "/api/find", body: `{"query":"  "}`, status: 422, want: []string{`{"error":"query is required","code":`}},
		step{name: "query is not a string", method: "POST", path: "/api/find", body: `{"query":["a"]}`, status: 422, want: []string{"query has the wrong type"}},
		step{name: "body is not an object", method: "POST", path: "/api/find", body: `[]`, status: 422, want: []string{"must be a JSON object"}},
		step{name: "negative limit", method: "POST", path: "/api/find", body: `{"query":"echo","limit":-1e300}`, status: 200, want: []string{`"found":true`}},
	)
	awaitSearch(t, s, func(is searchStatus) bool { return is.Ready == 18 && !is.Working }) // meaning changes the reply
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
				t.Errorf("%s: the points of the reasons add up to %f, the score is %f", query, sum, hit.Score)
			}
		}
		reply := join(t, s.hub, "agent").registry(fmt.Sprintf(`{"action":"find_tool","query":%q,"limit":3}`, query))
		var want map[string]any
		if err := json.Unmarshal([]byte(reply), &want); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(found.Reply); got != fmt.Sprint(want) {
			t.Errorf("%s: /api/find shows the reply\n%s\nand an agent gets\n%s", query, got, reply)
		}
	}
	if after := string(reader.ask("tools/list", `{}`)); after != before {
		t.Error("/api/find changed the tool list of an agent")
	}
}

func TestToolIsShownWithItsUse(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(
		step{name: "add server", method: "POST", path: "/api/servers", body: s.server("sky", "-only", "-definition", weather, "-definition", `{"name":"bare"}`), status: 201, keep: "id"},
		step{name: "list tools", method: "POST", path: "/api/servers/{id}/refresh", status: 200},
	)
	known := awaitTokenCounts(t, s.hub)
	forecast := fmt.Sprintf("/api/tools/%d", known["forecast"].ID)
	s.play(
		step{
			name: "unused tool", method: "GET", path: forecast, status: 200,
			want: []string{
				`"title":"Weather <b>now`, `"enabled":false`, `"definition":{"name":"forecast"`, `"x":9007199254740993`,
				fmt.Sprintf(`"tokens":%d,`, known["forecast"].Tokens), `"used":{"enabled":false,"lent_to":[],"clients":[]}`,
			},
			never: []string{`"metrics"`},
		},
		step{
			name: "brief list", method: "GET", path: "/api/tools?brief=true", status: 200,
			want:  []string{`{"server":"sky","id":`, `"name":"bare","title":"","description":""`, `"enabled":false}`},
			never: []string{"input_schema", "city\":"},
		},
		step{name: "full list", method: "GET", path: "/api/tools?name=forecast", status: 200, want: []string{`"input_schema":{"type":"object"`, `"enabled":false`}, never: []string{"bare"}},
		step{name: "tool without a schema", method: "GET", path: "/api/tools?name=bare", status: 200, want: []string{`"input_schema":null`}},
		step{name: "unknown id", method: "GET", path: "/api/tools/9999", status: 404, want: []string{`{"error":"Not found","code":`}},
		step{name: "invalid id", method: "GET", path: "/api/tools/forecast", status: 404, want: []string{`{"error":"Not found","code":`}},
	)
	finder := join(t, s.hub, "zed\u202e<script>")
	finder.registry(`{"action":"find_tool","query":"weather forecast"}`)
	for _, name := range []string{"cursor", "cursor", "zed"} {
		join(t, s.hub, name).ask("tools/call", `{"name":"sky__forecast","arguments":{"city":"Oslo"}}`)
	}
	s.play(
		step{name: "activate server", method: "POST", path: "/api/servers/{id}/activate", status: 200},
		step{
			name: "used tool", method: "GET", path: forecast, status: 200,
			want: []string{
				`"metrics":{"tool_name":"forecast","call_count":3,"error_count":0,`,
				`"used":{"enabled":true,"lent_to":["zed` + "\u202e" + `<script>"],"clients":[{"name":"cursor","calls":2,"last_called_at":"20`, `},{"name":"zed","calls":1,`,
			},
		},
		step{name: "tools of an active server", method: "GET", path: "/api/tools?brief=true", status: 200, want: []string{`"enabled":true}`}, never: []string{`"enabled":false`}},
	)
}

// awaitTokenCounts waits until the tokens of all tools are counted, and returns the
// tools by name.
func awaitTokenCounts(t *testing.T, h *hub.Hub) map[string]operations.KnownTool {
	t.Helper()
	changes, stop := h.Counted()
	defer stop()
	for {
		var list []operations.KnownTool
		do(t, h, http.MethodGet, "/api/tools?brief=true", nil, &list)
		out, done := make(map[string]operations.KnownTool), len(list) > 0
		for _, tool := range list {
			out[tool.Name], done = tool, done && tool.Tokens > 0
		}
		if done {
			return out
		}
		select {
		case <-changes:
		case <-time.After(deadline):
			t.Fatal("the tokens of the tools were not counted in time")
		}
	}
}
