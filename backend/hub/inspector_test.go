package hub_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
)

func TestInspectorUsesAServerDirectly(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(
		step{name: "add server", method: "POST", path: "/api/servers", body: s.server("notes", "-offers"), status: 201, keep: "id", events: []string{`state "notes"`}},
		step{name: "info of an inactive server", method: "GET", path: "/api/servers/{id}/info", status: 400, want: []string{`{"error":"Server not active","code":`}},
		step{name: "tools of an inactive server", method: "GET", path: "/api/servers/{id}/tools", status: 400},
		step{name: "call of an inactive server", method: "POST", path: "/api/servers/{id}/call", body: `{"tool":"echo"}`, status: 400, want: []string{"Server not active"}},
		step{name: "export of an inactive server", method: "GET", path: "/api/servers/{id}/export", status: 200, want: []string{`"format":"mcp-json"`, `"notes":{"command":`}},
		step{name: "activate", method: "POST", path: "/api/servers/{id}/activate", status: 200, want: []string{`"status":"activated","tool_count":`}, events: []string{`state "active":[{"name":"notes"`}},
		step{name: "info", method: "GET", path: "/api/servers/{id}/info", status: 200, want: []string{`"name":"mcptest"`, `"version":"1.2.3"`, `"instructions":"Be kind."`, `"resources":{"subscribe":true}`}},
		step{name: "tools", method: "GET", path: "/api/servers/{id}/tools", status: 200, want: []string{`{"tools":[`, `"name":"echo"`, `"inputSchema"`}},
		step{name: "resources", method: "GET", path: "/api/servers/{id}/resources", status: 200, want: []string{`"uri":"note://1"`, `"nextCursor":"second page"`}},
		step{name: "next page of resources", method: "GET", path: "/api/servers/{id}/resources?cursor=here", status: 200, want: []string{`"name":"after here"`}, never: []string{"nextCursor"}},
		step{name: "resource templates", method: "GET", path: "/api/servers/{id}/resource-templates", status: 200, want: []string{`"uriTemplate":"note://{n}"`}},
		step{name: "read resource", method: "POST", path: "/api/servers/{id}/resource/read", body: `{"uri":"note://1"}`, status: 200, want: []string{`"text":"a note"`, `9007199254740993`}, events: []string{`log_entry "kind":"resource-read"`}},
		step{name: "read without a uri", method: "POST", path: "/api/servers/{id}/resource/read", body: `{}`, status: 400, want: []string{"uri is required"}},
		step{name: "read an unknown resource", method: "POST", path: "/api/servers/{id}/resource/read", body: `{"uri":"note://9"}`, status: 500, want: []string{`"error":"MCP error -32002: no such resource: note://9"`}},
		step{name: "read with malformed JSON", method: "POST", path: "/api/servers/{id}/resource/read", body: `{`, status: 422, want: []string{"Invalid JSON in request body"}},
		step{name: "subscribe", method: "POST", path: "/api/servers/{id}/resource/subscribe", body: `{"uri":"note://1"}`, status: 200, want: []string{`{"ok":true}`}, events: []string{`notification "method":"notifications/resources/updated"`, `log_entry "kind":"notification"`}},
		step{name: "subscribe without a uri", method: "POST", path: "/api/servers/{id}/resource/subscribe", body: `{}`, status: 400, want: []string{"uri is required"}},
		step{name: "unsubscribe", method: "POST", path: "/api/servers/{id}/resource/unsubscribe", body: `{"uri":"note://1"}`, status: 200, want: []string{`{"ok":true}`}},
		step{name: "prompts", method: "GET", path: "/api/servers/{id}/prompts", status: 200, want: []string{`"name":"greet"`}},
		step{name: "prompt", method: "POST", path: "/api/servers/{id}/prompt/get", body: `{"name":"greet","arguments":{"who":"Ann"}}`, status: 200, want: []string{"Greet Ann"}, events: []string{`log_entry "kind":"prompt-get"`}},
		step{name: "prompt without a name", method: "POST", path: "/api/servers/{id}/prompt/get", body: `{}`, status: 400, want: []string{"name is required"}},
		step{name: "unknown prompt", method: "POST", path: "/api/servers/{id}/prompt/get", body: `{"name":"x"}`, status: 404, want: []string{`has no prompt \"x\"`, `"code":"not_listed"`}},
		step{name: "completion of a prompt's argument", method: "POST", path: "/api/servers/{id}/complete", body: `{"prompt":"greet","argument":"who","value":"A","arguments":{"how":"loudly"}}`, status: 200, want: []string{`{"values":["asked with {\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"},\"argument\":{\"name\":\"who\",\"value\":\"A\"},\"context\":{\"arguments\":{\"how\":\"loudly\"}}`, `"hasMore":false}`}},
		step{name: "completion of a template's variable", method: "POST", path: "/api/servers/{id}/complete", body: `{"template":"note://{n}","argument":"n"}`, status: 200, want: []string{`\"ref\":{\"type\":\"ref/resource\",\"uri\":\"note://{n}\"}`}, never: []string{"context"}},
		step{name: "completion of nothing", method: "POST", path: "/api/servers/{id}/complete", body: `{"argument":"n"}`, status: 400, want: []string{"either prompt or template is required"}},
		step{name: "completion without an argument", method: "POST", path: "/api/servers/{id}/complete", body: `{"prompt":"greet"}`, status: 400, want: []string{"argument is required"}},
		step{name: "ping", method: "POST", path: "/api/servers/{id}/ping", body: `{}`, status: 200, want: []string{`"ok":true,"rtt_ms":`}, events: []string{`log_entry "response":"pong"`}},
		step{name: "ping without a body", method: "POST", path: "/api/servers/{id}/ping", status: 422, want: []string{"Invalid JSON in request body"}},
		step{name: "logging level", method: "POST", path: "/api/servers/{id}/logging-level", body: `{"level":"debug"}`, status: 200, want: []string{`"ok":true,"level":"debug"`}, events: []string{`notification "so be it"`}},
		step{name: "unknown logging level", method: "POST", path: "/api/servers/{id}/logging-level", body: `{"level":"loud"}`, status: 400, want: []string{"level must be one of: debug, info, notice"}},
		step{name: "call", method: "POST", path: "/api/servers/{id}/call", body: `{"tool":"echo","args":{"text":"hi"}}`, status: 200, want: []string{`"content":[`, "hi"}, events: []string{`log_entry "tool":"echo"`}},
		step{name: "call without a tool", method: "POST", path: "/api/servers/{id}/call", body: `{}`, status: 400, want: []string{"tool is required"}},
		step{name: "call an unknown tool", method: "POST", path: "/api/servers/{id}/call", body: `{"tool":"nope"}`, status: 200, want: []string{`"isError":true`}},
		step{name: "call with progress", method: "POST", path: "/api/servers/{id}/call", body: `{"tool":"steps","args":{"count":3}}`, status: 200, events: []string{`progress "token":"steps"`, `log_entry "kind":"progress"`}},
		step{name: "export for Claude Code", method: "GET", path: "/api/servers/{id}/export?format=claude-code", status: 200, want: []string{`"mcpServers":{"notes":{"type":"stdio","command":`}},
		step{name: "export for Cursor", method: "GET", path: "/api/servers/{id}/export?format=cursor", status: 200, want: []string{`"mcpServers":{"notes":{"command":`}},
		step{name: "export as a setup file", method: "GET", path: "/api/servers/{id}/export?format=agent-discover", status: 200, want: []string{`"servers":[{"name":"notes"`, `"auto_activate":true`}},
		step{name: "export in an unknown format", method: "GET", path: "/api/servers/{id}/export?format=xml", status: 400, want: []string{"format must be one of: mcp-json, claude-code, cursor, agent-discover"}},
		step{name: "health", method: "POST", path: "/api/servers/{id}/health", status: 200, want: []string{`"status":"healthy","latency_ms":`}, events: []string{`state "health_status":"healthy"`}},
		step{name: "health of all", method: "POST", path: "/api/health", status: 200, want: []string{`"name":"notes","status":"healthy"`}},
		step{name: "reset errors", method: "POST", path: "/api/servers/{id}/reset-errors", status: 200, want: []string{`{"status":"reset"}`}},
		step{name: "info of an unknown server", method: "GET", path: "/api/servers/999/info", status: 404, want: []string{`{"error":"Server not found","code":`}},
		step{name: "call of an unknown server", method: "POST", path: "/api/servers/999/call", body: `{"tool":"x"}`, status: 404, want: []string{`{"error":"Not found","code":`}},
	)
}

