package servers_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestInspectorUsesAServerDirectly(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{
			Name: "add server", Method: "POST", Path: "/api/servers", Body: s.Server("notes", "-offers"), Status: 201, Keep: "id",
			Events: []string{`state "notes"`},
		},
		hubtest.Step{
			Name: "info of a stopped server", Method: "GET", Path: "/api/servers/{id}/info", Status: 400,
			Want: []string{`{"error":"Server not active","code":"server_stopped"}`},
		},
		hubtest.Step{Name: "tools of a stopped server", Method: "GET", Path: "/api/servers/{id}/tools", Status: 400},
		hubtest.Step{
			Name: "call of a stopped server", Method: "POST", Path: "/api/servers/{id}/call", Body: `{"tool":"echo"}`, Status: 400,
			Want: []string{"Server not active"},
		},
		hubtest.Step{
			Name: "export of a stopped server", Method: "GET", Path: "/api/servers/{id}/export", Status: 200,
			Want: []string{`"format":"mcp-json"`, `"notes":{"command":`},
		},
		hubtest.Step{
			Name: "activate", Method: "POST", Path: "/api/servers/{id}/activate", Status: 200,
			Want: []string{`"status":"activated","tool_count":`}, Events: []string{`state "active":[{"name":"notes"`},
		},
		hubtest.Step{
			Name: "info", Method: "GET", Path: "/api/servers/{id}/info", Status: 200,
			Want: []string{`"name":"mcptest"`, `"version":"1.2.3"`, `"instructions":"Be kind."`, `"resources":{"subscribe":true}`},
		},
		hubtest.Step{
			Name: "tools", Method: "GET", Path: "/api/servers/{id}/tools", Status: 200,
			Want: []string{`{"tools":[`, `"name":"echo"`, `"inputSchema"`},
		},
		hubtest.Step{
			Name: "resources", Method: "GET", Path: "/api/servers/{id}/resources", Status: 200,
			Want: []string{`"uri":"note://1"`, `"nextCursor":"second page"`},
		},
		hubtest.Step{
			Name: "next page of resources", Method: "GET", Path: "/api/servers/{id}/resources?cursor=here",
			Status: 200, Want: []string{`"name":"after here"`}, Never: []string{"nextCursor"},
		},
		hubtest.Step{
			Name: "resource templates", Method: "GET", Path: "/api/servers/{id}/resource-templates",
			Status: 200, Want: []string{`"uriTemplate":"note://{n}"`},
		},
		hubtest.Step{
			Name: "read resource", Method: "POST", Path: "/api/servers/{id}/resource/read", Body: `{"uri":"note://1"}`, Status: 200,
			Want: []string{`"text":"a note"`, `9007199254740993`}, Events: []string{`log_entry "kind":"resource-read"`},
		},
		hubtest.Step{
			Name: "read without a uri", Method: "POST", Path: "/api/servers/{id}/resource/read", Body: `{}`, Status: 400,
			Want: []string{"uri is required"},
		},
		hubtest.Step{
			Name: "read an unknown resource", Method: "POST", Path: "/api/servers/{id}/resource/read", Body: `{"uri":"note://9"}`,
			Status: 500, Want: []string{`"error":"MCP error -32002: no such resource: note://9"`},
		},
		hubtest.Step{
			Name: "read with malformed JSON", Method: "POST", Path: "/api/servers/{id}/resource/read", Body: `{`, Status: 422,
			Want: []string{"Invalid JSON in request body"},
		},
		hubtest.Step{
			Name: "subscribe", Method: "POST", Path: "/api/servers/{id}/resource/subscribe", Body: `{"uri":"note://1"}`, Status: 200,
			Want:   []string{`{"ok":true}`},
			Events: []string{`notification "method":"notifications/resources/updated"`, `log_entry "kind":"notification"`},
		},
		hubtest.Step{
			Name: "subscribe without a uri", Method: "POST", Path: "/api/servers/{id}/resource/subscribe",
			Body: `{}`, Status: 400, Want: []string{"uri is required"},
		},
		hubtest.Step{
			Name: "unsubscribe", Method: "POST", Path: "/api/servers/{id}/resource/unsubscribe",
			Body: `{"uri":"note://1"}`, Status: 200, Want: []string{`{"ok":true}`},
		},
		hubtest.Step{Name: "prompts", Method: "GET", Path: "/api/servers/{id}/prompts", Status: 200, Want: []string{`"name":"greet"`}},
		hubtest.Step{
			Name: "prompt", Method: "POST", Path: "/api/servers/{id}/prompt/get", Body: `{"name":"greet","arguments":{"who":"Ann"}}`,
			Status: 200, Want: []string{"Greet Ann"}, Events: []string{`log_entry "kind":"prompt-get"`},
		},
		hubtest.Step{
			Name: "prompt without a name", Method: "POST", Path: "/api/servers/{id}/prompt/get", Body: `{}`, Status: 400,
			Want: []string{"name is required"},
		},
		hubtest.Step{
			Name: "unknown prompt", Method: "POST", Path: "/api/servers/{id}/prompt/get", Body: `{"name":"x"}`, Status: 404,
			Want: []string{`has no prompt \"x\"`, `"code":"not_listed"`},
		},
		hubtest.Step{
			Name: "completion of a prompt's argument", Method: "POST", Path: "/api/servers/{id}/complete",
			Body: `{"prompt":"greet","argument":"who","value":"A","arguments":{"how":"loudly"}}`, Status: 200,
			Want: []string{
				`{"values":["asked with {\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"},\"argument\":{\"name\":\"who\",\"value\":\"A\"},\"context\":{\"arguments\":{\"how\":\"loudly\"}}`,
				`"hasMore":false}`,
			},
		},
		hubtest.Step{
			Name: "completion of a template's variable", Method: "POST", Path: "/api/servers/{id}/complete",
			Body: `{"template":"note://{n}","argument":"n"}`, Status: 200,
			Want: []string{`\"ref\":{\"type\":\"ref/resource\",\"uri\":\"note://{n}\"}`}, Never: []string{"context"},
		},
		hubtest.Step{
			Name: "completion of nothing", Method: "POST", Path: "/api/servers/{id}/complete", Body: `{"argument":"n"}`, Status: 400,
			Want: []string{"either prompt or template is required"},
		},
		hubtest.Step{
			Name: "completion without an argument", Method: "POST", Path: "/api/servers/{id}/complete", Body: `{"prompt":"greet"}`,
			Status: 400, Want: []string{"argument is required"},
		},
		hubtest.Step{
			Name: "ping", Method: "POST", Path: "/api/servers/{id}/ping", Body: `{}`, Status: 200, Want: []string{`"ok":true,"rtt_ms":`},
			Events: []string{`log_entry "response":"pong"`},
		},
		hubtest.Step{
			Name: "ping without a body", Method: "POST", Path: "/api/servers/{id}/ping", Status: 422,
			Want: []string{"Invalid JSON in request body"},
		},
		hubtest.Step{
			Name: "logging level", Method: "POST", Path: "/api/servers/{id}/logging-level", Body: `{"level":"debug"}`, Status: 200,
			Want: []string{`"ok":true,"level":"debug"`}, Events: []string{`notification "so be it"`},
		},
		hubtest.Step{
			Name: "unknown logging level", Method: "POST", Path: "/api/servers/{id}/logging-level", Body: `{"level":"loud"}`, Status: 400,
			Want: []string{"level must be one of: debug, info, notice"},
		},
		hubtest.Step{
			Name: "call", Method: "POST", Path: "/api/servers/{id}/call", Body: `{"tool":"echo","args":{"text":"hi"}}`,
			Status: 200, Want: []string{`"content":[`, "hi"}, Events: []string{`log_entry "tool":"echo"`},
		},
		hubtest.Step{
			Name: "call without a tool", Method: "POST", Path: "/api/servers/{id}/call", Body: `{}`, Status: 400,
			Want: []string{"tool is required"},
		},
		hubtest.Step{
			Name: "call an unknown tool", Method: "POST", Path: "/api/servers/{id}/call", Body: `{"tool":"nope"}`, Status: 200,
			Want: []string{`"isError":true`},
		},
		hubtest.Step{
			Name: "call with progress", Method: "POST", Path: "/api/servers/{id}/call", Body: `{"tool":"steps","args":{"count":3}}`,
			Status: 200, Events: []string{`progress "token":"steps"`, `log_entry "kind":"progress"`},
		},
		hubtest.Step{
			Name: "export for Claude Code", Method: "GET", Path: "/api/servers/{id}/export?format=claude-code", Status: 200,
			Want: []string{`"mcpServers":{"notes":{"type":"stdio","command":`},
		},
		hubtest.Step{
			Name: "export for Cursor", Method: "GET", Path: "/api/servers/{id}/export?format=cursor", Status: 200,
			Want: []string{`"mcpServers":{"notes":{"command":`},
		},
		hubtest.Step{
			Name: "export as a setup file", Method: "GET", Path: "/api/servers/{id}/export?format=agent-discover", Status: 200,
			Want: []string{`"servers":[{"name":"notes"`, `"auto_activate":true`},
		},
		hubtest.Step{
			Name: "export in an unknown format", Method: "GET", Path: "/api/servers/{id}/export?format=xml", Status: 400,
			Want: []string{"format must be one of: mcp-json, claude-code, cursor, agent-discover"},
		},
		hubtest.Step{
			Name: "health", Method: "POST", Path: "/api/servers/{id}/health", Status: 200,
			Want: []string{`"status":"healthy","latency_ms":`}, Events: []string{`state "health_status":"healthy"`},
		},
		hubtest.Step{
			Name: "health of all", Method: "POST", Path: "/api/health", Status: 200, Want: []string{`"name":"notes","status":"healthy"`},
		},
		hubtest.Step{
			Name: "reset errors", Method: "POST", Path: "/api/servers/{id}/reset-errors", Status: 200, Want: []string{`{"status":"reset"}`},
		},
		hubtest.Step{
			Name: "info of an unknown server", Method: "GET", Path: "/api/servers/999/info", Status: 404,
			Want: []string{`{"error":"Server not found","code":`},
		},
		hubtest.Step{
			Name: "call of an unknown server", Method: "POST", Path: "/api/servers/999/call", Body: `{"tool":"x"}`, Status: 404,
			Want: []string{`{"error":"Not found","code":`},
		},
	)
}

