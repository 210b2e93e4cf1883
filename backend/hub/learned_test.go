package hub_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/hub"
)

// call calls a listed tool and reports whether it went well.
func (a *agent) call(name, arguments string) bool {
	a.t.Helper()
	var result struct{ IsError bool }
	answer := a.ask("tools/call", `{"name":"`+name+`","arguments":`+arguments+`}`)
	return answer != nil && json.Unmarshal(answer, &result) == nil && !result.IsError
}

// pupil is a hub with a server of fake tools, whose learning is looked at.
func pupil(t *testing.T, folder paths.Folder) *scenario {
	t.Helper()
	s := newScenario(t, hub.Options{Folder: folder})
	s.play(
		step{name: "added", method: "POST", path: "/api/servers", body: s.server("fake"), status: 201, keep: "id"},
		step{name: "listed", method: "POST", path: "/api/servers/{id}/refresh", status: 200},
	)
	return s
}

func (s *scenario) learned() resources.LearnedList {
	s.t.Helper()
	var list resources.LearnedList
	do(s.t, s.hub, "GET", "/api/learned", nil, &list)
	return list
}

func TestWhatAgentsCallAfterAQueryIsLearned(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	s := pupil(t, folder)
	editor := join(t, s.hub, "editor")
	mark := s.listen.mark()

	editor.registry(`{"action":"find_tool","query":"echo my text sk-proj-0123456789abcdefghij"}`)
	if !editor.call("fake__echo", `{"text":"a"}`) {
		t.Fatal("a listed tool cannot be called")
	}
	s.listen.await(t, "a listed tool", mark, "learned", `"on":true,"total":1`)

	mark = s.listen.mark()
	editor.registry(`{"action":"find_tools","intents":["report steps of progress","fail with words"]}`)
	editor.registry(`{"action":"proxy_call","call_as":"mcp__fake__fail","arguments":{"text":"no"}}`)
	editor.registry(`{"action":"proxy_call","call_as":"mcp__fake__no_such_tool","arguments":{}}`)
	editor.registry(`{"action":"proxy_call","call_as":"mcp__fake__echo","arguments":{"text":"shown by neither"}}`)
	editor.registry(`{"action":"proxy_call","call_as":"mcp__fake__steps","arguments":{"count":1}}`)
	s.listen.await(t, "an intent", mark, "learned", `"on":true,"total":2`)

	list := s.learned()
	if len(list.Entries) != 2 || !list.On || list.Total != 2 {
		t.Fatalf("learned is %+v", list)
	}
	for i, want := range []resources.LearnedTool{
		{ID: 2, Query: "report steps of progress", Server: "fake", Tool: "steps", Times: 1, Strength: 0.5},
		{ID: 1, Query: "echo my text [redacted]", Server: "fake", Tool: "echo", Times: 1, Strength: 0.5},
	} {
		got := list.Entries[i]
		want.Last = got.Last
		if got != want || !strings.HasSuffix(got.Last, "Z") {
			t.Errorf("learned is %+v, want %+v", got, want)
		}
	}
}

func TestOnlyWhatAnAnswerTellsWasShown(t *testing.T) {
	s := newScenario(t, hub.Options{})
	var flags []string
	names := strings.Fields("blue red green white black brown grey pink")
	for _, name := range names {
		flags = append(flags, "-tool", "write_"+name+"_note=Write a note")
	}
	s.play(
		step{name: "added", method: "POST", path: "/api/servers", body: s.server("notes", append([]string{"-only"}, flags...)...), status: 201, keep: "id"},
		step{name: "listed", method: "POST", path: "/api/servers/{id}/refresh", status: 200},
	)
	editor := join(t, s.hub, "editor")
	told := editor.registry(`{"action":"find_tools","intents":["write a note","paint a wall"]}`)
	for _, name := range names {
		if !strings.Contains(told, "notes__write_"+name+"_note") && !editor.call("notes__write_"+name+"_note", `{}`) {
			t.Fatalf("%s cannot be called", name)
		}
	}
	if list := s.learned(); list.Total != 0 {
		t.Errorf("learned is %+v of %s", list, told)
	}
}

func TestPersonsTeachNothing(t *testing.T) {
	s := pupil(t, "")
	person := join(t, s.hub, "agent-discover-cli")
	person.registry(`{"action":"find_tool","query":"echo a text"}`)
	person.call("fake__echo", `{"text":"a"}`)
	s.play(
		step{name: "asked in the window", method: "POST", path: "/api/find", body: `{"query":"echo a text"}`, status: 200, want: []string{`"found":true`}},
		step{name: "called by the tester", method: "POST", path: "/api/servers/{id}/call", body: `{"tool":"echo","args":{"text":"a"}}`, status: 200},
	)
	silent := join(t, s.hub, "editor")
	silent.registry(`{"action":"proxy_call","call_as":"mcp__fake__echo","arguments":{"text":"never asked"}}`)
	if list := s.learned(); list.Total != 0 {
		t.Errorf("learned is %+v", list)
	}
}

