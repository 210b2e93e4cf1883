package surfaces_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

const (
	tideTool      = `{"name":"tide","description":"Height of the tide at a harbour","inputSchema":{"type":"object","properties":{"harbour":{"type":"string","description":"which one"}},"required":["harbour"]}}`
	tideTableTool = `{"name":"tide_table","description":"Table of the tide at a harbour for a month"}`
)

func TestBriefReplyOmitsToolsThatTheSessionHasSeen(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{
			Name: "add server", Method: "POST", Path: "/api/servers",
			Body: s.Server("sea", "-only", "-definition", tideTool, "-definition", tideTableTool), Status: 201, Keep: "id",
		},
		hubtest.Step{Name: "list tools", Method: "POST", Path: "/api/servers/{id}/refresh", Status: 200},
	)
	const (
		brief      = `{"action":"find_tool","query":"height of the tide at a harbour","brief":true}`
		full       = `{"action":"find_tool","query":"height of the tide at a harbour"}`
		briefTable = `{"action":"find_tool","query":"table of the tide for a month","brief":true}`
	)
	inFull := []string{
		`"call_as":"mcp__sea__tide"`, `"description":"Height of`, `"required_args":[{"name":"harbour","type":"string"`, `"server":"sea"`,
	}
	first := hubtest.Join(t, s.Hub, "one")
	first.CheckReplies(
		hubtest.Question{Name: "first query", Arguments: brief, Want: inFull, Never: []string{`"told"`}},
		hubtest.Question{
			Name: "same query again", Arguments: brief,
			Want: []string{
				`{"found":true,"confidence":"`, `"score":`, `"call_as":"mcp__sea__tide","told":true,"next_step":"`,
				`as sea__tide if listed, else by registry proxy_call`, `"other_matches":[{"call_as":"mcp__sea__tide_table"}]`,
			},
			Never: []string{"Height of", "required_args", "Table of"},
		},
		hubtest.Question{Name: "query without brief", Arguments: full, Want: append(inFull, "Table of"), Never: []string{`"told"`}},
		hubtest.Question{
			Name: "query for a tool that was only named", Arguments: briefTable,
			Want: []string{`"call_as":"mcp__sea__tide_table"`, "Table of", `[{"call_as":"mcp__sea__tide"}]`}, Never: []string{`"told"`},
		},
		hubtest.Question{Name: "that query again", Arguments: briefTable, Want: []string{`"told":true`}, Never: []string{"Table of"}},
		hubtest.Question{
			Name:      "find_tools",
			Arguments: `{"action":"find_tools","brief":true,"intents":["height of the tide at a harbour","table of the tide for a month"]}`,
			Want: []string{
				`{"results":[{"intent":"height`,
				`"call_as":"mcp__sea__tide","told":true,"other_matches":[{"call_as":"mcp__sea__tide_table"}]}`,
			}, Never: []string{"next_step", "Height of", "Table of"},
		},
	)
	hubtest.Join(t, s.Hub, "two").CheckReplies(
		hubtest.Question{Name: "another session", Arguments: brief, Want: inFull},
		hubtest.Question{
			Name:      "the same intent twice",
			Arguments: `{"action":"find_tools","brief":true,"intents":["table of the tide for a month","table of the tide for a month"]}`,
			Want:      []string{"Table of", `"told":true`},
		},
	)
	schema := hubtest.Join(t, s.Hub, "three")
	schema.Registry(`{"action":"get_schema","call_as":"mcp__sea__tide"}`)
	schema.CheckReplies(hubtest.Question{Name: "after get_schema", Arguments: brief, Want: []string{`"told":true`}})
	changed := strings.Replace(tideTool, "Height of", "Depth and height of", 1)
	s.Play(
		hubtest.Step{Name: "server removed", Method: "DELETE", Path: "/api/servers/{id}", Status: 200},
		hubtest.Step{
			Name: "server added again with another definition", Method: "POST", Path: "/api/servers",
			Body: s.Server("sea", "-only", "-definition", changed, "-definition", tideTableTool), Status: 201,
		},
		hubtest.Step{Name: "list tools", Method: "POST", Path: "/api/servers/2/refresh", Status: 200},
	)
	first.CheckReplies(hubtest.Question{
		Name: "changed definition", Arguments: brief, Want: []string{"Depth and height of", "required_args"},
		Never: []string{`"told"`, "Table of"},
	})
}

