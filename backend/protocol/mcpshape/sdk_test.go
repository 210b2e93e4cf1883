package mcpshape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// whole maps a kind of item or a method to a value with every member that clients check.
var whole = map[string]string{
	"tool": `{"name":"t","title":"T","description":"d",
		"inputSchema":{"type":"object","$schema":"x","properties":{"a":{"type":"string"}},"required":["a"]},
		"outputSchema":{"type":"object","properties":{"a":{}},"required":["a"],"$schema":"x"},"execution":{"taskSupport":"optional"},
		"annotations":{"title":"T","readOnlyHint":true,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true},
		"_meta":{"x":{}},` + wholeIcons + `}`,
	"prompt": `{"name":"p","title":"P","description":"d","_meta":{"x":{}},` + wholeIcons + `,
		"arguments":[{"name":"a","title":"A","description":"d","required":true}]}`,
	"resource": wholeResource,
	"resource template": `{"uriTemplate":"a://{b}","name":"t","title":"T","description":"d","mimeType":"text/plain","_meta":{"x":{}},
		` + wholeIcons + `,` + wholeAnnotations + `}`,
	"tools/call": `{"content":[
			{"type":"text","text":"x","_meta":{"x":1},` + wholeAnnotations + `},
			{"type":"image","data":"QUJD","mimeType":"image/png",` + wholeAnnotations + `},
			{"type":"audio","data":"QUI=","mimeType":"audio/wav"},
			{"type":"resource","resource":{"uri":"a://b","text":"x","mimeType":"text/plain","_meta":{"x":1}},` + wholeAnnotations + `},
			{"type":"resource","resource":{"uri":"a://b","blob":"QUJD"},"_meta":{}},
			{"type":"resource_link",` + wholeResource[1:] + `],
		"structuredContent":{"a":{"b":1}},"isError":false,` + wholeMeta + `}`,
	"prompts/get": `{"description":"d","messages":[
			{"role":"user","content":{"type":"text","text":"x",` + wholeAnnotations + `}},
			{"role":"assistant","content":{"type":"resource","resource":{"uri":"a://b","text":"x"}}}],` + wholeMeta + `}`,
	"resources/read": `{"contents":[
			{"uri":"a://b","text":"x","mimeType":"text/plain","_meta":{"x":1}},
			{"uri":"a://b","blob":"QUJD","mimeType":"image/png"}],` + wholeMeta + `}`,
	"completion/complete": `{"completion":{"values":["a","b"],"total":2,"hasMore":true},` + wholeMeta + `}`,
	"serverInfo":          `{"name":"s","version":"1","title":"S","description":"d","websiteUrl":"https://example.com",` + wholeIcons + `}`,
	"capabilities": `{"experimental":{"x":{}},"extensions":{"x/y":{}},"logging":{},"completions":{},
		"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},
		"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}`,
}

const (
	wholeIcons       = `"icons":[{"src":"data:,","mimeType":"image/png","sizes":["any"],"theme":"dark"}]`
	wholeAnnotations = `"annotations":{"audience":["user","assistant"],"priority":0.5,"lastModified":"2026-01-12T15:00:58Z"}`
	wholeMeta        = `"_meta":{"progressToken":"p","x":null,"io.modelcontextprotocol/related-task":{"taskId":"t"},
		"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}`
	wholeResource = `{"uri":"a://b","name":"r","title":"R","description":"d","mimeType":"text/plain","size":7,"_meta":{"x":{}},
		` + wholeIcons + `,` + wholeAnnotations + `}`
)

// oddValues replace, one at a time, each member and element of a valid result. The empty string removes
// the member or element instead.
var oddValues = []string{
	``, `null`, `true`, `false`, `0`, `-1`, `1.5`, `12.0`, `1e30`, `""`, `"x"`, `"true"`, `"12"`, `"QUI"`, `"a b"`, `"\ud83d\ude00"`,
	`[]`, `[null]`, `["x"]`, `[1,{}]`, `[{}]`, `{}`, `{"a":null}`, `{"type":"object"}`, `{"type":"text","text":"x"}`,
	`"2026-01-12"`, `"2026-01-12T15:00:58"`, `"2026-02-30T15:00:58Z"`, `"2026-01-12T15:00Z"`,
}

// places returns the paths of all members and elements of a value.
func places(v any, at []any) (paths [][]any) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			paths = append(paths, append(slices.Clone(at), name))
			paths = append(paths, places(v[name], append(slices.Clone(at), name))...)
		}
	case []any:
		for i := range v {
			paths = append(paths, append(slices.Clone(at), i))
			paths = append(paths, places(v[i], append(slices.Clone(at), i))...)
		}
	}
	return paths
}

// with returns a copy of v in which odd replaces the value at path. If odd is empty, that member or element is removed
// instead.
func with(v any, path []any, odd string) any {
	if len(path) == 0 {
		return json.RawMessage(odd)
	}
	switch at := path[0].(type) {
	case string:
		of, ok := v.(map[string]any)
		if !ok {
			return v
		}
		out := maps.Clone(of)
		if out[at] = with(of[at], path[1:], odd); len(path) == 1 && odd == "" {
			delete(out, at)
		}
		return out
	case int:
		of, ok := v.([]any)
		if !ok || at >= len(of) {
			return v
		}
		out := slices.Clone(of)
		if len(path) == 1 && odd == "" {
			return slices.Delete(out, at, at+1)
		}
		out[at] = with(of[at], path[1:], odd)
		return out
	}
	return v
}

