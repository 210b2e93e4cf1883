package configedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// decoded decodes a text with the ordinary decoder of its format, which the code
// under test does not use. ok is false if the decoder rejects the text.
func decoded(text []byte, f Format) (v any, ok bool) {
	text = bytes.TrimPrefix(text, []byte(bom))
	if blank(text) {
		return nil, true
	}
	var err error
	switch f {
	case TOML:
		m := map[string]any{}
		err = toml.Unmarshal(text, &m)
		v = m
	case YAML:
		err = yaml.Unmarshal(text, &v)
	default:
		if text, err = hujson.Standardize(append(bytes.Clone(text), '\n')); err == nil {
			d := json.NewDecoder(bytes.NewReader(text))
			d.UseNumber()
			err = d.Decode(&v)
		}
	}
	return v, err == nil
}

// without returns a decoded text as a string that omits one entry and empty
// collections.
func without(v any, p Place, name string) string {
	var drop func(v any, keys []string) any
	drop = func(v any, keys []string) any {
		if l, ok := v.([]any); ok && len(keys) == 0 {
			out := []any{}
			for _, item := range l {
				if m, _ := item.(map[string]any); p.List == "" || m == nil || m[p.List] != name {
					out = append(out, item)
				}
			}
			return out
		}
		if m, ok := v.(map[any]any); ok { // YAML keys need not be strings
			texts := make(map[string]any, len(m))
			for key, child := range m {
				texts[fmt.Sprint(key)] = child
			}
			v = texts
		}
		m, ok := v.(map[string]any)
		if !ok {
			return v
		}
		out := make(map[string]any, len(m))
		for key, child := range m {
			if len(keys) == 0 && key == name && p.List == "" {
				continue
			}
			if len(keys) > 0 && key == keys[0] {
				child = drop(child, keys[1:])
			}
			out[key] = child
		}
		if len(keys) > 0 {
			if child := fmt.Sprint(out[keys[0]]); child == "map[]" || child == "[]" || child == "<nil>" {
				delete(out, keys[0])
			}
		}
		return out
	}
	if text := fmt.Sprintf("%v", drop(v, p.Keys)); text != "map[]" && text != "[]" {
		return text
	}
	return "<nil>"
}

// checkAnyText checks on an arbitrary text that Put and Remove change only the
// entry and that Revert undoes them.
func checkAnyText(t *testing.T, text []byte, p Place) {
	if len(text) > 1<<16 {
		return
	}
	const name = "discover"
	had, readErr := Read(text, p)
	c, err := Put(text, p, name, discoverEntry(p))
	if err != nil {
		if fault.KindOf(err) != fault.Invalid || c.Text != nil {
			t.Fatalf("Put failed with %v, want a fault.Invalid without a text", err)
		}
		return
	}
	if readErr != nil {
		t.Fatalf("Put changed a text that Read rejects: %v", readErr)
	}
	was := find(had, name)
	if back := apply(c.Text, inverse(c.Edits)); !bytes.Equal(back, text) {
		t.Fatalf("without the edits the text is\n%q\nwant\n%q", back, text)
	}
	for _, edit := range c.Edits {
		if was == nil && edit.Old != "" {
			t.Fatalf("adding an entry removed %q", edit.Old)
		}
	}
	v, valid := decoded(text, p.Format)
	rest := without(v, p, name)
	check := func(what string, now []byte, err error, want any) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v in\n%s", what, err, now)
		}
		entries, err := Read(now, p)
		if err != nil {
			t.Fatalf("%s: Read failed: %v\n%s", what, err, now)
		}
		if got := find(entries, name); (got == nil) != (want == nil) || got != nil && !equal(got.Value, want) {
			t.Fatalf("%s: the entry is %v, want %v in\n%s", what, got, want, now)
		}
		if v, ok := decoded(now, p.Format); valid && (!ok || without(v, p, name) != rest) {
			t.Fatalf("%s: the rest of the file is\n%s\nwant\n%s\nin\n%s", what, without(v, p, name), rest, now)
		}
	}
	check("put", c.Text, nil, plain(discoverEntry(p)))
	r, err := Remove(c.Text, p, name)
	check("remove", r.Text, err, nil)
	for _, kept := range []Change{c, {Edits: c.Edits, Made: c.Made}} {
		if r, err = Revert(c.Text, p, name, kept); err != nil || was == nil && !bytes.Equal(r.Text, text) {
			t.Fatalf("Revert returned\n%q\nwant\n%q\n%v", r.Text, text, err)
		}
	}
	checkSet(t, c.Text, p, check)
	checkForeign(t, c, p, was, valid, rest)
}