func TestTransientServerAppearsInNoList(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{
			Name: "open as a program", Method: "POST", Path: "/api/transient", Body: s.Server(""), Status: 403,
			Want: []string{`"code":"person_required"`, "only a person may start a server that is not configured"},
		},
		hubtest.Step{
			Name: "open without a command", Method: "POST", Path: "/api/transient", Person: true,
			Body: `{"transport":"stdio"}`, Status: 400,
			Want: []string{"command is required for stdio transport"},
		},
		hubtest.Step{
			Name: "open with a shell command", Method: "POST", Path: "/api/transient", Person: true,
			Body: `{"command":"rm; ls"}`, Status: 400,
			Want: []string{"command contains unsafe characters"},
		},
		hubtest.Step{
			Name: "open without a url", Method: "POST", Path: "/api/transient", Person: true, Body: `{"transport":"sse"}`, Status: 400,
			Want: []string{"url is required for remote transports"},
		},
		hubtest.Step{
			Name: "open with an unknown transport", Method: "POST", Path: "/api/transient", Person: true,
			Body:   `{"transport":"pigeon","command":"x"}`,
			Status: 400, Want: []string{`unknown transport \"pigeon\": use stdio, streamable-http or sse`},
		},
		hubtest.Step{
			Name: "open a server that crashes", Method: "POST", Path: "/api/transient", Person: true,
			Body:   s.Server("", "-crash", "out of paper"),
			Status: 500, Want: []string{`Failed to activate \"__transient__`, "out of paper"},
		},
		hubtest.Step{
			Name: "open", Method: "POST", Path: "/api/transient", Person: true, Body: s.Server("", "-offers"), Status: 201, Keep: "handle",
			Want: []string{
				`"serverName":"__transient__`, `"name":"echo"`, `"serverVersion":{"name":"mcptest","version":"1.2.3"}`, `"expiresAt":`,
			},
		},
		hubtest.Step{Name: "info", Method: "GET", Path: "/api/transient/{handle}/info", Status: 200, Want: []string{"Be kind."}},
		hubtest.Step{Name: "tools", Method: "GET", Path: "/api/transient/{handle}/tools", Status: 200, Want: []string{`"name":"echo"`}},
		hubtest.Step{Name: "resources", Method: "GET", Path: "/api/transient/{handle}/resources", Status: 200, Want: []string{"note://1"}},
		hubtest.Step{
			Name: "prompt", Method: "POST", Path: "/api/transient/{handle}/prompt/get", Body: `{"name":"greet","arguments":{"who":"Bo"}}`,
			Status: 200, Want: []string{"Greet Bo"},
		},
		hubtest.Step{
			Name: "call", Method: "POST", Path: "/api/transient/{handle}/call", Body: `{"tool":"echo","args":{"text":"hi"}}`, Status: 200,
			Want: []string{"hi"}, Events: []string{`log_entry "server":"__transient__{handle}"`},
		},
		hubtest.Step{
			Name: "ping", Method: "POST", Path: "/api/transient/{handle}/ping", Body: `{}`, Status: 200, Want: []string{`"ok":true`},
		},
		hubtest.Step{
			Name: "export", Method: "GET", Path: "/api/transient/{handle}/export", Status: 200,
			Want: []string{`"__transient__{handle}":{"command":`},
		},
		hubtest.Step{Name: "servers", Method: "GET", Path: "/api/servers", Status: 200, Never: []string{"__transient__"}},
		hubtest.Step{Name: "status", Method: "GET", Path: "/api/status", Status: 200, Never: []string{"__transient__"}},
		hubtest.Step{Name: "tools of all servers", Method: "GET", Path: "/api/tools", Status: 200, Never: []string{"__transient__"}},
		hubtest.Step{Name: "metrics", Method: "GET", Path: "/api/metrics", Status: 200, Never: []string{"__transient__"}},
		hubtest.Step{Name: "close", Method: "DELETE", Path: "/api/transient/{handle}", Status: 200, Want: []string{`{"ok":true}`}},
		hubtest.Step{Name: "close again", Method: "DELETE", Path: "/api/transient/{handle}", Status: 200, Want: []string{`{"ok":true}`}},
		hubtest.Step{
			Name: "info after the close", Method: "GET", Path: "/api/transient/{handle}/info", Status: 404,
			Want: []string{`{"error":"Server not found","code":`},
		},
	)
}

