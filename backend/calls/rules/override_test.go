package rules

import (
	"encoding/json"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

const overridden = `
  tool_overrides:
    - {server: github, tool: create_issue, name: new_issue, description: Files "an" issue., arguments: {owner: me, n: 1}}
    - {server: github, tool: get_issue, name: list_issues}
`

func TestAnOverrideChangesTheAppearanceOfATool(t *testing.T) {
	p := configured(t, overridden)
	in := snapshot(t, map[string][]json.RawMessage{"github": {
		json.RawMessage(`{"name":"create_issue", "title":"T", "description":"old", "inputSchema":{"type":"object","properties":{"owner":{"type":"string"}, "title":{"type":"string"},"n":{}},"required":["owner","title"]},"_meta":{"x":1.50}}`),
		json.RawMessage(`{"name":"get_issue"}`), json.RawMessage(`{"name":"list_issues"}`),
	}})
	view := usable(p, "", in)
	const want = `{"name":"new_issue", "title":"T", "description":"Files \"an\" issue.", "inputSchema":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]},"_meta":{"x":1.50}}`
	if got := view[0]; string(got.Definition) != want || got.Name != "new_issue" || got.Description != `Files "an" issue.` ||
		got.Hash == in.Tools[0].Hash || got.Key() != in.Tools[0].Key() || got.ID != in.Tools[0].ID {
		t.Errorf("got  %s\nwant %s", got.Definition, want)
	}
	if view[1].Name != "get_issue" {
		t.Errorf("a tool took the name of another one: %+v", view[1])
	}
	if counted := *in.Tools[0]; view[0].Tokens != 0 {
		t.Error("a tool that is not counted yet has tokens")
	} else if counted.Tokens = 100; p.Appearance(&counted, in).Tokens != tokens.Count(want) {
		t.Errorf("the tool has %d tokens, want %d", p.Appearance(&counted, in).Tokens, tokens.Count(want))
	}
	p.views = nil
	first := usable(p, "", in)
	p.views = nil
	if again := usable(p, "", in); again[0] != first[0] {
		t.Error("the appearance is made anew each time")
	}
	for name, original := range map[string]string{
		"new_issue": "create_issue", "create_issue": "create_issue", "list_issues": "list_issues", "other": "other",
	} {
		if got := p.Original("github", name, in); got != original {
			t.Errorf("%s is called as %s, want %s", name, got, original)
		}
	}
}

func TestAViewFindsARenamedToolByBothNames(t *testing.T) {
	in := office(t)
	p := configured(t, `
  tool_rules: [{server: github, pattern: "create_*", enabled: false}]
  tool_overrides:
    - {server: github, tool: create_issue, name: report}
    - {server: github, tool: get_issue, name: show}
`)
	v := p.View("", in)
	if v != p.View("unlimited", in) {
		t.Error("a client without limits has a view of its own")
	}
	for name, want := range map[string]bool{"create_issue": false, "report": false, "get_issue": true, "show": true} {
		tool, known := v.Lookup("github", name)
		if !known || v.Allows(tool) != want || len(v.Named(name)) != 1 || v.Named(name)[0] != tool {
			t.Errorf("%s: %+v, known %v", name, tool, known)
		}
	}
	for _, tool := range in.Tools { // these tools belong to another snapshot than that of the view
		now := v.Present(tool)
		if now.Key() != tool.Key() || v.Allows(tool) != p.Allows("", tool.Server, tool.Name, in) {
			t.Errorf("%s: allowed %v, now %+v", tool.Name, v.Allows(tool), now)
		}
	}
	if len(v.Of("github")) != 4 || v.Of("github")[0].Name != "report" {
		t.Errorf("the tools of the server are %+v", v.Of("github"))
	}
	unknown := &catalog.Tool{Server: "github", Name: "other"}
	if v.Allows(unknown) || v.Present(unknown) != unknown {
		t.Error("an unknown tool is allowed")
	}
}

func TestASchemaWithoutRequiredArgumentsLosesTheList(t *testing.T) {
	fixed := map[string]json.RawMessage{"a": json.RawMessage("1")}
	for schema, want := range map[string]string{
		`{"properties":{"a":{}},"required":["a"]}`:    `{"properties":{}}`,
		`{"properties":[],"required":{}}`:             `{"properties":[],"required":{}}`,
		`{"required":["b",1,"\u0061"],"x":[]}`:        `{"required":["b",1],"x":[]}`,
		`{"properties":{"b":{"properties":{"a":1}}}}`: `{"properties":{"b":{"properties":{"a":1}}}}`,
	} {
		if got := string(withoutArguments(json.RawMessage(schema), fixed)); got != want {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
}

func TestFixedArgumentsAreSent(t *testing.T) {
	p := configured(t, overridden)
	for params, want := range map[string]string{
		`{"name":"x","arguments":{"title":"a", "owner":"you"},"_meta":{"progressToken":1}}`:      `{"name":"x","arguments":{"title":"a", "owner":"me","n":1},"_meta":{"progressToken":1}}`,
		`{"name":"x","arguments":{"owner":"you","owner":"you","Owner":"you","N":2,"title":"a"}}`: `{"name":"x","arguments":{"owner":"me","title":"a","n":1}}`,
		`{"name":"x"}`:                  `{"name":"x","arguments":{"n":1,"owner":"me"}}`,
		`{"name":"x","arguments":null}`: `{"name":"x","arguments":{"n":1,"owner":"me"}}`,
		`{"name":"x","arguments":[1]}`:  `{"name":"x","arguments":[1]}`,
	} {
		if got := string(p.Params("github", "create_issue", json.RawMessage(params))); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", params, got, want)
		}
		for _, tool := range []string{"list_issues", "new_issue"} {
			if got := string(p.Params("github", tool, json.RawMessage(params))); got != params {
				t.Errorf("the params of %s were changed: %s", tool, got)
			}
		}
	}
}
