package mcpshape

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

func TestItemsThatClientsAcceptStayAsTheyAre(t *testing.T) {
	for kind, items := range map[Kind][]string{
		Tool: {
			`{ "name":"t", "x":9007199254740993, "inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"} }`,
			`{"name":"t","title":"T","description":"\u00e4 \ud83d\ude00 \\ud83d","outputSchema":{"type":"object"},` +
				`"inputSchema":{"type":"object","properties":{"a":{"type":["null","string"]}},"required":["a"],"$schema":"x","$defs":null}}`,
			`{"name":"t","inputSchema":{"type":"object"},"annotations":{"title":"T","readOnlyHint":true,"other":null},` +
				`"icons":[{"src":"data:,","sizes":["any"],"theme":"dark"}],"_meta":{"x":null}}`,
		},
		Prompt: {`{"name":"p","arguments":[],"description":""}`, `{"name":"p","arguments":[{"name":"x","required":false,"y":null}]}`},
		Resource: {
			`{"uri":"file:///x y","name":"r","size":0,"annotations":{"audience":[],"priority":0.5,"lastModified":"2026-01-12T15:00:58.25+02:00"}}`,
			`{"uri":"urn:x","name":""}`, `{"uri":"notes","name":"without a scheme"}`, `{"uri":"x://h/a b","name":"r","size":12.0}`,
			`{"uri":"http://[::1]:80/x","name":"r"}`,
		},
		Template: {`{"uriTemplate":"{+path}","name":"t"}`},
	} {
		for _, item := range items {
			got, changes, err := Item(kind, json.RawMessage(item))
			if err != nil || string(got) != strings.TrimSpace(item) || len(changes) > 0 {
				t.Errorf("%s\nbecame %s, %v, %v", item, got, changes, err)
			}
		}
	}
}

func TestMembersThatClientsRefuseAreMendedOrLeftOut(t *testing.T) {
	for _, row := range []struct {
		kind          Kind
		item, want    string
		first, second string // changes
	}{
		{
			Tool, `{"name":"t"}`, `{"name":"t","inputSchema":{"type":"object"}}`,
			"inputSchema is missing; shown as one that allows all arguments", "",
		},
		{
			Tool, `{"name":"t","description":null,"inputSchema":{"type":"object","required":["a",null]}}`,
			`{"name":"t","inputSchema":{"type":"object","required":["a"]}}`, "description is null; left out",
			"inputSchema.required[1] is null; left out",
		},
		{
			Tool, `{"name":"t","inputSchema":{"type":"object"},"annotations":{"title":null,"readOnlyHint":"true","idempotentHint":true}}`,
			`{"name":"t","inputSchema":{"type":"object"},"annotations":{"idempotentHint":true}}`, "annotations.title is null; left out",
			`annotations.readOnlyHint is the text "true"; left out`,
		},
		{
			Tool, `{"name":"t","inputSchema":{"type":"object","properties":{"a":false,"b":null}}}`,
			`{"name":"t","inputSchema":{"type":"object","properties":{"a":{"not":{}},"b":{}}}}`,
			`inputSchema.properties.a is false; shown as the schema {"not":{}}`,
			`inputSchema.properties.b is null; shown as the schema {}`,
		},
		{
			Tool, `{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":null}}`,
			`{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`, "outputSchema.required is null; left out",
			"",
		},
		{
			Tool, `{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"anyOf":[]}}`,
			`{"name":"t","inputSchema":{"type":"object"}}`, "outputSchema has no type object; left out", "",
		},
		{
			Tool, `{"name":"t","inputSchema":{"type":"object"},"icons":[{"mimeType":"x"},{"src":"y","sizes":"1x1"}]}`,
			`{"name":"t","inputSchema":{"type":"object"},"icons":[{"src":"y"}]}`, "icons[0] src is missing; left out",
			`icons[1].sizes is the text "1x1"; left out`,
		},
		{
			Tool, `{"name":"t","description":"\ud83d x \uDE00","inputSchema":{"type":"object"}}`,
			`{"name":"t","description":"\ufffd x \ufffd","inputSchema":{"type":"object"}}`,
			"has half a character (an unpaired surrogate); shown as U+FFFD", "",
		},
		{
			Tool, `{"name":"t","inputSchema":{"type":"object"},"_meta":` + strings.Repeat("[", 150) + strings.Repeat("]", 150) + `}`,
			`{"name":"t","inputSchema":{"type":"object"}}`, "_meta is nested too deeply; left out", "",
		},
		{
			Prompt, `{"name":"p","arguments":[{"name":"x","required":"true","description":null},{"title":"y"}]}`,
			`{"name":"p","arguments":[{"name":"x","required":true}]}`, "arguments[0].description is null; left out",
			`arguments[0].required is the text "true"; shown as true`,
		},
		{
			Prompt, `{"name":"p","arguments":{"x":{}},"_meta":null}`, `{"name":"p"}`, "arguments is an object; left out",
			"_meta is null; left out",
		},
		{
			Resource, `{"uri":"a:b","size":"12"}`, `{"uri":"a:b","size":12,"name":"a:b"}`, `name is missing; shown as the text "a:b"`,
			`size is the text "12"; shown as the number 12`,
		},
		{
			Resource, `{"uri":"a:b","name":null,"size":1.5}`, `{"uri":"a:b","name":"a:b"}`, `name is null; shown as the text "a:b"`,
			"size is the number 1.5; left out",
		},
		{
			Resource, `{"uri":"a:b","name":"n","annotations":{"audience":["user","all"],"priority":7}}`,
			`{"uri":"a:b","name":"n","annotations":{"audience":["user"]}}`, `annotations.audience[1] is the text "all"; left out`,
			"annotations.priority is the number 7; left out",
		},
		{
			Template, `{"uriTemplate":"a:{b}","mimeType":null}`, `{"uriTemplate":"a:{b}","name":"a:{b}"}`,
			`name is missing; shown as the text "a:{b}"`, "mimeType is null; left out",
		},
	} {
		got, changes, err := Item(row.kind, json.RawMessage(row.item))
		want := slices.DeleteFunc([]string{row.first, row.second}, func(s string) bool { return s == "" })
		if err != nil || string(got) != row.want || len(changes) < len(want) {
			t.Errorf("%s\nbecame %s, %v, %v", row.item, got, changes, err)
			continue
		}
		for i, text := range want {
			if changes[i].String() != text {
				t.Errorf("%s: change %d is %q, want %q", row.item, i, changes[i], text)
			}
		}
		again, changes, err := Item(row.kind, got)
		if err != nil || string(again) != string(got) || len(changes) > 0 {
			t.Errorf("mended twice, %s became %s, %v, %v", got, again, changes, err)
		}
	}
}

