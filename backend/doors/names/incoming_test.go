package names

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestEachPlaceLeadsBack(t *testing.T) {
	for _, row := range []struct{ method, message, slug string }{
		{"resources/read", `{"uri":"‹gh+›file:///a","_meta":{"uri":"gh+file:///a"}}`, "gh"},
		{"resources/read", `{ "uri" : "ui:\/\/‹gh\u002b›a\/x" , "n":1.0}`, "gh"},
		{"resources/subscribe", `{"uri":"skill://‹gh/›p/SKILL.md"}`, "gh"},
		{"resources/unsubscribe", `{"uri":"‹gh+x-ref:›a"}`, "gh"},
		{"resources/directory/read", `{"uri":"skill://‹gh/›p","cursor":"gh+a"}`, "gh"},
		{"skills/get", `{"uri":"skill://‹gh/›p/SKILL.md"}`, "gh"},
		{"resources/read", `{"uri":"‹svn+›ssh://host/x"}`, "svn"},
		{
			"completion/complete",
			`{"ref":{"type":"ref/resource","uri":"‹gh+›file:///{path}","name":"gh__a"},"argument":{"name":"gh__a","value":"gh+a:"}}`, "gh",
		},
		{"completion/complete", `{"ref":{"name":"‹gh__›a","type":"ref/prompt","uri":"gh+a:"}}`, "gh"},
		{"completion/complete", `{"ref":{"name":"gh__a","type":"ref/tool","uri":"gh+a:"}}`, ""},
		{"tasks/get", `{"taskId":"‹gh+›t1"}`, "gh"},
		{"tasks/result", `{"taskId":"‹gh+›t+1","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"‹gh+›t+1"}}}`, "gh"},
		{"tasks/cancel", `{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"‹gh+›t1"}},"taskId":"‹gh+›t1"}`, "gh"},
		{"tasks/update", `{"taskId":"‹gh+›x-ref:t1","inputResponses":{"a":{"uri":"gh+a:","taskId":"gh+1"}}}`, "gh"},
		{"resources/read", `{"uri":"‹gh+›a:","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"a+t1"}}}`, "gh"},
		{
			"sampling/createMessage",
			`{"content":{"type":"text","text":"gh+a:"},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"‹gh+›t1"}}}`, "gh",
		},
		{"sampling/createMessage", `{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"of the client"}}}`, ""},
		{"notifications/tasks/status", `{"taskId":"gh+t1"}`, ""}, // a task of the client
		{"tools/call", `{"name":"gh__a","arguments":{"uri":"gh+file:///a"}}`, ""},
		{"prompts/get", `{"name":"gh__a","arguments":{"uri":"gh+file:///a"}}`, ""},
		{"resources/list", `{"cursor":"gh+a"}`, ""},
		{"resources/read", `{"uri":7}`, ""},
		{"resources/read", `{}`, ""},
		{"resources/read", `["gh+a:"]`, ""},
		{"resources/read", `null`, ""},
		{"resources/read", ``, ""},
		{"resources/read", `{"uri":"gh+a:"`, ""},
		{"completion/complete", `{"ref":"gh+a:"}`, ""},
		{"tasks/get", `{"taskId":null}`, ""},
	} {
		start, sent := row.message, asShown.Replace(row.message)
		for strings.Contains(start, "‹") {
			before, rest, _ := strings.Cut(start, "‹")
			_, after, _ := strings.Cut(rest, "›")
			start = before + after
		}
		params := json.RawMessage(sent)
		slug, got, err := servers.Incoming(row.method, params)
		if slug != row.slug || string(got) != start || err != nil {
			t.Errorf("%s %s\nbecomes %s of %q, %v\nwant    %s of %q", row.method, sent, got, slug, err, start, row.slug)
		}
		if sent == start && len(got) > 0 && &got[0] != &params[0] {
			t.Errorf("%s %s is copied", row.method, sent)
		}
	}
}

func TestNamesOfNoServerAreErrors(t *testing.T) {
	for _, row := range [][2]string{
		{"resources/read", `{"uri":"none+a:"}`},
		{"resources/read", `{"uri":"file:///two"}`},
		{"resources/read", `{"uri":"gh\\u002ba:"}`},
		{"tasks/get", `{"taskId":"t1"}`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"none"}}`},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"none"}}`},
	} {
		if slug, out, err := servers.Incoming(row[0], json.RawMessage(row[1])); slug != "" || string(out) != row[1] || err == nil {
			t.Errorf("%s %s becomes %s of %q, %v", row[0], row[1], out, slug, err)
		}
	}
}

func FuzzIncoming(f *testing.F) {
	for _, message := range []string{
		`{"uri":"gh+a:"}`, `{"uri":"\u0067h+x-ref:a"}`, `{"ref":{"type":"ref/prompt","name":"gh__é"}}`,
		`{"taskId":"gh+1","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"gh+1"}}}`,
		`{"notifications":{"resourceSubscriptions":["gh+a:","b"],"taskIds":["a+1"]}}`,
	} {
		for _, method := range []string{"resources/read", "tasks/get", "completion/complete"} {
			f.Add(method, []byte(message))
		}
	}
	f.Fuzz(func(t *testing.T, method string, params []byte) {
		before := string(params)
		slug, got, err := servers.Incoming(method, params)
		if string(params) != before || json.Valid(params) && !json.Valid(got) || (slug == "" || err != nil) && string(got) != before {
			t.Errorf("%s %q becomes %q of %q, %v", method, before, got, slug, err)
		}
	})
}