func TestWhatWasLearnedIsSwitchedAndForgottenOverREST(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	s := pupil(t, folder)
	editor := join(t, s.hub, "editor")
	teach := func(query, tool, arguments string) {
		t.Helper()
		mark := s.listen.mark()
		editor.registry(`{"action":"find_tool","query":"` + query + `"}`)
		editor.registry(`{"action":"proxy_call","call_as":"mcp__fake__` + tool + `","arguments":` + arguments + `}`)
		s.listen.await(t, query, mark, "learned", "")
	}
	teach("echo a text", "echo", `{"text":"x"}`)
	teach("report steps of progress", "steps", `{"count":1}`)
	teach("echo with marker-of-mine", "echo", `{"text":"x"}`)
	s.play(
		step{name: "all", method: "GET", path: "/api/learned", status: 200, want: []string{
			`{"on":true,"total":3,"entries":[{"id":3,"query":"echo with marker-of-mine","server":"fake","tool":"echo","times":1,"failed":0,"last":"2`, `"strength":0.5}`,
		}},
		step{name: "a page", method: "GET", path: "/api/learned?limit=1&offset=1", status: 200, want: []string{`"total":3`, `"id":2,`}, never: []string{`"id":1,`, `"id":3,`}},
		step{name: "past the end", method: "GET", path: "/api/learned?offset=9", status: 200, want: []string{`"entries":[]`}},
		step{name: "no number", method: "GET", path: "/api/learned?limit=many", status: 422},
		step{name: "one forgotten", method: "DELETE", path: "/api/learned/1", status: 200, want: []string{`{"status":"forgotten"}`}, events: []string{`learned "on":true,"total":2`}},
		step{name: "twice", method: "DELETE", path: "/api/learned/1", status: 404, want: []string{"no learned query has the id 1"}},
		step{name: "no id", method: "DELETE", path: "/api/learned/one", status: 404},
		step{name: "the log cleared", method: "DELETE", path: "/api/logs", status: 200},
		step{name: "that is something else", method: "GET", path: "/api/learned", status: 200, want: []string{`"total":2`}},
		step{name: "no wish", method: "PUT", path: "/api/learned", body: `{}`, status: 422, want: []string{"on is required"}},
		step{name: "not a wish", method: "PUT", path: "/api/learned", body: `{"on":"no"}`, status: 422},
		step{name: "switched off", method: "PUT", path: "/api/learned", body: `{"on":false}`, status: 200, want: []string{`{"on":false}`}, events: []string{`learned "on":false`}},
	)
	editor.registry(`{"action":"find_tool","query":"wait a while"}`)
	editor.registry(`{"action":"proxy_call","call_as":"mcp__fake__echo","arguments":{"text":"x"}}`)
	s.hub.Stop()
	ends(t, s.ended)

	s = newScenario(t, hub.Options{Folder: folder})
	s.play(
		step{name: "after a restart", method: "GET", path: "/api/learned", status: 200, want: []string{`"on":false,"total":2`, `"id":3,`, `"id":2,`}},
		step{name: "switched on", method: "PUT", path: "/api/learned", body: `{"on":true}`, status: 200, events: []string{`learned "on":true,"total":2`}},
		step{name: "all forgotten", method: "DELETE", path: "/api/learned", status: 200, want: []string{`{"status":"forgotten"}`}, events: []string{`learned "on":true,"total":0`}},
		step{name: "nothing left", method: "GET", path: "/api/learned", status: 200, want: []string{`"on":true,"total":0,"entries":[]`}},
	)
}

func TestARemovedServerTakesWhatWasLearnedWithIt(t *testing.T) {
	s := pupil(t, "")
	editor := join(t, s.hub, "editor")
	mark := s.listen.mark()
	editor.registry(`{"action":"find_tool","query":"echo a text"}`)
	editor.call("fake__echo", `{"text":"a"}`)
	s.listen.await(t, "learned", mark, "learned", `"on":true,"total":1`)
	s.play(
		step{name: "removed", method: "DELETE", path: "/api/servers/{id}", status: 200, events: []string{`learned "on":true,"total":0`}},
		step{name: "forgotten", method: "GET", path: "/api/learned", status: 200, want: []string{`"total":0`}},
	)
}
