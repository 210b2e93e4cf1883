package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestWhatWaitsIsAnnouncedOnce(t *testing.T) {
	online := func(servers ...server) state { return state{Phase: connected, Servers: servers} }
	asked := func(s state, questions ...question) state { s.Questions = questions; return s }
	holding := func(s state, n int) state { s.Held = n; return s }
	signs := func(id int64, state, signIn string) server {
		return server{ID: id, Name: fmt.Sprintf("s%d", id), Approved: true, State: state, SignIn: signIn}
	}
	at := func(s state, port takenPort) state { s.Port = &port; return s }
	lost := takenPort{3424, "port 3424 is used by another program (process 7, x, of user y)"}
	a, b, ready := server{Name: "a"}, server{Name: "b"}, server{Name: "c", Approved: true}
	var announcer announcer
	for _, step := range []struct {
		name  string
		state state
		want  string
	}{
		{"before a hub", state{}, ""},
		{"nothing waits", online(ready), ""},
		{"a server waits", online(ready, a), "“a” waits for your approval → open /approvals"},
		{"the same", online(a), ""},
		{"another one", online(a, b), "2 servers wait for your approval → open /approvals"},
		{"the hub restarts", state{Phase: restarting}, ""},
		{"and is back", online(a, b), ""},
		{"one is approved", online(a), ""},
		{"a question", asked(online(a), question{ID: "1", Server: "c"}), "“c” asks you a question → open"},
		{
			"two questions", asked(online(a), question{ID: "1", Server: "c"}, question{ID: "2", Server: "c"}),
			"2 questions wait for your answer → open",
		},
		{"both are answered", online(a), "hide question"},
		{"the last is decided", online(ready), "hide approval"},
		{"it waits again", online(ready, a), "“a” waits for your approval → open /approvals"},
		{"two tools are held", holding(online(ready, a), 2), "2 tools or texts of servers are held → open /approvals"},
		{"one is approved", holding(online(ready, a), 1), ""},
		{"both are", online(ready, a), "hide held"},
		{"a sign-in that nobody has made yet", online(a, signs(6, "sign_in", "required")), ""},
		{"a sign-in ends", online(a, signs(6, "sign_in", "again")), "“s6” requires you to sign in again → signin 6"},
		{"its server fails again", online(a, signs(6, "sign_in", "again")), ""},
		{"somebody begins to sign in", online(a, signs(6, "sign_in", "waiting")), ""},
		{"and gives up", online(a, signs(6, "sign_in", "again")), ""},
		{"the hub restarts meanwhile", state{Phase: restarting}, ""},
		{"and is back with the same", online(a, signs(6, "sign_in", "again")), ""},
		{
			"another sign-in ends", online(a, signs(6, "sign_in", "again"), signs(7, "sign_in", "again")),
			"“s7” requires you to sign in again → signin 7",
		},
		{"somebody signs in", online(a, signs(6, "running", "signed_in"), signs(7, "sign_in", "again")), "hide sign-in 6"},
		{
			"that sign-in ends, too", online(a, signs(6, "sign_in", "again"), signs(7, "sign_in", "again")),
			"“s6” requires you to sign in again → signin 6",
		},
		{"the servers are removed", online(a), "hide sign-in 6, hide sign-in 7"},
		{"another program has the port", at(online(a), lost), "The hub does not have its port → open"},
		{"the same", at(online(a), lost), ""},
		{"the hub restarts again", state{Phase: restarting}, ""},
		{"it has not said whether it has the port", online(a), ""},
		{"it does not have the port", at(online(a), lost), ""},
		{"it has the port", at(online(a), takenPort{}), "hide port"},
	} {
		show, hide := announcer.next(step.state)
		var got []string
		for _, n := range show {
			got = append(got, n.Summary+" → "+n.Command)
		}
		for _, key := range hide {
			got = append(got, "hide "+key)
		}
		if text := strings.Join(got, ", "); text != step.want {
			t.Errorf("%s: got %q, want %q", step.name, text, step.want)
		}
	}
}

func TestNoticesContainNothingButNames(t *testing.T) {
	s := receive(t, state{Phase: connected},
		`{"type":"state","servers":[{"id":1,"name":"evil\u202e\nname","command":"curl --token hunter2","state":"waiting"}]}`,
		`{"type":"elicitation_request","id":"e","serverName":"s","message":"Is hunter2 your password?","requestedSchema":{}}`)
	s = receive(t, s, `{"type":"elicitation_request","id":"e","serverName":"s"}`)
	if len(s.Questions) != 1 {
		t.Errorf("a question that came twice is counted twice: %v", s.Questions)
	}
	show, _ := (&announcer{}).next(s)
	text := fmt.Sprintf("%+v", show)
	if len(show) != 2 || strings.Contains(text, "hunter2") || strings.ContainsAny(text, "\u202e\n") {
		t.Errorf("got %s", text)
	}
	if s = receive(t, s, `{"type":"elicitation_answered","id":"e"}`); len(s.Questions) != 0 {
		t.Errorf("the answered question is still waiting: %v", s.Questions)
	}
	s = receive(t, s,
		`{"type":"elicitation_request","id":"a","serverName":"s","mode":"approval","message":"hunter2","request":{"tool":"t","arguments":{"password":"hunter2"}}}`)
	show, _ = (&announcer{}).next(s)
	if text := fmt.Sprintf("%+v", show); !strings.Contains(text, "A call of “s” needs your approval") || strings.Contains(text, "hunter2") {
		t.Errorf("got %s", text)
	}
}
