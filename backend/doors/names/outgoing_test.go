package names

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// rows are messages with names in all places, by method. The marks ‹ and › surround the text that Outgoing
// inserts for the server gh; the original message does not have this text.
var rows = []struct{ method, message string }{
	{
		"resources/list",
		`{"resources":[{"uri":"‹gh+›file:///a","name":"file:///a","_meta":{"uri":"file:///a"}},{"uri":"ui://‹gh+›a/x"}],"nextCursor":"a"}`,
	},
	{"resources/directory/read", `{"resources":[{"uri":"skill://‹gh/›p/a.md","mimeType":"text/markdown"}]}`},
	{
		"resources/templates/list",
		`{"resourceTemplates":[{"uriTemplate":"‹gh+›file:///{path}","uri":"file:///a"},{"uriTemplate":"‹gh+x-ref:›{path}"}]}`,
	},
	{"resources/read", `{"contents":[{"uri":"‹gh+›file:///a","text":"file:///a","blob":"file:///a"}],"ttlMs":1}`},
	{
		"resources/read",
		`{"contents":[{"uri":"ui:\/\/‹gh+›a\/x"},{"uri":"\u0075i:/\u002f‹gh+›a"},{"\u0075ri":"‹gh+›a:\u00e9"},{"uri":"‹gh+x-ref:›\u00e9:a"},{"uri":"‹gh+x-ref:›\n:a"}]}`,
	},
	{"notifications/resources/updated", ` { "uri" : "‹gh+›file:///a" } `},
	{
		"tools/list",
		`{"tools":[{"name":"a","description":"file:///a","inputSchema":{"_meta":{"ui/resourceUri":"ui://a"}},"_meta":{"ui":{"resourceUri":"ui://‹gh+›a/x","domain":"ui://a","csp":{"resourceUri":"ui://a"}},"ui/resourceUri":"ui://‹gh+›a/x","openai/outputTemplate":"ui://‹gh+›widget/w.html"}}]}`,
	},
	{
		"tools/call",
		`{"content":[{"type":"text","text":"file:///a","uri":"file:///a","resource":{"uri":"file:///a"}}],"structuredContent":{"uri":"file:///a","content":[{"type":"resource_link","uri":"file:///a"}]}}`,
	},
	{
		"tools/call",
		`{"content":[{"uri":"‹gh+›file:///a","type":"resource_link","icons":[{"src":"https://a"}]},{"type":"resource","resource":{"uri":"‹gh+›file:///b","text":"file:///a"},"uri":"file:///a"},{"type":"image","data":"ui://a"}]}`,
	},
	{
		"tools/call",
		`{"content":[{"type":"re\u0073ource_link","uri":"‹gh+›file:///a"},{"type":"text","uri":"file:///a","type":"resource_link","uri":"‹gh+›file:///a"}]}`,
	},
	{
		"tools/call",
		`{"_meta":{"ui":{"resourceUri":"ui://‹gh+›a/x"},"ui/resourceUri":"ui://‹gh+›a/x","openai/outputTemplate":"ui://‹gh+›a/x"},"content":[]}`,
	},
	{"tools/call", `{"resultType":"task","taskId":"‹gh+›t+1","status":"working"}`},
	{"tools/call", `{"task":{"taskId":"‹gh+›t1","status":"working","uri":"file:///a"}}`},
	{
		"tools/call",
		`{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"resource_link","uri":"‹gh+›file:///a"}}]}},"b":{"method":"elicitation/create","params":{"url":"https://a","message":"file:///a"}},"uri":{"method":"roots/list"}},"requestState":"file:///a"}`,
	},
	{
		"prompts/get",
		`{"description":"file:///a","messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"‹gh+›file:///a"}}},{"content":[{"type":"resource_link","uri":"skill://‹gh/›p"}]}]}`,
	},
	{
		"sampling/createMessage",
		`{"systemPrompt":"file:///a","messages":[{"content":[{"type":"tool_result","content":[{"type":"resource_link","uri":"‹gh+›file:///a"},{"type":"tool_result","content":[{"type":"resource_link","uri":"file:///a"}]}],"structuredContent":{"uri":"a:"}},{"type":"tool_use","input":{"uri":"file:///a"},"content":[{"type":"resource_link","uri":"a:"}]}]}]}`,
	},
	{
		"tasks/get",
		`{"taskId":"‹gh+›t1","status":"completed","statusMessage":"file:///a","result":{"content":[{"type":"resource_link","uri":"‹gh+›file:///a"}],"contents":[{"uri":"‹gh+›file:///a"}],"messages":[{"content":{"type":"resource_link","uri":"‹gh+›file:///a"}}],"_meta":{"ui":{"resourceUri":"ui://‹gh+›a"}}}}`,
	},
	{
		"tasks/get",
		`{"taskId":"‹gh+›t1","inputRequests":{"a":{"params":{"messages":[{"content":{"type":"resource_link","uri":"‹gh+›file:///a"}}]}}}}`,
	},
	{"tasks/cancel", `{"taskId":"‹gh+›t1","status":"cancelled"}`},
	{"tasks/list", `{"tasks":[{"taskId":"‹gh+›t1"},{"taskId":"‹gh+›x-ref:t2"}]}`},
	{
		"tasks/result",
		`{"content":[{"type":"resource_link","uri":"‹gh+›file:///a"}],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"‹gh+›t1"}}}`,
	},
	{
		"notifications/tasks",
		`{"taskId":"‹gh+›t1","status":"completed","result":{"content":[{"type":"resource","resource":{"uri":"‹gh+›file:///a"}}]}}`,
	},
	{"notifications/tasks/status", `{"taskId":"‹gh+›t1","status":"working"}`},
	{
		"notifications/subscriptions/acknowledged",
		`{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["‹gh+›file:///a","ui://‹gh+›a"],"taskIds":["‹gh+›ui://t1"]},"taskIds":["t1"]}`,
	},
	{
		"skills/list",
		`{"skills":[{"uri":"skill://‹gh/›p/SKILL.md","frontmatter":{"uri":"skill://p"},"resources":[{"uri":"skill://‹gh/›p/SKILL.md","digest":"sha256:a"}]},{"uri":"‹gh+›github://a/SKILL.md","resources":"dynamic"}]}`,
	},
	{"skills/get", `{"skill":{"uri":"skill://‹gh/›p/SKILL.md","resources":[{"uri":"skill://‹gh/›p/SKILL.md"}]}}`},
	{
		"notifications/progress",
		`{"progressToken":1,"message":"file:///a","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"‹gh+›t1"},"ui/resourceUri":"ui://a"}}`,
	},
	{"elicitation/create", `{"mode":"url","url":"https://a","uri":"file:///a","elicitationId":"1"}`},
	{"completion/complete", `{"completion":{"values":["file:///a"]}}`},
	{"roots/list", `{"roots":[{"uri":"file:///a"}]}`},
	{"initialize", `{"instructions":"file:///a","uri":"file:///a"}`},
}