func TestTransientServerAppearsInNoList(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(
		step{name: "open without a command", method: "POST", path: "/api/transient", body: `{"transport":"stdio"}`, status: 400, want: []string{"command is required for stdio transport"}},
		step{name: "open with a shell command", method: "POST", path: "/api/transient", body: `{"command":"rm; ls"}`, status: 400, want: []string{"command contains unsafe characters"}},
		step{name: "open without a url", method: "POST", path: "/api/transient", body: `{"transport":"sse"}`, status: 400, want: []string{"url is required for remote transports"}},
		step{name: "open with an unknown transport", method: "POST", path: "/api/transient", body: `{"transport":"pigeon","command":"x"}`, status: 400, want: []string{"transport must be one of"}},
		step{name: "open a server that crashes", method: "POST", path: "/api/transient", body: s.server("", "-crash", "out of paper"), status: 500, want: []string{`Failed to activate \"__transient__`, "out of paper"}},
		step{name: "open", method: "POST", path: "/api/transient", body: s.server("", "-offers"), status: 201, keep: "handle", want: []string{`"serverName":"__transient__`, `"name":"echo"`, `"serverVersion":{"name":"mcptest","version":"1.2.3"}`, `"expiresAt":`}},
		step{name: "info", method: "GET", path: "/api/transient/{handle}/info", status: 200, want: []string{"Be kind."}},
		step{name: "tools", method: "GET", path: "/api/transient/{handle}/tools", status: 200, want: []string{`"name":"echo"`}},
		step{name: "resources", method: "GET", path: "/api/transient/{handle}/resources", status: 200, want: []string{"note://1"}},
		step{name: "prompt", method: "POST", path: "/api/transient/{handle}/prompt/get", body: `{"name":"greet","arguments":{"who":"Bo"}}`, status: 200, want: []string{"Greet Bo"}},
		step{name: "call", method: "POST", path: "/api/transient/{handle}/call", body: `{"tool":"echo","args":{"text":"hi"}}`, status: 200, want: []string{"hi"}, events: []string{`log_entry "server":"__transient__{handle}"`}},
		step{name: "ping", method: "POST", path: "/api/transient/{handle}/ping", body: `{}`, status: 200, want: []string{`"ok":true`}},
		step{name: "export", method: "GET", path: "/api/transient/{handle}/export", status: 200, want: []string{`"__transient__{handle}":{"command":`}},
		step{name: "servers", method: "GET", path: "/api/servers", status: 200, never: []string{"__transient__"}},
		step{name: "status", method: "GET", path: "/api/status", status: 200, never: []string{"__transient__"}},
		step{name: "tools of all servers", method: "GET", path: "/api/tools", status: 200, never: []string{"__transient__"}},
		step{name: "metrics", method: "GET", path: "/api/metrics", status: 200, never: []string{"__transient__"}},
		step{name: "close", method: "DELETE", path: "/api/transient/{handle}", status: 200, want: []string{`{"ok":true}`}},
		step{name: "close again", method: "DELETE", path: "/api/transient/{handle}", status: 200, want: []string{`{"ok":true}`}},
		step{name: "info after the close", method: "GET", path: "/api/transient/{handle}/info", status: 404, want: []string{`{"error":"Server not found","code":`}},
	)
}

