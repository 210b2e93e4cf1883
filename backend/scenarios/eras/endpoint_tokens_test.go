package eras_test

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
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

const discoverRequest = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + hubtest.ModernMeta + `}}`

func TestATokenOfAClientOpensTheEndpointOnly(t *testing.T) {
	h := hubtest.Offering(t)
	all := hubtest.CreateToken(t, h, map[string]string{"name": "all"})
	one := hubtest.CreateToken(t, h, map[string]string{"name": "one", "surface": "server:one", "client": "cursor"})
	found := hubtest.CreateToken(t, h, map[string]string{"name": "found", "surface": "meta"})
	own := hubtest.CreateToken(t, h, map[string]string{"name": "own", "surface": "native"})
	const result = `"resultType":"complete"`
	for _, r := range []hubtest.Row{
		{
			Name: "the hub", Method: "POST", Path: "/mcp", Body: discoverRequest, Headers: hubtest.Discovering(all), Status: 200,
			Want: []string{result, `"name":"agent-discover"`},
		},
		{
			Name: "what finds and calls", Method: "POST", Path: "/mcp", Body: discoverRequest, Headers: hubtest.Discovering(found),
			Status: 200, Want: []string{"search with find_tool"},
		},
		{
			Name: "tools of servers", Method: "POST", Path: "/mcp", Body: discoverRequest, Headers: hubtest.Discovering(own), Status: 200,
			Want: []string{"each named server__tool"},
		},
		{
			Name: "a server of another token", Method: "POST", Path: "/mcp/one", Body: discoverRequest, Headers: hubtest.Discovering(found),
			Status: 403,
		},
		{Name: "a server", Method: "POST", Path: "/mcp/one", Body: discoverRequest, Headers: hubtest.Discovering(all), Status: 403},
		{
			Name: "its server", Method: "POST", Path: "/mcp/one", Body: discoverRequest, Headers: hubtest.Discovering(one), Status: 200,
			Want: []string{result, `"name":"mcptest"`},
		},
		{
			Name: "its server without a name", Method: "POST", Path: "/mcp", Body: discoverRequest, Headers: hubtest.Discovering(one),
			Status: 200, Want: []string{result, `"name":"mcptest"`},
		},
		{Name: "another server", Method: "POST", Path: "/mcp/two", Body: discoverRequest, Headers: hubtest.Discovering(one), Status: 403},
		{
			Name: "a server with the hub's token", Method: "POST", Path: "/mcp/two", Body: discoverRequest,
			Headers: hubtest.Discovering(h.Info().Token), Status: 200, Want: []string{`"name":"mcptest"`},
		},
		{
			Name: "no server", Method: "POST", Path: "/mcp/none", Body: discoverRequest, Headers: hubtest.Discovering(h.Info().Token),
			Status: 404,
		},
		{
			Name: "an unknown token", Method: "POST", Path: "/mcp", Body: discoverRequest,
			Headers: hubtest.Discovering(strings.Repeat("0", 64)), Status: 401, Want: []string{"Www-Authenticate: Bearer\r\n"},
			Never: []string{"resource_metadata"},
		},
		{
			Name: "no token", Method: "POST", Path: "/mcp", Body: discoverRequest, Headers: hubtest.NoToken, Status: 401,
			Want: []string{"Www-Authenticate: Bearer\r\n"},
		},
		{Name: "no token for a stream", Method: "GET", Path: "/sse", Headers: hubtest.NoToken, Status: 401},
		{Name: "REST", Method: "GET", Path: "/api/servers", Headers: hubtest.Discovering(all), Status: 401},
		{Name: "the list of tokens", Method: "GET", Path: "/api/tokens", Headers: hubtest.Discovering(all), Status: 401},
		{
			Name: "a ticket", Method: "POST", Path: "/api/tickets", Body: `{"purpose":"page"}`, Headers: hubtest.Discovering(all),
			Status: 401,
		},
		{
			Name: "a WebSocket", Method: "GET", Path: "/ws", Headers: map[string]string{
				"Authorization": "Bearer " + all, "Connection": "Upgrade", "Upgrade": "websocket",
			}, Status: 401,
		},
		{
			Name: "metadata", Method: "GET", Path: "/.well-known/oauth-protected-resource/mcp",
			Headers: hubtest.NoToken, Status: 404, Want: []string{"Not found"},
		},
		{
			Name: "another host", Method: "POST", Path: "/mcp", Body: discoverRequest, Headers: map[string]string{"Host": "evil.example"},
			Status: 403,
		},
		{
			Name: "another origin", Method: "POST", Path: "/mcp", Body: discoverRequest,
			Headers: map[string]string{"Origin": "http://evil.example"}, Status: 403,
		},
		{Name: "preflight", Method: "OPTIONS", Path: "/mcp", Headers: map[string]string{
			"Authorization": "", "Origin": "wails://wails",
			"Access-Control-Request-Headers": "mcp-protocol-version, Mcp-Param-City,x-other",
		}, Status: 204, Want: []string{"Authorization, Content-Type, Last-Event-ID, mcp-protocol-version, mcp-param-city\r\n"}},
		{
			Name: "preflight of REST", Method: "OPTIONS", Path: "/api/servers", Headers: map[string]string{
				"Origin": "wails://wails", "Access-Control-Request-Headers": "mcp-method",
			}, Status: 204, Never: []string{"mcp-method"},
		},
		{
			Name: "preflight of another origin", Method: "OPTIONS", Path: "/mcp",
			Headers: map[string]string{"Origin": "http://evil.example"}, Status: 403,
		},
	} {
		r.Never = append(r.Never, all, one)
		r.Send(t, h)
	}
}

