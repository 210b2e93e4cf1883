//go:build clients

package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestMain(m *testing.M) {
	mcptest.Main()
	os.Exit(m.Run())
}

// others is how many other servers a client has, with two tools each: enough for clients to defer tools.
const others = 30

// TestAModelIsShownTheToolsWholeAndCallsWhatItFinds runs a conversation of each client with a stub of its model: the
// model must see the hub's tools as the hub defines them, find a tool with one of them, and call it with another.
func TestAModelIsShownTheToolsWholeAndCallsWhatItFinds(t *testing.T) {
	forEachClient(t, func(t *testing.T, c *client) {
		u := newUser(t, "")
		u.addHarbour()
		u.addOthers(c)
		u.register(c)
		r := u.installRelay()
		m := serveModel(t, modelCall{"find_tool", `{"query":"how deep is the water in the harbour"}`},
			modelCall{"call_read_tool", `{"call_as":"harbour__measure_depth","arguments":{"text":"at the pier"}}`})
		out := u.talk(c, m)
		turns := slices.DeleteFunc(m.seen(), func(t turn) bool { return t.tool("find_tool") == nil && len(t.tools) < 3 })
		if len(turns) == 0 {
			t.Fatalf("the client asked its model nothing; it printed\n%s", out)
		}
		u.checkShown(turns[0], r.definitions(), out)
		last := turns[len(turns)-1]
		for _, want := range []string{"harbour__measure_depth", "41 fathoms"} {
			if !strings.Contains(last.body, want) {
				t.Errorf("the model did not get %q; its last request has %d results:\n%s\nthe client printed\n%s", want, last.results,
					excerpt(last.body), out)
			}
		}
	})
}

// excerpt returns the end of a long text.
func excerpt(text string) string { return text[max(0, len(text)-6000):] }

// addHarbour adds a server with a single, read-only tool to the hub.
func (u *user) addHarbour() {
	u.t.Helper()
	command := mcptest.Command(u.t, "-only", "-result", `{"content":[{"type":"text","text":"The water is 41 fathoms deep."}]}`,
		"-definition",
		`{"name":"measure_depth","description":"Measure how deep the water in the harbour is","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`)
	u.must(append([]string{"servers", "add", "harbour", "--"}, command...)...)
}

// addOthers adds other servers to the client's file.
func (u *user) addOthers(c *client) {
	u.t.Helper()
	e, ok := table.ByID(c.id)
	if !ok {
		u.t.Fatalf("unknown editor %s", c.id)
	}
	text := []byte(u.read(c.path(u)))
	for i := range others {
		command := mcptest.Command(u.t, "-only", "-tool", fmt.Sprintf("count_stars_%d=Count the stars in part %d of the sky", i, i),
			"-tool", fmt.Sprintf("name_star_%d=Name a star in part %d of the sky", i, i))
		name := fmt.Sprintf("sky%d", i)
		value, err := table.Spell(e.Shape, name, table.Server{Transport: "stdio", Command: command[0], Args: command[1:]})
		if err != nil {
			u.t.Fatal(err)
		}
		change, err := configedit.Put(text, e.Place, name, value)
		if err != nil {
			u.t.Fatal(err)
		}
		text = change.Text
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(c.path(u)), 0o755), os.WriteFile(c.path(u), text, 0o600)); err != nil {
		u.t.Fatal(err)
	}
}

// talk runs a conversation of a client with a model, and returns what the client printed.
func (u *user) talk(c *client, m *model) string {
	u.t.Helper()
	with := func(text string) string { return strings.ReplaceAll(text, "{model}", m.url) }
	var words []string
	for _, word := range c.talk {
		words = append(words, with(word))
	}
	cmd := u.client(c, words...)
	for _, variable := range slices.Concat(c.sessionEnv, c.talkEnv) {
		cmd.Env = append(cmd.Env, with(variable))
	}
	out, err := cmd.CombinedOutput()
	return fmt.Sprintf("%s\n%v", out, err)
}

// checkShown checks that a request to the model contains the tools in want as they are defined.
func (u *user) checkShown(now turn, want map[string]definition, out string) {
	u.t.Helper()
	if own := gateway.OwnTools(surfaces.Meta, "", ""); len(want) != len(own) {
		u.t.Errorf("the hub listed %q, not its %d tools", slices.Sorted(maps.Keys(want)), len(own))
	}
	var all []string
	for _, tool := range now.tools {
		all = append(all, tool.name)
	}
	u.t.Logf("%d tools: %q", len(all), all)
	for name, own := range want {
		tool := now.tool(name)
		if tool == nil {
			u.t.Errorf("the model is not shown %s, but %q; the client printed\n%s", name, all, out)
			continue
		}
		if tool.deferred {
			u.t.Errorf("%s is deferred", tool.name)
		}
		if !strings.Contains(tool.description, own.Description) {
			u.t.Errorf("the description of %s is %q, want %q", tool.name, tool.description, own.Description)
		}
		if missing := own.InputSchema.missing(tool.schema); missing != "" {
			u.t.Errorf("%s lacks %s: %s", tool.name, missing, tool.schema)
		}
	}
}

// arguments are the parts of a JSON Schema that describe the arguments of a tool.
type arguments struct {
	Properties map[string]struct{ Type, Description string }
	Required   []string
}

// missing returns the name of an argument that another schema lacks or describes differently, or the required arguments
// if they differ; "" if nothing is missing. The other schema may declare more arguments, because clients add some.
func (a arguments) missing(schema json.RawMessage) string {
	var other arguments
	if err := json.Unmarshal(schema, &other); err != nil {
		return err.Error()
	}
	for name, p := range a.Properties {
		if q, ok := other.Properties[name]; !ok || !strings.EqualFold(q.Type, p.Type) || q.Description != p.Description {
			return name
		}
	}
	if !slices.Equal(a.Required, other.Required) {
		return fmt.Sprintf("required %q", a.Required)
	}
	return ""
}
