package hub_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/hub"
)

// createToken creates a token as a person does.
func createToken(t *testing.T, h *hub.Hub, fields map[string]string) (token string) {
	t.Helper()
	person, end, err := instance.NewClient(h.Info()).Person(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	var created struct{ Token string }
	if err := person.Do(t.Context(), "POST", "/api/tokens", fields, &created); err != nil {
		t.Fatal(err)
	}
	return created.Token
}

const discoverRequest = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`

// discovering are the headers of discoverRequest with a token.
func discovering(token string) map[string]string {
	return map[string]string{
		"Authorization": "Bearer " + token, "Content-Type": "application/json",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover",
	}
}

func TestATokenOfAClientOpensTheEndpointOnly(t *testing.T) {
	h := offering(t)
	all := createToken(t, h, map[string]string{"name": "all"})
	one := createToken(t, h, map[string]string{"name": "one", "surface": "server:one", "client": "cursor"})
	found := createToken(t, h, map[string]string{"name": "found", "surface": "meta"})
	own := createToken(t, h, map[string]string{"name": "own", "surface": "native"})
	const result = `"resultType":"complete"`
	for _, r := range []row{
		{name: "the hub", method: "POST", path: "/mcp", body: discoverRequest, headers: discovering(all), status: 200, want: []string{result, `"name":"agent-discover"`}},
		{name: "what finds and calls", method: "POST", path: "/mcp", body: discoverRequest, headers: discovering(found), status: 200, want: []string{"search with find_tool"}},
		{name: "tools of servers", method: "POST", path: "/mcp", body: discoverRequest, headers: discovering(own), status: 200, want: []string{"each named server__tool"}},
		{name: "a server of another token", method: "POST", path: "/mcp/one", body: discoverRequest, headers: discovering(found), status: 403},
		{name: "a server", method: "POST", path: "/mcp/one", body: discoverRequest, headers: discovering(all), status: 403},
		{name: "its server", method: "POST", path: "/mcp/one", body: discoverRequest, headers: discovering(one), status: 200, want: []string{result, `"name":"mcptest"`}},
		{name: "its server without a name", method: "POST", path: "/mcp", body: discoverRequest, headers: discovering(one), status: 200, want: []string{result, `"name":"mcptest"`}},
		{name: "another server", method: "POST", path: "/mcp/two", body: discoverRequest, headers: discovering(one), status: 403},
		{name: "a server with the hub's token", method: "POST", path: "/mcp/two", body: discoverRequest, headers: discovering(h.Info().Token), status: 200, want: []string{`"name":"mcptest"`}},
		{name: "no server", method: "POST", path: "/mcp/none", body: discoverRequest, headers: discovering(h.Info().Token), status: 404},
		{name: "an unknown token", method: "POST", path: "/mcp", body: discoverRequest, headers: discovering(strings.Repeat("0", 64)), status: 401, want: []string{"Www-Authenticate: Bearer\r\n"}, never: []string{"resource_metadata"}},
		{name: "no token", method: "POST", path: "/mcp", body: discoverRequest, headers: noToken, status: 401, want: []string{"Www-Authenticate: Bearer\r\n"}},
		{name: "no token for a stream", method: "GET", path: "/sse", headers: noToken, status: 401},
		{name: "REST", method: "GET", path: "/api/servers", headers: discovering(all), status: 401},
		{name: "the list of tokens", method: "GET", path: "/api/tokens", headers: discovering(all), status: 401},
		{name: "a ticket", method: "POST", path: "/api/tickets", body: `{"purpose":"page"}`, headers: discovering(all), status: 401},
		{name: "a WebSocket", method: "GET", path: "/ws", headers: map[string]string{"Authorization": "Bearer " + all, "Connection": "Upgrade", "Upgrade": "websocket"}, status: 401},
		{name: "metadata", method: "GET", path: "/.well-known/oauth-protected-resource/mcp", headers: noToken, status: 404, want: []string{"Not found"}},
		{name: "another host", method: "POST", path: "/mcp", body: discoverRequest, headers: map[string]string{"Host": "evil.example"}, status: 403},
		{name: "another origin", method: "POST", path: "/mcp", body: discoverRequest, headers: map[string]string{"Origin": "http://evil.example"}, status: 403},
		{name: "preflight", method: "OPTIONS", path: "/mcp", headers: map[string]string{
			"Authorization": "", "Origin": "wails://wails", "Access-Control-Request-Headers": "mcp-protocol-version, Mcp-Param-City,x-other",
		}, status: 204, want: []string{"Authorization, Content-Type, Last-Event-ID, mcp-protocol-version, mcp-param-city\r\n"}},
		{name: "preflight of REST", method: "OPTIONS", path: "/api/servers", headers: map[string]string{"Origin": "wails://wails", "Access-Control-Request-Headers": "mcp-method"}, status: 204, never: []string{"mcp-method"}},
		{name: "preflight of another origin", method: "OPTIONS", path: "/mcp", headers: map[string]string{"Origin": "http://evil.example"}, status: 403},
	} {
		r.never = append(r.never, all, one)
		r.send(t, h)
	}
}

func TestACreatedTokenComesWithAnEntryForItsClient(t *testing.T) {
	h := offering(t)
	person, end, err := instance.NewClient(h.Info()).Person(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	for _, c := range []struct{ name, client, surface, want string }{
		{"any", "", "", `"discover": {`},
		{"gemini", "gemini-cli", "", `"httpUrl": "http://ADDRESS/mcp"`},
		{"single", "cursor", "server:one", `"url": "http://ADDRESS/mcp/one"`},
	} {
		var created struct {
			Token string
			Entry struct{ Text string }
		}
		if err := person.Do(t.Context(), "POST", "/api/tokens", map[string]string{"name": c.name, "client": c.client, "surface": c.surface}, &created); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{strings.ReplaceAll(c.want, "ADDRESS", h.Info().Address()), `"Authorization": "Bearer ` + created.Token + `"`} {
			if !strings.Contains(created.Entry.Text, part) {
				t.Errorf("the entry for %s lacks %s", c.name, part)
			}
		}
	}
}

func TestOnlyAPersonCreatesTokens(t *testing.T) {
	h := offering(t)
	if err := tryDo(t, h, "POST", "/api/tokens", map[string]string{"name": "x"}); fault.KindOf(err) != fault.Denied {
		t.Errorf("a program has created a token: %v", err)
	}
	token := createToken(t, h, map[string]string{"name": "x", "surface": "server:two"})
	person, end, err := instance.NewClient(h.Info()).Person(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	for _, c := range []struct {
		fields map[string]string
		want   fault.Kind
	}{
		{map[string]string{"name": "x"}, fault.Conflict},
		{map[string]string{"name": ""}, fault.Invalid},
		{map[string]string{"name": "a\nb"}, fault.Invalid},
		{map[string]string{"name": "a/b"}, fault.Invalid},
		{map[string]string{"name": ".."}, fault.Invalid},
		{map[string]string{"name": strings.Repeat("x", 101)}, fault.Invalid},
		{map[string]string{"name": "y", "surface": "everything"}, fault.Invalid},
		{map[string]string{"name": "y", "surface": "server:"}, fault.Invalid},
		{map[string]string{"name": "y", "surface": "server:none"}, fault.NotFound},
		{map[string]string{"name": "y", "client": "no-such-editor"}, fault.Invalid},
	} {
		if err := person.Do(t.Context(), "POST", "/api/tokens", c.fields, nil); fault.KindOf(err) != c.want {
			t.Errorf("%v: %v", c.fields, err)
		}
	}
	var list []map[string]any
	do(t, h, "GET", "/api/tokens", nil, &list)
	if len(list) != 1 || list[0]["name"] != "x" || list[0]["surface"] != "server:two" || list[0]["token"] != nil {
		t.Errorf("the list is %v", list)
	}
	if _, used := list[0]["last_used_at"]; used {
		t.Errorf("a new token was used: %v", list)
	}
	row{name: "the token", method: "POST", path: "/mcp", body: discoverRequest, headers: discovering(token), status: 200}.send(t, h)
	if do(t, h, "GET", "/api/tokens", nil, &list); list[0]["last_used_at"] == nil {
		t.Errorf("a used token was never used: %v", list)
	}
	do(t, h, "DELETE", "/api/servers/2", nil, nil) // a later server of this name is another one
	row{name: "the token of a removed server", method: "POST", path: "/mcp", body: discoverRequest, headers: discovering(token), status: 401}.send(t, h)
	if err := tryDo(t, h, "DELETE", "/api/tokens/x", nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("revoked again: %v", err)
	}
}

func TestTokensOutliveTheHubAndAreStoredAsHashes(t *testing.T) {
	folder := newDataFolder(t, "")
	h, ended := runHub(t, hub.Options{Folder: folder})
	kept, revoked := createToken(t, h, map[string]string{"name": "kept", "client": "cursor"}), createToken(t, h, map[string]string{"name": "revoked"})
	session := webClient(t, h, "2025-11-25", revoked, nil)
	gone := make(chan error, 1)
	go func() { gone <- session.Wait() }()
	do(t, h, "DELETE", "/api/tokens/revoked", nil, nil)
	<-gone
	if _, err := session.ListTools(t.Context(), nil); err == nil {
		t.Error("the session of a revoked token continues")
	}
	h.Stop()
	awaitEnd(t, ended)
	again, _ := runHub(t, hub.Options{Folder: folder})
	row{name: "kept", method: "POST", path: "/mcp", body: discoverRequest, headers: discovering(kept), status: 200}.send(t, again)
	row{name: "revoked", method: "POST", path: "/mcp", body: discoverRequest, headers: discovering(revoked), status: 401}.send(t, again)
	err := filepath.WalkDir(string(folder), func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(file)
		for _, token := range []string{kept, revoked} {
			if bytes.Contains(content, []byte(token)) {
				t.Errorf("%s contains a token", file)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestACallOutlivesTheTimeoutsOfRequests(t *testing.T) {
	const bodies = time.Second
	h, _ := runHub(t, hub.Options{Timeouts: guard.Timeouts{Body: bodies}})
	addFake(t, h)
	do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		session := webClient(t, h, version, h.Info().Token, nil)
		call := func(tool string) error {
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "fake__" + tool, Arguments: map[string]any{"key": version}})
			if err == nil && result.IsError {
				t.Errorf("%s: %+v", tool, result.Content[0])
			}
			return err
		}
		held := make(chan error, 1)
		go func() { held <- call("hold") }()
		<-time.After(bodies + bodies/5)
		if err := call("release"); err != nil {
			t.Error(err)
		}
		if err := <-held; err != nil {
			t.Errorf("%s: %v", version, err)
		}
	}
}

func TestStreamsLearnOfChangesAndEndWithTheHub(t *testing.T) {
	h, ended := runHub(t, hub.Options{})
	addFake(t, h)
	changed := make(chan struct{}, 8)
	session := webClient(t, h, "2025-11-25", h.Info().Token, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	body := `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modernMeta + `}}`
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+h.Info().Address()+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range discovering(h.Info().Token) {
		req.Header.Set(name, value)
	}
	req.Header.Set("Mcp-Method", "subscriptions/listen")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	await := func(text string) string {
		t.Helper()
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("the stream ended without %s: %v", text, err)
			}
			if strings.Contains(line, text) {
				return line
			}
		}
	}
	await("notifications/subscriptions/acknowledged")
	do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	if line := await("notifications/tools/list_changed"); !strings.Contains(line, `"io.modelcontextprotocol/subscriptionId":"l"`) {
		t.Error(line)
	}
	<-changed
	h.Stop()
	last := await(`"result"`)
	var answer struct {
		ID     string
		Result struct {
			ResultType string
			Meta       map[string]any `json:"_meta"`
		}
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(last, "data: ")), &answer); err != nil || answer.ID != "l" || answer.Result.ResultType != "complete" ||
		answer.Result.Meta["io.modelcontextprotocol/subscriptionId"] != "l" {
		t.Errorf("the subscription ends with %s", last)
	}
	if rest, _ := io.ReadAll(lines); strings.TrimSpace(string(rest)) != "" {
		t.Errorf("after the result: %s", rest)
	}
	awaitEnd(t, ended)
}
