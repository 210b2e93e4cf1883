package dashboard_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestFindReturnsTheReplyForAgentsWithReasons(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{
			Name: "without tools", Method: "POST", Path: "/api/find", Body: `{"query":"weather"}`, Status: 200,
			Want: []string{
				`{"found":false,"confidence":"none","score":0,`, `"hits":[],"closest":[],"hint":"no tools are known yet`,
				`"reply":{"found":false,"matches":[],"top_score":0,"hint":"no tools`,
			},
		},
		hubtest.Step{
			Name: "add server", Method: "POST", Path: "/api/servers", Body: s.Server("sky", "-definition", hubtest.Weather),
			Status: 201, Keep: "id",
		},
		hubtest.Step{Name: "list tools", Method: "POST", Path: "/api/servers/{id}/refresh", Status: 200, Want: []string{`"tool_count":18`}},
		hubtest.Step{
			Name: "match", Method: "POST", Path: "/api/find", Body: `{"query":"weather forecast for a city","limit":2}`, Status: 200,
			Want: []string{
				`{"found":true,"confidence":"high","score":0.`,
				`"call_as":"mcp__sky__forecast","server":"sky","tool":"forecast","title":"Weather <b>now</b>","description":"Weather of`,
				`{"field":"name","terms":["forecast"],"points":0.`, `{"field":"description","terms":["city","weather"],"points":0.`,
				`{"field":"parameters","terms":["city"],"points":0.`,
			},
			Never: []string{`"hint"`, `"tokens":0`, `"read_as"`},
		},
		hubtest.Step{
			Name: "match by name", Method: "POST", Path: "/api/find", Body: `{"query":"forecast"}`, Status: 200,
			Want: []string{`"score":1,`, `"why":[{"field":"name","terms":["forecast"],"points":1}]`},
		},
		hubtest.Step{
			Name: "another language", Method: "POST", Path: "/api/find", Body: `{"query":"Wettervorhersage für Hamburg"}`, Status: 200,
			Want: []string{`{"found":true,`, `"read_as":["weather","forecast"],"hits":[{`, `"tool":"forecast"`},
		},
		hubtest.Step{
			Name: "no match", Method: "POST", Path: "/api/find", Body: `{"query":"xyzzy"}`, Status: 200,
			Want: []string{`"found":false,"confidence":"none","score":0`, `"hint":"no tools matched with sufficient confidence`},
		},
		hubtest.Step{
			Name: "empty query", Method: "POST", Path: "/api/find", Body: `{"query":"  "}`, Status: 422,
			Want: []string{`{"error":"query is required","code":`},
		},
		hubtest.Step{
			Name: "query is not a string", Method: "POST", Path: "/api/find", Body: `{"query":["a"]}`, Status: 422,
			Want: []string{"query has the wrong type"},
		},
		hubtest.Step{
			Name: "body is not an object", Method: "POST", Path: "/api/find", Body: `[]`, Status: 422,
			Want: []string{"must be a JSON object"},
		},
		hubtest.Step{
			Name: "negative limit", Method: "POST", Path: "/api/find", Body: `{"query":"echo","limit":-1e300}`, Status: 200,
			Want: []string{`"found":true`},
		},
	)
	hubtest.AwaitSearch(t, s, func(is hubtest.SearchStatus) bool { return is.Ready == 18 && !is.Working }) // vectors change the reply
	reader := hubtest.Join(t, s.Hub, "reader")
	before := string(reader.Ask("tools/list", `{}`))
	for _, query := range []string{"weather forecast for a city", "give back the text", "xyzzy", "echo"} {
		var found struct {
			Score float64
			Reply map[string]any
			Hits  []struct {
				Score float64
				Why   []struct{ Points float64 }
			}
		}
		hubtest.Do(t, s.Hub, http.MethodPost, "/api/find", map[string]any{"query": query, "limit": 3}, &found)
		for _, hit := range found.Hits {
			sum := 0.0
			for _, why := range hit.Why {
				sum += why.Points
			}
			if sum < hit.Score-0.005 || sum > hit.Score+0.005 {
				t.Errorf("%s: the points of the reasons add up to %f, the score is %f", query, sum, hit.Score)
			}
		}
		reply := hubtest.Join(t, s.Hub, "agent").Registry(fmt.Sprintf(`{"action":"find_tool","query":%q,"limit":3}`, query))
		var want map[string]any
		if err := json.Unmarshal([]byte(reply), &want); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(found.Reply); got != fmt.Sprint(want) {
			t.Errorf("%s: /api/find shows the reply\n%s\nand an agent gets\n%s", query, got, reply)
		}
	}
	if after := string(reader.Ask("tools/list", `{}`)); after != before {
		t.Error("/api/find changed the tool list of an agent")
	}
}

