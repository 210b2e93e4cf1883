package trust_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

const disabledRule = "port: 0\ndiscovery:\n  tool_rules:\n    - {pattern: wipe, enabled: false}\n"

// ruled runs the hub of hubtest.AnnotatedWith with settings, and activates the server "one".
func ruled(t *testing.T, settings string) (*hub.Hub, paths.Folder) {
	t.Helper()
	folder := hubtest.NewDataFolder(t, settings)
	h := hubtest.AnnotatedWith(t, hub.Options{Folder: folder})
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	return h, folder
}

func TestADisabledToolIsReachedByNoRoad(t *testing.T) {
	h, _ := ruled(t, disabledRule)
	const refusal = `is disabled: discovery.tool_rules[0] of config.yaml`
	hubtest.InEachEra(t, h, hubtest.Meta, func(t *testing.T, a *hubtest.Agent, modern bool) {
		for arguments, want := range map[string]string{
			`{"query":"look at a lighthouse"}`: "one__look", `{"call_as":"mcp__one__wipe"}`: `\"found\": false`,
		} {
			if got := a.InEra(modern, "tools/call", hubtest.Calling("find_tool", arguments)); strings.Contains(got, "mcp__one__wipe\\\"") ||
				!strings.Contains(got, want) {
				t.Errorf("find_tool %s: %s", arguments, got)
			}
		}
		for _, name := range []string{"mcp__one__wipe", "one__wipe"} {
			if got := a.InEra(modern, "tools/call", hubtest.Calling("call_tool", `{"call_as":"`+name+`"}`)); !strings.Contains(got,
				refusal) || !strings.Contains(got, `"isError":true`) {
				t.Errorf("call_tool of %s: %s", name, got)
			}
		}
		if got := a.InEra(modern, "tools/call", hubtest.Calling("call_tool", `{"call_as":"wipe"}`)); !strings.Contains(got,
			"Unknown tool: wipe") {
			t.Errorf("call_tool by the bare name: %s", got)
		}
		if got := a.InEra(modern, "tools/call", hubtest.Calling("one__wipe", "{}")); !strings.Contains(got, refusal) {
			t.Errorf("a direct call: %s", got)
		}
	})
	for _, road := range []struct{ surface, wipe, look string }{
		{"native", "one__wipe", "one__look"}, {"server:one", "wipe", "look"}, {"registry", "one__wipe", "one__look"},
	} {
		hubtest.InEachEra(t, h, companion.Entry{Surface: road.surface}, func(t *testing.T, a *hubtest.Agent, modern bool) {
			if names := hubtest.ListedNames(t, a.InEra(modern, "tools/list", "")); slices.Contains(names, road.wipe) ||
				!slices.Contains(names, road.look) {
				t.Errorf("%s lists %v", road.surface, names)
			}
			if got := a.InEra(modern, "tools/call", hubtest.Calling(road.wipe, "{}")); !strings.Contains(got, refusal) {
				t.Errorf("a call on the surface %s: %s", road.surface, got)
			}
		})
	}
	a := hubtest.Introduced(t, h, companion.Entry{}, "{}")
	for arguments, want := range map[string]string{
		`{"action":"proxy_call","call_as":"mcp__one__wipe"}`:         refusal,
		`{"action":"proxy_call","server":"one","tool":"wipe"}`:       refusal,
		`{"action":"get_schema","call_as":"mcp__one__wipe"}`:         `\"found\": false`,
		`{"action":"find_tools","intents":["wipe of a lighthouse"]}`: "look",
		`{"action":"status"}`: `\"blank\"`,
	} {
		if got := a.Exchange("tools/call", "{"+hubtest.Calling("registry", arguments)+"}"); !strings.Contains(got, want) ||
			want != refusal && strings.Contains(got, `wipe\"`) {
			t.Errorf("registry %s: %s", arguments, got)
		}
	}
	if err := hubtest.TryDo(t, h, "POST", "/api/servers/1/call", map[string]any{"tool": "wipe"}); fault.KindOf(err) != fault.Denied ||
		!strings.Contains(fault.MessageOf(err), refusal) {
		t.Errorf("a call by the inspector: %v", err)
	}
	var found struct{ Reply json.RawMessage }
	if hubtest.Do(t, h, "POST", "/api/find", map[string]string{"query": "look at a lighthouse"},
		&found); strings.Contains(string(found.Reply), "mcp__one__wipe") {
		t.Errorf("the page finds it: %s", found.Reply)
	}
}