func TestReplyWithoutAMatchSuggestsSimilarTools(t *testing.T) {
	// Disable the semantic search, in which some tool is close to every query.
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "search:\n  provider: none\n")})
	agent := hubtest.Join(t, s.Hub, "one")
	agent.CheckReplies(hubtest.Question{
		Name: "no tools", Arguments: `{"action":"find_tool","query":"tied"}`, Want: []string{`"hint":"no tools are known yet`},
		Never: []string{"did_you_mean"},
	})
	s.Play(
		hubtest.Step{
			Name: "add server", Method: "POST", Path: "/api/servers",
			Body: s.Server("sea", "-only", "-tool", "harbour_tides=When the water comes"), Status: 201, Keep: "id",
		},
		hubtest.Step{Name: "list tools", Method: "POST", Path: "/api/servers/{id}/refresh", Status: 200},
	)
	agent.CheckReplies(
		hubtest.Question{
			Name: "misspelt query", Arguments: `{"action":"find_tool","query":"harburtidez"}`,
			Want: []string{
				`"found":false,"matches":[],"top_score":`,
				`browse; or find a new server with registry browse, and propose it with install"`,
				`"did_you_mean":["mcp__sea__harbour_tides"]`,
			},
		},
		hubtest.Question{
			Name: "unrelated query", Arguments: `{"action":"find_tool","query":"knit a jumper for a giraffe"}`,
			Want: []string{`"found":false`}, Never: []string{"did_you_mean", "closest"},
		},
		hubtest.Question{
			Name:      "a query that has one word in common",
			Arguments: `{"action":"find_tool","query":"repair the broken water pump of my car, order new tyres, polish both mirrors, renew the insurance, paint our fence, mow the lawn, cook dinner and translate a poem into Finnish"}`,
			Want: []string{
				`"found":false`,
				`"closest":[{"call_as":"mcp__sea__harbour_tides","tool":"harbour_tides","description":"When the water comes","score":`,
			}, Never: []string{"did_you_mean"},
		},
		hubtest.Question{
			Name: "one of several intents", Arguments: `{"action":"find_tools","intents":["harburtidez","","when the water comes"]}`,
			Want: []string{
				`{"results":[{"intent":"harburtidez","found":false`,
				`"did_you_mean":["mcp__sea__harbour_tides"]},{"intent":"","found":false,"matches":[]`,
				`{"intent":"when the water comes","found":true`,
			},
		},
	)
}

func TestAgentsMayWriteArgumentsInOtherTypes(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	hubtest.AddFake(t, h)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	for arguments, want := range map[string]string{
		`{"action":"find_tool","query":"give back the text","limit":"2"}`:                            `"call_as":"mcp__fake__echo"`,
		`{"action":"find_tool","query":"give back the text","auto_activate":"false","brief":"true"}`: `by registry proxy_call`,
		`{"action":"list","installed_only":"true"}`:                                                  `"name": "fake"`,
		`{"action":"install","name":"a","command":"x","args":[1,2],"env":{"PORT":3000}}`:             `"2"`,
		`{"action":"install","name":"b","source":"registry","command":"x","args":["y"]}`:             `"waiting_for_approval"`,
		`{"action":"install","name":"c","command":"x","args":"--all"}`:                               `args must be of type array`,
		`{"action":"find_tool","query":"x","limit":"many"}`:                                          `limit must be of type number`,
	} {
		if got := hubtest.RegistryCall(t, h, arguments); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", arguments, got, want)
		}
	}
}