func TestTransientServerExpires(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	s := newScenario(t, hub.Options{Folder: folder})
	s.play(
		step{name: "open for the default time", method: "POST", path: "/api/transient", body: s.server(""), status: 201, keep: "handle"},
		step{name: "open for 1 ms", method: "POST", path: "/api/transient", body: strings.Replace(s.server(""), "{", `{"ttl_ms":1,`, 1), status: 201},
	)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for timeout := time.After(deadline); ; {
		data, err := paths.ReadFile(folder.Run("children.json"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(data), "{") == 1 { // one of the two processes
			break
		}
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("the expired server still runs: %s", data)
		}
	}
	s.play(step{name: "the other server still answers", method: "POST", path: "/api/transient/{handle}/ping", body: `{}`, status: 200})
}

func TestNumberOfTransientServersIsLimited(t *testing.T) {
	s := newScenario(t, hub.Options{})
	for range 16 {
		s.play(step{name: "open", method: "POST", path: "/api/transient", body: s.server(""), status: 201})
	}
	s.play(step{name: "open one too many", method: "POST", path: "/api/transient", body: s.server(""), status: 429, want: []string{"16 transient servers are open"}})
}

func TestElicitationIsAnsweredOverREST(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(step{name: "open", method: "POST", path: "/api/transient", body: s.server("", "-offers"), status: 201, keep: "handle"})
	s.play(step{name: "no elicitations", method: "GET", path: "/api/elicitations", status: 200, want: []string{`{"entries":[]}`}})

	answered := make(chan string, 1)
	mark := s.events.mark()
	path := strings.NewReplacer(s.kept...).Replace("/api/transient/{handle}/call")
	go func() {
		_, body := s.send("POST", path, `{"tool":"ask","args":{"method":"elicitation/create","params":{"message":"Your name?","requestedSchema":{"type":"object"}}}}`)
		answered <- body
	}()
	s.events.await(t, "the elicitation", mark, "elicitation_request", "Your name?")
	_, pending := s.send("GET", "/api/elicitations", "")
	id := between(pending, `"id":"`, `"`)
	s.play(
		step{name: "pending elicitation", method: "GET", path: "/api/elicitations", status: 200, want: []string{`"message":"Your name?"`, `"requestedSchema":{"type":"object"}`, `"createdAt":`}},
		step{name: "answer with an unknown action", method: "POST", path: "/api/elicitations/" + id + "/respond", body: `{"action":"maybe"}`, status: 400, want: []string{"action must be accept / decline / cancel"}},
		step{name: "answer to an unknown elicitation", method: "POST", path: "/api/elicitations/none/respond", body: `{"action":"cancel"}`, status: 404, want: []string{"Unknown elicitation id or already resolved"}},
		step{name: "answer", method: "POST", path: "/api/elicitations/" + id + "/respond", body: `{"action":"accept","content":{"name":"Ann"}}`, status: 200, want: []string{`{"ok":true}`}},
		step{name: "answer again", method: "POST", path: "/api/elicitations/" + id + "/respond", body: `{"action":"accept"}`, status: 404},
	)
	if body := <-answered; !strings.Contains(body, "Ann") || !strings.Contains(body, "accept") {
		t.Errorf("the server received the answer %s", body)
	}
}