func TestChangedRulesApplyToOpenSessions(t *testing.T) {
	h, folder := ruled(t, "port: 0\n")
	all := hubtest.Introduced(t, h, companion.Entry{Surface: "native"}, "{}")
	one := hubtest.Introduced(t, h, companion.Entry{Surface: "server:one", Client: "cursor"}, "{}")
	listed := func(a *hubtest.Agent) string {
		return strings.Join(hubtest.ListedNames(t, a.Exchange("tools/list", "{}")), " ")
	}
	if got := listed(all) + " " + listed(one); strings.Count(got, "wipe") != 2 {
		t.Fatal(got)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(folder.Config(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(disabledRule) // the hub must notice the change without a reload
	for _, a := range []*hubtest.Agent{all, one} {
		a.Await("notifications/tools/list_changed")
		if got := listed(a); strings.Contains(got, "wipe") || !strings.Contains(got, "look") {
			t.Errorf("after the change: %s", got)
		}
	}
	write("port: 0\ndiscovery:\n  clients:\n    - {client: Cursor, allow: look}\n  tool_overrides:\n" +
		"    - {server: one, tool: note, arguments: {lamp: fixed}}\n")
	hubtest.Do(t, h, "POST", "/api/config/reload", nil, nil)
	all.Await("notifications/tools/list_changed")
	one.Await("notifications/tools/list_changed")
	if got := listed(all) + " | " + listed(one); strings.Count(got, "wipe") != 1 || !strings.HasSuffix(got, "| look") {
		t.Errorf("with a limited client: %s", got)
	}
	if got := one.Exchange("tools/call", "{"+hubtest.Calling("note", "{}")+"}"); !strings.Contains(got,
		"discovery.clients of config.yaml limits the tools of this client") {
		t.Errorf("a call of a limited client: %s", got)
	}
	write("port: 0\ndiscovery:\n  approval: {destructive: true, rules: [{pattern: look, ask: true}]}\n")
	hubtest.Do(t, h, "POST", "/api/config/reload", nil, nil)
	for tool, refused := range map[string]bool{"one__wipe": true, "one__note": false} {
		if got := all.Exchange("tools/call", "{"+hubtest.Calling(tool, "{}")+"}"); strings.Contains(got,
			"needs a person's approval") != refused {
			t.Errorf("a call that needs approval, %s: %s", tool, got)
		}
	}
	write("port: 0\nagents: {install: deny}\n")
	var reloaded struct{ Restart []string }
	hubtest.Do(t, h, "POST", "/api/config/reload", nil, &reloaded)
	proposer := hubtest.Introduced(t, h, companion.Entry{}, "{}")
	if reply := proposer.Registry(`{"action":"install","name":"new","command":"new-server"}`); !strings.Contains(reply,
		"agents.install is deny") || len(reloaded.Restart) > 0 {
		t.Errorf("agents may not install, but %s; after a restart: %v", reply, reloaded.Restart)
	}
	write("port: many\n")
	if err := hubtest.TryDo(t, h, "POST", "/api/config/reload", nil); fault.KindOf(err) != fault.Invalid ||
		!strings.Contains(fault.MessageOf(err), "line 1, column 7") {
		t.Errorf("an invalid file: %v", err)
	}
	var shown struct {
		Problems []struct{ Line, Column int }
	}
	if hubtest.Do(t, h, "GET", "/api/config", nil, &shown); len(shown.Problems) != 1 || shown.Problems[0].Column != 7 ||
		!strings.Contains(listed(one), "wipe") {
		t.Errorf("after an invalid file: %+v, %s", shown, listed(one))
	}
}