func TestACreatedTokenComesWithAnEntryForItsClient(t *testing.T) {
	h := hubtest.Offering(t)
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
		if err := person.Do(t.Context(), "POST", "/api/tokens", map[string]string{"name": c.name, "client": c.client, "surface": c.surface},
			&created); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{
			strings.ReplaceAll(c.want, "ADDRESS", h.Info().Address()), `"Authorization": "Bearer ` + created.Token + `"`,
		} {
			if !strings.Contains(created.Entry.Text, part) {
				t.Errorf("the entry for %s lacks %s", c.name, part)
			}
		}
	}
}

func TestOnlyAPersonCreatesTokens(t *testing.T) {
	h := hubtest.Offering(t)
	if err := hubtest.TryDo(t, h, "POST", "/api/tokens", map[string]string{"name": "x"}); fault.KindOf(err) != fault.Denied {
		t.Errorf("a program has created a token: %v", err)
	}
	token := hubtest.CreateToken(t, h, map[string]string{"name": "x", "surface": "server:two"})
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
	hubtest.Do(t, h, "GET", "/api/tokens", nil, &list)
	if len(list) != 1 || list[0]["name"] != "x" || list[0]["surface"] != "server:two" || list[0]["token"] != nil {
		t.Errorf("the list is %v", list)
	}
	if _, used := list[0]["last_used_at"]; used {
		t.Errorf("a new token was used: %v", list)
	}
	hubtest.Row{
		Name: "the token", Method: "POST", Path: "/mcp", Body: discoverRequest, Headers: hubtest.Discovering(token), Status: 200,
	}.Send(t, h)
	if hubtest.Do(t, h, "GET", "/api/tokens", nil, &list); list[0]["last_used_at"] == nil {
		t.Errorf("a used token was never used: %v", list)
	}
	hubtest.Do(t, h, "DELETE", "/api/servers/2", nil, nil) // the token must not give access to a later server of this name
	hubtest.Row{
		Name: "the token of a removed server", Method: "POST", Path: "/mcp", Body: discoverRequest, Headers: hubtest.Discovering(token),
		Status: 401,
	}.Send(t, h)
	if err := hubtest.TryDo(t, h, "DELETE", "/api/tokens/x", nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("revoked again: %v", err)
	}
}

func TestTokensOutliveTheHubAndAreStoredAsHashes(t *testing.T) {
	folder := hubtest.NewDataFolder(t, "")
	h, ended := hubtest.RunHub(t, hub.Options{Folder: folder})
	kept, revoked := hubtest.CreateToken(t, h, map[string]string{"name": "kept", "client": "cursor"}), hubtest.CreateToken(t, h,
		map[string]string{"name": "revoked"})
	session := hubtest.WebClient(t, h, "2025-11-25", revoked, nil)
	gone := make(chan error, 1)
	go func() { gone <- session.Wait() }()
	hubtest.Do(t, h, "DELETE", "/api/tokens/revoked", nil, nil)
	<-gone
	if _, err := session.ListTools(t.Context(), nil); err == nil {
		t.Error("the session of a revoked token continues")
	}
	h.Stop()
	hubtest.AwaitEnd(t, ended)
	again, _ := hubtest.RunHub(t, hub.Options{Folder: folder})
	hubtest.Row{
		Name: "kept", Method: "POST", Path: "/mcp", Body: discoverRequest, Headers: hubtest.Discovering(kept), Status: 200,
	}.Send(t, again)
	hubtest.Row{
		Name: "revoked", Method: "POST", Path: "/mcp", Body: discoverRequest, Headers: hubtest.Discovering(revoked), Status: 401,
	}.Send(t, again)
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
	h, _ := hubtest.RunHub(t, hub.Options{Timeouts: guard.Timeouts{Body: bodies}})
	hubtest.AddFake(t, h)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		session := hubtest.WebClient(t, h, version, h.Info().Token, nil)
		call := func(tool string) error {
			result, err := session.CallTool(t.Context(),
				&mcp.CallToolParams{Name: "fake__" + tool, Arguments: map[string]any{"key": version}})
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
	h, ended := hubtest.RunHub(t, hub.Options{})
	hubtest.AddFake(t, h)
	changed := make(chan struct{}, 8)
	session := hubtest.WebClient(t, h, "2025-11-25", h.Info().Token, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	body := `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` +
		hubtest.ModernMeta + `}}`
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+h.Info().Address()+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range hubtest.Discovering(h.Info().Token) {
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
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
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
	if err := json.Unmarshal([]byte(strings.TrimPrefix(last, "data: ")), &answer); err != nil || answer.ID != "l" ||
		answer.Result.ResultType != "complete" ||
		answer.Result.Meta["io.modelcontextprotocol/subscriptionId"] != "l" {
		t.Errorf("the subscription ends with %s", last)
	}
	if rest, _ := io.ReadAll(lines); strings.TrimSpace(string(rest)) != "" {
		t.Errorf("after the result: %s", rest)
	}
	hubtest.AwaitEnd(t, ended)
}
