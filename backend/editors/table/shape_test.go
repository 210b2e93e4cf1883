package table

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
)

// plainJSON returns an object as decoded from its JSON.
func plainJSON(o configedit.Object) any {
	value := func(v any) any {
		if inner, ok := v.(configedit.Object); ok {
			return plainJSON(inner)
		}
		text, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		decoder := json.NewDecoder(strings.NewReader(string(text)))
		decoder.UseNumber()
		var back any
		if err := decoder.Decode(&back); err != nil {
			panic(err)
		}
		return back
	}
	all := map[string]any{}
	for _, f := range o {
		all[f.Key] = value(f.Value)
	}
	return all
}

func TestEveryShapeReadsItsOwnEntries(t *testing.T) {
	servers := []Server{
		{Transport: stdio, Command: "/opt/a b/x", Args: []string{"mcp", "${A}"}, Env: map[string]string{"B": "1", "A": "${X:-y}"}},
		{Transport: stdio, Command: "x"},
		{Transport: stdio, Command: "x", Dir: "/w"},
		{Transport: stdio, Command: "x", Disabled: true},
		{Transport: http, URL: "https://h/mcp", Headers: map[string]string{"Authorization": "Bearer ${T}"}},
		{Transport: http, URL: "https://h/mcp", Disabled: true},
		{Transport: sse, URL: "https://h/sse"},
	}
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		for _, s := range servers {
			object, err := Spell(name, "x", s)
			if err != nil {
				if fault.KindOf(err) != fault.Invalid {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			entry := plainJSON(object)
			if text, err := json.Marshal(entry); err != nil || strings.Contains(string(text), `"":`) {
				t.Errorf("%s: %s, %v", name, text, err)
			}
			back, err := Understand(name, entry)
			if err != nil || !reflect.DeepEqual(back, s) {
				t.Errorf("%s: %+v was read as %+v, %v, from %v", name, s, back, err, object)
			}
		}
	}
}

func TestEntriesOfEditorsAreUnderstood(t *testing.T) {
	local := Server{Transport: stdio, Command: "npx", Args: []string{"-y", "x"}}
	remote := Server{Transport: http, URL: "https://h/mcp"}
	with := func(s Server, change func(*Server)) Server { change(&s); return s }
	for _, c := range []struct {
		shape, entry string
		want         Server
	}{
		{"plain", `{"command":"npx","args":["-y","x"],"alwaysAllow":[],"timeout":60}`, local},
		{"opencode", `{"type":"local","command":["npx","-y","x"],"enabled":false}`, with(local, func(s *Server) { s.Disabled = true })},
		{
			"zed", `{"source":"custom","command":{"path":"npx","args":["-y","x"],"env":{"A":"1"}},"settings":{}}`,
			with(local, func(s *Server) { s.Env = map[string]string{"A": "1"} }),
		},
		{
			"cline", `{"transport":{"type":"stdio","command":"npx","args":["-y","x"]},"disabled":true}`,
			with(local, func(s *Server) { s.Disabled = true }),
		},
		{"augment-list", `{"name":"x","command":"npx -y \"x\"","arguments":"","disabled":false}`, local},
		{
			"goose", `{"type":"stdio","cmd":"npx","args":["-y","x"],"envs":{"N":3,"B":true,"Z":null}}`,
			with(local, func(s *Server) { s.Env = map[string]string{"N": "3", "B": "true"} }),
		},
		{
			"codex", `{"command":"npx","args":["-y","x"],"env_vars":["T",{"name":"U"}]}`,
			with(local, func(s *Server) { s.Env = map[string]string{"T": "${T}", "U": "${U}"} }),
		},
		{"copilot-cli", `{"type":"local","command":"npx","args":["-y","x"],"tools":["*"]}`, local},
		{"plain", `{"command":"npx","args":["-y","x"],"url":"","isActive":false}`, with(local, func(s *Server) { s.Disabled = true })},
		{"plain", `{"type":"stdio","command":"npx","args":["-y","x"],"url":"https://h","headers":{"A":"b"}}`, local},
		{"plain", `{"command":"npx","args":["-y","x"],"url":"https://h","headers":{"A":"b"}}`, local},
		{"plain", `{"type":"remote","command":"npx","args":["-y","x"],"url":"https://h/mcp"}`, remote},
		{
			"plain", `{"type":"http","command":"x","env":{"A":"b"},"cwd":"/w","url":"https://h/mcp"}`,
			with(remote, func(s *Server) { s.Env = map[string]string{"A": "b"} }),
		},
		{
			"codex", `{"command":"npx","args":["-y","x"],"env":{"T":"1"},"env_vars":["T"]}`,
			with(local, func(s *Server) { s.Env = map[string]string{"T": "1"} }),
		},
		{"plain", `{"url":"https://h/mcp"}`, remote},
		{"plain", `{"url":"https://h/sse/?a=b"}`, Server{Transport: sse, URL: "https://h/sse/?a=b"}},
		{"gemini", `{"url":"https://h/mcp"}`, Server{Transport: sse, URL: "https://h/mcp"}},
		{"gemini", `{"url":"https://h/mcp","type":"http"}`, remote},
		{"gemini", `{"httpUrl":"https://h/mcp"}`, remote},
		{"cline", `{"url":"https://h/mcp"}`, Server{Transport: sse, URL: "https://h/mcp"}},
		{"server-url", `{"serverUrl":"https://h/mcp"}`, remote},
		{"devin", `{"transport":"http","url":"https://h/mcp"}`, remote},
		{"goose", `{"type":"streamable_http","uri":"https://h/mcp"}`, remote},
		{"opencode", `{"type":"remote","url":"https://h/mcp"}`, remote},
		{"codex", `{"url":"https://h/mcp","bearer_token_env_var":"T","http_headers":{"A":"b"},"env_http_headers":{"C":"D"}}`, with(remote,
			func(s *Server) {
				s.Headers = map[string]string{"Authorization": "Bearer ${T}", "A": "b", "C": "${D}"}
			})},
		{
			"copilot-ide", `{"url":"https://h/mcp","requestInit":{"headers":{"A":"b"}}}`,
			with(remote, func(s *Server) { s.Headers = map[string]string{"A": "b"} }),
		},
	} {
		var entry any
		if err := json.Unmarshal([]byte(c.entry), &entry); err != nil {
			t.Fatal(err)
		}
		if got, err := Understand(c.shape, entry); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %s is %+v, %v; want %+v", c.shape, c.entry, got, err, c.want)
		}
	}
}

