//go:build clients

package clients

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// client describes an AI client and its command line.
type client struct {
	id   string   // id of the editor in package table
	file string   // configuration with its servers, relative to the home folder
	env  []string // variables with which the client works without questions, sign-in and updates
	list func(*user, *client) serverStates
	ask  []string                              // command that lists its servers
	add  func(u *user, c *client, name string) // adds a server that fails to start
	// clientName is the name in clientInfo of the initialize request that the client sends when it lists its servers.
	clientName string

	modern bool // it begins with server/discover of MCP 2026-07-28

	session    []string // command that lists the tools of its servers, if ask does not
	sessionEnv []string // variables for session; {model} is replaced with the address of the model's API

	talk    []string // command that talks with the model at {model} and may call tools that only read
	talkEnv []string // variables for talk, besides sessionEnv
}

// serverStates are the servers that a client lists, by name: true if it is connected to the server.
type serverStates map[string]bool

var all = []*client{
	{
		id: "claude-code", clientName: "claude-code", file: ".claude.json", list: parsedList, ask: []string{"claude", "mcp", "list"},
		env: []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"},
		add: byCommand("claude", "mcp", "add", "--scope", "user", "NAME", "--", "/bin/false"),
		talk: []string{
			"claude", "--print", "--permission-mode", "plan", "--allowedTools", "mcp__discover", "--settings",
			`{"permissions":{"disableAutoMode":"disable"}}`, "--", "hello",
		},
		talkEnv: []string{"ANTHROPIC_BASE_URL={model}", "ANTHROPIC_AUTH_TOKEN=none"},
	},
	{
		id: "gemini-cli", clientName: "mcp-test-client", file: ".gemini/settings.json", list: parsedList,
		ask:     []string{"gemini", "mcp", "list"},
		env:     []string{"GEMINI_CLI_TRUST_WORKSPACE=true"},
		add:     byCommand("gemini", "mcp", "add", "--scope", "user", "NAME", "/bin/false"),
		session: []string{"gemini", "--prompt", "hello"},
		// Vertex AI is the only model API whose address can be set without a file.
		talk:       []string{"gemini", "--model", "gemini-2.5-flash", "--approval-mode", "yolo", "--prompt", "hello"},
		sessionEnv: []string{"GOOGLE_GENAI_USE_VERTEXAI=true", "GOOGLE_API_KEY=none", "GOOGLE_VERTEX_BASE_URL={model}"},
	},
	{
		id: "qwen-code", clientName: "mcp-test-client", file: ".qwen/settings.json", list: parsedList, ask: []string{"qwen", "mcp", "list"},
		add:        byCommand("qwen", "mcp", "add", "--scope", "user", "NAME", "/bin/false"),
		session:    []string{"qwen", "--prompt", "hello"},
		talk:       []string{"qwen", "--approval-mode", "yolo", "--prompt", "hello"},
		sessionEnv: []string{"OPENAI_API_KEY=none", "OPENAI_BASE_URL={model}/v1", "OPENAI_MODEL=none"},
	},
	{
		id: "opencode", clientName: "opencode", file: ".config/opencode/opencode.json", list: parsedList,
		ask:  []string{"opencode", "mcp", "list"},
		env:  []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"},
		add:  byHand, // its own command is interactive
		talk: []string{"opencode", "run", "--model", "stub/stub", "hello"},
		talkEnv: []string{
			`OPENCODE_CONFIG_CONTENT={"provider":{"stub":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"{model}/v1","apiKey":"none"},"models":{"stub":{}}}}}`,
		},
	},
	{
		id: "codex", clientName: "codex-mcp-client", file: ".codex/config.toml", list: appServerStatus,
		ask: []string{"codex", "app-server"},
		add: byCommand("codex", "mcp", "add", "NAME", "--", "/bin/false"),
		talk: []string{
			"codex", "exec", "--skip-git-repo-check", "-c",
			`model_providers.stub={name="stub",base_url="{model}/v1",wire_api="responses"}`, "-c", "model_provider=stub", "hello",
		},
	},
	{
		id: "copilot-cli", clientName: "copilot-cli", file: ".copilot/mcp-config.json", list: sessionStatus, modern: true,
		env:        []string{"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false"},
		add:        byCommand("copilot", "mcp", "add", "NAME", "--", "/bin/false"),
		talk:       []string{"copilot", "--allow-all-tools", "--prompt", "hello"},
		session:    []string{"copilot", "--prompt", "hello", "--output-format", "json"},
		sessionEnv: []string{"COPILOT_PROVIDER_BASE_URL={model}/v1", "COPILOT_PROVIDER_TYPE=openai", "COPILOT_MODEL=gpt-4.1"},
	},
}