func TestTransientServerExpires(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	s := hubtest.NewScenario(t, hub.Options{Folder: folder})
	s.Play(
		hubtest.Step{
			Name: "open for the default time", Method: "POST", Path: "/api/transient", Person: true,
			Body: s.Server(""), Status: 201, Keep: "handle",
		},
		hubtest.Step{
			Name: "open for 1 ms", Method: "POST", Path: "/api/transient", Person: true,
			Body:   strings.Replace(s.Server(""), "{", `{"ttl_ms":1,`, 1),
			Status: 201,
		},
	)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for timeout := time.After(hubtest.Deadline); ; {
		data, err := paths.ReadFile(folder.Run("children.json"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(data), "{") == 1 { // only one of the two processes still runs
			break
		}
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("the expired server still runs: %s", data)
		}
	}
	s.Play(hubtest.Step{
		Name: "the other server still answers", Method: "POST", Path: "/api/transient/{handle}/ping", Body: `{}`, Status: 200,
	})
}

func TestNumberOfTransientServersIsLimited(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	for range 16 {
		s.Play(hubtest.Step{Name: "open", Method: "POST", Path: "/api/transient", Person: true, Body: s.Server(""), Status: 201})
	}
	s.Play(hubtest.Step{
		Name: "open one too many", Method: "POST", Path: "/api/transient", Person: true, Body: s.Server(""), Status: 429,
		Want: []string{"16 transient servers are open"},
	})
}