func TestToolIsShownWithItsUse(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{
			Name: "add server", Method: "POST", Path: "/api/servers",
			Body: s.Server("sky", "-only", "-definition", hubtest.Weather, "-definition", `{"name":"bare"}`), Status: 201, Keep: "id",
		},
		hubtest.Step{Name: "list tools", Method: "POST", Path: "/api/servers/{id}/refresh", Status: 200},
	)
	known := hubtest.AwaitTokenCounts(t, s.Hub)
	forecast := fmt.Sprintf("/api/tools/%d", known["forecast"].ID)
	s.Play(
		hubtest.Step{
			Name: "unused tool", Method: "GET", Path: forecast, Status: 200,
			Want: []string{
				`"title":"Weather <b>now`, `"enabled":false`, `"definition":{"name":"forecast"`, `"x":9007199254740993`,
				fmt.Sprintf(`"tokens":%d,`, known["forecast"].Tokens), `"used":{"enabled":false,"lent_to":[],"clients":[]}`,
			},
			Never: []string{`"metrics"`},
		},
		hubtest.Step{
			Name: "brief list", Method: "GET", Path: "/api/tools?brief=true", Status: 200,
			Want: []string{
				`{"server":"sky","id":`, `"name":"bare","title":"","description":""`, `"enabled":false,"server_state":"running"}`,
			},
			Never: []string{"input_schema", "city\":", "discovered_at"},
		},
		hubtest.Step{
			Name: "full list", Method: "GET", Path: "/api/tools?name=forecast", Status: 200,
			Want: []string{
				`"input_schema":{"type":"object"`, `"enabled":false`, `"server_state":"running","discovered_at":"20`,
				`"updated_at":"20`,
			},
			Never: []string{"bare"},
		},
		hubtest.Step{
			Name: "tool without a schema", Method: "GET", Path: "/api/tools?name=bare", Status: 200, Want: []string{`"input_schema":null`},
		},
		hubtest.Step{
			Name: "tool with a hash", Method: "GET", Path: "/api/tools?brief=true&hash=" + known["forecast"].Hash, Status: 200,
			Want: []string{`"name":"forecast"`}, Never: []string{"bare"},
		},
		hubtest.Step{Name: "unknown hash", Method: "GET", Path: "/api/tools?hash=00", Status: 200, Want: []string{"[]"}},
		hubtest.Step{
			Name: "unknown id", Method: "GET", Path: "/api/tools/9999", Status: 404, Want: []string{`{"error":"Not found","code":`},
		},
		hubtest.Step{
			Name: "invalid id", Method: "GET", Path: "/api/tools/forecast", Status: 404, Want: []string{`{"error":"Not found","code":`},
		},
	)
	finder := hubtest.Join(t, s.Hub, "zed\u202e<script>")
	finder.Registry(`{"action":"find_tool","query":"weather forecast"}`)
	for _, name := range []string{"cursor", "cursor", "zed"} {
		hubtest.Join(t, s.Hub, name).Ask("tools/call", `{"name":"sky__forecast","arguments":{"city":"Oslo"}}`)
	}
	s.Play(
		hubtest.Step{Name: "activate server", Method: "POST", Path: "/api/servers/{id}/activate", Status: 200},
		hubtest.Step{
			Name: "used tool", Method: "GET", Path: forecast, Status: 200,
			Want: []string{
				`"metrics":{"tool_name":"forecast","call_count":3,"error_count":0,`,
				`"used":{"enabled":true,"lent_to":["zed` + "\u202e" +
					`<script>"],"clients":[{"name":"cursor","calls":2,"last_called_at":"20`, `},{"name":"zed","calls":1,`,
			},
		},
		hubtest.Step{
			Name: "always listed tools", Method: "GET", Path: "/api/tools?brief=true", Status: 200,
			Want:  []string{`"enabled":true,"server_state":"running"}`},
			Never: []string{`"enabled":false`},
		},
	)
}
