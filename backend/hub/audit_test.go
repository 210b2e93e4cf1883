package hub_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/calls/audit"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
)

// auditOf returns the entries of the audit log, newest first.
func auditOf(t *testing.T, h *hub.Hub, query string) []operations.AuditEntry {
	t.Helper()
	var list struct{ Entries []operations.AuditEntry }
	do(t, h, "GET", "/api/audit"+query, nil, &list)
	return list.Entries
}

func TestTheAuditLogSaysThroughWhichRoadAToolWasCalled(t *testing.T) {
	h := offering(t)
	const hello, greet = `{"text":"hello"}`, `{"name":"one__greet","arguments":{"who":"Ada"}}`
	cursor := introduced(t, h, companion.Entry{Surface: "meta", Client: "cursor"}, `{}`)
	call := func(a *agent, name, arguments string) {
		a.exchange("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
	}
	call(cursor, "call_tool_write", `{"call_as":"one__echo","arguments":`+hello+`}`)
	call(cursor, "call_tool", `{"call_as":"one__echo","arguments":`+hello+`}`)
	call(cursor, "one__echo", hello)
	call(cursor, "none__such", hello)
	old := join(t, h, "claude")
	call(old, "registry", `{"action":"proxy_call","server":"two","tool":"echo","arguments":`+hello+`}`)
	old.exchange("prompts/get", greet)
	old.exchange("resources/read", `{"uri":"two+note://1"}`)
	do(t, h, "POST", "/api/servers/1/call", map[string]any{"tool": "echo", "args": map[string]string{"text": "hello"}}, nil)
	all := auditOf(t, h, "")
	var got []string
	for i := range all {
		e := all[len(all)-1-i]
		got = append(got, fmt.Sprintf("%s %s %s %s/%s %s %s %t", e.Kind, e.Editor, e.Road, e.Server, e.Tool, e.Outcome, e.Code, e.ArgumentsSHA256 == audit.HashOf([]byte(hello))))
		if e.Session == "" && e.Road != audit.REST || e.Hash == "" {
			t.Errorf("got %+v", e)
		}
	}
	t.Log(strings.Join(got, "\n"))
	for _, want := range []string{
		"call cursor call_tool one/echo ok  true", "call cursor tools/call one/echo ok  true", "call cursor tools/call /none__such refused -32602 true",
		"call  proxy_call two/echo ok  true", "prompt-get  prompts/get one/greet ok  false", "resource-read  resources/read two/note://1 ok  false", "call  rest one/echo ok  true",
	} {
		if !strings.Contains(strings.Join(got, "\n")+"\n", want+"\n") {
			t.Errorf("no entry is %q", want)
		}
	}
}

func TestTheAuditLogHasTheTokenOfAClientOverHTTP(t *testing.T) {
	h := offering(t)
	token := createToken(t, h, map[string]string{"name": "script", "surface": "server:one"})
	headers := discovering(token)
	headers["Mcp-Method"], headers["Mcp-Name"] = "tools/call", "echo"
	row{
		name: "a call", method: "POST", path: "/mcp", headers: headers, status: 200,
		body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"},` + modernMeta + `}}`,
	}.send(t, h)
	if got := auditOf(t, h, "?tool=echo"); len(got) != 1 || !strings.HasSuffix(got[0].Token, " script") || got[0].Road != "tools/call" {
		t.Errorf("got %+v", got)
	}
}

func TestTheAuditLogIsReadAndVerifiedOverREST(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	h, ended := runHub(t, hub.Options{Folder: folder})
	recordCalls(h)
	const refused = `"outcome":"tool_error"`
	for _, r := range []row{
		{"all", "GET", "/api/audit", "", nil, 200, []string{`{"entries":[{"seq":4,`, `"seq":1,"previous":"",`, refused}, []string{"no luck", "=1+1", "notification"}},
		{"a page", "GET", "/api/audit?limit=2&before=4", "", nil, 200, []string{`"seq":3`, `"seq":2`}, []string{`"seq":4`, `"seq":1,`}},
		{"a tool", "GET", "/api/audit?server=one&tool=fail&client=claude&outcome=tool_error", "", nil, 200, []string{`"seq":3`}, []string{`"seq":2,`}},
		{"a time", "GET", "/api/audit?since=2026-03-14T11:00:00Z&until=2026-03-14T12:00:00Z", "", nil, 200, []string{`"seq":3`}, []string{`"seq":2,`, `"seq":4`}},
		{"too many", "GET", "/api/audit?limit=1001", "", nil, 400, []string{"from 1 to 1000"}, nil},
		{"a wrong position", "GET", "/api/audit?before=x", "", nil, 400, []string{"before"}, nil},
		{"a wrong time", "GET", "/api/audit/export?since=x", "", nil, 400, []string{"since"}, nil},
		{"export", "GET", "/api/audit/export?outcome=ok", "", nil, 200, []string{`filename="agent-discover-audit.jsonl"`, `{"seq":1,`, `{"seq":4,`}, []string{`{"seq":3`}},
		{"verify", "GET", "/api/audit/verify", "", nil, 200, []string{`"intact":true,"entries":4,"first":1,"last":4,"hash":"`}, []string{"broken"}},
		{"without a token", "GET", "/api/audit", "", noToken, 401, nil, nil},
	} {
		r.send(t, h)
	}
	h.Stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(folder.Log())
	if err != nil || len(audit.LoggedHeads(strings.NewReader(string(log)))) != 1 {
		t.Errorf("the hub's log has no head: %v", err)
	}
}
