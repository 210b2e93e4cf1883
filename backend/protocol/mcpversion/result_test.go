package mcpversion

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

var hub = Hop{ServerInfo: json.RawMessage(`{"name":"hub"}`), TTLMs: 60000, Private: true}

const (
	hubInfo  = `"io.modelcontextprotocol/serverInfo":{"name":"hub"}`
	hubCache = `"ttlMs":60000,"cacheScope":"private"`
)

func TestCompleteAddsWhatAModernResultNeeds(t *testing.T) {
	for _, test := range []struct{ method, legacy, want string }{
		{"tools/call", `{"content":[ ]}`, `{"content":[ ],"resultType":"complete","_meta":{` + hubInfo + `}}`},
		{
			"tools/list", `{ "tools" : [{"resultType":1.0}] }`, `{"tools" : [{"resultType":1.0}],"resultType":"complete",` + hubCache +
				`,"_meta":{` + hubInfo + `}}`,
		},
		{
			"resources/read", `{"_meta":{"a":1},"contents":[]}`, `{"_meta":{"a":1,` + hubInfo + `},"contents":[],"resultType":"complete",` +
				hubCache + `}`,
		},
		{"tools/call", `{"resultType":"input_required","ttlMs":5}`, `{"ttlMs":5,"resultType":"complete","_meta":{` + hubInfo + `}}`},
		{
			"prompts/list", `{"ttlMs":-1,"prompts":[],"cacheScope":"public"}`, `{"prompts":[],"resultType":"complete",` + hubCache +
				`,"_meta":{` + hubInfo + `}}`,
		},
		{"completion/complete", `{}`, `{"resultType":"complete","_meta":{` + hubInfo + `}}`},
	} {
		if got := string(Complete(test.method, json.RawMessage(test.legacy), hub)); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.legacy, got, test.want)
		}
	}
	if got := string(Complete("tools/list", json.RawMessage(`{}`),
		Hop{TTLMs: -5})); got != `{"resultType":"complete","ttlMs":0,"cacheScope":"public"}` {
		t.Errorf("got %s", got)
	}
}

func TestOnlySixMethodsHaveResultsThatMayBeCached(t *testing.T) {
	for method, want := range map[string]bool{
		"server/discover": true, "tools/list": true, "prompts/list": true, "resources/list": true, "resources/templates/list": true,
		"resources/read": true, "tools/call": false, "prompts/get": false, "completion/complete": false, "subscriptions/listen": false,
		"tasks/get": false, "": false,
	} {
		if got := jsonrpc.Get(Complete(method, nil, hub), "ttlMs") != nil; got != want {
			t.Errorf("%s: cached %v, want %v", method, got, want)
		}
	}
}

func TestPlainRemovesWhatALegacyResultLacks(t *testing.T) {
	for _, test := range []struct{ modern, want string }{
		{
			`{"resultType":"complete","tools":[{"ttlMs":1,"_meta":{` + hubInfo + `}}],"ttlMs":1,"cacheScope":"public","_meta":{` + hubInfo +
				`}}`, `{"tools":[{"ttlMs":1,"_meta":{` + hubInfo + `}}]}`,
		},
		{`{"_meta":{` + hubInfo + `, "ui":{"a":1.0}},"content":[]}`, `{"_meta":{"ui":{"a":1.0}},"content":[]}`},
		{
			`{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"1"}}}`,
			`{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"1"}}}`,
		},
		{`{"content":[] , "isError":false}`, `{"content":[] , "isError":false}`},
		{`{"resultType":"complete"}`, `{}`},
	} {
		if got := string(Plain(json.RawMessage(test.modern))); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.modern, got, test.want)
		}
	}
}

