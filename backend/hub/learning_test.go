package hub_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/hub"
)

// newLearningHub starts a hub with one server.
func newLearningHub(t *testing.T, folder paths.Folder) *scenario {
	t.Helper()
	s := newScenario(t, hub.Options{Folder: folder})
	s.play(
		step{name: "add server", method: "POST", path: "/api/servers", body: s.server("fake"), status: 201, keep: "id"},
		step{name: "list tools", method: "POST", path: "/api/servers/{id}/refresh", status: 200},
	)
	return s
}

// learned returns what the search has learned.
func (s *scenario) learned() operations.LearnedList {
	s.t.Helper()
	var list operations.LearnedList
	do(s.t, s.hub, "GET", "/api/learned", nil, &list)
	return list
}

func TestSearchLearnsFromCallsAfterAQuery(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	s := newLearningHub(t, folder)
	editor := join(t, s.hub, "editor")
	mark := s.events.mark()

	editor.registry(`{"action":"find_tool","query":"echo my text sk-proj-0123456789abcdefghij"}`)
	if !editor.call("fake__echo", `{"text":"a"}`) {
		t.Fatal("the listed tool could not be called")
	}
	s.events.await(t, "call of a listed tool", mark, "learned", `"on":true,"total":1`)

	mark = s.events.mark()
	editor.registry(`{"action":"find_tools","intents":["report steps of progress","fail with words"]}`)
	editor.registry(`{"action":"proxy_call","call_as":"mcp__fake__fail","arguments":{"text":"no"}}`)
	editor.registry(`{"action":"proxy_call","call_as":"mcp__fake__no_such_tool","arguments":{}}`)
	editor.registry(`{"action":"proxy_call","call_as":"mcp__fake__echo","arguments":{"text":"not in these replies"}}`)
	editor.registry(`{"action":"proxy_call","call_as":"mcp__fake__steps","arguments":{"count":1}}`)
	s.events.await(t, "call by proxy_call", mark, "learned", `"on":true,"total":2`)

	list := s.learned()
	if len(list.Entries) != 2 || !list.On || list.Total != 2 {
		t.Fatalf("the learned tools are %+v", list)
	}
	for i, want := range []operations.LearnedTool{
		{ID: 2, Query: "report steps of progress", Server: "fake", Tool: "steps", Times: 1, Strength: 0.5},
		{ID: 1, Query: "echo my text [redacted]", Server: "fake", Tool: "echo", Times: 1, Strength: 0.5},
	} {
		got := list.Entries[i]
		want.Last = got.Last
		if got != want || !strings.HasSuffix(got.Last, "Z") {
			t.Errorf("learned %+v, want %+v", got, want)
		}
	}
}

func TestOnlyToolsInTheReplyAreLearned(t *testing.T) {
	s := newScenario(t, hub.Options{})
	var flags []string
	names := strings.Fields("blue red green white black brown grey pink")
	for _, name := range names {
		flags = append(flags, "-tool", "write_"+name+"_note=Write a note")
	}
	s.play(
		step{name: "add server", method: "POST", path: "/api/servers", body: s.server("notes", append([]string{"-only"}, flags...)...), status: 201, keep: "id"},
		step{name: "list tools", method: "POST", path: "/api/servers/{id}/refresh", status: 200},
	)
	editor := join(t, s.hub, "editor")
	reply := editor.registry(`{"action":"find_tools","intents":["write a note","paint a wall"]}`)
	for _, name := range names {
		if !strings.Contains(reply, "notes__write_"+name+"_note") && !editor.call("notes__write_"+name+"_note", `{}`) {
			t.Fatalf("the tool for %s notes could not be called", name)
		}
	}
	// Learning is asynchronous: a later call that is learned shows that the earlier ones
	// were not.
	mark := s.events.mark()
	editor.registry(`{"action":"find_tool","query":"write a blue note"}`)
	editor.call("notes__write_blue_note", `{}`)
	s.events.await(t, "a call after a query", mark, "learned", "")
	if list := s.learned(); list.Total != 1 || list.Entries[0].Tool != "write_blue_note" {
		t.Errorf("learned %+v after the reply %s", list, reply)
	}
}

func TestSearchDoesNotLearnFromPersons(t *testing.T) {
	s := newLearningHub(t, "")
	person := join(t, s.hub, "agent-discover-cli")
	person.registry(`{"action":"find_tool","query":"echo a text"}`)
	person.call("fake__echo", `{"text":"a"}`)
	s.play(
		step{name: "search in the dashboard", method: "POST", path: "/api/find", body: `{"query":"echo a text"}`, status: 200, want: []string{`"found":true`}},
		step{name: "call in the inspector", method: "POST", path: "/api/servers/{id}/call", body: `{"tool":"echo","args":{"text":"a"}}`, status: 200},
	)
	editor := join(t, s.hub, "editor")
	editor.registry(`{"action":"proxy_call","call_as":"mcp__fake__echo","arguments":{"text":"without a query"}}`)
	// Learning is asynchronous: a later call that is learned shows that the earlier ones
	// were not.
	mark := s.events.mark()
	editor.registry(`{"action":"find_tool","query":"report steps of progress"}`)
	editor.registry(`{"action":"proxy_call","call_as":"mcp__fake__steps","arguments":{"count":1}}`)
	s.events.await(t, "a call after a query", mark, "learned", "")
	if list := s.learned(); list.Total != 1 || list.Entries[0].Tool != "steps" {
		t.Errorf("learned %+v", list)
	}
}

