package configedit

import (
	"strings"
	"testing"
)

func TestRevertKeepsLaterChangesOfOtherPrograms(t *testing.T) {
	short := Object{{"command", "x"}}
	put := func(text string, p Place) (Change, error) { return Put([]byte(text), p, "discover", short) }
	set := func(text string, p Place) (Change, error) { return Set([]byte(text), p, "discover", short) }
	remove := func(text string, p Place) (Change, error) { return Remove([]byte(text), p, "discover") }
	for _, c := range []struct {
		name, place  string
		format       Format
		do           func(string, Place) (Change, error)
		before       string
		foreign      [][2]string // replacements by another program
		after, whole string      // after: result of Revert; whole: result with Change.Text, if different
	}{
		{
			name: "another entry was added before", place: "mcpServers", format: JSON, do: put,
			before:  "{\n  \"mcpServers\": { // mine\n    \"a\": {}\n  }\n}\n",
			foreign: [][2]string{{"// mine\n", "// mine\n    \"b\": {}, // b\n"}},
			after:   "{\n  \"mcpServers\": { // mine\n    \"b\": {}, // b\n    \"a\": {}\n  }\n}\n",
		},
		{
			name: "all other entries were removed", place: "mcpServers", format: JSON, do: put,
			before:  "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n",
			foreign: [][2]string{{"},\n    \"a\": {}\n", "}\n"}},
			after:   "{\n  \"mcpServers\": {}\n}\n",
		},
		{
			name: "another entry was added to the new collection", place: "mcpServers", format: JSON, do: put,
			before:  "{}\n",
			foreign: [][2]string{{"    }\n  }", "    },\n    \"a\": {}\n  }"}},
			after:   "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n",
		},
		{
			name: "the new collection has a comment", place: "mcpServers", format: JSON, do: put,
			before:  "{}\n",
			foreign: [][2]string{{"    }\n  }", "    }\n    // mine\n  }"}},
			after:   "{\n  \"mcpServers\": {\n    // mine\n  }\n}\n",
		},
		{
			name: "the file was reformatted", place: "tools/mcpServers", format: JSON, do: put,
			before:  "{\n  \"a\": 1\n}\n",
			foreign: [][2]string{{"\n", ""}, {"  ", ""}},
			after:   "{\"a\": 1}",
		},
		{
			name: "the entry was changed", place: "mcpServers", format: JSON, do: put,
			before:  "{\n  \"a\": 1\n}\n",
			foreign: [][2]string{{"\"x\"", "\"x\",\n      \"disabled\": true"}},
			after:   "{\n  \"a\": 1\n}\n",
		},
		{
			name: "the entry was removed", place: "mcpServers", format: JSON, do: put,
			before:  "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n",
			foreign: [][2]string{{"    \"discover\": {\n      \"command\": \"x\"\n    },\n", ""}},
			after:   "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n",
		},
		{
			name: "the entry was removed, but not its new collection", place: "mcpServers", format: JSON, do: put,
			before:  "{\n  \"a\": 1\n}\n",
			foreign: [][2]string{{"{\n    \"discover\": {\n      \"command\": \"x\"\n    }\n  }", "{}"}},
			after:   "{\n  \"a\": 1\n}\n",
		},
		{
			name: "a replaced entry is restored", place: "mcpServers", format: JSON, do: put,
			before:  "{\n  \"mcpServers\": {\n    \"discover\": {\"command\": \"old\", \"n\": 1.50}\n  }\n}\n",
			foreign: [][2]string{{"\"command\": \"x\"", "\"command\" : \"x\""}, {"{\n  \"mcp", "{\n  \"b\": 2,\n  \"mcp"}},
			after:   "{\n  \"b\": 2,\n  \"mcpServers\": {\n    \"discover\": {\"command\": \"old\", \"n\": 1.50}\n  }\n}\n",
			whole:   "{\n  \"b\": 2,\n  \"mcpServers\": {\n    \"discover\": {\"n\": 1.50, \"command\" : \"old\"}\n  }\n}\n",
		},
		{
			name: "a removed entry is restored", place: "mcpServers", format: JSON, do: remove,
			before:  "{\n  \"mcpServers\": {\n    \"a\": {},\n    \"discover\": {\"command\": \"old\"}\n  }\n}\n",
			foreign: [][2]string{{"{\n  \"mcp", "{\n  \"b\": 2,\n  \"mcp"}},
			after:   "{\n  \"b\": 2,\n  \"mcpServers\": {\n    \"discover\": {\n      \"command\": \"old\"\n    },\n    \"a\": {}\n  }\n}\n",
			whole:   "{\n  \"b\": 2,\n  \"mcpServers\": {\n    \"a\": {},\n    \"discover\": {\"command\": \"old\"}\n  }\n}\n",
		},
		{
			name: "a field is restored, and one changed since is kept", place: "mcpServers", format: JSON, do: set,
			before:  "{\"mcpServers\": {\"discover\": {\"command\": \"old\", \"n\": 1}}}",
			foreign: [][2]string{{"\"command\": \"x\"", "\"command\":\"x\""}, {"1", "2"}},
			after:   "{\"mcpServers\": {\"discover\": {\"command\":\"old\", \"n\": 2}}}",
		},
		{
			name: "a field that another program set is kept", place: "mcpServers", format: JSON, do: set,
			before:  "{\"mcpServers\": {\"discover\": {\"command\": \"old\"}}}",
			foreign: [][2]string{{"\"x\"", "\"mine\""}},
			after:   "{\"mcpServers\": {\"discover\": {\"command\": \"mine\"}}}",
		},
		{
			name: "a field that another program removed stays removed", place: "mcpServers", format: JSON, do: set,
			before:  "{\"mcpServers\": {\"discover\": {\"n\": 1, \"command\": \"old\"}}}",
			foreign: [][2]string{{", \"command\": \"x\"", ""}},
			after:   "{\"mcpServers\": {\"discover\": {\"n\": 1}}}",
		},
		{
			name: "an added field is removed", place: "mcpServers", format: JSON, do: set,
			before:  "{\"mcpServers\": {\"discover\": {\"n\": 1}}}",
			foreign: [][2]string{{"\"command\": \"x\", \"n\": 1", "\"n\": 1, \"command\": \"x\""}},
			after:   "{\"mcpServers\": {\"discover\": {\"n\": 1}}}",
		},

		{
			name: "toml: other sections were added after", place: "mcp_servers", format: TOML, do: put,
			before:  "a = 1\n",
			foreign: [][2]string{{"a = 1", "# mine\na = 2"}, {"\"x\"\n", "\"x\"\n\n# b\n[b]\n"}},
			after:   "# mine\na = 2\n\n# b\n[b]\n",
		},
		{
			name: "toml: the editor added a subtable to the entry", place: "mcp_servers", format: TOML, do: put,
			before:  "a = 1\n",
			foreign: [][2]string{{"\"x\"\n", "\"x\"\n\n[b]\nc = 1\n\n[mcp_servers.discover.tools.t]\napprove = true\n"}},
			after:   "a = 1\n\n[b]\nc = 1\n",
		},
		{
			name: "toml: a removed section is restored", place: "mcp_servers", format: TOML, do: remove,
			before:  "[mcp_servers.discover]\ncommand = 'old'\n[mcp_servers.discover.env]\nA = 1\n",
			foreign: [][2]string{{"", "a = 1\n"}},
			after:   "a = 1\n\n[mcp_servers.discover]\ncommand = \"old\"\n\n[mcp_servers.discover.env]\nA = 1\n",
		},
		{
			name: "toml: a field is restored", place: "mcp_servers", format: TOML, do: set,
			before:  "[mcp_servers.discover]\ncommand = 'old' # c\nn = 1\n",
			foreign: [][2]string{{"command = ", "command  = "}, {"n = 1", "n = 2"}},
			after:   "[mcp_servers.discover]\ncommand  = \"old\" # c\nn = 2\n",
		},

		{
			name: "toml: an added field is removed", place: "mcp_servers", format: TOML, do: set,
			before:  "[mcp_servers.discover]\nn = 1\n\n[b]\n",
			foreign: [][2]string{{"command = \"x\"", "command = 'x' # c"}, {"n = 1", "n = 2"}},
			after:   "[mcp_servers.discover]\nn = 2\n\n[b]\n",
		},
		{
			name: "toml: an added field of a list item is removed", place: "m[name]", format: TOML, do: set,
			before:  "[[m]]\nname = 'a'\n[[m]]\nname = 'discover'\n[m.env]\nA = 1\n",
			foreign: [][2]string{{"command = \"x\"", "command = 'x'"}},
			after:   "[[m]]\nname = 'a'\n[[m]]\nname = 'discover'\n[m.env]\nA = 1\n",
		},
		{
			name: "yaml: a mapping is restored", place: "l[name]", format: YAML,
			do: func(text string, p Place) (Change, error) {
				return Set([]byte(text), p, "discover", Object{{"env", Object{{"A", "x"}}}, {"command", "x"}})
			},
			before:  "l:\n  - name: discover\n    env:\n      B: z\n",
			foreign: [][2]string{{"A: x", "A: 'x'"}},
			after:   "l:\n  - name: discover\n    env:\n      B: z\n",
		},
		{
			name: "yaml: an added field is removed", place: "l[name]", format: YAML, do: set,
			before:  "l:\n- name: discover\n  n: 1\n- a\n",
			foreign: [][2]string{{"  command: x\n", ""}, {"- name: discover\n", "- name: discover\n  command: 'x' # c\n"}},
			after:   "l:\n- name: discover\n  n: 1\n- a\n",
		},
		{
			name: "yaml: another entry was added before", place: "extensions", format: YAML, do: put,
			before:  "extensions:\n  # a\n  a: {}\n",
			foreign: [][2]string{{"extensions:\n", "b: 1\nextensions:\n  c: {}\n"}},
			after:   "b: 1\nextensions:\n  c: {}\n  # a\n  a: {}\n",
		},
		{
			name: "yaml: reformatted", place: "extensions", format: YAML, do: put,
			before:  "a: 1\n",
			foreign: [][2]string{{"  ", "    "}, {"x\n", "\"x\"\nz: 1\n"}},
			after:   "a: 1\nz: 1\n",
		},
		{
			name: "yaml: a replaced entry is restored", place: "mcpServers[name]", format: YAML,
			do: func(text string, p Place) (Change, error) {
				return Put([]byte(text), p, "discover", Object{{"name", "discover"}, {"command", "x"}})
			},
			before:  "mcpServers:\n  - name: discover\n    command: old\n",
			foreign: [][2]string{{"command: x", "command: 'x'"}},
			after:   "mcpServers:\n  - name: discover\n    command: old\n",
			whole:   "mcpServers:\n  - name: discover\n    command: old\n",
		},
		{
			name: "yaml: fields", place: "extensions", format: YAML, do: set,
			before:  "extensions:\n  discover:\n    n: 1\n    command: old # c\n",
			foreign: [][2]string{{"command: x", "command: 'x'"}, {"n: 1", "n: 2"}},
			after:   "extensions:\n  discover:\n    n: 2\n    command: old # c\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := placeOf(c.format, c.place)
			change, err := c.do(c.before, p)
			if err != nil || len(change.Edits) == 0 {
				t.Fatalf("%v, %v", change.Edits, err)
			}
			text := string(change.Text)
			for _, f := range c.foreign {
				text = strings.ReplaceAll(text, f[0], f[1])
				if f[0] == "" {
					text = string(change.Text) + f[1]
				}
			}
			back, err := Revert([]byte(text), p, "discover", Change{Edits: change.Edits, Made: change.Made})
			if err != nil || string(back.Text) != c.after {
				t.Errorf("Revert of\n%s\nreturned\n%s\nwant\n%s\n%v", text, back.Text, c.after, err)
			}
			if string(apply([]byte(text), back.Edits)) != string(back.Text) {
				t.Errorf("the edits of Revert lead to another text: %v", back.Edits)
			}
			want := c.after
			if c.whole != "" {
				want = c.whole
			}
			back, err = Revert([]byte(text), p, "discover", change)
			if err != nil || string(back.Text) != want {
				t.Errorf("with Change.Text, Revert of\n%s\nreturned\n%s\nwant\n%s\n%v", text, back.Text, want, err)
			}
		})
	}
}