func find(entries []Entry, name string) *Entry {
	for _, e := range entries {
		if e.Name == name {
			return &e
		}
	}
	return nil
}

// checkSet checks that Set changes only the given fields and that Revert undoes it.
func checkSet(t *testing.T, text []byte, p Place, check func(string, []byte, error, any)) {
	fields := Object{{"command", "x: #y"}, {"timeout", 3}}
	s, err := Set(text, p, "discover", fields)
	if err != nil {
		return // fields cannot be added to an inline entry
	}
	check("set", s.Text, nil, plain(merged(discoverEntry(p), fields)))
	for _, kept := range []Change{s, {Edits: s.Edits}} {
		if r, err := Revert(s.Text, p, "discover", kept); err != nil || !bytes.Equal(r.Text, text) {
			t.Fatalf("Revert of Set returned\n%q\nwant\n%q\n%v", r.Text, text, err)
		}
	}
}

// checkForeign checks that Revert undoes a change after another program has changed the text.
func checkForeign(t *testing.T, c Change, p Place, was *Entry, valid bool, rest string) {
	other := append(Object{}, discoverEntry(p)...)
	if p.List != "" {
		other[0].Value = "other"
	}
	f, err := Put(c.Text, p, "other", other)
	texts := map[string][]byte{}
	if err == nil {
		texts["another entry"] = f.Text
	}
	var again bytes.Buffer
	if json.Indent(&again, c.Text, "", "   ") == nil && p.Format != TOML && p.Format != YAML {
		texts["another layout"] = again.Bytes()
	}
	for what, text := range texts {
		for _, kept := range []Change{c, {Edits: c.Edits, Made: c.Made}} {
			r, err := Revert(text, p, "discover", kept)
			if was != nil && !isObject(was.Value) && fault.KindOf(err) == fault.Invalid {
				continue // Put accepts only objects
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", what, err, text)
			}
			entries, err := Read(r.Text, p)
			if err != nil || was == nil && find(entries, "discover") != nil {
				t.Fatalf("%s: the entry was not removed: %v\n%s", what, err, r.Text)
			}
			if what == "another entry" && find(entries, "other") == nil {
				t.Fatalf("%s was removed too:\n%s", what, r.Text)
			}
			if v, ok := decoded(r.Text, p.Format); valid && what == "another layout" && (!ok || without(v, p, "discover") != rest) {
				t.Fatalf("%s: the rest of the file is\n%s\nwant\n%s", what, without(v, p, "discover"), rest)
			}
		}
	}
}