func (c *client) path(u *user) string { return filepath.Join(u.home, filepath.FromSlash(c.file)) }

// byCommand returns an add function that runs a command of the client.
func byCommand(command ...string) func(*user, *client, string) {
	return func(u *user, c *client, name string) {
		u.t.Helper()
		args := append([]string{}, command...)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "NAME", name)
		}
		if out, err := u.client(c, args...).CombinedOutput(); err != nil {
			u.t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
}

// byHand adds a server that fails to start at the end of opencode's file, as a user would in an editor.
func byHand(u *user, c *client, name string) {
	u.t.Helper()
	file := c.path(u)
	before, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		before, err = []byte("{\n  // mine\n  \"mcp\": {\n  }\n}\n"), os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err != nil {
		u.t.Fatal(err)
	}
	head, ok := strings.CutSuffix(string(before), "\n  }\n}\n")
	if !ok {
		u.t.Fatalf("the file has an unexpected end:\n%s", before)
	}
	if !strings.HasSuffix(head, "{") {
		head += ","
	}
	u.write(file, head+"\n    \""+name+"\": { \"type\": \"local\", \"command\": [\"/bin/false\"] }\n  }\n}\n")
}

var (
	colours    = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	serverName = regexp.MustCompile(`^[^\pL]*([\pL\d-]+)`)
)

// parsedList runs the client's list command and parses its output: one line per server, with the name first and a check
// mark or a cross.
func parsedList(u *user, c *client) serverStates {
	u.t.Helper()
	out, err := u.client(c, c.ask...).CombinedOutput()
	if err != nil {
		u.t.Fatalf("%v: %v\n%s", c.ask, err, out)
	}
	servers := make(serverStates)
	for line := range strings.Lines(colours.ReplaceAllString(string(out), "")) {
		name := serverName.FindStringSubmatch(line)
		if name == nil || !strings.ContainsAny(line, "✔✓✘✗") {
			continue
		}
		servers[name[1]] = strings.ContainsAny(line, "✔✓")
	}
	u.t.Logf("%s:\n%s", strings.Join(c.ask, " "), out)
	return servers
}

// sessionStatus reads the events that copilot prints in a session. Copilot prints the states of all servers once none
// of them is starting any more.
func sessionStatus(u *user, c *client) serverStates {
	u.t.Helper()
	servers := make(serverStates)
	for line := range strings.Lines(u.runSession(c)) {
		var event struct {
			Type string
			Data struct {
				Servers []struct{ Name, Status string }
			}
		}
		if json.Unmarshal([]byte(line), &event) != nil || event.Type != "session.mcp_servers_loaded" {
			continue
		}
		for _, s := range event.Data.Servers {
			servers[s.Name] = s.Status == "connected"
		}
	}
	return servers
}

// appServerStatus asks the app server of codex, which its graphical clients use. A server counts as connected if it has
// the tool find_tool.
func appServerStatus(u *user, c *client) serverStates {
	u.t.Helper()
	cmd := u.client(c, c.ask...)
	in, out := pipes(u.t, cmd)
	if err := cmd.Start(); err != nil {
		u.t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	send(u.t, in, `{"id":0,"method":"initialize","params":{"clientInfo":{"name":"test","title":"Test","version":"1"}}}`)
	awaitResult(u.t, lines, 0)
	send(u.t, in, `{"method":"initialized"}`)
	send(u.t, in, `{"id":1,"method":"mcpServerStatus/list","params":{}}`)
	result := awaitResult(u.t, lines, 1)
	_ = in.Close()
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait() // the exit code does not matter
	var status struct {
		Data []struct {
			Name       string
			Tools      map[string]json.RawMessage
			ToolsError string
		}
	}
	if err := json.Unmarshal(result, &status); err != nil {
		u.t.Fatalf("%v: %s", err, result)
	}
	servers := make(serverStates)
	for _, s := range status.Data {
		_, lists := s.Tools["find_tool"]
		servers[s.Name] = lists
		u.t.Logf("%s: find_tool %t; %d tools; %s", s.Name, lists, len(s.Tools), s.ToolsError)
	}
	return servers
}

func send(t *testing.T, in io.Writer, line string) {
	t.Helper()
	if _, err := io.WriteString(in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// awaitResult reads messages up to the result of a request.
func awaitResult(t *testing.T, lines *bufio.Scanner, id int) json.RawMessage {
	t.Helper()
	for lines.Scan() {
		var message struct {
			ID     *int
			Result json.RawMessage
		}
		if json.Unmarshal(lines.Bytes(), &message) == nil && message.ID != nil && *message.ID == id && message.Result != nil {
			return message.Result
		}
	}
	t.Fatalf("no result of request %d: %v", id, lines.Err())
	return nil
}
