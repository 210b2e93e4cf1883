package configedit

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestReadUnderstandsEveryNotation(t *testing.T) {
	for name, c := range map[string]struct {
		place  string
		format Format
		text   string
		want   string // names and values alternately, as JSON
	}{
		"empty text":              {"mcpServers", JSON, "", `[]`},
		"only a byte order mark":  {"mcpServers", JSON, bom, `[]`},
		"no collection":           {"mcpServers", JSON, `{"a": 1}`, `[]`},
		"null":                    {"mcpServers", JSON, `{"mcpServers": null}`, `[]`},
		"null for a parent":       {"a/b", JSON, `{"a": null}`, `[]`},
		"numbers keep their text": {"", JSON, `{"a": 1.50, "b": 12345678901234567890}`, `["a", 1.50, "b", 12345678901234567890]`},
		"all of JSON": {
			"", JSON, `{"a": {"b": [true, false, null, "\u00e9\n"],},} // c`, `["a", {"b": [true, false, null, "é\n"]}]`,
		},
		"a key twice is the last": {"mcpServers", JSON, `{"mcpServers": {"x": 1}, "mcpServers": {"y": 2}}`, `["y", 2]`},
		"a list":                  {"[name]", JSON, `[{"name": "a"}, {"b": 1}, 7]`, `["a", {"name": "a"}, "", {"b": 1}, "", 7]`},
		"a toml table": {
			"mcp_servers", TOML, "[mcp_servers.a]\nb = 0x1F\nc = 1_000.50\nd = 2001-02-03\ne = inf\n",
			`["a", {"b": 31, "c": 1000.5, "d": "2001-02-03", "e": "inf"}]`,
		},
		"an inline toml table": {
			"mcp_servers", TOML, "mcp_servers = { a = { b.c = 1 }, 'd e' = [1, 'x'] }", `["a", {"b": {"c": 1}}, "d e", [1, "x"]]`,
		},
		"a toml table in an inline": {"t/m", TOML, "t = { m = { a = true } }", `["a", true]`},
		"a list of toml tables": {
			"m[name]", TOML, "[[m]]\nname = 'a'\n[m.env]\nA = 'b'\n[[m]]\nname = 'c'\n",
			`["a", {"name": "a", "env": {"A": "b"}}, "c", {"name": "c"}]`,
		},
		"an inline toml list": {"m[name]", TOML, "m = [{name = 'a'}]", `["a", {"name": "a"}]`},
		"dotted keys":         {"m", TOML, "m.a.b = 1\nm.c = 2\n[m.d]\n", `["a", {"b": 1}, "c", 2, "d", {}]`},
		"a flow mapping": {
			"e", YAML, "e: {a: {b: 0x1F, c: 1_000, d: .5, e: .inf, f: yes, g: ~}}",
			`["a", {"b": 31, "c": 1000, "d": 0.5, "e": ".inf", "f": "yes", "g": null}]`,
		},
		"aliases and merge keys": {
			"e", YAML, "x: &x {a: 1, b: 2}\ne:\n  y: *x\n  z:\n    <<: *x\n    b: 3\n", `["y", {"a": 1, "b": 2}, "z", {"b": 3, "a": 1}]`,
		},
		"an alias for the collection": {"e", YAML, "x: &x {a: {}}\ne: *x\n", `["a", {}]`},
		"merged twice":                {"e", YAML, "x: &x {a: 1}\ny: &y {b: 2}\ne:\n  z:\n    <<: [*x, *y]\n", `["z", {"a": 1, "b": 2}]`},
		"a yaml list": {
			"m[name]", YAML, "m:\n- name: a\n- name: 7\n- b\n", `["a", {"name": "a"}, "", {"name": 7}, "", "b"]`,
		},
		"nothing in yaml": {"e", YAML, "e:\n", `[]`},
		"texts of yaml": {
			"e", YAML, "e:\n  a: |\n    x\n  b: 'it''s'\n  c: \"\\u00e9\"\n  d: 2001-01-01\n  e: true\n",
			`["a", "x\n", "b", "it's", "c", "é", "d", "2001-01-01", "e", true]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			entries, err := Read([]byte(c.text), placeOf(c.format, c.place))
			if err != nil {
				t.Fatal(err)
			}
			got := []any{}
			for _, e := range entries {
				got = append(got, e.Name, e.Value)
			}
			text, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			var want, have any
			for v, source := range map[*any]string{&want: c.want, &have: string(text)} {
				if *v, err = decodeNumbers(source); err != nil {
					t.Fatal(err)
				}
			}
			if !reflect.DeepEqual(have, want) {
				t.Errorf("got %s, want %s", text, c.want)
			}
		})
	}
}

func decodeNumbers(text string) (any, error) {
	v, _ := decoded([]byte(text), JSON)
	return v, nil
}

func TestRecursiveAliasesAreLimited(t *testing.T) {
	for name, text := range map[string]string{
		"round": "e: &x\n  a: *x\n",
		"laughs": "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n" +
			"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\nf: &f [*d,*d,*d,*d,*d,*d,*d,*d,*d]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n" +
			"e: {j: [*g,*g,*g,*g,*g,*g,*g,*g,*g]}\n",
	} {
		if entries, err := Read([]byte(text), placeOf(YAML, "e")); err != nil || len(entries) != 1 {
			t.Errorf("%s: %d entries, %v", name, len(entries), err)
		} else if size, err := json.Marshal(entries); err != nil || len(size) > 10<<20 {
			t.Errorf("%s: %d bytes, %v", name, len(size), err)
		}
	}
}

func TestScalarsAreSetInPlace(t *testing.T) {
	for name, c := range map[string]struct {
		keys   string
		value  any
		before string
		after  string
	}{
		"a value":                     {"a", 2, "# c\na: 1 # d\nb: 2\n", "# c\na: 2 # d\nb: 2\n"},
		"a value in a mapping":        {"s/m", true, "s:\n  m: false   # d\n  n: x\n", "s:\n  m: true   # d\n  n: x\n"},
		"an equal value":              {"a", "x", "a: 'x' # d\n", "a: 'x' # d\n"},
		"no file":                     {"s/m", "yes", "", "s:\n  m: 'yes'\n"},
		"no key":                      {"b", "x y", "a: 1", "a: 1\nb: 'x y'\n"},
		"no key in a mapping":         {"s/m", 1.5, "s:\n  # about n\n  n: x\n", "s:\n  m: 1.5\n  # about n\n  n: x\n"},
		"an empty value":              {"s", "x", "s: # d\nt: 1\n", "s: x # d\nt: 1\n"},
		"several lines":               {"s", "x", "s: |\n  a\n  # b\n# c\n", "s: x\n# c\n"},
		"a list":                      {"s", []string{"a", "b c"}, "s:\n  - x\nt: 1\n", "s: [a, 'b c']\nt: 1\n"},
		"null":                        {"s", nil, "s: 1\n", "s: null\n"},
		"CRLF and a byte order mark":  {"a", 2, bom + "a: 1 # d\r\nb: 1\r\n", bom + "a: 2 # d\r\nb: 1\r\n"},
		"a quoted key":                {"a b", 2, "'a b' : \"x # y\" # d\n", "'a b' : 2 # d\n"},
		"after multi-byte characters": {"ключ", "é", "\"ключ\": 'ü' # ö\n", "\"ключ\": 'é' # ö\n"},
		"in a flow mapping":           {"s/m", 2, "s: {}\n", "s: {m: 2}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Scalar([]byte(c.before), placeOf(YAML, c.keys).Keys, c.value)
			if err != nil || string(got.Text) != c.after {
				t.Errorf("Scalar returned\n%s\nwant\n%s\n%v", got.Text, c.after, err)
			}
		})
	}
}

func TestEveryStringIsReadBackInAllFormats(t *testing.T) {
	for _, s := range []string{
		"", " ", "a", "/opt/x y", `C:\Users\n\t`, `\\server\share`, "it's", `say "x"`, "it's \"x\"", "yes", "No", "null", "~",
		"true", "1", "1.0", "0x1F", "1e3", ".5", "-", "- a", "a: b", "a #b", "#a", "&a", "*a", "!a", "%a", "@a", "`a", "{a}", "[a]",
		"a, b", "=", "<<", "2001-01-01", "12:30", "a\nb", "a\r\nb", "\ttab\t", "tail ", "é日本🎉", "\u0000\u0001\u007f",
		"\u0085\u2028\u2029\ufeff\u00a0", "${HOME}/x", "Infinity", ".inf",
		".nan", "...", "---", "?", "? a", "|", ">", "a:", ":a", "0o7", "+1", "1_000", "y", "n", "\U0001F600",
	} {
		for _, p := range []Place{
			placeOf(JSON, "m"), placeOf(TOML, "m"), placeOf(YAML, "m"), placeOf(YAML, "l[name]"), placeOf(TOML, "l[name]"),
			placeOf(JSON, "l[name]"),
		} {
			entry := Object{{"name", s}, {"list", []string{s, s}}, {s + "k", Object{{s, s}}}, {"deep", []any{Object{{"a", s}}}}}
			texts := map[string]string{"nothing": ""}
			if p.Format == YAML {
				texts["brackets"] = "m: {}\nl: []\n"
			}
			for before, text := range texts {
				c, err := Put([]byte(text), p, s, entry)
				if err != nil {
					t.Errorf("Put of %q into %s of %v: %v", s, before, p, err)
					continue
				}
				v, ok := decoded(c.Text, p.Format)
				if m, _ := v.(map[string]any); !ok || m == nil {
					t.Errorf("the text with %q in %v does not parse:\n%s", s, p, c.Text)
				}
			}
		}
	}
}