func TestElicitationIsAnsweredOverREST(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(hubtest.Step{
		Name: "open", Method: "POST", Path: "/api/transient", Person: true,
		Body: s.Server("", "-offers"), Status: 201, Keep: "handle",
	})
	s.Play(hubtest.Step{Name: "no elicitations", Method: "GET", Path: "/api/elicitations", Status: 200, Want: []string{`{"entries":[]}`}})

	answered := make(chan string, 1)
	mark := s.Events.Mark()
	path := strings.NewReplacer(s.Kept...).Replace("/api/transient/{handle}/call")
	go func() {
		_, body := s.Send("POST", path,
			`{"tool":"ask","args":{"method":"elicitation/create","params":{"message":"Your name?","requestedSchema":{"type":"object"}}}}`)
		answered <- body
	}()
	s.Events.Await(t, "the elicitation", mark, "elicitation_request", "Your name?")
	_, pending := s.Send("GET", "/api/elicitations", "")
	id := hubtest.Between(pending, `"id":"`, `"`)
	s.Play(
		hubtest.Step{
			Name: "pending elicitation", Method: "GET", Path: "/api/elicitations", Status: 200,
			Want: []string{`"message":"Your name?"`, `"requestedSchema":{"type":"object"}`, `"createdAt":`},
		},
		hubtest.Step{
			Name: "answer with an unknown action", Method: "POST", Path: "/api/elicitations/" + id + "/respond", Body: `{"action":"maybe"}`,
			Status: 400, Want: []string{"action must be accept / decline / cancel"},
		},
		hubtest.Step{
			Name: "answer to an unknown elicitation", Method: "POST", Path: "/api/elicitations/none/respond", Body: `{"action":"cancel"}`,
			Status: 404, Want: []string{"Unknown elicitation id or already resolved"},
		},
		hubtest.Step{
			Name: "answer", Method: "POST", Path: "/api/elicitations/" + id + "/respond",
			Body: `{"action":"accept","content":{"name":"Ann"}}`, Status: 200, Want: []string{`{"ok":true}`},
		},
		hubtest.Step{
			Name: "answer again", Method: "POST", Path: "/api/elicitations/" + id + "/respond", Body: `{"action":"accept"}`, Status: 404,
		},
	)
	if body := <-answered; !strings.Contains(body, "Ann") || !strings.Contains(body, "accept") {
		t.Errorf("the server received the answer %s", body)
	}
}

