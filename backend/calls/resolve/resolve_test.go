package resolve_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/resolve"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/store"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

// scopeOf returns the scope of servers with these tools. A server without tools was never started.
func scopeOf(t *testing.T, tools map[string][]string) resolve.Scope {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "discover.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	bus := new(events.Bus)
	servers, err := registry.Open(t.Context(), db.Servers, bus)
	if err != nil {
		t.Fatal(err)
	}
	listed := make(map[string][]json.RawMessage)
	for name, of := range tools {
		if _, err := servers.Add(t.Context(), registry.Server{Name: name, Command: "run", Approved: true}); err != nil {
			t.Fatal(err)
		}
		for _, tool := range of {
			listed[name] = append(listed[name], json.RawMessage(fmt.Sprintf(`{"name":%q}`, tool)))
		}
	}
	snapshot := catalogtest.Open(t, bus, listed).Snapshot()
	return resolve.Scope{
		Servers: servers, View: new(rules.Policy).View("", snapshot),
		Usable: func(t *catalog.Tool) bool { return t.Server != "hidden" },
		Near:   func(string) []string { return []string{"mcp__one__echo"} },
	}
}

func TestANameMeansTheSameToolInEveryForm(t *testing.T) {
	s := scopeOf(t, map[string][]string{
		"one": {"echo", "only", "a__b", "notes.list", "_private"}, "two": {"echo", "new__trap", "new.trap", "one.trap"}, "one.x": {"y"},
		"new": nil, "hidden": {"secret", "only"},
	})
	for _, row := range []struct{ server, name, want string }{
		{"", "mcp__one__echo", "one echo true"},
		{"", "one__echo", "one echo true"},
		{"", "one.echo", "one echo true"},
		{"one", "echo", "one echo true"},
		{"two", "echo", "two echo true"},
		{"one", "one__echo", "one echo true"},
		{"one", "one.echo", "one echo true"},
		{"one", "mcp__one__echo", "one echo true"},
		{"two", "one__echo", `one__echo is a tool of server "one", not of "two"`},
		{"", "only", "one only true"},
		{"", "hidden__secret", "hidden secret true"},
		{"", "secret", `there is no tool "secret"; did you mean mcp__one__echo?`},
		{"", "echo", `2 servers have a tool "echo"; use one of mcp__one__echo, mcp__two__echo`},
		{"", "one___private", "one _private true"},
		{"", "one__a__b", "one a__b true"},
		{"", "a__b", "one a__b true"},
		{"", "one.x__y", "one.x y true"},
		{"", "one.x.y", "one.x y true"},
		{"", "notes.list", "one notes.list true"},
		{"", "one__nope", "one nope false"},
		{"", "one.nope", "one nope false"},
		{"one", "nope", "one nope false"},
		{"", "new__anything", "new anything false"},
		{"", "new__trap", "new trap false"}, // although server two has a tool of this name
		{"", "new.trap", "new trap false"},
		{"", "one.trap", "two one.trap true"}, // all tools of server one are known
		{"", "nope", `there is no tool "nope"; did you mean mcp__one__echo?`},
		{"", "one__echo ", "one echo  false"}, // ends with a space, which many servers ignore
		{"", "", "the name of a tool is required"},
		{"", "__", `there is no tool "__"`},
		{"", "one__", `there is no tool "one__"`},
	} {
		tool, err := s.Tool(row.server, row.name)
		got := fmt.Sprint(tool.Server, " ", tool.Name, " ", tool.Known != nil)
		if err != nil {
			got = fault.MessageOf(err)
		}
		if !strings.HasPrefix(got, row.want) {
			t.Errorf("%q %q: got %s, want %s", row.server, row.name, got, row.want)
		}
	}
}

func TestSuggestionsForAnUnknownNameDependOnItsToolAlone(t *testing.T) {
	s := scopeOf(t, map[string][]string{"one": {"echo", "_private"}})
	s.Near = func(name string) []string { return []string{"like " + name} }
	for name, want := range map[string]string{
		"nope": "like nope", "nowhere__nope": "like nope", "mcp__nowhere__nope": "like nope", "one.nope": "like nope",
		"mcp__one__nope": "like nope", "one___nope": "like _nope", "no.pe": "like no.pe",
	} {
		err := s.Unknown(name)
		if got := fault.DidYouMean(err); len(got) != 1 || got[0] != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestOnlyNamesThatClientsAreShownAreListed(t *testing.T) {
	s := scopeOf(t, map[string][]string{"one": {"echo"}, "two": {"look"}})
	s.Short = func(name string) *catalog.Tool {
		if name == "two__lo~" {
			return s.View.Of("two")[0]
		}
		return nil
	}
	for name, want := range map[string]string{
		"one__echo": "one echo true", "mcp__one__echo": "one echo true", "one__nope": "one nope true", "two__lo~": "two look true",
		"echo": "  false", "one.echo": "  false", "": "  false",
	} {
		tool, ok := s.Listed(name)
		if got := fmt.Sprint(tool.Server, " ", tool.Name, " ", ok); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestAFullNameMeansOneOfTheToolsThatAreGiven(t *testing.T) {
	tools := []catalog.Key{
		{Server: "one", Tool: "echo"}, {Server: "one", Tool: "a__b"}, {Server: "one.x", Tool: "y"}, {Server: "two", Tool: "z.y"},
	}
	for name, want := range map[string]string{
		"one__echo": "one echo", "mcp__one__echo": "one echo", "one.echo": "one echo", "one__a__b": "one a__b", "one.x.y": "one.x y",
		"two.z.y": "two z.y", "echo": "", "two__echo": "", "three.echo": "", "one__": "", "": "",
	} {
		tool, ok := resolve.Among(tools, name)
		if got := strings.TrimSpace(tool.Server + " " + tool.Tool); got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v", name, got, ok)
		}
	}
}

func TestNamesAreSplitAtTheLongestServerName(t *testing.T) {
	exists := func(server string) bool { return server == "git" || server == "git-hub" || server == "files" }
	for name, want := range map[string]string{
		"git__tool": "git tool", "files__a__b": "files a__b", "git___tool": "git _tool", "git-hub__git__x": "git-hub git__x",
		"git__": "git ", "files___x": "files _x", "other__x": "", "git": "", "__x": "", "": "",
	} {
		got := ""
		for _, way := range resolve.Split(name, "__", exists) {
			got += way.Server + " " + way.Name
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
