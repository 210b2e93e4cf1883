package hub_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
)

// asked is a question to registry, and what must and must not be in its answer.
type asked struct {
	name        string
	arguments   string
	want, never []string
}

func (a *agent) converse(rows ...asked) {
	a.t.Helper()
	for _, row := range rows {
		said := a.registry(row.arguments)
		if strings.Contains(said, "\n") {
			a.t.Errorf("%s: the answer is spread over lines: %s", row.name, said)
		}
		for _, part := range row.want {
			if !strings.Contains(said, part) {
				a.t.Errorf("%s: %s lacks %s", row.name, said, part)
			}
		}
		for _, part := range row.never {
			if strings.Contains(said, part) {
				a.t.Errorf("%s: %s holds %s", row.name, said, part)
			}
		}
	}
}

const (
	tide     = `{"name":"tide","description":"Height of the tide at a harbour","inputSchema":{"type":"object","properties":{"harbour":{"type":"string","description":"which one"}},"required":["harbour"]}}`
	tideNext = `{"name":"tide_table","description":"Table of the tide at a harbour for a month"}`
)

func TestABriefReplyLeavesOutWhatTheSessionWasTold(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(
		step{name: "added", method: "POST", path: "/api/servers", body: s.server("sea", "-only", "-definition", tide, "-definition", tideNext), status: 201, keep: "id"},
		step{name: "listed", method: "POST", path: "/api/servers/{id}/refresh", status: 200},
	)
	const (
		brief  = `{"action":"find_tool","query":"height of the tide at a harbour","brief":true}`
		whole  = `{"action":"find_tool","query":"height of the tide at a harbour"}`
		second = `{"action":"find_tool","query":"table of the tide for a month","brief":true}`
	)
	inFull := []string{`"call_as":"mcp__sea__tide"`, `"description":"Height of`, `"required_args":[{"name":"harbour","type":"string"`, `"server":"sea"`}
	one := join(t, s.hub, "one")
	one.converse(
		asked{name: "at first", arguments: brief, want: inFull, never: []string{`"told"`}},
		asked{
			name: "again", arguments: brief,
			want:  []string{`{"found":true,"confidence":"`, `"score":`, `"call_as":"mcp__sea__tide","told":true,"next_step":"`, `as sea__tide if listed, else by registry proxy_call`, `"other_matches":[{"call_as":"mcp__sea__tide_table"}]`},
			never: []string{"Height of", "required_args", "Table of"},
		},
		asked{name: "not brief", arguments: whole, want: append(inFull, "Table of"), never: []string{`"told"`}},
		asked{name: "another, which was only named", arguments: second, want: []string{`"call_as":"mcp__sea__tide_table"`, "Table of", `[{"call_as":"mcp__sea__tide"}]`}, never: []string{`"told"`}},
		asked{name: "and again", arguments: second, want: []string{`"told":true`}, never: []string{"Table of"}},
		asked{
			name: "several", arguments: `{"action":"find_tools","brief":true,"intents":["height of the tide at a harbour","table of the tide for a month"]}`,
			want: []string{`{"results":[{"intent":"height`, `"call_as":"mcp__sea__tide","told":true,"other_matches":[{"call_as":"mcp__sea__tide_table"}]}`}, never: []string{"next_step", "Height of", "Table of"},
		},
	)
	join(t, s.hub, "two").converse(
		asked{name: "another session", arguments: brief, want: inFull},
		asked{name: "in the same breath", arguments: `{"action":"find_tools","brief":true,"intents":["table of the tide for a month","table of the tide for a month"]}`, want: []string{"Table of", `"told":true`}},
	)
	schema := join(t, s.hub, "three")
	schema.registry(`{"action":"get_schema","call_as":"mcp__sea__tide"}`)
	schema.converse(asked{name: "after its schema", arguments: brief, want: []string{`"told":true`}})
	changed := strings.Replace(tide, "Height of", "Depth and height of", 1)
	s.play(
		step{name: "removed", method: "DELETE", path: "/api/servers/{id}", status: 200},
		step{name: "another of its name", method: "POST", path: "/api/servers", body: s.server("sea", "-only", "-definition", changed, "-definition", tideNext), status: 201},
		step{name: "listed", method: "POST", path: "/api/servers/2/refresh", status: 200},
	)
	one.converse(asked{name: "it has changed", arguments: brief, want: []string{"Depth and height of", "required_args"}, never: []string{`"told"`, "Table of"}})
}

func TestAMissTellsWhatMayHaveBeenMeant(t *testing.T) {
	s := newScenario(t, hub.Options{})
	agent := join(t, s.hub, "one")
	agent.converse(asked{name: "no tools", arguments: `{"action":"find_tool","query":"tied"}`, want: []string{`"hint":"no tools are known yet`}, never: []string{"did_you_mean"}})
	s.play(
		step{name: "added", method: "POST", path: "/api/servers", body: s.server("sea", "-only", "-tool", "harbour_tides=When the water comes"), status: 201, keep: "id"},
		step{name: "listed", method: "POST", path: "/api/servers/{id}/refresh", status: 200},
	)
	agent.converse(
		asked{name: "misspelt", arguments: `{"action":"find_tool","query":"harburtidez"}`, want: []string{`"found":false,"matches":[],"top_score":`, `browse; or propose a server: registry install"`, `"did_you_mean":["mcp__sea__harbour_tides"]`}},
		asked{name: "something else", arguments: `{"action":"find_tool","query":"knit a jumper for a giraffe"}`, want: []string{`"found":false`}, never: []string{"did_you_mean"}},
		asked{name: "among several", arguments: `{"action":"find_tools","intents":["harburtidez","","when the water comes"]}`, want: []string{`{"results":[{"intent":"harburtidez","found":false`, `"did_you_mean":["mcp__sea__harbour_tides"]},{"found":false,"matches":[]`, `{"intent":"when the water comes","found":true`}},
	)
}
