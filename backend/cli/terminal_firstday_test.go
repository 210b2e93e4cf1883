//go:build linux

package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// TestTheInstructionsOfTheREADMEEndWithToolsThatAgentsFind follows the section Install of the README, with the files of six
// editors and eight servers, of which one cannot start.
func TestTheInstructionsOfTheREADMEEndWithToolsThatAgentsFind(t *testing.T) {
	t.Parallel()
	node := mcptest.Node(t)
	official := func(name string, args ...string) []string {
		return append([]string{node, mcptest.Package(t, "@modelcontextprotocol", "server-"+name, "dist", "index.js")}, args...)
	}
	h := programtest.NewHome(t)
	servers := map[string][]string{
		"files": official("filesystem", h.Dir), "graph": official("memory"), "every": official("everything"),
		"weather": mcptest.Command(t, "-only", "-tool", "get_forecast=Return the weather forecast for a city"),
		"tickets": mcptest.Command(t, "-only", "-tool", "open_ticket=Open a ticket for the help desk"),
		"lamps":   mcptest.Command(t, "-only", "-tool", "dim_lamp=Dim a lamp in a room"),
		"stock":   mcptest.Command(t, "-only", "-tool", "quote_share=Return the price of a share"),
		"broken":  mcptest.Command(t, "-crash", "the licence is missing"),
	}
	files := map[string][]string{
		".cursor/mcp.json": {"files", "graph", "weather"}, ".claude.json": {"files", "tickets"}, ".gemini/settings.json": {"lamps"},
		".codeium/windsurf/mcp_config.json": {"every", "broken"}, ".config/Code/User/mcp.json": {"stock", "weather"},
		".codex/config.toml": {"graph"},
	}
	for file, names := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(h.Dir, file)), 0o755); err != nil {
			t.Fatal(err)
		}
		h.Write(filepath.Join(h.Dir, file), editorConfig(t, file, names, servers))
	}

	commands := readmeCommands(t)
	if len(commands) != 2 {
		t.Fatalf("the README has the commands %q, want two", commands)
	}
	h.Serve()
	for _, command := range commands {
		term := newTerminal(t)
		cmd := h.Command(strings.Fields(command)[1:]...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		term.run(cmd)
		term.confirm("[y/N] ", 1, "y")
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, term.screen)
		}
	}

	agent := h.CompanionOf("--client", "cursor", "--surface", "meta")
	agent.Open("{}")
	for need, want := range map[string]string{
		"read a text file": "files", "create entities in the knowledge graph": "graph",
		"add two numbers": "every", "weather forecast for a city": "weather", "open a ticket for the help desk": "tickets",
		"dim a lamp": "lamps", "price of a share": "stock",
	} {
		call := `"call_as":"mcp__` + want + `__`
		find := func() string {
			return agent.ToolResult(agent.StartTool("find_tool", fmt.Sprintf(`{"query":%q}`, need))).Text()
		}
		if got := find(); !strings.Contains(got, call) && strings.Contains(got, "add a server") {
			t.Errorf("%q advises to add a server: %s", need, got)
		}
		programtest.Eventually(t, "find_tool finds "+need+" of "+want, func() bool { return strings.Contains(find(), call) })
	}
	for file := range files {
		text, err := os.ReadFile(filepath.Join(h.Dir, file))
		if err != nil {
			t.Fatal(err)
		}
		programtest.Contains(t, string(text), "agent-discover")
		for name := range servers {
			if strings.Contains(string(text), name) {
				t.Errorf("%s is still in %s, so that it would run twice:\n%s", name, file, text)
			}
		}
	}
	programtest.Eventually(t, "doctor names the server that cannot start", func() bool {
		out := h.Run("doctor").Stdout
		return strings.Contains(out, "server broken: does not start") && strings.Contains(out, "the licence is missing")
	})
	if out := agent.ToolResult(agent.StartTool("find_tool", `{"query":"knit a woollen jumper"}`)).Text(); !strings.Contains(out,
		"broken does not start") || strings.Contains(out, "add a server") {
		t.Errorf("a need that nothing fits: %s", out)
	}
}

// editorConfig returns the configuration of servers in the form of an editor's file.
func editorConfig(t *testing.T, file string, names []string, servers map[string][]string) string {
	t.Helper()
	entries := make(map[string]any)
	var toml strings.Builder
	for _, name := range names {
		command := servers[name]
		entries[name] = map[string]any{"command": command[0], "args": command[1:]}
		args, err := json.Marshal(command[1:])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&toml, "[mcp_servers.%s]\ncommand = %q\nargs = %s\n", name, command[0], args)
	}
	if strings.HasSuffix(file, ".toml") {
		return toml.String()
	}
	key := "mcpServers"
	if strings.Contains(file, "Code") {
		key = "servers"
	}
	text, err := json.Marshal(map[string]any{key: entries})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// readmeCommands returns the commands of agent-discover in the section Install of the README.
func readmeCommands(t *testing.T) (commands []string) {
	t.Helper()
	root, ok := reference.Repository()
	if !ok {
		t.Fatal("the test does not run inside the repository")
	}
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Install\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, line := range regexp.MustCompile(`(?m)^agent-discover .*$`).FindAllString(section, -1) {
		command, _, _ := strings.Cut(line, "#")
		commands = append(commands, strings.TrimSpace(command))
	}
	return commands
}