func TestLearningIsManagedOverREST(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	s := newLearningHub(t, folder)
	editor := join(t, s.hub, "editor")
	findAndCall := func(query, tool, arguments string) {
		t.Helper()
		mark := s.events.mark()
		editor.registry(`{"action":"find_tool","query":"` + query + `"}`)
		editor.registry(`{"action":"proxy_call","call_as":"mcp__fake__` + tool + `","arguments":` + arguments + `}`)
		s.events.await(t, query, mark, "learned", "")
	}
	findAndCall("echo a text", "echo", `{"text":"x"}`)
	findAndCall("report steps of progress", "steps", `{"count":1}`)
	findAndCall("echo with marker-of-mine", "echo", `{"text":"x"}`)
	s.play(
		step{name: "list", method: "GET", path: "/api/learned", status: 200, want: []string{
			`{"on":true,"total":3,"entries":[{"id":3,"query":"echo with marker-of-mine","server":"fake","tool":"echo","times":1,"failed":0,"last":"2`, `"strength":0.5}`,
		}},
		step{name: "one page", method: "GET", path: "/api/learned?limit=1&offset=1", status: 200, want: []string{`"total":3`, `"id":2,`}, never: []string{`"id":1,`, `"id":3,`}},
		step{name: "page past the end", method: "GET", path: "/api/learned?offset=9", status: 200, want: []string{`"entries":[]`}},
		step{name: "limit is not a number", method: "GET", path: "/api/learned?limit=many", status: 422},
		step{name: "forget one", method: "DELETE", path: "/api/learned/1", status: 200, want: []string{`{"status":"forgotten"}`}, events: []string{`learned "on":true,"total":2`}},
		step{name: "forget it again", method: "DELETE", path: "/api/learned/1", status: 404, want: []string{"no learned query has the id 1"}},
		step{name: "invalid id", method: "DELETE", path: "/api/learned/one", status: 404},
		step{name: "clear the log", method: "DELETE", path: "/api/logs", status: 200},
		step{name: "clearing the log forgets nothing", method: "GET", path: "/api/learned", status: 200, want: []string{`"total":2`}},
		step{name: "switch without a value", method: "PUT", path: "/api/learned", body: `{}`, status: 422, want: []string{"on is required"}},
		step{name: "switch with an invalid value", method: "PUT", path: "/api/learned", body: `{"on":"no"}`, status: 422},
		step{name: "switch off", method: "PUT", path: "/api/learned", body: `{"on":false}`, status: 200, want: []string{`{"on":false}`}, events: []string{`learned "on":false`}},
	)
	editor.registry(`{"action":"find_tool","query":"wait a while"}`)
	editor.registry(`{"action":"proxy_call","call_as":"mcp__fake__echo","arguments":{"text":"x"}}`)
	s.hub.Stop()
	awaitEnd(t, s.ended)

	s = newScenario(t, hub.Options{Folder: folder})
	s.play(
		step{name: "after a restart", method: "GET", path: "/api/learned", status: 200, want: []string{`"on":false,"total":2`, `"id":3,`, `"id":2,`}},
		step{name: "switch on", method: "PUT", path: "/api/learned", body: `{"on":true}`, status: 200, events: []string{`learned "on":true,"total":2`}},
		step{name: "forget all", method: "DELETE", path: "/api/learned", status: 200, want: []string{`{"status":"forgotten"}`}, events: []string{`learned "on":true,"total":0`}},
		step{name: "empty list", method: "GET", path: "/api/learned", status: 200, want: []string{`"on":true,"total":0,"entries":[]`}},
	)
}

func TestRemovingAServerForgetsItsLearnedTools(t *testing.T) {
	s := newLearningHub(t, "")
	editor := join(t, s.hub, "editor")
	mark := s.events.mark()
	editor.registry(`{"action":"find_tool","query":"echo a text"}`)
	editor.call("fake__echo", `{"text":"a"}`)
	s.events.await(t, "call of the tool", mark, "learned", `"on":true,"total":1`)
	s.play(
		step{name: "remove server", method: "DELETE", path: "/api/servers/{id}", status: 200, events: []string{`learned "on":true,"total":0`}},
		step{name: "learned tools afterwards", method: "GET", path: "/api/learned", status: 200, want: []string{`"total":0`}},
	)
}