// question makes a transient server send a request, and returns the id of the
// question in the inbox and a channel for the result of the call.
func (s *scenario) question(t *testing.T, request, want string) (id string, result <-chan string) {
	t.Helper()
	answered := make(chan string, 1)
	mark := s.events.mark()
	path := strings.NewReplacer(s.kept...).Replace("/api/transient/{handle}/call")
	go func() {
		_, body := s.send("POST", path, `{"tool":"ask","args":`+request+`}`)
		answered <- body
	}()
	s.events.await(t, "the question", mark, "elicitation_request", want)
	_, pending := s.send("GET", "/api/elicitations", "")
	if !strings.Contains(pending, want) {
		t.Fatalf("the waiting questions %s do not contain %s", pending, want)
	}
	return between(pending, `"id":"`, `"`), answered
}

func TestPersonAnswersSamplingWithoutAModel(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(step{name: "open", method: "POST", path: "/api/transient", body: s.server(""), status: 201, keep: "handle"})
	ask := `{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"What is it?"}}],"maxTokens":1}}`
	want := `"request":{"messages":[{"role":"user","content":{"type":"text","text":"What is it?"}}],"maxTokens":1}`
	id, result := s.question(t, ask, want)
	s.play(
		step{name: "answer without a text", method: "POST", path: "/api/elicitations/" + id + "/respond", body: `{"action":"accept","content":{}}`, status: 400, want: []string{"content must have the answer in text"}},
		step{name: "answer", method: "POST", path: "/api/elicitations/" + id + "/respond", body: `{"action":"accept","content":{"text":"forty-two","model":"me"}}`, status: 200, events: []string{`log_entry "kind":"sampling"`}},
	)
	if body := <-result; !strings.Contains(body, `\"model\":\"me\"`) || !strings.Contains(body, `\"content\":{\"text\":\"forty-two\",\"type\":\"text\"}`) {
		t.Errorf("the server received the message %s", body)
	}
	id, result = s.question(t, ask, want)
	s.play(step{name: "decline", method: "POST", path: "/api/elicitations/" + id + "/respond", body: `{"action":"decline"}`, status: 200})
	if body := <-result; !strings.Contains(body, "User rejected sampling request") {
		t.Errorf("the server received the refusal %s", body)
	}
}

