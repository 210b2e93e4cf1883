package importer_test

import (
	"slices"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// twoSignIns is a configuration with one remote server under two names.
const twoSignIns = `{"mcpServers": {"notes-work": {"url": "https://notes.example/mcp"}, "notes-home": {"url": "https://notes.example/mcp"}}}`

func TestServerUnderTwoNamesInOneFileIsTwoAccounts(t *testing.T) {
	f := newFixture(t, false)
	f.write(".cursor/mcp.json", twoSignIns)
	f.write(".kiro/settings/mcp.json", `{"mcpServers": {"notes-home": {"url": "https://notes.example/mcp"}}}`)
	f.write(".lmstudio/mcp.json", `{"mcpServers": {
		"one": {"command": "npx", "args": ["a"]}, "one-loud": {"command": "npx", "args": ["a"], "env": {"DEBUG": "1"}}, "copy": {"command": "npx", "args": ["a"]}}}`)
	scan := f.scan()
	equal(t, "candidates", names(scan), "notes-work cursor", "notes-home cursor kiro", "one lm-studio lm-studio", "one-loud lm-studio")
	work, home := candidate(t, scan, "notes-work"), candidate(t, scan, "notes-home")
	if work.ID == home.ID {
		t.Error("both accounts have one id")
	}
	report := f.run(importer.Request{Choices: []importer.Choice{{ID: home.ID}}})
	equal(t, "results", results(report), "notes-home imported")
	equal(t, "the other account", existing(f.scan()), "notes-home=notes-home", "notes-work=", "one-loud=", "one=")
	f.run(importer.Request{})
	equal(t, "all servers", existing(f.scan()), "notes-home=notes-home", "notes-work=notes-work", "one-loud=one-loud", "one=one")
}

func TestConfiguredServerIsOneAccount(t *testing.T) {
	f := newFixture(t, false)
	f.add(registry.Server{Name: "tracker", Command: "uvx", Args: []string{"tracker"}, Env: map[string]string{"TOKEN": "correct-horse"}})
	f.add(registry.Server{Name: "notes", Transport: "streamable-http", URL: "https://notes.example/mcp"})
	f.add(registry.Server{Name: "wiki", Transport: "streamable-http", URL: "https://wiki.example/mcp"})
	f.must(f.vault.Set(t.Context(), "wiki", "API_KEY", "battery-staple"))
	f.add(registry.Server{Name: "chat", Transport: "streamable-http", URL: "https://chat.example/mcp"})
	f.must(f.vault.Set(t.Context(), "chat", "oauth:client_id", "me")) // part of a sign-in, not a credential
	f.write(".cursor/mcp.json", `{"mcpServers": {
		"tracker-home": {"command": "uvx", "args": ["tracker"]},
		"renamed": {"url": "https://notes.example/mcp"},
		"wiki": {"url": "https://wiki.example/mcp"},
		"wiki-home": {"url": "https://wiki.example/mcp"},
		"talk": {"url": "https://chat.example/mcp"}}}`)
	scan := f.scan()
	equal(t, "existing servers", existing(scan), "chat=chat", "notes=notes", "tracker-home=", "wiki-home=", "wiki=wiki")
	warned(t, candidate(t, scan, "tracker-home"), "the server tracker has the same command, but with the credential env.TOKEN")
}

// existing returns each candidate as NAME=EXISTING, in alphabetical order.
func existing(scan importer.Scan) []string {
	all := []string{}
	for _, c := range scan.Candidates {
		all = append(all, c.Name+"="+c.Existing)
	}
	slices.Sort(all)
	return all
}