// example is a value with odd members, and its corrected form.
type example struct {
	kind     string
	from, to json.RawMessage
	changes  []Change
}

// mend returns a value in the form that clients get, or nil if clients do not get the value.
func mend(kind string, raw json.RawMessage) (out json.RawMessage, changes []Change) {
	switch kind {
	case "serverInfo":
		return Info("s", raw)
	case "capabilities":
		return Capabilities(raw)
	case "tools/call", "prompts/get", "resources/read", "completion/complete":
		out, changes, _ = Result(kind, Of{Server: "s", Name: "a://b"}, raw, false)
	default:
		out, changes, _ = Item(Kind(kind), raw)
	}
	return out, changes
}

// examples returns values with one odd member or element at each place, and values with
// several odd members or elements.
func examples(t *testing.T) (all []example) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, kind := range slices.Sorted(maps.Keys(whole)) {
		var value any
		if err := json.Unmarshal([]byte(whole[kind]), &value); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		add := func(v any) {
			var raw bytes.Buffer
			encoder := json.NewEncoder(&raw)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(v); err != nil {
				t.Fatal(err)
			}
			from := json.RawMessage(bytes.TrimSpace(raw.Bytes()))
			to, changes := mend(kind, from)
			all = append(all, example{kind, from, to, changes})
		}
		paths := append(places(value, nil), []any{})
		add(value)
		for _, path := range paths {
			for _, odd := range oddValues {
				if len(path) > 0 || odd != "" {
					add(with(value, path, odd))
				}
			}
		}
		for range 200 {
			v := value
			for range 2 + random.IntN(4) {
				path := paths[random.IntN(len(paths)-1)]
				v = with(v, path, oddValues[random.IntN(len(oddValues))])
			}
			add(v)
		}
	}
	return all
}

// judge runs a program that checks examples with the schemas of SDKs. It returns the refusals
// of each example before its correction (came) and after it (shown).
func judge(t *testing.T, cmd *exec.Cmd, examples []example) (came, shown []map[string]string) {
	t.Helper()
	var in bytes.Buffer
	for _, e := range examples {
		fmt.Fprintf(&in, `{"kind":%q,"value":%s}`+"\n"+`{"kind":%[1]q,"value":%[3]s}`+"\n", e.kind, e.from, e.to)
	}
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range slices.Collect(bytes.Lines(out)) {
		var refused map[string]string
		if err := json.Unmarshal(line, &refused); err != nil {
			t.Fatal(err)
		}
		if n%2 == 0 {
			came = append(came, refused)
		} else {
			shown = append(shown, refused)
		}
	}
	if len(shown) != len(examples) {
		t.Fatalf("%d answers about %d values", len(shown), len(examples))
	}
	return came, shown
}

// stricter matches changes that the installed versions of the SDKs do not need but other
// versions do.
var stricter = regexp.MustCompile(`^\[\S*(data|blob|\$schema|arguments\[0\]\.title) |uri is empty`)

// TestTheSDKsAcceptWhatIsShown compares the shapes with the schemas of the SDKs in both
// directions: the SDKs accept all corrected values, and values that they accept stay unchanged.
func TestTheSDKsAcceptWhatIsShown(t *testing.T) {
	all := examples(t)
	for _, e := range all {
		if again, changes := mend(e.kind, e.to); e.to != nil && (string(again) != string(e.to) || len(changes) > 0) {
			t.Errorf("mended twice, %s %s\nbecame %s, %v", e.kind, e.to, again, changes)
		}
		if e.to != nil && (len(e.changes) == 0 && string(e.to) != string(e.from) || !jsonrpc.Valid(e.to)) {
			t.Errorf("%s %s became %s without a change", e.kind, e.from, e.to)
		}
	}
	all = slices.DeleteFunc(all, func(e example) bool { return e.to == nil })
	accepted, sdks := make([]int, len(all)), 0
	ask := func(t *testing.T, cmd *exec.Cmd) {
		came, shown := judge(t, cmd, all)
		sdks++
		for i, e := range all {
			if len(shown[i]) > 0 {
				t.Errorf("%s %s\nis shown as %s\nand refused: %v", e.kind, e.from, e.to, shown[i])
			}
			if len(came[i]) == 0 {
				accepted[i]++
			}
		}
	}
	t.Run("TypeScript", func(t *testing.T) {
		folder := filepath.Dir(filepath.Dir(mcptest.Package(t, "@modelcontextprotocol", "client")))
		ask(t, exec.Command(mcptest.Node(t), filepath.Join("testdata", "accept.mjs"), folder))
	})
	t.Run("Python", func(t *testing.T) {
		python, env := mcptest.Python(t)
		cmd := exec.Command(python, filepath.Join("testdata", "accept.py"))
		cmd.Env = append(os.Environ(), "PYTHONPATH="+env["PYTHONPATH"])
		ask(t, cmd)
	})
	for i, e := range all {
		if sdks == 2 && accepted[i] == sdks && len(e.changes) > 0 && !stricter.MatchString(fmt.Sprint(e.changes)) {
			t.Errorf("%s %s\nneeds no change: %v", e.kind, e.from, e.changes)
		}
	}
}