func TestURLElicitationIsAnsweredOverREST(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(step{name: "open", method: "POST", path: "/api/transient", body: s.server(""), status: 201, keep: "handle"})
	ask := `{"method":"elicitation/create","params":{"mode":"url","message":"Sign in","url":"https://login.example/a?b=c","elicitationId":"1"}}`
	for _, action := range []string{"accept", "decline", "cancel"} {
		id, result := s.question(t, ask, `"url":"https://login.example/a?b=c"`)
		s.play(step{name: action, method: "POST", path: "/api/elicitations/" + id + "/respond", body: `{"action":"` + action + `","content":{"not":"sent"}}`, status: 200})
		if body := <-result; !strings.Contains(body, `{\"action\":\"`+action+`\"}`) {
			t.Errorf("after %s, the server received %s", action, body)
		}
	}
	s.play(
		step{name: "without a url", method: "POST", path: "/api/transient/{handle}/call", body: `{"tool":"ask","args":{"method":"elicitation/create","params":{"mode":"url","message":"m"}}}`, status: 200, want: []string{"the mode url needs a url"}},
		step{name: "unknown mode", method: "POST", path: "/api/transient/{handle}/call", body: `{"tool":"ask","args":{"method":"elicitation/create","params":{"mode":"smell","message":"m"}}}`, status: 200, want: []string{"supports the modes form and url only"}},
	)
}

func TestLoggedElicitationContainsNoCredential(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(step{name: "open", method: "POST", path: "/api/transient", body: strings.Replace(s.server(""), "{", `{"env":{"DOOR_TOKEN":"open-sesame"},`, 1), status: 201, keep: "handle"})
	answered := make(chan int, 1)
	mark := s.events.mark()
	path := strings.NewReplacer(s.kept...).Replace("/api/transient/{handle}/call")
	go func() {
		status, _ := s.send("POST", path, `{"tool":"ask","args":{"method":"elicitation/create","params":{"message":"Is open-sesame right?","requestedSchema":{"title":"open-sesame"}}}}`)
		answered <- status
	}()
	s.events.await(t, "the elicitation is logged", mark, "log_entry", `"kind":"elicitation"`)
	_, pending := s.send("GET", "/api/elicitations", "")
	s.play(
		step{name: "answer", method: "POST", path: "/api/elicitations/" + between(pending, `"id":"`, `"`) + "/respond", body: `{"action":"decline"}`, status: 200},
		step{name: "log", method: "GET", path: "/api/logs?kind=elicitation", status: 200, want: []string{"Is [redacted] right?", `{"title":"[redacted]"}`}, never: []string{"sesame"}},
	)
	<-answered
}

// between returns the part of a text between two others.
func between(text, before, after string) string {
	_, text, _ = strings.Cut(text, before)
	text, _, _ = strings.Cut(text, after)
	return text
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
	s := newScenario(t, hub.Options{})
	ask := `{"tool":"ask","args":{"method":"sampling/createMessage","params":{"systemPrompt":"Be brief.","maxTokens":7,"messages":[{"role":"user","content":{"type":"text","text":"What is it?"}}]}}}`
	s.play(
		step{name: "open", method: "POST", path: "/api/transient", body: s.server(""), status: 201, keep: "handle"},
		step{name: "sampling", method: "POST", path: "/api/transient/{handle}/call", body: ask, status: 200, want: []string{"forty-two", `\"model\":\"m\"`}, events: []string{`log_entry "kind":"sampling"`}},
		step{name: "add server", method: "POST", path: "/api/servers", body: s.server("plain"), status: 201, keep: "id"},
		step{name: "activate", method: "POST", path: "/api/servers/{id}/activate", status: 200},
	)
	// The model is not used for a configured server: a person is asked.
	mark := s.events.mark()
	path := strings.NewReplacer(s.kept...).Replace("/api/servers/{id}/call")
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.send("POST", path, ask)
	}()
	s.events.await(t, "the question", mark, "elicitation_request", "What is it?")
	_, pending := s.send("GET", "/api/elicitations", "")
	s.play(step{name: "decline", method: "POST", path: "/api/elicitations/" + between(pending, `"id":"`, `"`) + "/respond", body: `{"action":"decline"}`, status: 200})
	<-done
	if len(requests) != 2 || !strings.Contains(requests[1], `"max_completion_tokens":7`) || !strings.HasPrefix(requests[1], "Bearer the-models-key") ||
		!strings.Contains(requests[1], `"model":"thinker"`) || !strings.Contains(requests[1], `{"role":"system","content":"Be brief."},{"role":"user","content":"What is it?"}`) {
		t.Errorf("the model received %q", requests)
	}
}

