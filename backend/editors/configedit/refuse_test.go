package configedit

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestUnsafeTextsAreRefusedWithoutQuotingThem(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 600) + "1" + strings.Repeat("}", 600)
	for _, c := range []struct {
		name, place string
		format      Format
		text, want  string
	}{
		{"json that ends too early", "mcpServers", JSON, "{\n  \"s3cret\": [", "line 2: the file is not valid JSON"},
		{"json with an unknown literal", "mcpServers", JSON, "{\n  \"a\": s3cret\n}", "line 2: the file is not valid JSON"},
		{"two values", "mcpServers", JSON, "{}\n{}", "line 2: the file is not valid JSON"},
		{"not UTF-8", "mcpServers", JSON, "{\"a\": \"\xff\"}", "the file is not UTF-8"},
		{"UTF-16", "mcpServers", YAML, "\xff\xfea\x00", "the file is not UTF-8"},
		{"json nested too deeply", "mcpServers", JSON, deep, "line 1: the file is nested too deeply"},
		{"a million brackets", "mcpServers", JSON, strings.Repeat("[", 1<<20), "line 1: the file is nested too deeply"},
		{"too large", "mcpServers", JSON, "{}" + strings.Repeat(" ", 16<<20), "the file is larger than 16 MB"},
		{"a comment in strict JSON", "mcpServers", StrictJSON, "{\n  // s3cret\n}", "line 2: the file has a comment or a trailing comma"},
		{
			"a trailing comma in strict JSON", "mcpServers", StrictJSON, "{\n  \"a\": 1,\n}",
			"line 3: the file has a comment or a trailing comma",
		},
		{"only a comment, in strict JSON", "mcpServers", StrictJSON, "// s3cret", "line 1: the file has a comment or a trailing comma"},
		{"a byte order mark in strict JSON", "mcpServers", StrictJSON, bom + "{}", "line 1: the file starts with a byte order mark"},
		{
			"the collection twice", "mcpServers", JSON, "{\n\"mcpServers\": {},\n\"mcp\\u0053ervers\": {}}",
			`line 3: the key "mcpServers" occurs twice`,
		},
		{"a parent twice", "tools/mcp", JSON, "{\"tools\": {},\n\"tools\": {}}", `line 2: the key "tools" occurs twice`},
		{
			"an entry twice", "mcpServers", JSON, "{\"mcpServers\": {\"discover\": {},\n\"discover\": {}}}",
			`there are two entries named "discover"`,
		},
		{"another entry twice", "mcpServers", JSON, "{\"mcpServers\": {\"s3cret\": {},\n\"s3cret\": {}}}", "line 2: the key occurs twice"},
		{
			"a name twice in a list", "[name]", JSON, `[{"name": "discover"}, {"name": "discover"}]`,
			`there are two entries named "discover"`,
		},
		{"a list for an object", "mcpServers", JSON, "{\n\"mcpServers\": []}", "line 2: \"mcpServers\" holds a list; it must be an object"},
		{
			"an object for a list", "mcpServers[name]", JSON, "{\"mcpServers\": {}}",
			"line 1: \"mcpServers\" holds an object; it must be a list",
		},
		{
			"a word for an object", "mcpServers", JSON, "{\"mcpServers\": \"s3cret\"}",
			"line 1: \"mcpServers\" holds a text; it must be an object",
		},
		{"null for an object", "mcpServers", JSON, "{\"mcpServers\": null}", "line 1: \"mcpServers\" holds null; it must be an object"},
		{"a list for a parent", "tools/mcp", JSON, "{\"tools\": []}", "line 1: \"tools\" holds a list; it must be an object"},
		{"a list for the root", "mcpServers", JSON, "[]", "line 1: the file holds a list; it must be an object"},

		{"toml that does not parse", "mcp_servers", TOML, "a = 1\nb = s3cret\n", "line 2: the file is not valid TOML"},
		{"a toml key twice", "mcp_servers", TOML, "a = 1\na = 2\n", "line 2: a key is defined twice, or as two types"},
		{"a toml key twice on one line", "mcp_servers", TOML, "a = {b = 1, b = 2}\n", "line 1: a key is defined twice, or as two types"},
		{"a table twice", "mcp_servers", TOML, "[a]\n[b]\n[a]\n", "line 3: a key is defined twice, or as two types"},
		{"a table in a value", "mcp_servers", TOML, "a = 1\n[a.b]\n", "line 2: a key is defined twice, or as two types"},
		{"an inline collection", "mcp_servers", TOML, "a = 1\nmcp_servers = { x = {} }\n", "line 2: the entries are written inline"},
		{"an inline parent", "tools/mcp", TOML, "tools = {}\n", "line 1: the entries are written inline"},
		{"an inline list", "mcp_servers[name]", TOML, "mcp_servers = [{name = \"s3cret\"}]\n", "line 1: the entries are written inline"},
		{
			"a list of tables for a table", "mcp_servers", TOML, "[[mcp_servers]]\nname = \"x\"\n",
			"line 1: expected a table, but found another type of value",
		},
		{
			"a table for a list of tables", "mcp_servers[name]", TOML, "[mcp_servers.x]\n",
			"line 1: expected a list, but found another type of value",
		},
		{
			"a word for a table", "mcp_servers", TOML, "\nmcp_servers = \"s3cret\"\n",
			"line 2: expected a table, but found another type of value",
		},
		{"toml nested too deeply", "mcp_servers", TOML, "a = " + strings.Repeat("[", 600) + strings.Repeat("]", 600), "nested too deeply"},
		{"a toml key too long", "mcp_servers", TOML, "[a" + strings.Repeat(".a", 1<<16) + "]", "line 1: the file is nested too deeply"},
		{"a lone carriage return in toml", "mcp_servers", TOML, "a = 1\rb = 2", "line 1: the line contains a carriage return"},

		{"yaml that does not parse", "extensions", YAML, "a: 1\nb: [s3cret\n", "the file is not valid YAML"},
		{"yaml with tabs", "extensions", YAML, "a:\n\tb: 1\n", "line 2: the file is not valid YAML"},
		{"an unknown alias", "extensions", YAML, "a: 1\nb: *s3cret\n", "the file is not valid YAML"},
		{"two documents", "extensions", YAML, "a: 1\n---\nb: 1\n", "line 2: a second document starts"},
		{"a flow mapping", "extensions", YAML, "a: 1\nextensions: {s3cret: {}}\n", "line 2: the entries are written inline"},
		{"a flow list", "mcpServers[name]", YAML, "mcpServers: [{name: x}]\n", "line 1: the entries are written inline"},
		{"a flow root", "extensions", YAML, "{a: 1}\n", "line 1: the entries are written inline"},
		{
			"an anchor on the collection", "extensions", YAML, "extensions: &s3cret\n  a: {}\n",
			"line 1: the entries use an anchor, alias, merge key or tag",
		},
		{"an anchor in an entry", "extensions", YAML, "extensions:\n  a: &x {}\nb: *x\n", "an anchor, alias, merge key or tag"},
		{
			"an alias for the collection", "extensions", YAML, "x: &x\n  a: {}\nextensions: *x\n",
			"line 3: the entries use an anchor, alias, merge key or tag",
		},
		{
			"an alias for a parent", "tools/mcp", YAML, "x: &x\n  mcp: {}\ntools: *x\n",
			"line 3: the entries use an anchor, alias, merge key or tag",
		},
		{"an alias of itself", "extensions", YAML, "extensions: &x\n  a: *x\n", "an anchor, alias, merge key or tag"},
		{"a merge key", "extensions", YAML, "x: &x {}\nextensions:\n  <<: *x\n", "an anchor, alias, merge key or tag"},
		{"a tag", "extensions", YAML, "extensions: !s3cret\n  a: {}\n", "line 1: the entries use an anchor, alias, merge key or tag"},
		{"a tag without a name", "extensions", YAML, "extensions: !\n", "line 1: the entries use an anchor, alias, merge key or tag"},
		{"a tag without a name before a mapping", "extensions", YAML, "extensions: !\n  a: {}\n", "an anchor, alias, merge key or tag"},
		{"a tag without a name in an entry", "extensions", YAML, "extensions:\n  a: ! {}\n", "an anchor, alias, merge key or tag"},
		{"a yaml key twice", "extensions", YAML, "extensions: {}\na: 1\nextensions: {}\n", `line 3: the key "extensions" occurs twice`},
		{"a yaml entry twice", "extensions", YAML, "extensions:\n  s3cret: {}\n  s3cret: {}\n", "line 3: a key occurs twice"},
		{
			"a yaml list for a mapping", "extensions", YAML, "extensions:\n- a\n",
			"line 2: expected a mapping, but found another type of value",
		},
		{
			"a yaml word for a mapping", "extensions", YAML, "extensions: s3cret\n",
			"line 1: expected a mapping, but found another type of value",
		},
		{"a yaml word for a parent", "tools/mcp", YAML, "tools: s3cret\n", "line 1: expected a mapping, but found another type of value"},
		{"an explicit null", "extensions", YAML, "extensions: ~\n", "line 1: expected a mapping, but found another type of value"},
		{"a lone carriage return in yaml", "extensions", YAML, "a: 1\rb: 1\n", "line 1: the line contains a carriage return"},
		{"an explicit key", "extensions", YAML, "? extensions\n: a: {}\n", "does not allow changing the entry"},
		{"a block scalar without a last line feed", "extensions", YAML, "a: |\n  text", "does not allow changing the entry"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := placeOf(c.format, c.place)
			change, err := Put([]byte(c.text), p, "discover", discoverEntry(p))
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), c.want) {
				t.Errorf("the error is %q (%v), want one with %q", err, fault.KindOf(err), c.want)
			}
			if err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error quotes the file: %v", err)
			}
			if change.Text != nil || change.Edits != nil {
				t.Errorf("a refused text has edits: %v", change.Edits)
			}
		})
	}
}

