//go:build linux

package cli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/markettest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// TestTheInstructionsOfTheREADMEEndWithToolsThatAgentsFind follows the sections Install and The first five minutes of the
// README, with the files of six editors and eight servers, of which one cannot start. Then it starts the entry of an editor,
// whose agent finds a tool and calls it.
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

	visited := prepareFirstDay(h, node)
	commands := readmeCommands(t, "Install", `(?m)^(agent-discover .*)$`)
	if len(commands) != 1 {
		t.Fatalf("the README has the commands %q, want one", commands)
	}
	before := make(map[string]string)
	for file := range files {
		before[file] = readFile(t, filepath.Join(h.Dir, file))
	}
	programtest.Contains(t, h.Must("setup", "--dry-run"), "agent-discover", "weather", "broken", "Nothing was changed.")
	programtest.Contains(t, h.Must("servers"), "No server is configured")
	for file, text := range before {
		if readFile(t, filepath.Join(h.Dir, file)) != text {
			t.Errorf("setup --dry-run changed %s", file)
		}
	}
	term := typed(t, h, strings.Fields(commands[0])[1:], [2]string{"[y/N] ", "y"})
	term.shows("files: ", "broken: does not start", "the licence is missing",
		"Try: agent-discover find", "to call it: agent-discover call", "agent-discover setup --undo")
	followFirstMinutes(h)
	if page := readFile(t, visited); !strings.HasPrefix(page, "file://"+string(h.Folder)) {
		t.Errorf("open gave the browser %q", page)
	}

	agent := startEntry(h, filepath.Join(h.Dir, ".cursor/mcp.json"))
	findEverything(t, agent)
	if got := agent.Tool("call_tool", `{"call_as":"mcp__weather__get_forecast","arguments":{"text":"Rome"}}`); !strings.Contains(got, "Rome") {
		t.Errorf("the agent's call returned %q", got)
	}
	programtest.Contains(t, h.Must("logs"), "get_forecast")
	for file := range files {
		text := readFile(t, filepath.Join(h.Dir, file))
		programtest.Contains(t, text, "agent-discover")
		for name := range servers {
			if strings.Contains(text, name) {
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

	programtest.Contains(t, h.Must("setup", "--undo", "--yes"), "removed server files", "removed server broken")
	for file, text := range before {
		if got := readFile(t, filepath.Join(h.Dir, file)); got != text {
			t.Errorf("after the undo, %s is\n%s\nwant\n%s", file, got, text)
		}
	}
	if left := h.Must("servers"); strings.Count(left, "\n") != 2 || !strings.Contains(left, "thinking") { // a header, and a server
		t.Errorf("after the undo, there are the servers\n%s", left)
	}
	programtest.Contains(t, h.Run("setup", "--undo", "--yes").Stderr, "was undone already")
}

// findEverything looks for a tool of each server that starts.
func findEverything(t *testing.T, agent *programtest.Client) {
	t.Helper()
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
}

// readFile returns the content of a file.
func readFile(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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

// readmeCommands returns the commands of agent-discover in a section of the README, which the first group of a regular
// expression matches.
func readmeCommands(t *testing.T, section, command string) (commands []string) {
	t.Helper()
	root, ok := reference.Repository()
	if !ok {
		t.Fatal("the test does not run inside the repository")
	}
	_, text, _ := strings.Cut(readFile(t, filepath.Join(root, "README.md")), "\n## "+section+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for _, match := range regexp.MustCompile(command).FindAllStringSubmatch(text, -1) {
		command, _, _ := strings.Cut(match[1], "#")
		commands = append(commands, strings.TrimSpace(command))
	}
	return commands
}

// prepareFirstDay puts programs into the PATH of a home: npx, which runs the packages that the tests have, and a browser,
// which writes the page that it is given into the file visited. The marketplace is on loopback.
func prepareFirstDay(h *programtest.Home, node string) (visited string) {
	t := h.T
	t.Helper()
	programs, market := filepath.Join(h.Dir, "programs"), markettest.Serve(t)
	market.Prepare(t, h.Dir, programs, mcptest.Command(t))
	h.Write(filepath.Join(h.Dir, ".profile"), "export PATH='"+programs+"':$PATH PIP_INDEX_URL=http://127.0.0.1:9/simple\n")
	h.Set("AGENT_DISCOVER_REGISTRY_URL", market.Address)
	packages := filepath.Dir(filepath.Dir(mcptest.Package(t, "@modelcontextprotocol", "server-sequential-thinking")))
	visited = filepath.Join(h.Dir, "visited")
	for name, script := range map[string]string{
		"npx":     fmt.Sprintf("#!/bin/sh\nexec '%s' '%s'/\"$2\"/dist/index.js\n", node, packages),
		"browser": "#!/bin/sh\necho \"$1\" > '" + visited + "'\n",
	} {
		path := filepath.Join(programs, name)
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		h.Write(path, script)
		if err := os.Chmod(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h.Set("BROWSER", filepath.Join(programs, "browser"))
	return visited
}

// followFirstMinutes runs the commands of the section The first five minutes.
func followFirstMinutes(h *programtest.Home) {
	h.T.Helper()
	prints := map[string][]string{ // by command, the texts that it prints when everything has started
		"servers":                {"files", "weather", "broken"},
		"doctor":                 {"server broken: does not start"},
		"find read a text file":  {"files__read"},
		"why read a text file":   {"files__read"},
		"open":                   {},
		"market search postgres": {},
		"servers add thinking -- npx -y @modelcontextprotocol/server-sequential-thinking": {"thinking"},
	}
	for _, command := range readmeCommands(h.T, "The first five minutes", "`(agent-discover [^`]*)`") {
		args := strings.Fields(command)[1:]
		want, known := prints[strings.Join(args, " ")]
		if !known {
			h.T.Errorf("the README has the command %q, which this test does not know", command)
		}
		delete(prints, strings.Join(args, " "))
		if args[0] == "servers" && len(args) > 1 {
			programtest.Contains(h.T, h.Must(args...), want...)
			continue
		}
		programtest.Eventually(h.T, command+" prints "+strings.Join(want, ", "), func() bool {
			out := h.Run(args...)
			return (out.Code == 0 || args[0] == "doctor" || args[0] == "market") &&
				!slices.ContainsFunc(want, func(text string) bool { return !strings.Contains(out.Stdout, text) })
		})
	}
	if len(prints) > 0 {
		h.T.Errorf("the README lacks the commands %q", slices.Collect(maps.Keys(prints)))
	}
	h.Must("call", "thinking__sequentialthinking", "--args", `{"thought":"x","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`)
}

// startEntry starts the program in the entry of an editor's file, as the editor does, and opens a session.
func startEntry(h *programtest.Home, file string) *programtest.Client {
	h.T.Helper()
	var config struct {
		Servers map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(readFile(h.T, file)), &config); err != nil {
		h.T.Fatal(err)
	}
	entry := config.Servers["discover"]
	if entry.Command != h.Program || len(entry.Args) == 0 || entry.Args[0] != "mcp" {
		h.T.Fatalf("the entry in %s starts %q %q", file, entry.Command, entry.Args)
	}
	c := h.CompanionOf(entry.Args[1:]...)
	c.Open("{}")
	return c
}
