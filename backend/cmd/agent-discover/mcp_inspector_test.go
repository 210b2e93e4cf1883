//go:build linux

package main_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// inspector is the command line of MCP Inspector, an independent client that
// validates what it receives.
type inspector struct {
	*programtest.Home
	node, bin string
}

// newInspector returns an inspector for a new home with a running hub. It skips the test
// if MCP Inspector is not installed.
func newInspector(t *testing.T) *inspector {
	t.Helper()
	bin := filepath.Dir(mcptest.Package(t, ".bin", "mcp-inspector"))
	i := &inspector{Home: programtest.NewHome(t), node: mcptest.Node(t), bin: bin}
	i.Serve()
	return i
}

// script returns the command that runs a Node program which is installed beside MCP Inspector.
func (i *inspector) script(name string, args ...string) []string {
	return append([]string{i.node, filepath.Join(i.bin, name)}, args...)
}

// inspect calls one method in a new session.
func (i *inspector) inspect(args ...string) programtest.Outcome {
	i.T.Helper()
	argv := i.script("mcp-inspector", "--cli", i.Program, "mcp", "--quiet")
	for _, kv := range i.Env {
		argv = append(argv, "-e", kv)
	}
	cmd := exec.Command(argv[0], append(argv[1:], args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = i.Env, i.Dir, &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		i.T.Fatalf("inspector: %v", err)
	}
	return programtest.Outcome{Code: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}
}

// call calls a tool with arguments as JSON.
func (i *inspector) call(tool, arguments string) programtest.Result {
	i.T.Helper()
	out := i.inspect("--method", "tools/call", "--tool-name", tool, "--tool-args-json", arguments)
	var r programtest.Result
	if err := json.Unmarshal([]byte(out.Stdout), &r); err != nil {
		i.T.Fatalf("%s: exit %d\n%s%s", tool, out.Code, out.Stdout, out.Stderr)
	}
	return r
}

// registry runs an action of the registry tool that must succeed, and decodes its
// reply.
func (i *inspector) registry(arguments string, reply any) {
	i.T.Helper()
	r := i.call("registry", arguments)
	if r.IsError {
		i.T.Fatalf("registry %s: %s", arguments, r.Text())
	}
	if err := json.Unmarshal([]byte(r.Text()), reply); err != nil {
		i.T.Fatalf("registry %s returned %s: %v", arguments, r.Text(), err)
	}
}

// list returns the names of the listed tools.
func (i *inspector) list() []string {
	i.T.Helper()
	out := i.inspect("--method", "tools/list", "--strict")
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal([]byte(out.Stdout), &list); err != nil || out.Code != 0 {
		i.T.Fatalf("tools/list: exit %d\n%s%s", out.Code, out.Stdout, out.Stderr)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func TestMCPInspectorUsesTheRegistryTool(t *testing.T) {
	t.Parallel()
	i := newInspector(t)
	if tools := i.list(); !slices.Equal(tools, []string{"registry"}) {
		t.Errorf("an empty hub lists %v", tools)
	}
	command := mcptest.Command(t)
	args, err := json.Marshal(command[1:])
	if err != nil {
		t.Fatal(err)
	}
	var installed struct{ Status, NextStep string }
	i.registry(`{"action":"install","name":"fake","command":`+quoted(command[0])+`,"args":`+string(args)+`,"description":"A fake"}`,
		&installed)
	if installed.Status != "waiting_for_approval" {
		t.Fatalf("install: %+v", installed)
	}
	refused := i.call("registry", `{"action":"proxy_call","server":"fake","tool":"echo","arguments":{"text":"x"}}`)
	if !refused.IsError {
		t.Fatalf("a server that waits for approval was called: %s", refused.Text())
	}
	programtest.Contains(t, refused.Text(), "ask the user to approve it in the tray or the dashboard")
	programtest.Contains(t, i.Must("logs", "--server", "fake"), "refused")
	i.Approve("fake")

	var listed []struct {
		Name      string
		ToolCount int `json:"tool_count"`
	}
	i.registry(`{"action":"list","query":"fake"}`, &listed)
	if len(listed) != 1 || listed[0].ToolCount == 0 {
		t.Errorf("list: %+v", listed)
	}
	var activated struct{ Status string }
	i.registry(`{"action":"activate","name":"fake"}`, &activated)
	if tools := i.list(); !slices.Contains(tools, "fake__echo") {
		t.Errorf("with the server always listed the list is %v", tools)
	}
	var status struct {
		ActiveCount int `json:"active_count"`
	}
	if i.registry(`{"action":"status"}`, &status); status.ActiveCount != 1 {
		t.Errorf("status: %+v", status)
	}
	var schema struct {
		Found       bool
		InputSchema json.RawMessage `json:"input_schema"`
	}
	if i.registry(`{"action":"get_schema","call_as":"mcp__fake__echo"}`, &schema); !schema.Found {
		t.Errorf("get_schema: %+v", schema)
	}
	var several struct {
		Results []struct {
			Found  bool
			CallAs string `json:"call_as"`
		}
	}
	i.registry(`{"action":"find_tools","intents":["give back the text","knit a jumper for a giraffe"]}`, &several)
	if len(several.Results) != 2 || several.Results[0].CallAs != "mcp__fake__echo" || several.Results[1].Found {
		t.Errorf("find_tools: %+v", several)
	}
	i.registry(`{"action":"deactivate","name":"fake"}`, &activated)
	if tools := i.list(); activated.Status != "deactivated" || len(tools) != 1 {
		t.Errorf("deactivated: %+v, list %v", activated, tools)
	}
	i.registry(`{"action":"uninstall","name":"fake"}`, &activated)
	if r := i.call("registry", `{"action":"sync"}`); r.IsError || !strings.Contains(r.Text(), `"registered": []`) {
		t.Errorf("sync: %s", r.Text())
	}
	if r := i.call("registry", `{"action":"juggle"}`); !r.IsError {
		t.Errorf("an unknown action: %s", r.Text())
	}
}

// quoted returns a text as a JSON string.
func quoted(s string) string {
	data, _ := json.Marshal(s) // a string always encodes
	return string(data)
}

func TestMCPInspectorCallsToolsOfOfficialServers(t *testing.T) {
	t.Parallel()
	i := newInspector(t)
	note := filepath.Join(i.Dir, "note.txt")
	i.Write(note, "written by the test")
	rows := []struct {
		server  string
		command []string
		query   string
		tool    string
		args    string
		want    string // in the result
	}{
		{"everything", i.script("mcp-server-everything"), "echo back a message", "echo", `{"message":"through"}`, "through"},
		{
			"filesystem", i.script("mcp-server-filesystem", i.Dir), "read a text file", "read_text_file", `{"path":` + quoted(note) + `}`,
			"written by the test",
		},
		{
			"memory", i.script("mcp-server-memory"), "create new entities in the knowledge graph", "create_entities",
			`{"entities":[{"name":"hub","entityType":"program","observations":["forwards"]}]}`, "forwards",
		},
	}
	for _, row := range rows {
		i.Add(row.server, row.command, "--env", "MEMORY_FILE_PATH="+filepath.Join(i.Dir, "memory.jsonl"))
		i.Must("servers", "activate", row.server)
	}
	listed := i.list()
	for _, row := range rows {
		if name := row.server + "__" + row.tool; !slices.Contains(listed, name) {
			t.Errorf("%s is not listed: %v", name, listed)
		}
		var found struct {
			CallAs string `json:"call_as"`
		}
		if i.registry(`{"action":"find_tool","query":`+quoted(row.query)+`}`, &found); found.CallAs != "mcp__"+row.server+"__"+row.tool {
			t.Errorf("find_tool returned %q for %q", found.CallAs, row.query)
		}
		if r := i.call(row.server+"__"+row.tool, row.args); r.IsError || !strings.Contains(r.Text(), row.want) {
			t.Errorf("%s: %+v", row.tool, r)
		}
		r := i.call("registry", `{"action":"proxy_call","call_as":`+quoted(found.CallAs)+`,"arguments":`+row.args+`}`)
		if row.server != "memory" && (r.IsError || !strings.Contains(r.Text(), row.want)) { // memory does not create an entity twice
			t.Errorf("%s by proxy_call: %+v", row.tool, r)
		}
	}
}

func TestMCPInspectorFindsAndCallsAToolWithARandomName(t *testing.T) {
	t.Parallel()
	i := newInspector(t)
	name := func() string { return "t" + strings.ToLower(rand.Text()[:12]) }
	wanted, secret := name(), rand.Text()
	flags := []string{
		"-only", "-result", `{"content":[{"type":"text","text":"` + secret + `"}]}`, "-tool",
		wanted + "=Convert a temperature from Celsius to Fahrenheit",
	}
	for _, description := range []string{
		"Convert an amount of money from one currency to another", "Tell the temperature of the sea at a coast",
		"Book a table in a restaurant", "Translate a sentence to another language",
	} {
		flags = append(flags, "-tool", name()+"="+description)
	}
	server := name()
	i.Add(server, mcptest.Command(t, flags...))
	var found struct {
		CallAs   string `json:"call_as"`
		NextStep string `json:"next_step"`
	}
	i.registry(`{"action":"find_tool","query":"convert celsius to fahrenheit"}`, &found)
	if found.CallAs != "mcp__"+server+"__"+wanted {
		t.Fatalf("find_tool returned %q, want %s", found.CallAs, wanted)
	}
	if r := i.call("registry", `{"action":"proxy_call","call_as":"`+found.CallAs+`","arguments":{"text":"30"}}`); r.Text() != secret {
		t.Errorf("proxy_call returned %q", r.Text())
	}
	i.Must("servers", "activate", server)
	if r := i.call(server+"__"+wanted, `{"text":"30"}`); r.Text() != secret {
		t.Errorf("the listed tool returned %q", r.Text())
	}
}

func TestMCPInspectorLoadTestPasses(t *testing.T) {
	t.Parallel()
	i := newInspector(t)
	i.Add("fake", mcptest.Command(t))
	i.Must("servers", "activate", "fake")
	out := i.inspect("--method", "tools/call", "--tool-name", "fake__echo", "--tool-args-json", `{"text":"load"}`,
		"--load", "--load-requests", "200", "--format", "json")
	var summary struct {
		Result struct {
			OK     int `json:"ok"`
			Errors int `json:"errors"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(out.Stdout), &summary); err != nil || out.Code != 0 || summary.Result.OK != 200 ||
		summary.Result.Errors != 0 {
		t.Errorf("exit %d\n%s%s", out.Code, out.Stdout, out.Stderr)
	}
}
