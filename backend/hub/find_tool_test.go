package hub_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
)

// The definitions of two similar tools.
const (
	tideTool      = `{"name":"tide","description":"Height of the tide at a harbour","inputSchema":{"type":"object","properties":{"harbour":{"type":"string","description":"which one"}},"required":["harbour"]}}`
	tideTableTool = `{"name":"tide_table","description":"Table of the tide at a harbour for a month"}`
)

func TestBriefReplyOmitsToolsThatTheSessionHasSeen(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(
		step{name: "add server", method: "POST", path: "/api/servers", body: s.server("sea", "-only", "-definition", tideTool, "-definition", tideTableTool), status: 201, keep: "id"},
		step{name: "list tools", method: "POST", path: "/api/servers/{id}/refresh", status: 200},
	)
	const (
		brief      = `{"action":"find_tool","query":"height of the tide at a harbour","brief":true}`
		full       = `{"action":"find_tool","query":"height of the tide at a harbour"}`
		briefTable = `{"action":"find_tool","query":"table of the tide for a month","brief":true}`
	)
	inFull := []string{`"call_as":"mcp__sea__tide"`, `"description":"Height of`, `"required_args":[{"name":"harbour","type":"string"`, `"server":"sea"`}
	first := join(t, s.hub, "one")
	first.checkReplies(
		question{name: "first query", arguments: brief, want: inFull, never: []string{`"told"`}},
		question{
			name: "same query again", arguments: brief,
			want:  []string{`{"found":true,"confidence":"`, `"score":`, `"call_as":"mcp__sea__tide","told":true,"next_step":"`, `as sea__tide if listed, else by registry proxy_call`, `"other_matches":[{"call_as":"mcp__sea__tide_table"}]`},
			never: []string{"Height of", "required_args", "Table of"},
		},
		question{name: "query without brief", arguments: full, want: append(inFull, "Table of"), never: []string{`"told"`}},
		question{name: "query for a tool that was only named", arguments: briefTable, want: []string{`"call_as":"mcp__sea__tide_table"`, "Table of", `[{"call_as":"mcp__sea__tide"}]`}, never: []string{`"told"`}},
		question{name: "that query again", arguments: briefTable, want: []string{`"told":true`}, never: []string{"Table of"}},
		question{
			name: "find_tools", arguments: `{"action":"find_tools","brief":true,"intents":["height of the tide at a harbour","table of the tide for a month"]}`,
			want: []string{`{"results":[{"intent":"height`, `"call_as":"mcp__sea__tide","told":true,"other_matches":[{"call_as":"mcp__sea__tide_table"}]}`}, never: []string{"next_step", "Height of", "Table of"},
		},
	)
	join(t, s.hub, "two").checkReplies(
		question{name: "another session", arguments: brief, want: inFull},
		question{name: "the same intent twice", arguments: `{"action":"find_tools","brief":true,"intents":["table of the tide for a month","table of the tide for a month"]}`, want: []string{"Table of", `"told":true`}},
	)
	schema := join(t, s.hub, "three")
	schema.registry(`{"action":"get_schema","call_as":"mcp__sea__tide"}`)
	schema.checkReplies(question{name: "after get_schema", arguments: brief, want: []string{`"told":true`}})
	changed := strings.Replace(tideTool, "Height of", "Depth and height of", 1)
	s.play(
		step{name: "server removed", method: "DELETE", path: "/api/servers/{id}", status: 200},
		step{name: "server added again with another definition", method: "POST", path: "/api/servers", body: s.server("sea", "-only", "-definition", changed, "-definition", tideTableTool), status: 201},
		step{name: "list tools", method: "POST", path: "/api/servers/2/refresh", status: 200},
	)
	first.checkReplies(question{name: "changed definition", arguments: brief, want: []string{"Depth and height of", "required_args"}, never: []string{`"told"`, "Table of"}})
}

func TestReplyWithoutAMatchSuggestsSimilarTools(t *testing.T) {
	// By meaning, some tool is closest to every query.
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, "search:\n  provider: none\n")})
	agent := join(t, s.hub, "one")
	agent.checkReplies(question{name: "no tools", arguments: `{"action":"find_tool","query":"tied"}`, want: []string{`"hint":"no tools are known yet`}, never: []string{"did_you_mean"}})
	s.play(
		step{name: "add server", method: "POST", path: "/api/servers", body: s.server("sea", "-only", "-tool", "harbour_tides=When the water comes"), status: 201, keep: "id"},
		step{name: "list tools", method: "POST", path: "/api/servers/{id}/refresh", status: 200},
	)
	agent.checkReplies(
		question{name: "misspelt query", arguments: `{"action":"find_tool","query":"harburtidez"}`, want: []string{`"found":false,"matches":[],"top_score":`, `browse; or find a new server with registry browse, and propose it with install"`, `"did_you_mean":["mcp__sea__harbour_tides"]`}},
		question{name: "unrelated query", arguments: `{"action":"find_tool","query":"knit a jumper for a giraffe"}`, want: []string{`"found":false`}, never: []string{"did_you_mean", "closest"}},
		question{name: "a query that has one word in common", arguments: `{"action":"find_tool","query":"repair the broken water pump of my car, order new tyres, polish both mirrors, renew the insurance, paint our fence, mow the lawn, cook dinner and translate a poem into Finnish"}`, want: []string{`"found":false`, `"closest":[{"call_as":"mcp__sea__harbour_tides","tool":"harbour_tides","description":"When the water comes","score":`}, never: []string{"did_you_mean"}},
		question{name: "one of several intents", arguments: `{"action":"find_tools","intents":["harburtidez","","when the water comes"]}`, want: []string{`{"results":[{"intent":"harburtidez","found":false`, `"did_you_mean":["mcp__sea__harbour_tides"]},{"intent":"","found":false,"matches":[]`, `{"intent":"when the water comes","found":true`}},
	)
}

func TestAgentsMayWriteArgumentsInOtherTypes(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	addFake(t, h)
	do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	for arguments, want := range map[string]string{
		`{"action":"find_tool","query":"give back the text","limit":"2"}`:                            `"call_as":"mcp__fake__echo"`,
		`{"action":"find_tool","query":"give back the text","auto_activate":"false","brief":"true"}`: `by registry proxy_call`,
		`{"action":"list","installed_only":"true"}`:                                                  `"name": "fake"`,
		`{"action":"install","name":"a","command":"x","args":[1,2],"env":{"PORT":3000}}`:             `"2"`,
		`{"action":"install","name":"b","source":"registry","command":"x","args":["y"]}`:             `"waiting_for_approval"`,
		`{"action":"install","name":"c","command":"x","args":"--all"}`:                               `args must be of type array`,
		`{"action":"find_tool","query":"x","limit":"many"}`:                                          `limit must be of type number`,
	} {
		if got := registryCall(t, h, arguments); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", arguments, got, want)
		}
	}
}