func TestItemsThatCannotBeMendedSayWhy(t *testing.T) {
	for item, want := range map[string]struct {
		kind Kind
		why  string
	}{
		`{"inputSchema":{}}`:            {Tool, "name is missing"},
		`{"name":5}`:                    {Tool, "name is the number 5"},
		`{"name":null}`:                 {Prompt, "name is null"},
		`{"name":"r"}`:                  {Resource, "uri is missing"},
		`{"uri":"","name":"r"}`:         {Resource, "uri is empty"},
		`{"uri":"x://a b/","name":"r"}`: {Resource, `uri is the text "x://a b/", which is no URI`},
		`{"uri":"x://h:99999/","n":1}`:  {Resource, `uri is the text "x://h:99999/", which is no URI`},
		`{"name":"t"}`:                  {Template, "uriTemplate is missing"},
		`null`:                          {Tool, "is null"},
		`["x"]`:                         {Prompt, "is a list"},
	} {
		if got, _, err := Item(want.kind, json.RawMessage(item)); err == nil || err.Error() != want.why {
			t.Errorf("%s became %s, %v", item, got, err)
		}
	}
}

func TestResultsThatClientsRefuseAreMended(t *testing.T) {
	for _, row := range []struct{ method, result, want string }{
		{
			"tools/call", `{"content":null,"structuredContent":{"a":1}}`,
			`{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}`,
		},
		{"tools/call", `{"structuredContent":{"a":1}}`, `{"structuredContent":{"a":1},"content":[{"type":"text","text":"{\"a\":1}"}]}`},
		{"tools/call", `{"content":[],"structuredContent":null,"isError":null,"_meta":null}`, `{"content":[]}`},
		{"tools/call", `{"content":[],"structuredContent":[1]}`, `{"content":[{"type":"text","text":"[1]"}]}`},
		{"tools/call", `{"content":[{"type":"text","text":"one"}],"structuredContent":1}`, `{"content":[{"type":"text","text":"one"}]}`},
		{"tools/call", `{"structuredContent":[1]}`, `{"content":[{"type":"text","text":"[1]"}]}`},
		{"tools/call", `{"toolResult":{"a":1}}`, `{"toolResult":{"a":1},"content":[{"type":"text","text":"{\"a\":1}"}]}`},
		{"tools/call", `{"content":"x","isError":"true"}`, `{"content":[{"type":"text","text":"x"}],"isError":true}`},
		{"tools/call", `{"content":{"type":"text","text":"x","annotations":null}}`, `{"content":[{"type":"text","text":"x"}]}`},
		{
			"tools/call", `{"content":[{"type":"chart","x":1},{"text":"y"}]}`,
			`{"content":[{"type":"text","text":"{\"type\":\"chart\",\"x\":1}"},{"text":"y","type":"text"}]}`,
		},
		{
			"tools/call", `{"content":[{"type":"text","text":"x"},{"type":"image","data":"AAAA"}]}`,
			`{"content":[{"type":"text","text":"x"},` +
				`{"type":"text","text":"The server \"s\" sent an item of content that clients refuse, which was left out: mimeType is missing."}]}`,
		},
		{
			"tools/call", `{"content":[{"type":"image","data":"a-_b","mimeType":"x"}]}`,
			`{"content":[{"type":"image","data":"a+/b","mimeType":"x"}]}`,
		},
		{"tools/call", `{"content":[{"type":"resource","resource":{"uri":null,"text":"y"}}]}`, `{"content":[{"type":"text","text":"y"}]}`},
		{"tools/call", `{"content":[],"_meta":{"progressToken":null,"x":null}}`, `{"content":[],"_meta":{"x":null}}`},
		{
			"tools/call", `{"content":[{"type":"resource_link","uri":"a:b"}]}`,
			`{"content":[{"type":"resource_link","uri":"a:b","name":"a:b"}]}`,
		},
		{
			"prompts/get", `{"description":null,"messages":[{"role":"user","content":"x"}]}`,
			`{"messages":[{"role":"user","content":{"type":"text","text":"x"}}]}`,
		},
		{
			"prompts/get", `{"messages":[{"role":"user","content":[{"type":"text","text":"x"},"y"]}]}`,
			`{"messages":[{"role":"user","content":{"type":"text","text":"x"}},{"role":"user","content":{"type":"text","text":"y"}}]}`,
		},
		{"resources/read", `{"contents":[{"text":"x","mimeType":null}]}`, `{"contents":[{"text":"x","uri":"n:1"}]}`},
		{"resources/read", `{"contents":{"uri":"n:1","blob":"QUI"}}`, `{"contents":[{"uri":"n:1","blob":"QUI="}]}`},
		{
			"prompts/list", `{"prompts":[{"name":"a"},{"name":null},{"name":"b","title":null}],"nextCursor":null}`,
			`{"prompts":[{"name":"a"},{"name":"b"}]}`,
		},
		{"completion/complete", `{}`, `{"completion":{"values":[]}}`},
		{"completion/complete", `{"completion":{"values":["a",1],"total":"2"}}`, `{"completion":{"values":["a"],"total":2}}`},
		{
			"completion/complete", `{"completion":{"values":[` + strings.Repeat(`"a",`, 100) + `"a"]}}`,
			`{"completion":{"values":[` + strings.Repeat(`"a",`, 99) + `"a"]}}`,
		},
		{"resources/list", `{"nextCursor":"x"}`, `{"nextCursor":"x","resources":[]}`},
	} {
		of := Of{Server: "s", Name: "n:1"}
		got, changes, err := Result(row.method, of, json.RawMessage(row.result), false)
		if err != nil || string(got) != row.want || len(changes) == 0 {
			t.Errorf("%s became\n%s, want\n%s, %v, %v", row.result, got, row.want, changes, err)
			continue
		}
		if again, _, err := Result(row.method, of, got, false); err != nil || string(again) != row.want {
			t.Errorf("mended twice, %s became %s, %v", got, again, err)
		}
	}
}

