package trust_test

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
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// auditOf returns the entries of the audit log, newest first.
func auditOf(t *testing.T, h *hub.Hub, query string) []operations.AuditEntry {
	t.Helper()
	var list struct{ Entries []operations.AuditEntry }
	hubtest.Do(t, h, "GET", "/api/audit"+query, nil, &list)
	return list.Entries
}

func TestTheAuditLogSaysThroughWhichRoadAToolWasCalled(t *testing.T) {
	h := hubtest.Offering(t)
	const hello, greet = `{"text":"hello"}`, `{"name":"one__greet","arguments":{"who":"Ada"}}`
	cursor := hubtest.Introduced(t, h, companion.Entry{Surface: "meta", Client: "cursor"}, `{}`)
	call := func(a *hubtest.Agent, name, arguments string) {
		a.Exchange("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
	}
	call(cursor, "call_tool_write", `{"call_as":"one__echo","arguments":`+hello+`}`)
	call(cursor, "call_tool", `{"call_as":"one__echo","arguments":`+hello+`}`)
	call(cursor, "one__echo", hello)
	call(cursor, "none__such", hello)
	old := hubtest.Join(t, h, "claude")
	call(old, "registry", `{"action":"proxy_call","server":"two","tool":"echo","arguments":`+hello+`}`)
	old.Exchange("prompts/get", greet)
	old.Exchange("resources/read", `{"uri":"two+note://1"}`)
	hubtest.Do(t, h, "POST", "/api/servers/1/call", map[string]any{"tool": "echo", "args": map[string]string{"text": "hello"}}, nil)
	all := auditOf(t, h, "")
	var got []string
	for i := range all {
		e := all[len(all)-1-i]
		got = append(got, fmt.Sprintf("%s %s %s %s/%s %s %s %t", e.Kind, e.Editor, e.Road, e.Server, e.Tool, e.Outcome, e.Code,
			e.ArgumentsSHA256 == audit.HashOf([]byte(hello))))
		if e.Session == "" && e.Road != audit.REST || e.Hash == "" {
			t.Errorf("got %+v", e)
		}
	}
	t.Log(strings.Join(got, "\n"))
	for _, want := range []string{
		"call cursor call_tool one/echo ok  true", "call cursor tools/call one/echo ok  true",
		"call cursor tools/call /none__such refused -32602 true",
		"call  proxy_call two/echo ok  true", "prompt-get  prompts/get one/greet ok  false",
		"resource-read  resources/read two/note://1 ok  false", "call  rest one/echo ok  true",
	} {
		if !strings.Contains(strings.Join(got, "\n")+"\n", want+"\n") {
			t.Errorf("no entry is %q", want)
		}
	}
}

func TestTheAuditLogHasTheTokenOfAClientOverHTTP(t *testing.T) {
	h := hubtest.Offering(t)
	token := hubtest.CreateToken(t, h, map[string]string{"name": "script", "surface": "server:one"})
	headers := hubtest.Discovering(token)
	headers["Mcp-Method"], headers["Mcp-Name"] = "tools/call", "echo"
	hubtest.Row{
		Name: "a call", Method: "POST", Path: "/mcp", Headers: headers, Status: 200,
		Body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"},` + hubtest.ModernMeta + `}}`,
	}.Send(t, h)
	if got := auditOf(t, h, "?tool=echo"); len(got) != 1 || !strings.HasSuffix(got[0].Token, " script") || got[0].Road != "tools/call" {
		t.Errorf("got %+v", got)
	}
}

func TestTheAuditLogIsReadAndVerifiedOverREST(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	h, ended := hubtest.RunHub(t, hub.Options{Folder: folder})
	hubtest.RecordCalls(h)
	const refused = `"outcome":"tool_error"`
	for _, r := range []hubtest.Row{
		{
			Name: "all", Method: "GET", Path: "/api/audit", Status: 200, Want: []string{
				`{"entries":[{"seq":4,`, `"seq":1,"previous":"",`, refused,
			}, Never: []string{"no luck", "=1+1", "notification"},
		},
		{
			Name: "a page", Method: "GET", Path: "/api/audit?limit=2&before=4", Status: 200, Want: []string{`"seq":3`, `"seq":2`},
			Never: []string{`"seq":4`, `"seq":1,`},
		},
		{
			Name: "a tool", Method: "GET", Path: "/api/audit?server=one&tool=fail&client=claude&outcome=tool_error",
			Status: 200, Want: []string{`"seq":3`}, Never: []string{`"seq":2,`},
		},
		{
			Name: "a time", Method: "GET", Path: "/api/audit?since=2026-03-14T11:00:00Z&until=2026-03-14T12:00:00Z",
			Status: 200, Want: []string{`"seq":3`}, Never: []string{`"seq":2,`, `"seq":4`},
		},
		{Name: "too many", Method: "GET", Path: "/api/audit?limit=1001", Status: 400, Want: []string{"from 1 to 1000"}},
		{Name: "a wrong position", Method: "GET", Path: "/api/audit?before=x", Status: 400, Want: []string{"before"}},
		{Name: "a wrong time", Method: "GET", Path: "/api/audit/export?since=x", Status: 400, Want: []string{"since"}},
		{
			Name: "export", Method: "GET", Path: "/api/audit/export?outcome=ok", Status: 200, Want: []string{
				`filename="agent-discover-audit.jsonl"`, `{"seq":1,`, `{"seq":4,`,
			}, Never: []string{`{"seq":3`},
		},
		{
			Name: "verify", Method: "GET", Path: "/api/audit/verify", Status: 200, Want: []string{
				`"intact":true,"entries":4,"first":1,"last":4,"hash":"`,
			}, Never: []string{"broken"},
		},
		{Name: "without a token", Method: "GET", Path: "/api/audit", Headers: hubtest.NoToken, Status: 401},
	} {
		r.Send(t, h)
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