func TestInvalidEntriesAreRefused(t *testing.T) {
	for entry, word := range map[string]string{
		`"x"`:                               "object",
		`{}`:                                "neither",
		`{"type":"http"}`:                   "neither",
		`{"type":"http","command":"x"}`:     "without a URL",
		`{"type":"stdio","url":"http://x"}`: "neither",
		`{"type":"builtin","name":"x"}`:     "builtin",
		`{"command":5}`:                     "command",
		`{"command":[]}`:                    "command",
		`{"command":"x","args":"y"}`:        "args",
		`{"command":"x","args":[{}]}`:       "args",
		`{"command":"x","env":["A=1"]}`:     "env",
		`{"command":"x","env":{"A":{}}}`:    "env",
		`{"settings":{}}`:                   "extension",
	} {
		var value any
		if err := json.Unmarshal([]byte(entry), &value); err != nil {
			t.Fatal(err)
		}
		_, err := Understand("plain", value)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), word) {
			t.Errorf("%s: %v", entry, err)
		}
	}
}

func TestShapesRefuseUnsupportedServers(t *testing.T) {
	remote := Server{Transport: http, URL: "https://h"}
	for _, c := range []struct {
		shape string
		s     Server
		word  string
	}{
		{"local", remote, "only local servers"},
		{"goose", Server{Transport: sse, URL: "https://h"}, "SSE"},
		{"devin", Server{Transport: stdio, Command: "x", Dir: "/w"}, "folder"},
		{"typed", Server{Transport: stdio, Command: "x", Disabled: true}, "disabled servers"},
		{"augment-list", Server{Transport: stdio, Command: "x"}, "not written"},
		{"nothing", remote, "nothing"},
		{"plain", Server{Transport: "ws"}, "ws"},
	} {
		if _, err := Spell(c.shape, "x", c.s); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), c.word) {
			t.Errorf("%s spells %+v: %v", c.shape, c.s, err)
		}
	}
}

func TestOwnEntriesAreRecognizedByTheirCommand(t *testing.T) {
	for _, c := range []struct {
		ours bool
		line []string
	}{
		{true, []string{"/opt/agent-discover", "mcp"}},
		{true, []string{`C:\Program Files\Agent Discover\Agent-Discover.EXE`, "mcp"}},
		{true, []string{"agent-discover"}},
		{true, []string{"/opt/agent-discover-2.0.1-linux-amd64", "mcp"}},
		{true, []string{`C:\x\agent-discover_windows_amd64.exe`, "mcp"}},
		{true, []string{"cmd", "/c", `C:\a b\agent-discover.exe`, "mcp"}},
		{true, []string{"cmd.exe", "/d", "/C", `"C:\a b\agent-discover.exe" mcp`}},
		{true, []string{"/bin/sh", "-lc", "exec '/a b/agent-discover' mcp"}},
		{true, []string{"env", "A=1", "/opt/agent-discover", "mcp"}},
		{false, []string{"/opt/agent-discover", "serve"}},
		{false, []string{"npx", "agent-discover"}},
		{false, []string{"npx", "-y", "agent-discover", "mcp"}},
		{false, []string{"cmd", "/c", "npx", "-y", "agent-discover"}},
		{false, []string{"node", "/x/agent-discover"}},
		{false, []string{"/p/node_modules/.bin/agent-discover"}},
		{false, []string{"agent-discover-tray"}},
		{false, []string{"cmd"}},
		{false, []string{"sh", "-c"}},
		{false, []string{""}},
	} {
		if Ours(Server{Transport: stdio, Command: c.line[0], Args: c.line[1:]}) != c.ours {
			t.Errorf("%q: Ours should be %v", fmt.Sprint(c.line), c.ours)
		}
	}
}

func FuzzUnderstand(f *testing.F) {
	f.Add(`{"command":["x",1],"transport":{"type":"stdio"},"env":{"A":null}}`)
	f.Add(`{"command":{"path":{"path":"x"}},"headers":{"A":"b"},"url":"%"}`)
	f.Add(`{"type":"sse","requestInit":{"headers":{"A":1}},"env_vars":[{"name":1},"B"]}`)
	f.Add(`{"command":"a 'b","arguments":"\"c"}`)
	f.Fuzz(func(t *testing.T, text string) {
		var entry any
		if json.Unmarshal([]byte(text), &entry) != nil {
			return
		}
		for name := range shapes {
			s, err := Understand(name, entry)
			if err != nil && fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%s: %v", name, err)
			}
			if err == nil && (s.Transport == stdio) == (s.Command == "") || err == nil && (s.Transport == stdio) != (s.URL == "") {
				t.Fatalf("%s: %+v", name, s)
			}
			Ours(s)
		}
	})
}