func TestResultsThatClientsAcceptStayAsTheyAre(t *testing.T) {
	for _, row := range []struct {
		method, result string
		modern         bool
	}{
		{"tools/call", ` { "content" : [ {"type":"text","text":"\ud83d\ude00 \\ud83d 1.0"} ], "x" : null, "x" : 1E3 } `, false},
		{"tools/call", `{"content":[{"type":"image","data":"QUJDRA==","mimeType":""}],"isError":false,"structuredContent":{}}`, false},
		{"tools/call", `{"content":[{"type":"image","data":"QU\/D","mimeType":"image\/png"}]}`, false},
		{"tools/call", `{"content":[],"structuredContent":[1]}`, true},
		{"tools/call", `{"resultType":"input_required","inputRequests":{}}`, true},
		{"tools/call", `{"task":{"taskId":"1"}}`, false},
		{"prompts/get", `{"messages":[]}`, false},
		{"resources/read", `{"contents":[{"uri":"a:b","text":"","blob":null}]}`, false},
		{"resources/templates/list", ` {"resourceTemplates" : [ {"uriTemplate":"a:{b}", "name":"t"} ], "nextCursor":""}`, false},
		{"completion/complete", `{"completion" : {"values":["a"],"total":1,"hasMore":false}}`, false},
		{"vendor/method", `null`, false},
	} {
		got, changes, err := Result(row.method, Of{Server: "s"}, json.RawMessage(row.result), row.modern)
		if err != nil || string(got) != row.result || len(changes) > 0 {
			t.Errorf("%s became %s, %v, %v", row.result, got, changes, err)
		}
	}
}