func TestPersonAnswersSamplingWithoutAModel(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(hubtest.Step{
		Name: "open", Method: "POST", Path: "/api/transient", Person: true,
		Body: s.Server(""), Status: 201, Keep: "handle",
	})
	ask := `{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"What is it?"}}],"maxTokens":1}}`
	want := `"request":{"messages":[{"role":"user","content":{"type":"text","text":"What is it?"}}],"maxTokens":1}`
	id, result := s.Question(t, ask, want)
	s.Play(
		hubtest.Step{
			Name: "answer without a text", Method: "POST", Path: "/api/elicitations/" + id + "/respond",
			Body: `{"action":"accept","content":{}}`, Status: 400, Want: []string{"content must have the answer in text"},
		},
		hubtest.Step{
			Name: "answer", Method: "POST", Path: "/api/elicitations/" + id + "/respond",
			Body:   `{"action":"accept","content":{"text":"forty-two","model":"me"}}`,
			Status: 200, Events: []string{`log_entry "kind":"sampling"`},
		},
	)
	if body := <-result; !strings.Contains(body, `\"model\":\"me\"`) ||
		!strings.Contains(body, `\"content\":{\"text\":\"forty-two\",\"type\":\"text\"}`) {
		t.Errorf("the server received the message %s", body)
	}
	id, result = s.Question(t, ask, want)
	s.Play(hubtest.Step{
		Name: "decline", Method: "POST", Path: "/api/elicitations/" + id + "/respond", Body: `{"action":"decline"}`, Status: 200,
	})
	if body := <-result; !strings.Contains(body, "User rejected sampling request") {
		t.Errorf("the server received the refusal %s", body)
	}
}

func TestURLElicitationIsAnsweredOverREST(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(hubtest.Step{
		Name: "open", Method: "POST", Path: "/api/transient", Person: true,
		Body: s.Server(""), Status: 201, Keep: "handle",
	})
	ask := `{"method":"elicitation/create","params":{"mode":"url","message":"Sign in","url":"https://login.example/a?b=c","elicitationId":"1"}}`
	for _, action := range []string{"accept", "decline", "cancel"} {
		id, result := s.Question(t, ask, `"url":"https://login.example/a?b=c"`)
		s.Play(hubtest.Step{
			Name: action, Method: "POST", Path: "/api/elicitations/" + id + "/respond",
			Body: `{"action":"` + action + `","content":{"not":"sent"}}`, Status: 200,
		})
		if body := <-result; !strings.Contains(body, `{\"action\":\"`+action+`\"}`) {
			t.Errorf("after %s, the server received %s", action, body)
		}
	}
	s.Play(
		hubtest.Step{
			Name: "without a url", Method: "POST", Path: "/api/transient/{handle}/call",
			Body:   `{"tool":"ask","args":{"method":"elicitation/create","params":{"mode":"url","message":"m"}}}`,
			Status: 200, Want: []string{"the mode url needs a url"},
		},
		hubtest.Step{
			Name: "unknown mode", Method: "POST", Path: "/api/transient/{handle}/call",
			Body:   `{"tool":"ask","args":{"method":"elicitation/create","params":{"mode":"smell","message":"m"}}}`,
			Status: 200, Want: []string{"supports the modes form and url only"},
		},
	)
}