func TestPresetsAreManagedOverREST(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(
		step{name: "no presets", method: "GET", path: "/api/presets", status: 200, want: []string{`{"entries":[]}`}},
		step{name: "save", method: "POST", path: "/api/presets", body: `{"server":"a","kind":"tool","target":"echo","preset":"p","payload":{"n":9007199254740993}}`, status: 201, keep: "id", want: []string{`"server_name":"a","kind":"tool","target_name":"echo","preset_name":"p","payload":{"n":9007199254740993}`}},
		step{name: "save again", method: "POST", path: "/api/presets", body: `{"server":"a","kind":"tool","target":"echo","preset":"p","payload":{"n":2}}`, status: 201, want: []string{`"id":{id},`, `"payload":{"n":2}`}},
		step{name: "save another", method: "POST", path: "/api/presets", body: `{"server":"a","kind":"prompt","target":"greet","preset":"p"}`, status: 201, want: []string{`"payload":{}`}},
		step{name: "by kind", method: "GET", path: "/api/presets?server=a&kind=tool&target=echo", status: 200, want: []string{`"target_name":"echo"`}, never: []string{"greet"}},
		step{name: "unknown kind", method: "POST", path: "/api/presets", body: `{"server":"a","kind":"x","target":"t","preset":"p"}`, status: 400, want: []string{`kind must be \"tool\" or \"prompt\"`}},
		step{name: "without a server", method: "POST", path: "/api/presets", body: `{"kind":"tool","target":"t","preset":"p"}`, status: 400, want: []string{"server is required"}},
		step{name: "not an object", method: "POST", path: "/api/presets", body: `[]`, status: 422, want: []string{"Request body must be a JSON object"}},
		step{name: "delete", method: "DELETE", path: "/api/presets/{id}", status: 200, want: []string{`{"ok":true}`}},
		step{name: "delete again", method: "DELETE", path: "/api/presets/{id}", status: 200, want: []string{`{"ok":false}`}},
		step{name: "invalid id", method: "DELETE", path: "/api/presets/abc", status: 400, want: []string{"invalid id"}},
	)
}

func TestAnyRequestIsSentToAServer(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(
		step{name: "open", method: "POST", path: "/api/transient", body: s.server("", "-offers"), status: 201, keep: "handle"},
		step{name: "a result", method: "POST", path: "/api/transient/{handle}/request", body: `{"method":"resources/read","params":{"uri":"note://1"}}`, status: 200, want: []string{`{"result":{`, `"uri":"note://1"`}},
		step{name: "without parameters", method: "POST", path: "/api/transient/{handle}/request", body: `{"method":"prompts/list"}`, status: 200, want: []string{`{"result":{`, "greet"}},
		step{name: "an error", method: "POST", path: "/api/transient/{handle}/request", body: `{"method":"no/such"}`, status: 200, want: []string{`{"error":{"code":-32601,"message":`}},
		step{name: "a call is recorded", method: "POST", path: "/api/transient/{handle}/request", body: `{"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`, status: 200, want: []string{`{"result":{`, "hi"}, events: []string{`log_entry "tool":"echo"`}},
		step{name: "the handshake", method: "POST", path: "/api/transient/{handle}/request", body: `{"method":"initialize"}`, status: 400, want: []string{"the hub itself sends initialize"}},
		step{name: "a notification", method: "POST", path: "/api/transient/{handle}/request", body: `{"method":"notifications/initialized"}`, status: 400, want: []string{"the hub itself sends"}},
		step{name: "no method", method: "POST", path: "/api/transient/{handle}/request", body: `{}`, status: 400, want: []string{"method is required"}},
		step{name: "a list of parameters", method: "POST", path: "/api/transient/{handle}/request", body: `{"method":"ping","params":[]}`, status: 400, want: []string{"params must be an object"}},
		step{name: "an unknown server", method: "POST", path: "/api/servers/999/request", body: `{"method":"ping"}`, status: 404},
	)
}