func TestResultsThatSayNothingAreErrors(t *testing.T) {
	for result, want := range map[string][2]string{
		`{}`:                             {"tools/call", "content is missing"},
		`{"content":null}`:               {"tools/call", "content is null"},
		`{"content":[{"type":"image"}]}`: {"tools/call", "content [0] data is missing"},
		`{"messages":null}`:              {"prompts/get", "messages is null"},
		`{"messages":[{"role":"system","content":"x"}]}`: {"prompts/get", `messages [0].role is the text "system"`},
		`{"contents":[{"uri":"a:b"}]}`:                   {"resources/read", "contents [0] text is missing"},
	} {
		if got, _, err := Result(want[0], Of{Server: "s"}, json.RawMessage(result), false); err == nil || err.Error() != want[1] {
			t.Errorf("%s became %s, %v, want %q", result, got, err, want[1])
		}
	}
}

func TestWhatAServerSaysAboutItselfIsMended(t *testing.T) {
	info, changes := Info("s", json.RawMessage(`{"title":null,"version":1}`))
	if string(info) != `{"version":"","name":"s"}` || len(changes) != 3 {
		t.Errorf("serverInfo became %s, %v", info, changes)
	}
	if info, _ := Info("s", nil); string(info) != `{"name":"s","version":""}` {
		t.Errorf("missing serverInfo became %s", info)
	}
	declared := `{"tools":{"listChanged":null},"prompts":true,"logging":null,"experimental":{"a":{},"b":1},"vendor":null}`
	capabilities, changes := Capabilities(json.RawMessage(declared))
	if string(capabilities) != `{"tools":{},"prompts":{},"experimental":{"a":{}},"vendor":null}` || len(changes) != 4 {
		t.Errorf("capabilities became %s, %v", capabilities, changes)
	}
	for _, raw := range []string{`{"tools":{},"resources":{"subscribe":true},"tasks":{"list":{}},"x":1}`, `{}`} {
		if same, changes := Capabilities(json.RawMessage(raw)); string(same) != raw || len(changes) > 0 {
			t.Errorf("%s became %s, %v", raw, same, changes)
		}
	}
}

func TestRecordedToolsStayAsTheyAre(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(reference.Path(t, "catalog"), "*.json"))
	tools := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for definition := range jsonrpc.Items(jsonrpc.Get(data, "tools")) {
			tools++
			if jsonrpc.Get(jsonrpc.Get(definition, "inputSchema"), "type") == nil {
				continue // some servers leave it out, and SDKs refuse that
			}
			if got, changes, err := Item(Tool, definition); err != nil || string(got) != string(definition) {
				t.Errorf("%s %s: %v %v", filepath.Base(file), jsonrpc.GetString(definition, "name"), changes, err)
			}
		}
	}
	if tools < 500 {
		t.Fatalf("only %d tools were read", tools)
	}
}

func FuzzResultsAndItemsNeverPanic(f *testing.F) {
	for _, seed := range []string{
		`{"name":"x","inputSchema":{"type":"object","properties":{"a":null}}}`,
		`{"content":[{"type":"text"},null,"x"]}`, `{"messages":[{"content":[]}]}`, `{"contents":[{}]}`, ` `, `"\ud83d"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !jsonrpc.Valid(data) {
			return
		}
		for kind := range items {
			if out, _, err := Item(kind, data); err == nil && !jsonrpc.Valid(out) {
				t.Errorf("%s %s became %s", kind, data, out)
			}
		}
		for _, method := range []string{"tools/call", "prompts/get", "resources/read", "completion/complete", "tools/list"} {
			if out, _, err := Result(method, Of{Server: "s"}, data, false); err == nil && !jsonrpc.Valid(out) {
				t.Errorf("%s %s became %s", method, data, out)
			}
		}
		_, _ = Info("s", data)
		_, _ = Capabilities(data)
	})
}

// BenchmarkLongResult measures the check of results of 30 MB and, for comparison, the
// validation that the hub does with each message anyway.
func BenchmarkLongResult(b *testing.B) {
	for name, result := range map[string]string{
		"image":      `{"content":[{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("QUJD", 30<<20/4) + `"}]}`,
		"text":       `{"content":[{"type":"text","text":"` + strings.Repeat(`a line of text\n`, 2<<20) + `"}]}`,
		"structured": `{"content":[],"structuredContent":{"rows":[` + strings.Repeat(`{"n":1,"text":"some words"},`, 1<<20) + `{}]}}`,
	} {
		raw := json.RawMessage(result)
		b.Run(name+" valid", func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if !jsonrpc.Valid(raw) {
					b.Fatal("not valid")
				}
			}
		})
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Result("tools/call", Of{}, raw, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
