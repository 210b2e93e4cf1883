//go:build linux

package main_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// connection describes how a client of an SDK connects to the hub; see testdata/sdk/client.mjs.
type connection struct {
	At      string   `json:"at"`
	Command []string `json:"command,omitempty"`
	URL     string   `json:"url,omitempty"`
	Token   string   `json:"token,omitempty"`
	Own     bool     `json:"own"` // the client sees only items of the server odd
	Use     bool     `json:"use"` // call tools, get prompts and read resources
	Calls   []call   `json:"calls,omitempty"`
	Modern  bool     `json:"modern"`
}

type call struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// callsOf returns the calls with which a client of a surface reads the definitions of tools of the server odd and calls
// these tools.
func callsOf(surface string, tools []string) (calls []call) {
	given := map[string]string{"a": "x"}
	for _, tool := range tools {
		switch surface {
		case "meta":
			calls = append(calls, call{"get_tool_details", map[string]any{"server": "odd", "tool": tool}},
				call{"execute_tool", map[string]any{"server": "odd", "tool": tool, "arguments": given}})
		case "registry":
			calls = append(calls, call{"registry", map[string]any{"action": "get_schema", "call_as": "mcp__odd__" + tool}},
				call{"registry", map[string]any{"action": "proxy_call", "call_as": "mcp__odd__" + tool, "arguments": given}})
		}
	}
	return calls
}

// did is an operation of a client of an SDK, with its result.
type did struct {
	At     string `json:"at"`
	Did    string `json:"did"`
	Count  int    `json:"count"`
	Failed bool   `json:"failed"`
	Error  string `json:"error"`
}

// oddConnections returns connections to each surface of a hub with the server odd. An unnamed client
// connects over both stdio and HTTP, and each named client over only one of these transports.
func oddConnections(h *programtest.Home, tools []string, modern bool) (all []connection) {
	info := h.RunningHub()
	person, end, err := instance.NewClient(info).Person(h.T.Context())
	if err != nil {
		h.T.Fatal(err)
	}
	defer end()
	for _, surface := range []string{"meta", "registry", "native", "toolset:all", "server:odd"} {
		for _, client := range []string{"", "claude-code", "gemini"} {
			args := []string{"--surface", surface}
			if client != "" {
				args = append(args, "--client", client)
			}
			c := connection{
				At: strings.Join(args, " "), Own: surface == "server:odd", Modern: modern,
				Use: client == "" && surface != "meta" && surface != "registry",
			}
			if client == "" {
				c.Calls = callsOf(surface, tools)
			}
			stdio, http := c, c
			stdio.At, stdio.Command = "stdio "+c.At, append([]string{h.Program, "mcp"}, args...)
			http.At, http.URL = "HTTP "+c.At, "http://"+info.Address()+"/mcp"
			var created struct{ Token string }
			fields := map[string]string{"name": rand.Text(), "surface": surface, "client": client}
			if err := person.Do(h.T.Context(), "POST", "/api/tokens", fields, &created); err != nil {
				h.T.Fatal(err)
			}
			http.Token = created.Token
			switch client { // one transport per named client is enough, because a client sees the same over both
			case "claude-code":
				all = append(all, stdio)
			case "gemini":
				all = append(all, http)
			default:
				all = append(all, stdio, http)
			}
		}
	}
	return all
}