func TestRestampKeepsTheTypeAndTheTime(t *testing.T) {
	public := Hop{TTLMs: 60000}
	for _, test := range []struct {
		method string
		hop    Hop
		result string
		want   string
	}{
		{
			"tools/call", hub,
			`{"resultType":"input_required","requestState":"s","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"x"}}}`,
			`{"resultType":"input_required","requestState":"s","_meta":{` + hubInfo + `}}`,
		},
		{
			"resources/read", hub, `{"resultType":"input_required","ttlMs":1,"requestState":""}`,
			`{"resultType":"input_required","requestState":"","_meta":{` + hubInfo + `}}`,
		},
		{"tools/call", public, `{"resultType":"task","task":{"ttlMs":1}}`, `{"resultType":"task","task":{"ttlMs":1}}`},
		{"tools/call", public, `{"content":[]}`, `{"content":[],"resultType":"complete"}`},
		{
			"resources/read", public, `{"resultType":"complete","ttlMs":5,"cacheScope":"private"}`,
			`{"resultType":"complete","ttlMs":5,"cacheScope":"private"}`,
		},
		{
			"resources/read", public, `{"resultType":"complete","ttlMs":5,"cacheScope":"public"}`,
			`{"resultType":"complete","ttlMs":5,"cacheScope":"public"}`,
		},
		{
			"tools/list", hub, `{"resultType":"complete","ttlMs":0,"cacheScope":"public"}`,
			`{"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{` + hubInfo + `}}`,
		},
		{"tools/list", public, `{"resultType":"complete","ttlMs":-1}`, `{"resultType":"complete","ttlMs":60000,"cacheScope":"public"}`},
	} {
		if got := string(Restamp(test.method, json.RawMessage(test.result), test.hop)); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.result, got, test.want)
		}
	}
}

func TestTheSDKReadsACompleteResult(t *testing.T) {
	var list mcp.ListToolsResult
	raw := Complete("tools/list", json.RawMessage(`{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`), hub)
	if err := json.Unmarshal(raw, &list); err != nil || list.TTLMs != 60000 || list.CacheScope != "private" || len(list.Tools) != 1 ||
		list.Meta[mcp.MetaKeyServerInfo] == nil {
		t.Errorf("the SDK reads %s as %+v, %v", raw, list, err)
	}
}

func FuzzPlainUndoesComplete(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `{"content":[{"type":"text","text":"\u00e9"}],"n":1.0}`, `{"_meta":{"a":1},"_meta":{}}`, `{"_meta":null,"x":1}`, `[]`,
		`{ "_meta" : {"io.modelcontextprotocol/related-task":{} } , "tools":[{"x":1e400}] }`, `{"tools":`, `{"resultType":"task"}`,
	} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, list bool) {
		method := "tools/call"
		if list {
			method = "tools/list"
		}
		modern := Complete(method, data, hub)
		legacy := Plain(modern)
		restamped := Restamp(method, modern, hub)
		_, _ = Restamp(method, data, hub), Plain(data)
		_, _ = ReadDiscover(data)
		if !jsonrpc.Valid(data) {
			return // invalid JSON only must not cause a panic
		}
		if !jsonrpc.Valid(modern) || ResultType(modern) != TypeComplete {
			t.Fatalf("%q became %q", data, modern)
		}
		if again := Complete(method, modern, hub); !maps.Equal(members(again, none), members(modern, none)) {
			t.Errorf("completed twice: %q, once: %q", again, modern)
		}
		if !maps.Equal(members(restamped, none), members(modern, none)) {
			t.Errorf("restamped: %q, completed: %q", restamped, modern)
		}
		added := func(key string) bool { return key == "_meta" || isModern([]byte(key)) }
		if got, want := members(legacy, added), members(data, added); !jsonrpc.Valid(legacy) || !maps.Equal(got, want) {
			t.Errorf("%q became %q", data, legacy)
		}
		ofHop := func(key string) bool { return ofHop([]byte(key)) }
		if got, want := members(jsonrpc.Get(legacy, "_meta"), none), members(jsonrpc.Get(data, "_meta"), ofHop); !maps.Equal(got, want) {
			t.Errorf("_meta of %q became %q", data, legacy)
		}
	})
}

func none(string) bool { return false }