func isObject(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

// seed adds the texts of the test tables, and unusual ones, to a fuzz test.
func seed(f *testing.F, format Format, places int, more ...string) {
	for _, r := range rows(f, format) {
		more = append(more, r.before, r.after, strings.ReplaceAll(r.before, "\n", "\r\n"), bom+r.before)
	}
	for _, text := range more {
		for i := range places {
			f.Add([]byte(text), uint8(i))
		}
	}
}

func FuzzJSON(f *testing.F) {
	places := []Place{
		placeOf(JSON, "mcpServers"), placeOf(StrictJSON, "mcpServers"), placeOf(JSON, "tools/mcpServers"), placeOf(JSON, "[name]"),
		placeOf(JSON, "servers[name]"), placeOf(JSON, ""),
	}
	seed(f, JSON, len(places), `{"a":1,"a":2,"mcpServers":{"x":1,"x":2}}`, strings.Repeat(`{"tools":`, 40)+"{}"+strings.Repeat("}", 40),
		`{"mcpServers":{"discover":{},},}`, `{"mcpServers":{/*`+"\n"+`*/"x":{}/*,*/}}`, "{\r\"mcpServers\":\t{}\r}",
		`{"mcpServers":{"discover":1e999}}//`, `{"\ud800":"\ud800"}`)
	f.Fuzz(func(t *testing.T, text []byte, i uint8) {
		p := places[int(i)%len(places)]
		checkOutline(t, text, p)
		checkAnyText(t, text, p)
	})
}

// checkOutline checks that outline finds the same values at the same offsets
// as the parser of the whole text.
func checkOutline(t *testing.T, text []byte, p Place) {
	src, err := newSource(text)
	if err != nil || blank(src.body) {
		return
	}
	strict, deep := strictJSON(src.body)
	if deep >= 0 {
		return
	}
	quick, ok := outline(src.body, strict, p.Keys)
	if !ok {
		return
	}
	whole, err := parseHujson(src.body)
	if err != nil || whole == nil {
		t.Fatalf("%v in\n%q", err, text)
	}
	a, b := &jsonDoc{place: p, body: src.body}, &jsonDoc{place: p, body: src.body}
	bad, worse := a.resolve(quick), b.resolve(whole)
	if fmt.Sprint(bad, a.problem) != fmt.Sprint(worse, b.problem) || len(a.resolved) != len(b.resolved) {
		t.Fatalf("%v, %v, %d steps; %v, %v, %d steps in\n%q", bad, a.problem, len(a.resolved), worse, b.problem, len(b.resolved), text)
	}
	for i := range a.resolved {
		if got, want := places(a.resolved[i]), places(b.resolved[i]); got != want {
			t.Fatalf("%s, and it should be %s in\n%q", got, want, text)
		}
	}
}

// places returns the offsets of a value and its items, with the comments
// around them, as a string.
func places(v *hujson.Value) string {
	text := fmt.Sprintf("%d-%d %q", v.StartOffset, v.EndOffset, afterAll(v))
	for _, m := range itemsOf(v) {
		text += fmt.Sprintf("; %q %d-%d", m.first().BeforeExtra, m.first().StartOffset, m.first().EndOffset)
		text += fmt.Sprintf(" %q %d-%d %q", m.value.BeforeExtra, m.value.StartOffset, m.value.EndOffset, m.value.AfterExtra)
	}
	return text
}

func FuzzTOML(f *testing.F) {
	places := []Place{placeOf(TOML, "mcp_servers"), placeOf(TOML, "mcp_servers[name]"), placeOf(TOML, "tools/mcp")}
	seed(f, TOML, len(places), "[a]\n[a.b]\n[mcp_servers.discover.env]\n[mcp_servers]\n", "mcp_servers.discover = {a.b = 1}",
		"a = '''\n[mcp_servers.discover]\n'''\r\n",
		"[mcp_servers.discover]\n[x]\n[mcp_servers.discover.a]\n[[mcp_servers.discover.b]]\n[y]\n",
		"[tools]\nmcp.discover.a = 1\nmcp.x = 2", "a = "+strings.Repeat("[", 40)+strings.Repeat("]", 40))
	f.Fuzz(func(t *testing.T, text []byte, i uint8) { checkAnyText(t, text, places[int(i)%len(places)]) })
}

func FuzzYAML(f *testing.F) {
	places := []Place{placeOf(YAML, "extensions"), placeOf(YAML, "mcpServers[name]"), placeOf(YAML, "tools/mcp"), placeOf(YAML, "")}
	seed(f, YAML, len(places), "extensions:\n  discover: &a {}\nb: *a\n", "? extensions\n:\n  x: 1\n", "extensions:\n  x: |+\n    a\n\n\n",
		"extensions: !!map\n  a: 1\n", "extensions: !\n", "extensions: !<!> # a\n", "a: 1\n...\n",
		"mcpServers:\n- - a\n- name: discover\n  b: |\n   c\n- ? a\n  : b\n", "extensions:\n  discover: \"a\n# b\"\n  c: 1\n",
		strings.Repeat("a: {", 40)+strings.Repeat("}", 40), "extensions:\n\u2028  a: 1\u0085  b: 2\n")
	f.Fuzz(func(t *testing.T, text []byte, i uint8) { checkAnyText(t, text, places[int(i)%len(places)]) })
}