func TestLoggedElicitationContainsNoCredential(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(hubtest.Step{
		Name: "open", Method: "POST", Path: "/api/transient", Person: true,
		Body: strings.Replace(s.Server(""), "{", `{"env":{"DOOR_TOKEN":"open-sesame"},`, 1), Status: 201, Keep: "handle",
	})
	answered := make(chan int, 1)
	mark := s.Events.Mark()
	path := strings.NewReplacer(s.Kept...).Replace("/api/transient/{handle}/call")
	go func() {
		status, _ := s.Send("POST", path,
			`{"tool":"ask","args":{"method":"elicitation/create","params":{"message":"Is open-sesame right?","requestedSchema":{"title":"open-sesame"}}}}`)
		answered <- status
	}()
	s.Events.Await(t, "the elicitation is logged", mark, "log_entry", `"kind":"elicitation"`)
	_, pending := s.Send("GET", "/api/elicitations", "")
	s.Play(
		hubtest.Step{
			Name: "answer", Method: "POST", Path: "/api/elicitations/" + hubtest.Between(pending, `"id":"`, `"`) + "/respond",
			Body: `{"action":"decline"}`, Status: 200,
		},
		hubtest.Step{
			Name: "log", Method: "GET", Path: "/api/logs?kind=elicitation", Status: 200,
			Want: []string{"Is [redacted] right?", `{"title":"[redacted]"}`}, Never: []string{"sesame"},
		},
	)
	<-answered
}

