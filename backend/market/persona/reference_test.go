package persona

import "testing"

func TestToolsOfAPersonaAreNamedAsEverywhere(t *testing.T) {
	p := &Persona{
		Servers:    []IncludedServer{{Entry: "notes", Name: "notes-2"}, {Entry: "acme.dev", Name: "acme.dev"}},
		configured: func(server string) bool { return server == "acme.prod" || server == "notes" || server == "git" },
	}
	for name, want := range map[string][2]string{
		"notes.read":        {"notes-2", "read"}, // the persona's own server, under the name that it gets
		"acme.dev.search":   {"acme.dev", "search"},
		"acme.prod.search":  {"acme.prod", "search"},
		"git.log":           {"git", "log"},
		"git__log":          {"git", "log"},
		"mcp__git__log.all": {"git", "log.all"},
		"absent.tool":       {"absent", "tool"},
	} {
		if got := p.reference(name); got.Server != want[0] || got.Tool != want[1] {
			t.Errorf("%s is tool %q of server %q", name, got.Tool, got.Server)
		}
	}
}