var (
	original = strings.NewReplacer("‹gh+x-ref:›", "", "‹gh+›", "", "‹gh/›", "")
	asShown  = strings.NewReplacer("‹", "", "›", "")
)

func TestEachPlaceIsRewritten(t *testing.T) {
	for _, row := range rows {
		message, want := original.Replace(row.message), asShown.Replace(row.message)
		if got := Outgoing("gh", row.method, json.RawMessage(message)); string(got) != want {
			t.Errorf("%s %s\nbecomes %s\nwant    %s", row.method, message, got, want)
		}
	}
}

func TestTextThatLooksLikeAURIStays(t *testing.T) {
	for _, uri := range []string{
		"file:///a", "ui://a/x", "skill://p/SKILL.md", "gh+file:///a", `{\"uri\":\"file:///a\"}`,
		`{\"type\":\"resource_link\",\"uri\":\"a:\"}`,
	} {
		block := `{"type":"text","text":"U","uri":"U","resource":{"uri":"U"},"content":[{"type":"resource_link","uri":"U"}],"_meta":{"uri":"U","ui":{"resourceUri":"U"}},"annotations":{"uri":"U"}}`
		for _, message := range []string{
			`{"content":[` + block +
				`,{"type":"image","data":"U"},{"type":"tool_use","id":"U","input":{"uri":"U"}},{"type":"other","uri":"U"}]}`,
			`{"structuredContent":{"uri":"U","content":[{"type":"resource_link","uri":"U"}],"taskId":"U","_meta":{"ui/resourceUri":"U"}}}`,
			`{"contents":[{"text":"U","blob":"U","name":"U","_meta":{"ui":{"domain":"U","csp":["U"]}}}],"nextCursor":"U","requestState":"U"}`,
			`{"messages":[{"role":"user","content":` + block + `,"uri":"U"}],"systemPrompt":"U","description":"U"}`,
			`{"tools":[{"name":"U","description":"U","inputSchema":{"default":"U","properties":{"uri":{"const":"U"}}},"icons":[{"src":"U"}],"uri":"U"}]}`,
			`{"resources":[{"name":"U","title":"U","description":"U","icons":[{"src":"U"}],"size":1}]}`,
			`{"skills":[{"frontmatter":{"uri":"U","resources":[{"uri":"U"}]},"resources":"U"}]}`,
			`{"result":{"structuredContent":{"uri":"U"},"content":[` + block + `]},"statusMessage":"U","error":{"data":{"uri":"U"}}}`,
			`{"message":"U","url":"U","instructions":"U","data":{"uri":"U"},"completion":{"values":["U"]},"roots":[{"uri":"U"}]}`,
		} {
			message = strings.ReplaceAll(message, "U\"", uri+"\"")
			for method := range shown {
				if got := Outgoing("gh", method, json.RawMessage(message)); string(got) != message {
					t.Errorf("%s %s\nbecomes %s", method, message, got)
				}
			}
		}
	}
}