func TestTransientServerMaySampleTheConfiguredModel(t *testing.T) {
	var requests []string
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests = append(requests, r.Header.Get("Authorization")+" "+string(body))
		if len(requests) == 1 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"use max_completion_tokens instead"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"model":"m","choices":[{"message":{"content":"forty-two"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(model.Close)
	t.Setenv("AGENT_DISCOVER_OPENAI_API_KEY", "the-models-key")
	t.Setenv("AGENT_DISCOVER_OPENAI_BASE_URL", model.URL)
	t.Setenv("AGENT_DISCOVER_SAMPLING_MODEL", "thinker")
	s := hubtest.NewScenario(t, hub.Options{})
	ask := `{"tool":"ask","args":{"method":"sampling/createMessage","params":{"systemPrompt":"Be brief.","maxTokens":7,"messages":[{"role":"user","content":{"type":"text","text":"What is it?"}}]}}}`
	s.Play(
		hubtest.Step{Name: "open", Method: "POST", Path: "/api/transient", Person: true, Body: s.Server(""), Status: 201, Keep: "handle"},
		hubtest.Step{
			Name: "sampling", Method: "POST", Path: "/api/transient/{handle}/call", Body: ask, Status: 200,
			Want: []string{"forty-two", `\"model\":\"m\"`}, Events: []string{`log_entry "kind":"sampling"`},
		},
		hubtest.Step{Name: "add server", Method: "POST", Path: "/api/servers", Body: s.Server("plain"), Status: 201, Keep: "id"},
		hubtest.Step{Name: "activate", Method: "POST", Path: "/api/servers/{id}/activate", Status: 200},
	)
	// For a configured server, the hub asks a person instead of the model.
	mark := s.Events.Mark()
	path := strings.NewReplacer(s.Kept...).Replace("/api/servers/{id}/call")
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Send("POST", path, ask)
	}()
	s.Events.Await(t, "the question", mark, "elicitation_request", "What is it?")
	_, pending := s.Send("GET", "/api/elicitations", "")
	s.Play(hubtest.Step{
		Name: "decline", Method: "POST", Path: "/api/elicitations/" + hubtest.Between(pending, `"id":"`, `"`) + "/respond",
		Body: `{"action":"decline"}`, Status: 200,
	})
	<-done
	if len(requests) != 2 || !strings.Contains(requests[1], `"max_completion_tokens":7`) ||
		!strings.HasPrefix(requests[1], "Bearer the-models-key") ||
		!strings.Contains(requests[1], `"model":"thinker"`) ||
		!strings.Contains(requests[1], `{"role":"system","content":"Be brief."},{"role":"user","content":"What is it?"}`) {
		t.Errorf("the model received %q", requests)
	}
}

func TestPresetsAreManagedOverREST(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{Name: "no presets", Method: "GET", Path: "/api/presets", Status: 200, Want: []string{`{"entries":[]}`}},
		hubtest.Step{
			Name: "save", Method: "POST", Path: "/api/presets",
			Body: `{"server":"a","kind":"tool","target":"echo","preset":"p","payload":{"n":9007199254740993}}`, Status: 201, Keep: "id",
			Want: []string{`"server_name":"a","kind":"tool","target_name":"echo","preset_name":"p","payload":{"n":9007199254740993}`},
		},
		hubtest.Step{
			Name: "save again", Method: "POST", Path: "/api/presets",
			Body:   `{"server":"a","kind":"tool","target":"echo","preset":"p","payload":{"n":2}}`,
			Status: 201, Want: []string{`"id":{id},`, `"payload":{"n":2}`},
		},
		hubtest.Step{
			Name: "save another", Method: "POST", Path: "/api/presets",
			Body: `{"server":"a","kind":"prompt","target":"greet","preset":"p"}`, Status: 201, Want: []string{`"payload":{}`},
		},
		hubtest.Step{
			Name: "by kind", Method: "GET", Path: "/api/presets?server=a&kind=tool&target=echo",
			Status: 200, Want: []string{`"target_name":"echo"`}, Never: []string{"greet"},
		},
		hubtest.Step{
			Name: "unknown kind", Method: "POST", Path: "/api/presets", Body: `{"server":"a","kind":"x","target":"t","preset":"p"}`,
			Status: 400, Want: []string{`kind must be \"tool\" or \"prompt\"`},
		},
		hubtest.Step{
			Name: "without a server", Method: "POST", Path: "/api/presets", Body: `{"kind":"tool","target":"t","preset":"p"}`,
			Status: 400, Want: []string{"server is required"},
		},
		hubtest.Step{
			Name: "not an object", Method: "POST", Path: "/api/presets", Body: `[]`, Status: 422,
			Want: []string{"Request body must be a JSON object"},
		},
		hubtest.Step{Name: "delete", Method: "DELETE", Path: "/api/presets/{id}", Status: 200, Want: []string{`{"ok":true}`}},
		hubtest.Step{Name: "delete again", Method: "DELETE", Path: "/api/presets/{id}", Status: 200, Want: []string{`{"ok":false}`}},
		hubtest.Step{Name: "invalid id", Method: "DELETE", Path: "/api/presets/abc", Status: 400, Want: []string{"invalid id"}},
	)
}

func TestAnyRequestIsSentToAServer(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{
			Name: "open", Method: "POST", Path: "/api/transient", Person: true,
			Body: s.Server("", "-offers"), Status: 201, Keep: "handle",
		},
		hubtest.Step{
			Name: "a result", Method: "POST", Path: "/api/transient/{handle}/request",
			Body: `{"method":"resources/read","params":{"uri":"note://1"}}`, Status: 200, Want: []string{`{"result":{`, `"uri":"note://1"`},
		},
		hubtest.Step{
			Name: "without parameters", Method: "POST", Path: "/api/transient/{handle}/request", Body: `{"method":"prompts/list"}`,
			Status: 200, Want: []string{`{"result":{`, "greet"},
		},
		hubtest.Step{
			Name: "an error", Method: "POST", Path: "/api/transient/{handle}/request", Body: `{"method":"no/such"}`, Status: 200,
			Want: []string{`{"error":{"code":-32601,"message":`},
		},
		hubtest.Step{
			Name: "a call is recorded", Method: "POST", Path: "/api/transient/{handle}/request",
			Body:   `{"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`,
			Status: 200, Want: []string{`{"result":{`, "hi"}, Events: []string{`log_entry "tool":"echo"`},
		},
		hubtest.Step{
			Name: "the handshake", Method: "POST", Path: "/api/transient/{handle}/request", Body: `{"method":"initialize"}`, Status: 400,
			Want: []string{"the hub itself sends initialize"},
		},
		hubtest.Step{
			Name: "a notification", Method: "POST", Path: "/api/transient/{handle}/request", Body: `{"method":"notifications/initialized"}`,
			Status: 400, Want: []string{"the hub itself sends"},
		},
		hubtest.Step{
			Name: "no method", Method: "POST", Path: "/api/transient/{handle}/request", Body: `{}`, Status: 400,
			Want: []string{"method is required"},
		},
		hubtest.Step{
			Name: "a list of parameters", Method: "POST", Path: "/api/transient/{handle}/request", Body: `{"method":"ping","params":[]}`,
			Status: 400, Want: []string{"params must be an object"},
		},
		hubtest.Step{Name: "an unknown server", Method: "POST", Path: "/api/servers/999/request", Body: `{"method":"ping"}`, Status: 404},
	)
}

