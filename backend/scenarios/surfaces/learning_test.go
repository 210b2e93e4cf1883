package surfaces_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// newLearningHub starts a hub with one server.
func newLearningHub(t *testing.T, folder paths.Folder) *hubtest.Scenario {
	t.Helper()
	s := hubtest.NewScenario(t, hub.Options{Folder: folder})
	s.Play(
		hubtest.Step{Name: "add server", Method: "POST", Path: "/api/servers", Body: s.Server("fake"), Status: 201, Keep: "id"},
		hubtest.Step{Name: "list tools", Method: "POST", Path: "/api/servers/{id}/refresh", Status: 200},
	)
	return s
}

func TestSearchLearnsFromCallsAfterAQuery(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	s := newLearningHub(t, folder)
	editor := hubtest.Join(t, s.Hub, "editor")
	mark := s.Events.Mark()

	editor.Registry(`{"action":"find_tool","query":"echo my text sk-proj-0123456789abcdefghij"}`)
	if !editor.Call("fake__echo", `{"text":"a"}`) {
		t.Fatal("the listed tool could not be called")
	}
	s.Events.Await(t, "call of a listed tool", mark, "learned", `"on":true,"total":1`)

	mark = s.Events.Mark()
	editor.Registry(`{"action":"find_tools","intents":["report steps of progress","fail with words"]}`)
	editor.Registry(`{"action":"proxy_call","call_as":"mcp__fake__fail","arguments":{"text":"no"}}`)
	editor.Registry(`{"action":"proxy_call","call_as":"mcp__fake__no_such_tool","arguments":{}}`)
	editor.Registry(`{"action":"proxy_call","call_as":"mcp__fake__echo","arguments":{"text":"not in these replies"}}`)
	editor.Registry(`{"action":"proxy_call","call_as":"mcp__fake__steps","arguments":{"count":1}}`)
	s.Events.Await(t, "call by proxy_call", mark, "learned", `"on":true,"total":2`)

	list := s.Learned()
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
	s := hubtest.NewScenario(t, hub.Options{})
	var flags []string
	names := strings.Fields("blue red green white black brown grey pink")
	for _, name := range names {
		flags = append(flags, "-tool", "write_"+name+"_note=Write a note")
	}
	s.Play(
		hubtest.Step{
			Name: "add server", Method: "POST", Path: "/api/servers", Body: s.Server("notes", append([]string{"-only"}, flags...)...),
			Status: 201, Keep: "id",
		},
		hubtest.Step{Name: "list tools", Method: "POST", Path: "/api/servers/{id}/refresh", Status: 200},
	)
	editor := hubtest.Join(t, s.Hub, "editor")
	reply := editor.Registry(`{"action":"find_tools","intents":["write a note","paint a wall"]}`)
	for _, name := range names {
		if !strings.Contains(reply, "notes__write_"+name+"_note") && !editor.Call("notes__write_"+name+"_note", `{}`) {
			t.Fatalf("the tool for %s notes could not be called", name)
		}
	}
	// Learning is asynchronous. Once the call below is learned, the calls above would have
	// been learned, too.
	mark := s.Events.Mark()
	editor.Registry(`{"action":"find_tool","query":"write a blue note"}`)
	editor.Call("notes__write_blue_note", `{}`)
	s.Events.Await(t, "a call after a query", mark, "learned", "")
	if list := s.Learned(); list.Total != 1 || list.Entries[0].Tool != "write_blue_note" {
		t.Errorf("learned %+v after the reply %s", list, reply)
	}
}

func TestSearchDoesNotLearnFromPersons(t *testing.T) {
	s := newLearningHub(t, "")
	person := hubtest.Join(t, s.Hub, "agent-discover-cli")
	person.Registry(`{"action":"find_tool","query":"echo a text"}`)
	person.Call("fake__echo", `{"text":"a"}`)
	s.Play(
		hubtest.Step{
			Name: "search in the dashboard", Method: "POST", Path: "/api/find", Body: `{"query":"echo a text"}`, Status: 200,
			Want: []string{`"found":true`},
		},
		hubtest.Step{
			Name: "call in the inspector", Method: "POST", Path: "/api/servers/{id}/call", Body: `{"tool":"echo","args":{"text":"a"}}`,
			Status: 200,
		},
	)
	editor := hubtest.Join(t, s.Hub, "editor")
	editor.Registry(`{"action":"proxy_call","call_as":"mcp__fake__echo","arguments":{"text":"without a query"}}`)
	// Learning is asynchronous: a later call that is learned shows that the earlier ones
	// were not.
	mark := s.Events.Mark()
	editor.Registry(`{"action":"find_tool","query":"report steps of progress"}`)
	editor.Registry(`{"action":"proxy_call","call_as":"mcp__fake__steps","arguments":{"count":1}}`)
	s.Events.Await(t, "a call after a query", mark, "learned", "")
	if list := s.Learned(); list.Total != 1 || list.Entries[0].Tool != "steps" {
		t.Errorf("learned %+v", list)
	}
}