// visit runs the program of an SDK, whose client uses each of the connections, and returns the
// operations that the program reports.
func visit(h *programtest.Home, argv []string, env []string, all []connection) (rows []did) {
	h.T.Helper()
	in, err := json.Marshal(all)
	if err != nil {
		h.T.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	var stderr bytes.Buffer
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stderr = append(slices.Clone(h.Env), env...), h.Dir, bytes.NewReader(in), &stderr
	out, err := cmd.Output()
	if err != nil {
		h.T.Fatalf("%v\n%s", err, stderr.String())
	}
	for line := range bytes.Lines(out) {
		var row did
		if err := json.Unmarshal(line, &row); err != nil {
			h.T.Fatalf("%s: %v", line, err)
		}
		rows = append(rows, row)
	}
	return rows
}

// sdks returns the programs of testdata/sdk for the SDKs that are installed, by the versions of MCP that they speak.
func sdks(t *testing.T) (programs map[string][]string, env []string) {
	script := func(name string) string {
		path, err := filepath.Abs(filepath.Join("testdata", "sdk", name))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	programs = make(map[string][]string)
	t.Run("TypeScript", func(t *testing.T) {
		node := mcptest.Node(t)
		programs["TypeScript 1"] = []string{node, script("client.mjs"), mcptest.Package(t, "@modelcontextprotocol", "sdk")}
		programs["TypeScript 2"] = []string{node, script("client.mjs"), mcptest.Package(t, "@modelcontextprotocol", "client")}
	})
	t.Run("Python", func(t *testing.T) {
		python, path := mcptest.Python(t)
		programs["Python"] = []string{python, script("client.py")}
		env = append(env, "PYTHONPATH="+path["PYTHONPATH"])
	})
	return programs, env
}

func TestOneOddItemTakesNoListAwayFromClientsOfTheSDKs(t *testing.T) {
	t.Parallel()
	programs, env := sdks(t)
	counts := map[string]int{
		"tools/list": mcptest.OddTools, "prompts/list": mcptest.OddPrompts, "resources/list": mcptest.OddResources,
		"resources/templates/list": mcptest.OddTemplates,
	}
	for era, flags := range map[string][]string{"legacy": {"-odd"}, "modern": {"-odd", "-modern"}} {
		h, tools := oddHub(t, mcptest.Command(t, flags...))
		for sdk, argv := range programs {
			for _, modern := range []bool{false, true} {
				if modern && sdk == "TypeScript 1" {
					continue
				}
				t.Run(fmt.Sprintf("%s server, %s, modern %v", era, sdk, modern), func(t *testing.T) {
					all := oddConnections(h, tools, modern)
					checkOdd(t, visit(h, argv, env, all), all, counts)
				})
			}
		}
	}
}

// TestListsOfTheReferenceServersReachClientsOfTheSDKs uses servers whose lists contain items that
// real servers have sent.
func TestListsOfTheReferenceServersReachClientsOfTheSDKs(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	programs, env := sdks(t)
	for _, server := range []struct {
		command []string
		counts  map[string]int
	}{
		{
			[]string{python, reference.Path(t, "review", "inputs", "odd.py")},
			map[string]int{"tools/list": 29, "prompts/list": 9, "resources/list": 11, "resources/templates/list": 3},
		},
		{[]string{python, reference.Path(t, "review", "inputs", "srv.py"), "schemas"}, map[string]int{"tools/list": 28}},
	} {
		h, _ := oddHub(t, server.command)
		all := oddConnections(h, nil, false)
		for i := range all {
			all[i].Use = false
		}
		for sdk, argv := range programs {
			t.Run(fmt.Sprintf("%v %s", server.counts, sdk), func(t *testing.T) {
				rows := slices.DeleteFunc(visit(h, argv, env, all), func(row did) bool { // ignore the lists that the server does not have
					_, has := server.counts[row.Did]
					return !has && strings.HasSuffix(row.Did, "/list")
				})
				checkOdd(t, rows, all, server.counts)
			})
		}
	}
}

// oddHub starts a hub with the always listed servers odd and fine, and with the toolset all, which
// contains the tools of odd. It returns the names of these tools.
func oddHub(t *testing.T, command []string) (h *programtest.Home, tools []string) {
	h = programtest.NewHome(t)
	h.Serve()
	h.Add("odd", command)
	h.Add("fine", mcptest.Command(t, "-offers"))
	h.Must("servers", "activate", "odd")
	h.Must("servers", "activate", "fine")
	var odd struct{ Tools []struct{ Name string } }
	h.MustJSON(&odd, "servers", "show", "odd", "--json")
	toolset := []string{"toolset", "create", "all"}
	for _, tool := range odd.Tools {
		toolset, tools = append(toolset, "odd."+tool.Name), append(tools, tool.Name)
	}
	h.Must(toolset...)
	return h, tools
}

// checkOdd checks the operations of clients. counts are the numbers of items of the server odd, by
// list method.
func checkOdd(t *testing.T, rows []did, all []connection, counts map[string]int) {
	seen := make(map[string]int)
	for _, row := range rows {
		seen[row.At]++
		method, name, _ := strings.Cut(row.Did, " ")
		want, listed := counts[method]
		if method == "calls" {
			method, name = toolOf(t, name)
		}
		fails := slices.ContainsFunc(mcptest.OddFailures, func(tool string) bool { return strings.TrimPrefix(name, "odd__") == tool })
		refused := slices.ContainsFunc(mcptest.OddRefusals, func(uri string) bool { return strings.TrimPrefix(name, "odd+") == uri })
		switch {
		case refused && strings.Contains(row.Error, `The server "odd"`):
		case row.Error != "":
			t.Errorf("%s, %s: %s", row.At, row.Did, row.Error)
		case listed && row.Count != want:
			t.Errorf("%s, %s: %d items of the server odd, want %d", row.At, row.Did, row.Count, want)
		case row.Failed != (fails && method == "tools/call"):
			t.Errorf("%s, %s: failed is %v", row.At, row.Did, row.Failed)
		}
	}
	for _, c := range all {
		if want := 1 + len(counts) + len(c.Calls); seen[c.At] < want {
			t.Errorf("%s: only %d things were done", c.At, seen[c.At])
		}
	}
}

// toolOf returns the tool of the server odd to which a call of the hub's own tool refers. method is
// "tools/call" if the call runs that tool.
func toolOf(t *testing.T, text string) (method, tool string) {
	var c struct {
		Name      string
		Arguments struct {
			Action, Tool string
			CallAs       string `json:"call_as"`
		}
	}
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	if c.Name == "execute_tool" || c.Arguments.Action == "proxy_call" {
		method = "tools/call"
	}
	return method, c.Arguments.Tool + strings.TrimPrefix(c.Arguments.CallAs, "mcp__odd__")
}