func TestATaskOfAServerIsStartedWatchedAndCancelled(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{
			Name: "open", Method: "POST", Path: "/api/transient", Person: true,
			Body: s.Server("", "-tasks"), Status: 201, Keep: "handle",
		},
		hubtest.Step{
			Name: "start a task", Method: "POST", Path: "/api/transient/{handle}/call",
			Body: `{"tool":"job","args":{"text":"forever"},"task":true}`, Status: 200, Keep: "task.taskId", Want: []string{`"task":{`},
		},
		hubtest.Step{
			Name: "get", Method: "POST", Path: "/api/transient/{handle}/request",
			Body: `{"method":"tasks/get","params":{"taskId":"{task.taskId}"}}`, Status: 200, Want: []string{`"status":`},
		},
		hubtest.Step{
			Name: "cancel", Method: "POST", Path: "/api/transient/{handle}/request",
			Body: `{"method":"tasks/cancel","params":{"taskId":"{task.taskId}"}}`, Status: 200, Want: []string{`cancelled`},
		},
	)
}

func TestATaskOfAModernServerIsStartedWatchedAndCancelled(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	about := func(name, method string, want ...string) hubtest.Step {
		return hubtest.Step{
			Name: name, Method: "POST", Path: "/api/transient/{handle}/request",
			Body: `{"method":"` + method + `","params":{"taskId":"{taskId}","inputResponses":{"a":{}}}}`, Status: 200, Want: want,
		}
	}
	start := func(body, path, keep string) hubtest.Step {
		return hubtest.Step{
			Name: "start a task", Method: "POST", Path: "/api/transient/{handle}/" + path, Body: body, Status: 200, Keep: keep,
			Want: []string{`"resultType":"task"`, `"status":"working"`},
		}
	}
	s.Play(
		hubtest.Step{
			Name: "open", Method: "POST", Path: "/api/transient", Person: true,
			Body: s.Server("", "-modern", "-tasks"), Status: 201, Keep: "handle",
		},
		start(`{"tool":"job","args":{"text":"forever"},"task":true}`, "call", "taskId"),
		about("get", "tasks/get", `"status":"working"`, `"ttlMs":60000`),
		about("give input", "tasks/update", `"resultType":"complete"`),
		about("get the result", "tasks/get", `"status":"completed"`, `"result":{"content":[`),
	)
	s = hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{
			Name: "open another", Method: "POST", Path: "/api/transient", Person: true,
			Body: s.Server("", "-modern", "-tasks"), Status: 201,
			Keep: "handle",
		},
		hubtest.Step{
			Name: "no task is wanted", Method: "POST", Path: "/api/transient/{handle}/call",
			Body: `{"tool":"job","args":{"text":"forever"}}`, Status: 500, Want: []string{"io.modelcontextprotocol/tasks"},
		},
		start(`{"tool":"job","args":{"text":"forever"},"task":true}`, "call", "taskId"),
		about("cancel", "tasks/cancel", `"resultType":"complete"`),
		about("get", "tasks/get", `"status":"cancelled"`),
		hubtest.Step{
			Name: "start by a request", Method: "POST", Path: "/api/transient/{handle}/request",
			Body:   `{"method":"tools/call","params":{"name":"job","arguments":{"text":"forever"},"task":{}}}`,
			Status: 200, Want: []string{`{"result":{"resultType":"task"`},
		},
	)
}

func TestTheInspectorSaysWhatTheHubAndAServerHaveAgreedOn(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{
			Name: "open an old server", Method: "POST", Path: "/api/transient", Person: true,
			Body: s.Server("", "-offers"), Status: 201, Keep: "handle",
		},
		hubtest.Step{
			Name: "info", Method: "GET", Path: "/api/transient/{handle}/info", Status: 200,
			Want: []string{
				`"protocolVersion":"2025-`,
				`"clientCapabilities":{"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true},"sampling":{}}`,
			}, Never: []string{"supportedVersions"},
		},
	)
	s = hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{
			Name: "open a new server", Method: "POST", Path: "/api/transient", Person: true,
			Body: s.Server("", "-modern"), Status: 201, Keep: "handle",
		},
		hubtest.Step{
			Name: "info", Method: "GET", Path: "/api/transient/{handle}/info", Status: 200,
			Want: []string{
				`"protocolVersion":"2026-07-28"`, `"supportedVersions":["2026-07-28"`,
				`"clientCapabilities":{"elicitation":{"form":{},"url":{}},"sampling":{}}`,
			},
		},
	)
}
