package importer_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// parsed returns the only server in a text.
func (f *fixture) parsed(text string) importer.Parsed {
	f.t.Helper()
	servers, err := f.Parse(f.t.Context(), text)
	f.must(err)
	if len(servers) != 1 {
		f.t.Fatalf("%s holds %d servers", text, len(servers))
	}
	return servers[0]
}

func TestParsedServersCarryTheirCredentials(t *testing.T) {
	f := newFixture(t, false)
	for text, want := range map[string][]string{
		`npx --token abcdef123 --api-key=zyxwvu987 --port 8080`: {"args[1] token=abcdef123", "args[2] api-key=zyxwvu987"},
		`API_TOKEN=qwertz12 MODE=fast npx x`:                    {"env.API_TOKEN API_TOKEN=qwertz12"},
		`TOKEN=first-one npx --TOKEN other-one`:                 {"env.TOKEN TOKEN=first-one", "args[1] TOKEN-2=other-one"},
		`npx --token same-value --token=same-value`:             {"args[1] token=same-value", "args[2] token=same-value"},
		`npx ` + token: {"args[0] args[0]=" + token},
		`{"url": "https://h/x", "headers": {"X-Key": "abcdefgh"}}`: {
			"headers.X-Key X-Key=abcdefgh",
		},
		`{"url": "https://h/x", "headers": {"API_KEY": "abcdefg"}}`:                                                           {"headers.API_KEY headers:API_KEY=abcdefg"},
		`https://me:pass-word@h/mcp?token=query-value`:                                                                        {"url url:password=pass-word", "url url:token=query-value"},
		`{"name": "a", "command": "x", "secrets": {"K": "hidden"}}`:                                                           {" K=hidden"},
		`NOTE=` + token + ` npx x`:                                                                                            {"env.NOTE NOTE=" + token},
		`DATABASE=postgres://me:pass@host/db npx x`:                                                                           {"env.DATABASE DATABASE=postgres://me:pass@host/db"},
		`{"command": "x", "env": {"TOKEN": "${secret:TOKEN}"}}`:                                                               nil,
		`{"command": "x", "env": {"TOKEN": "short", "KEYBOARD": "abcdef123", "MODE": "production", "PATH": "/usr/bin:/bin"}}`: nil,
		`{"command": "x", "env": {"TOKEN_FILE": "/run/token", "SECRET": "~/keys/secret.pem"}}`:                                nil,
	} {
		p := f.parsed(text)
		var got []string
		for _, c := range p.Secrets {
			got = append(got, fmt.Sprintf("%s %s=%s", c.Where, c.Name, c.Value))
			if strings.Contains(p.Target, c.Value) {
				t.Errorf("%s: the target shows a credential: %s", text, p.Target)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", text, got, want)
		}
	}
}

func TestParsedServersListPlaceholders(t *testing.T) {
	f := newFixture(t, false)
	for text, want := range map[string]importer.Placeholder{
		`{"command": "npx", "env": {"KEY": "${input:key}"}}`: {Where: "env.KEY", Text: "${input:key}"},
		`{"command": "npx", "env": {"API_KEY": "${input:key}"}}`: {
			Where: "env.API_KEY", Text: "${input:key}", Secret: "API_KEY", Reference: "${secret:API_KEY}",
		},
		`{"url": "https://x.example", "headers": {"Authorization": "Bearer ${env:TOKEN}"}}`: {
			Where: "headers.Authorization", Text: "${env:TOKEN}", Secret: "Authorization", Reference: "${secret:Authorization}",
		},
		`{"command": "npx", "args": ["${workspaceFolder}", "${workspaceFolder}"], "env": null}`: {
			Where: "args[0]", Text: "${workspaceFolder}",
		},
		`{"command": "npx", "args": ["${lineNumber}"]}`: {Where: "args[0]", Text: "${lineNumber}"},
		`{"command": "npx", "args": ["--token=${input:t}"]}`: {
			Where: "args[0]", Text: "${input:t}", Secret: "token", Reference: "${secret:token}",
		},
		`{"url": "https://x.example/?key=${input:k}"}`: {
			Where: "url", Text: "${input:k}", Secret: "url:key", Reference: "${secret:url:key}",
		},
		`{"command": "${NOT_SET}/bin/x"}`: {Where: "command", Text: "${env:NOT_SET}"},
	} {
		p := f.parsed(text)
		if p.Problem != "" || len(p.Missing) == 0 || p.Missing[0] != want {
			t.Errorf("%s: placeholders are %+v, problem %q", text, p.Missing, p.Problem)
		}
	}
	for _, text := range []string{"${secret:KEY}", "${env:SET_HERE}", "${SET_HERE}/x", "${NOT_SET:-default}"} {
		if p := f.parsed(`{"command": "npx", "env": {"KEY": "` + text + `"}}`); len(p.Missing) > 0 {
			t.Errorf("%s counts as a placeholder: %+v", text, p)
		}
	}
}

func TestParsedServersHaveNotes(t *testing.T) {
	f := newFixture(t, false)
	f.add(registry.Server{Name: "memory", Command: "npx", Args: []string{"memory"}})
	for text, want := range map[string]string{
		`{"memory": {"command": "npx", "args": ["other"]}}`: "the name memory is taken; this server becomes memory-2",
		`{"my server": {"command": "npx", "args": ["other"]}}`: "my server cannot be a server's name; this server becomes " +
			"my-server",
		`{"x": {"command": "npx", "disabled": true}}`:                      "disabled in its configuration",
		`{"x": {"command": "npx", "cwd": "${workspaceFolder}"}}`:           "working folder",
		`{"x": {"command": "npx", "envFile": ".env"}}`:                     "envFile",
		`{"x": {"command": "npx", "env": {"A": {"b": 1}}}}`:                "is not a string",
		`{"x": {"command": "npx", "env": {"TOKEN": "YOUR_API_KEY"}}}`:      "looks like an example",
		`{"x": {"command": "npx", "env": {"TOKEN": "<token>"}}}`:           "env.TOKEN looks like an example",
		`{"x": {"command": "npx", "args": ["--key", "changeme"]}}`:         "args[1] looks like an example",
		`{"x": {"command": "/no/such/program"}}`:                           "is not on this machine",
		`{"x": {"command": "npx", "env": {"HOME_X": "${env:HOME_X}"}}}`:    "HOME_X",
		`{"x": {"command": "npx", "args": ["memory"], "env": {"A": "b"}}}`: "without A",
	} {
		if p := f.parsed(text); !strings.Contains(strings.Join(p.Notes, "\n"), want) {
			t.Errorf("%s: notes are %q, want %q", text, p.Notes, want)
		}
	}
	if p := f.parsed(`{"mine": {"command": "npx", "args": ["memory"]}}`); p.Existing != "memory" || p.Name != "mine" {
		t.Errorf("the same server is not recognised: %+v", p)
	}
	if p := f.parsed(`{"enabled": false, "command": "npx"}`); !p.Disabled {
		t.Errorf("the server is not reported as disabled: %+v", p)
	}
}

func TestParsedServersAreNamed(t *testing.T) {
	f := newFixture(t, false)
	for text, want := range map[string][]string{
		`[{"name": "a", "command": "x"}, {"name": "a", "command": "y"}]`: {"a", "a-2"},
		`{"a": {"command": "x"}, "b": {"command": "x"}}`:                 {"a", "b"},
		`{"mcpServers": {"__proto__": {"command": "a"}}}`:                {"proto"},
		`{"mcpServers": {"servers": {"command": "a"}}}`:                  {"servers"},
		`{"registry": {"command": "a"}}`:                                 {"server-registry"},
		`npx @playwright/mcp@latest`:                                     {"server-mcp"},
		`uvx --from git+https://github.com/me/thing thing`:               {"thing"},
		`{"<img src=x onerror=alert(1)>": {"command": "a"}}`: {
			"img-src-x-onerror-alert-1",
		},
		`{"mcpServers": {"discover": {"command": "agent-discover", "args": ["mcp"]}, "other": {"command": "x"}}}`: {"other"},
	} {
		servers, err := f.Parse(t.Context(), text)
		f.must(err)
		var got []string
		for _, p := range servers {
			got = append(got, p.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: names are %q, want %q", text, got, want)
		}
	}
}

func TestParsedServersKeepTheFieldsOfASetupFile(t *testing.T) {
	f := newFixture(t, false)
	p := f.parsed(`{"servers": [{"name": "m", "description": "Notes", "command": "npx", "args": ["--port", 80, true, null], "tags": ["notes", "demo"]}]}`)
	if p.Description != "Notes" || !slices.Equal(p.Tags, []string{"notes", "demo"}) ||
		!slices.Equal(p.Args, []string{"--port", "80", "true"}) {
		t.Errorf("got %+v", p)
	}
	text, err := json.Marshal(p)
	f.must(err)
	if strings.Contains(string(text), "null") {
		t.Errorf("an answer holds null: %s", text)
	}
}

func TestTextsWithoutAServerToAddAreRefused(t *testing.T) {
	f := newFixture(t, false)
	for _, text := range []string{
		"", "{}", `{"theme": "dark"}`, `{"a": {"command": "hunter2"`,
		`{"mcpServers": {"discover": {"command": "agent-discover", "args": ["mcp"]}}}`,
	} {
		if servers, err := f.Parse(t.Context(), text); fault.KindOf(err) != fault.Invalid || len(servers) > 0 ||
			strings.Contains(fault.MessageOf(err), "hunter2") {
			t.Errorf("%s: %v, %v", text, servers, err)
		}
	}
	for text, want := range map[string]string{
		`{"x": {"url": "ftp://x"}}`:                                               "must start with http",
		`{"x": {"url": "javascript:alert(1)"}}`:                                   "must start with http",
		`{"context_servers": {"x": {"source": "extension", "settings": {}}}}`:     "extension of Zed",
		`{"mcpServers": {"x": {"env": {"TOKEN": "battery-staple"}, "args": []}}}`: "neither a command nor a URL",
		`a 'b' | c`: "no shell",
	} {
		if p := f.parsed(text); !strings.Contains(p.Problem, want) || len(p.Secrets) > 0 {
			t.Errorf("%s: problem %q, want %q", text, p.Problem, want)
		}
	}
}

func TestParsingChangesNothing(t *testing.T) {
	f := newFixture(t, false)
	f.parsed("TOKEN=battery-staple npx x")
	names, err := f.vault.Records(t.Context())
	if err != nil || len(names) > 0 || len(f.servers()) > 0 {
		t.Errorf("parsing left the secrets %v and the servers %v, %v", names, f.servers(), err)
	}
}

func TestNamesOfNewServersAreChecked(t *testing.T) {
	f := newFixture(t, false)
	f.add(registry.Server{Name: "taken", Command: "x"})
	names := []string{"good", "", "a b", "a__b", "a_", "mcp", "ü", strings.Repeat("x", 65), "Discover", "taken", "good"}
	want := []string{
		"another server in this list", "required", "Invalid name", "__", "end with _", "reserved", "Invalid name", "longer",
		"entry of Agent Discover", "already exists", "another server in this list",
	}
	for n, problem := range f.CheckNames(names) {
		if want[n] == "" != (problem == "") || !strings.Contains(problem, want[n]) {
			t.Errorf("%q: problem %q, want %q", names[n], problem, want[n])
		}
	}
	if got := f.CheckNames(nil); !reflect.DeepEqual(got, []string{}) {
		t.Errorf("no names give %#v", got)
	}
}

func FuzzScanText(fz *testing.F) {
	f := newFixture(fz, false)
	f.add(registry.Server{
		Name: "taken", Command: "npx", Args: []string{"--token=${secret:a}", "x${secret:b}y${secret:c}"},
		Env: map[string]string{"A": "${secret:a}"},
	})
	for _, seed := range []string{
		`{"mcpServers":{"taken":{"command":"npx","args":["--token=z","xoyoy"],"env":{"A":"b"}},"discover":{"command":"/opt/agent-discover","args":["mcp"]}}}`,
		`"a": {"command":"cmd","args":["/c","npx","--yes","b"],"cwd":"/x"}, "a ": {"url":"https://u:p@h/x?token=abcdefgh","headers":{"A":"Bearer ${input:x}"}}`,
		"[mcp_servers.a]\ncommand = \"${A:-b}/c\"\nenv = {K = \"$K\", L = \"{env:M}\"}", "claude mcp add -e A=b n -- ./x ~/y",
		"https://h/sse",
	} {
		fz.Add(seed)
	}
	fz.Fuzz(func(t *testing.T, text string) {
		scan, err := f.ScanText(t.Context(), text)
		if err != nil && fault.KindOf(err) != fault.Invalid {
			t.Errorf("not a fault.Invalid: %v", err)
		}
		servers, err := f.Parse(t.Context(), text)
		if err != nil && fault.KindOf(err) != fault.Invalid {
			t.Errorf("not a fault.Invalid: %v", err)
		}
		for _, p := range servers {
			if registry.CheckName(p.Name) != nil {
				t.Errorf("invalid name: %q", p.Name)
			}
		}
		seen := map[string]bool{}
		for _, c := range scan.Candidates {
			if c.Existing == "" && (registry.CheckName(c.Name) != nil || seen[c.Name] || strings.EqualFold(c.Name, "discover")) {
				t.Errorf("invalid or taken name: %q", c.Name)
			}
			seen[c.Name] = true
			if strings.ContainsFunc(fmt.Sprint(c.Command, c.Problem, c.Warnings, c.Sources[0].Entry), unicode.IsControl) {
				t.Errorf("a control character is shown: %q", c.Command)
			}
		}
	})
}