func TestLearningIsManagedOverREST(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	s := newLearningHub(t, folder)
	editor := hubtest.Join(t, s.Hub, "editor")
	findAndCall := func(query, tool, arguments string) {
		t.Helper()
		mark := s.Events.Mark()
		editor.Registry(`{"action":"find_tool","query":"` + query + `"}`)
		editor.Registry(`{"action":"proxy_call","call_as":"mcp__fake__` + tool + `","arguments":` + arguments + `}`)
		s.Events.Await(t, query, mark, "learned", "")
	}
	findAndCall("echo a text", "echo", `{"text":"x"}`)
	findAndCall("report steps of progress", "steps", `{"count":1}`)
	findAndCall("echo with marker-of-mine", "echo", `{"text":"x"}`)
	s.Play(
		hubtest.Step{Name: "list", Method: "GET", Path: "/api/learned", Status: 200, Want: []string{
			`{"on":true,"total":3,"entries":[{"id":3,"query":"echo with marker-of-mine","server":"fake","tool":"echo","times":1,"failed":0,"last":"2`,
			`"strength":0.5}`,
		}},
		hubtest.Step{
			Name: "one page", Method: "GET", Path: "/api/learned?limit=1&offset=1", Status: 200, Want: []string{`"total":3`, `"id":2,`},
			Never: []string{`"id":1,`, `"id":3,`},
		},
		hubtest.Step{Name: "page past the end", Method: "GET", Path: "/api/learned?offset=9", Status: 200, Want: []string{`"entries":[]`}},
		hubtest.Step{Name: "limit is not a number", Method: "GET", Path: "/api/learned?limit=many", Status: 422},
		hubtest.Step{
			Name: "forget one", Method: "DELETE", Path: "/api/learned/1", Status: 200, Want: []string{`{"status":"forgotten"}`},
			Events: []string{`learned "on":true,"total":2`},
		},
		hubtest.Step{
			Name: "forget it again", Method: "DELETE", Path: "/api/learned/1", Status: 404, Want: []string{"no learned query has the id 1"},
		},
		hubtest.Step{Name: "invalid id", Method: "DELETE", Path: "/api/learned/one", Status: 404},
		hubtest.Step{Name: "clear the log", Method: "DELETE", Path: "/api/logs", Status: 200},
		hubtest.Step{
			Name: "clearing the log forgets nothing", Method: "GET", Path: "/api/learned", Status: 200, Want: []string{`"total":2`},
		},
		hubtest.Step{
			Name: "switch without a value", Method: "PUT", Path: "/api/learned", Body: `{}`, Status: 422, Want: []string{"on is required"},
		},
		hubtest.Step{Name: "switch with an invalid value", Method: "PUT", Path: "/api/learned", Body: `{"on":"no"}`, Status: 422},
		hubtest.Step{
			Name: "switch off", Method: "PUT", Path: "/api/learned", Body: `{"on":false}`, Status: 200, Want: []string{`{"on":false}`},
			Events: []string{`learned "on":false`},
		},
	)
	editor.Registry(`{"action":"find_tool","query":"wait a while"}`)
	editor.Registry(`{"action":"proxy_call","call_as":"mcp__fake__echo","arguments":{"text":"x"}}`)
	s.Hub.Stop()
	hubtest.AwaitEnd(t, s.Ended)

	s = hubtest.NewScenario(t, hub.Options{Folder: folder})
	s.Play(
		hubtest.Step{
			Name: "after a restart", Method: "GET", Path: "/api/learned", Status: 200,
			Want: []string{`"on":false,"total":2`, `"id":3,`, `"id":2,`},
		},
		hubtest.Step{
			Name: "switch on", Method: "PUT", Path: "/api/learned", Body: `{"on":true}`, Status: 200,
			Events: []string{`learned "on":true,"total":2`},
		},
		hubtest.Step{
			Name: "forget all", Method: "DELETE", Path: "/api/learned", Status: 200, Want: []string{`{"status":"forgotten"}`},
			Events: []string{`learned "on":true,"total":0`},
		},
		hubtest.Step{
			Name: "empty list", Method: "GET", Path: "/api/learned", Status: 200, Want: []string{`"on":true,"total":0,"entries":[]`},
		},
	)
}

func TestRemovingAServerForgetsItsLearnedTools(t *testing.T) {
	s := newLearningHub(t, "")
	editor := hubtest.Join(t, s.Hub, "editor")
	mark := s.Events.Mark()
	editor.Registry(`{"action":"find_tool","query":"echo a text"}`)
	editor.Call("fake__echo", `{"text":"a"}`)
	s.Events.Await(t, "call of the tool", mark, "learned", `"on":true,"total":1`)
	s.Play(
		hubtest.Step{
			Name: "remove server", Method: "DELETE", Path: "/api/servers/{id}", Status: 200,
			Events: []string{`learned "on":true,"total":0`},
		},
		hubtest.Step{Name: "learned tools afterwards", Method: "GET", Path: "/api/learned", Status: 200, Want: []string{`"total":0`}},
	)
}