func TestATaskOfAServerIsStartedWatchedAndCancelled(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(
		step{name: "open", method: "POST", path: "/api/transient", body: s.server("", "-tasks"), status: 201, keep: "handle"},
		step{name: "start a task", method: "POST", path: "/api/transient/{handle}/call", body: `{"tool":"job","args":{"text":"forever"},"task":true}`, status: 200, keep: "task.taskId", want: []string{`"task":{`}},
		step{name: "get", method: "POST", path: "/api/transient/{handle}/request", body: `{"method":"tasks/get","params":{"taskId":"{task.taskId}"}}`, status: 200, want: []string{`"status":`}},
		step{name: "cancel", method: "POST", path: "/api/transient/{handle}/request", body: `{"method":"tasks/cancel","params":{"taskId":"{task.taskId}"}}`, status: 200, want: []string{`cancelled`}},
	)
}

func TestATaskOfAModernServerIsStartedWatchedAndCancelled(t *testing.T) {
	s := newScenario(t, hub.Options{})
	about := func(name, method string, want ...string) step {
		return step{name: name, method: "POST", path: "/api/transient/{handle}/request", body: `{"method":"` + method + `","params":{"taskId":"{taskId}","inputResponses":{"a":{}}}}`, status: 200, want: want}
	}
	start := func(body, path, keep string) step {
		return step{name: "start a task", method: "POST", path: "/api/transient/{handle}/" + path, body: body, status: 200, keep: keep, want: []string{`"resultType":"task"`, `"status":"working"`}}
	}
	s.play(
		step{name: "open", method: "POST", path: "/api/transient", body: s.server("", "-modern", "-tasks"), status: 201, keep: "handle"},
		start(`{"tool":"job","args":{"text":"forever"},"task":true}`, "call", "taskId"),
		about("get", "tasks/get", `"status":"working"`, `"ttlMs":60000`),
		about("give input", "tasks/update", `"resultType":"complete"`),
		about("get the result", "tasks/get", `"status":"completed"`, `"result":{"content":[`),
	)
	s = newScenario(t, hub.Options{})
	s.play(
		step{name: "open another", method: "POST", path: "/api/transient", body: s.server("", "-modern", "-tasks"), status: 201, keep: "handle"},
		step{name: "no task is wanted", method: "POST", path: "/api/transient/{handle}/call", body: `{"tool":"job","args":{"text":"forever"}}`, status: 500, want: []string{"io.modelcontextprotocol/tasks"}},
		start(`{"tool":"job","args":{"text":"forever"},"task":true}`, "call", "taskId"),
		about("cancel", "tasks/cancel", `"resultType":"complete"`),
		about("get", "tasks/get", `"status":"cancelled"`),
		step{name: "start by a request", method: "POST", path: "/api/transient/{handle}/request", body: `{"method":"tools/call","params":{"name":"job","arguments":{"text":"forever"},"task":{}}}`, status: 200, want: []string{`{"result":{"resultType":"task"`}},
	)
}

func TestTheInspectorSaysWhatTheHubAndAServerHaveAgreedOn(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(
		step{name: "open an old server", method: "POST", path: "/api/transient", body: s.server("", "-offers"), status: 201, keep: "handle"},
		step{name: "info", method: "GET", path: "/api/transient/{handle}/info", status: 200, want: []string{`"protocolVersion":"2025-`, `"clientCapabilities":{"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true},"sampling":{}}`}, never: []string{"supportedVersions"}},
	)
	s = newScenario(t, hub.Options{})
	s.play(
		step{name: "open a new server", method: "POST", path: "/api/transient", body: s.server("", "-modern"), status: 201, keep: "handle"},
		step{name: "info", method: "GET", path: "/api/transient/{handle}/info", status: 200, want: []string{`"protocolVersion":"2026-07-28"`, `"supportedVersions":["2026-07-28"`, `"clientCapabilities":{"elicitation":{"form":{},"url":{}},"sampling":{}}`}},
	)
}