func TestAMessageWithoutNamesIsTheSameSlice(t *testing.T) {
	for method := range shown {
		message := json.RawMessage(`{"content":[{"type":"text","text":"file:///a"}], "structuredContent" : {"uri":"file:///a"}}`)
		if got := Outgoing("gh", method, message); &got[0] != &message[0] || len(got) != len(message) {
			t.Errorf("%s is copied", method)
		}
		if allocations := testing.AllocsPerRun(10, func() { Outgoing("gh", method, message) }); allocations > 0 {
			t.Errorf("%s allocates %v times", method, allocations)
		}
	}
}

func TestUnexpectedTypesAndInvalidMessagesStay(t *testing.T) {
	values := []string{
		`null`, `7`, `true`, `"a:"`, `[]`, `{}`, `[null]`, `[["a:"]]`, `[{"uri":7}]`, `{"uri":["a:"]}`,
		`[{"type":7,"resource":{"uri":"a:"}}]`, `[{"type":"resource","resource":"a:"}]`, `[{"type":"resource","resource":["a:"]}]`,
		`[{"type":"tool_result","content":"a:"}]`,
	}
	names := []string{
		"content", "messages", "contents", "resources", "tools", "resourceTemplates", "skills", "_meta", "task", "tasks", "notifications",
		"inputRequests", "result",
	}
	for method := range shown {
		for _, value := range values {
			for _, name := range names {
				message := `{"` + name + `":` + value + `}`
				if got := Outgoing("gh", method, json.RawMessage(message)); string(got) != message {
					t.Errorf("%s %s becomes %s", method, message, got)
				}
			}
			if got := Outgoing("gh", method, json.RawMessage(value)); string(got) != value {
				t.Errorf("%s %s becomes %s", method, value, got)
			}
		}
	}
	for _, message := range []string{
		``, ` `, `{`, `{"contents":[{"uri":"a:"}`, `{"contents":[{"uri":"a:"}]}]`, `{"contents":[{"uri":"a:"}],}`,
		`{"contents":[{"uri":"a:"}],"x":tru}`, `{"contents":[{"uri":"a:","uri":"\x"}]}`, "{\"contents\":[{\"uri\":\"a:\xff\"}]}",
		`{"contents":[{"uri":"a:`,
	} {
		if got := Outgoing("gh", "resources/read", json.RawMessage(message)); string(got) != message {
			t.Errorf("%s becomes %s", message, got)
		}
	}
}

func FuzzOutgoing(f *testing.F) {
	for _, row := range rows {
		f.Add(row.method, []byte(original.Replace(row.message)))
	}
	f.Fuzz(func(t *testing.T, method string, message []byte) { onlyNamesChange(t, method, message) })
}

// inserted is the slug that onlyNamesChange inserts into messages. No message contains it already.
const inserted = "zq.zq-zq"

var withoutInserted = strings.NewReplacer(inserted+"+x-ref:", "", inserted+"+", "", inserted+"/", "")

// ambiguous reports whether withoutInserted could remove bytes of a message.
func ambiguous(message string) bool {
	return strings.Contains(message, "zq") || strings.Contains(message, "x-ref:")
}

// onlyNamesChange checks that Outgoing changes a message only by inserting slugs.
func onlyNamesChange(t *testing.T, method string, message []byte) {
	before := string(message)
	got := string(Outgoing(inserted, method, message))
	if string(message) != before {
		t.Fatalf("%s: the original %q has become %q", method, before, message)
	}
	if ambiguous(before) {
		return
	}
	if withoutInserted.Replace(got) != before {
		t.Errorf("%s %q becomes %q", method, before, got)
	}
	if valid := jsonrpc.Valid(message); valid != jsonrpc.Valid([]byte(got)) || !valid && got != before {
		t.Errorf("%s %q becomes %q", method, before, got)
	}
}