func TestUnwritableValuesAreRefused(t *testing.T) {
	toml, list := placeOf(TOML, "mcp_servers"), placeOf(JSON, "[name]")
	for name, try := range map[string]func() error{
		"null in TOML": func() error {
			_, err := Put(nil, toml, "x", Object{{"a", []any{nil}}})
			return err
		},
		"a number that would not read back": func() error {
			_, err := Put(nil, toml, "x", Object{{"a", json.Number("1e400")}})
			return err
		},
		"a text that is not UTF-8": func() error { _, err := Put(nil, toml, "x", Object{{"a", "\xff"}}); return err },
		"a name that is not UTF-8": func() error { _, err := Put(nil, toml, "\xff", Object{}); return err },
		"a field twice":            func() error { _, err := Put(nil, placeOf(JSON, ""), "x", Object{{"a", 1}, {"a", 2}}); return err },
		"an item without its name": func() error { _, err := Put(nil, list, "x", Object{{"a", 1}}); return err },
		"an item of another name":  func() error { _, err := Put(nil, list, "x", Object{{"name", "y"}}); return err },
		"no key":                   func() error { _, err := Scalar(nil, nil, 1); return err },
		"fields of a value that is not an object": func() error {
			_, err := Set([]byte(`{"x": 1}`), placeOf(JSON, ""), "x", Object{{"a", 1}})
			return err
		},
		"fields of an inline table": func() error {
			_, err := Set([]byte("[mcp_servers]\nx = {}"), toml, "x", Object{{"a", 1}})
			return err
		},
		"fields of a flow mapping": func() error {
			_, err := Set([]byte("e:\n  x: {b: 1}"), placeOf(YAML, "e"), "x", Object{{"a", 1}})
			return err
		},
		"a field with an anchor": func() error {
			_, err := Scalar([]byte("a: &x 1\nb: *x\n"), []string{"a"}, 2)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := try(); fault.KindOf(err) != fault.Invalid {
				t.Errorf("unexpected error %v", err)
			}
		})
	}
	if _, err := Set(nil, toml, "x", Object{}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("fields of a missing entry: %v, want a fault.NotFound", err)
	}
}
