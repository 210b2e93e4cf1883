package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// receive applies messages of the hub to a state.
func receive(t *testing.T, s state, messages ...string) state {
	t.Helper()
	for _, message := range messages {
		next, err := s.updated([]byte(message))
		if err != nil {
			t.Fatalf("%s: %v", message, err)
		}
		s = next
	}
	return s
}

func TestDeltasAreMergedByName(t *testing.T) {
	s := receive(t, state{},
		`{"type":"state","version":"1","servers":[{"id":1,"name":"a","active":true},{"id":2,"name":"b"},{"id":3,"name":"c","approved":true}],"active":[]}`,
		`{"type":"state","delta":true,"names":["b","c","d"],"servers":[{"id":2,"name":"b","running":true},{"id":4,"name":"d"}]}`,
		`{"type":"hub","paused":true,"calls":3,"clients":[]}`,
		`{"type":"log_entry","entry":{}}`, `{"type":"unknown"}`)
	want := []server{{ID: 2, Name: "b", Running: true}, {ID: 3, Name: "c", Approved: true}, {ID: 4, Name: "d"}}
	if !slices.Equal(s.Servers, want) || !s.Paused || s.Calls != 3 {
		t.Errorf("got %+v", s)
	}
	s = receive(t, s, `{"type":"hub","paused":false,"calls":-1}`, `{"type":"state","servers":[]}`)
	if len(s.Servers) != 0 || s.Paused || s.Calls != 0 {
		t.Errorf("got %+v", s)
	}
}

func TestMessagesDoNotChangeEarlierStates(t *testing.T) {
	before := receive(t, state{}, `{"type":"state","servers":[{"id":1,"name":"a"},{"id":2,"name":"b"}]}`)
	want := slices.Clone(before.Servers)
	receive(t, before, `{"type":"state","delta":true,"names":["b","a"],"servers":[{"id":1,"name":"a","active":true}]}`)
	if !slices.Equal(before.Servers, want) {
		t.Errorf("the earlier state has become %+v, want %+v", before.Servers, want)
	}
}

func TestThePortOfTheHubIsUnknownUntilTheHubHasReportedIt(t *testing.T) {
	s := receive(t, state{Phase: connected}, `{"type":"state","servers":[]}`)
	if s.Port != nil {
		t.Errorf("before the report: %+v", s.Port)
	}
	s = receive(t, s, `{"type":"about","taken_port":{"port":3424,"free":true,"summary":"port 3424 is free"}}`)
	if !s.lacksPort() || *s.Port != (takenPort{3424, "port 3424 is free"}) {
		t.Errorf("without the port: %+v", s.Port)
	}
	if s = s.disconnected(restarting, ""); s.Port != nil {
		t.Errorf("while the hub restarts: %+v", s.Port)
	}
	if s = receive(t, s, `{"type":"about","taken_port":null}`); s.Port == nil || s.lacksPort() {
		t.Errorf("with the port: %+v", s.Port)
	}
}

func TestMalformedMessagesAreRejected(t *testing.T) {
	before := state{Phase: connected, Calls: 2, Servers: named(2)}
	for _, message := range []string{"", "{", "[]", `{"type":"hub","calls":"many"}`, `{"type":"state","servers":7}`, "\xff"} {
		after, err := before.updated([]byte(message))
		if err == nil || !reflect.DeepEqual(after, before) {
			t.Errorf("%q: error %v, state %+v; want an error and an unchanged state", message, err, after)
		}
	}
}

func TestADisconnectedStateHasNoDataOfTheHub(t *testing.T) {
	s := state{Phase: connected, Calls: 2, Paused: true, Servers: named(2), Note: "kept", Version: "v1"}.disconnected(failing, "why")
	if want := (state{Phase: failing, Problem: "why", Note: "kept", Version: "v1"}); !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v", s)
	}
}

func TestHealthChecksAreSummarised(t *testing.T) {
	for _, row := range []struct {
		servers []serverHealth
		want    string
	}{
		{nil, "Health check: no servers"},
		{[]serverHealth{{"a", "healthy"}}, "Health check: 1 server healthy"},
		{[]serverHealth{{"a", "healthy"}, {"b", "healthy"}}, "Health check: 2 servers healthy"},
		{[]serverHealth{{"a", "unhealthy"}, {"b", "healthy"}, {"c", "odd"}}, "Health check: 2 of 3 servers failed: a, c"},
	} {
		if got := healthSummary(row.servers); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}

func TestTheCopiedConfigurationIsASCIIAndParses(t *testing.T) {
	for program, home := range map[string]string{
		"/usr/bin/agent-discover":              "",
		`C:\Program Files\agent-discover.exe`:  "",
		"/home/ünïcode 😀/<bin>/agent-discover": "/data/日本",
		"/a\"b\\c/agent-discover":              "/d & e",
	} {
		text := configuration(program, home)
		for _, r := range text {
			if r > 0x7e {
				t.Errorf("%s: %q is not ASCII", program, r)
			}
		}
		var parsed struct {
			Servers map[string]struct {
				Command string
				Args    []string
				Env     map[string]string
			} `json:"mcpServers"`
		}
		if err := json.Unmarshal([]byte(text), &parsed); err != nil {
			t.Fatal(err)
		}
		entry := parsed.Servers["discover"]
		if entry.Command != program || !slices.Equal(entry.Args, []string{"mcp"}) || entry.Env["AGENT_DISCOVER_HOME"] != home ||
			home == "" && strings.Contains(text, "env") {
			t.Errorf("program %s, data folder %s: got %s", program, home, text)
		}
	}
}
