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

// client is an AI client, and how it is asked.
type client struct {
	id   string   // of the editor in our table
	file string   // in which it keeps servers, below the home folder
	env  []string // so that it works without a question
	list func(*person, *client) listing
	ask  []string // what makes it list servers: a command with its arguments
	add  func(p *person, c *client, name string)
	// calls is the name by which it introduces itself while it lists servers.
	calls string

	session    []string // what makes it list the tools of servers, where asking for the servers does not
	sessionEnv []string // with {model} for the address of one that always refuses
}

// listing is what a client says of its servers: true for one that is connected, false for one that failed.
type listing map[string]bool

var all = []*client{
	{
		id: "claude-code", calls: "claude-code", file: ".claude.json", list: byMarks, ask: []string{"claude", "mcp", "list"},
		env: []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"},
		add: byCommand("claude", "mcp", "add", "--scope", "user", "NAME", "--", "/bin/false"),
	},
	{
		id: "gemini-cli", calls: "mcp-test-client", file: ".gemini/settings.json", list: byMarks, ask: []string{"gemini", "mcp", "list"},
		env:     []string{"GEMINI_CLI_TRUST_WORKSPACE=true"},
		add:     byCommand("gemini", "mcp", "add", "--scope", "user", "NAME", "/bin/false"),
		session: []string{"gemini", "--prompt", "hello"},
		// Of its ways to a model this is the one that takes an address without a file.
		sessionEnv: []string{"GOOGLE_GENAI_USE_VERTEXAI=true", "GOOGLE_API_KEY=none", "GOOGLE_VERTEX_BASE_URL={model}"},
	},
	{
		id: "qwen-code", calls: "mcp-test-client", file: ".qwen/settings.json", list: byMarks, ask: []string{"qwen", "mcp", "list"},
		add:        byCommand("qwen", "mcp", "add", "--scope", "user", "NAME", "/bin/false"),
		session:    []string{"qwen", "--prompt", "hello"},
		sessionEnv: []string{"OPENAI_API_KEY=none", "OPENAI_BASE_URL={model}/v1", "OPENAI_MODEL=none"},
	},
	{
		id: "opencode", calls: "opencode", file: ".config/opencode/opencode.json", list: byMarks, ask: []string{"opencode", "mcp", "list"},
		env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"},
		add: byHand, // its own command asks a person
	},
	{
		id: "codex", calls: "codex-mcp-client", file: ".codex/config.toml", list: byServerStatus, ask: []string{"codex", "app-server"},
		add: byCommand("codex", "mcp", "add", "NAME", "--", "/bin/false"),
	},
}

func (c *client) path(p *person) string { return filepath.Join(p.home, filepath.FromSlash(c.file)) }

// byCommand has the client write a server that fails into its own file.
func byCommand(command ...string) func(*person, *client, string) {
	return func(p *person, c *client, name string) {
		p.t.Helper()
		args := append([]string{}, command...)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "NAME", name)
		}
		if out, err := p.client(c, args...).CombinedOutput(); err != nil {
			p.t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
}

// byHand does so as a person would, at the end of opencode's file.
func byHand(p *person, c *client, name string) {
	p.t.Helper()
	file := c.path(p)
	before, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		before, err = []byte("{\n  // mine\n  \"mcp\": {\n  }\n}\n"), os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	head, ok := strings.CutSuffix(string(before), "\n  }\n}\n")
	if !ok {
		p.t.Fatalf("the file does not end as it did:\n%s", before)
	}
	if !strings.HasSuffix(head, "{") {
		head += ","
	}
	p.write(file, head+"\n    \""+name+"\": { \"type\": \"local\", \"command\": [\"/bin/false\"] }\n  }\n}\n")
}

var (
	colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	named   = regexp.MustCompile(`^[^\pL]*([\pL\d-]+)`)
)

// byMarks reads a list for people: a line for each server, its name first and a tick or a cross in it.
func byMarks(p *person, c *client) listing {
	p.t.Helper()
	out, err := p.client(c, c.ask...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("%v: %v\n%s", c.ask, err, out)
	}
	servers := make(listing)
	for line := range strings.Lines(colours.ReplaceAllString(string(out), "")) {
		name := named.FindStringSubmatch(line)
		if name == nil || !strings.ContainsAny(line, "✔✓✘✗") {
			continue
		}
		servers[name[1]] = strings.ContainsAny(line, "✔✓")
	}
	p.t.Logf("%s:\n%s", strings.Join(c.ask, " "), out)
	return servers
}

// byServerStatus asks codex as its window does. One that is connected lists registry.
func byServerStatus(p *person, c *client) listing {
	p.t.Helper()
	cmd := p.client(c, c.ask...)
	in, out := pipes(p.t, cmd)
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	say(p.t, in, `{"id":0,"method":"initialize","params":{"clientInfo":{"name":"test","title":"Test","version":"1"}}}`)
	answer(p.t, lines, 0)
	say(p.t, in, `{"method":"initialized"}`)
	say(p.t, in, `{"id":1,"method":"mcpServerStatus/list","params":{}}`)
	result := answer(p.t, lines, 1)
	_ = in.Close()
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait() // how it ends is its own affair
	var status struct {
		Data []struct {
			Name       string
			Tools      map[string]json.RawMessage
			ToolsError string
		}
	}
	if err := json.Unmarshal(result, &status); err != nil {
		p.t.Fatalf("%v: %s", err, result)
	}
	servers := make(listing)
	for _, s := range status.Data {
		_, lists := s.Tools["registry"]
		servers[s.Name] = lists
		p.t.Logf("%s: registry %t; %d tools; %s", s.Name, lists, len(s.Tools), s.ToolsError)
	}
	return servers
}

func say(t *testing.T, in io.Writer, line string) {
	t.Helper()
	if _, err := io.WriteString(in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// answer reads until the result of a request comes.
func answer(t *testing.T, lines *bufio.Scanner, id int) json.RawMessage {
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
	t.Fatalf("no answer to request %d: %v", id, lines.Err())
	return nil
}
