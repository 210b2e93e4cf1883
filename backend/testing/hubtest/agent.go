package hubtest

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// Agent is an MCP client that is connected to a hub as if by a companion.
type Agent struct {
	T       *testing.T
	Stream  io.ReadWriteCloser
	Lines   *bufio.Reader
	id      int
	Notices []string // messages that Exchange and Await have read but not returned
}

// Join connects and initializes a client with a name.
func Join(t *testing.T, h *hub.Hub, name string) *Agent {
	t.Helper()
	a := Arrive(t, h)
	info, _ := json.Marshal(map[string]string{"name": name, "version": "7.1"})
	a.Ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":`+string(info)+`}`)
	a.Write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a
}

// Leave closes the connection.
func (a *Agent) Leave() { _ = a.Stream.Close() }

// Write sends one line.
func (a *Agent) Write(line string) {
	a.T.Helper()
	if _, err := io.WriteString(a.Stream, line+"\n"); err != nil {
		a.T.Fatal(err)
	}
}

// Read returns the next message. It ends the test if the hub sends nothing for three minutes, which is longer than
// any machine needs. expected names the message in failures.
func (a *Agent) Read(expected string) string {
	a.T.Helper()
	silent := time.AfterFunc(3*time.Minute, a.Leave)
	line, err := a.Lines.ReadString('\n')
	if !silent.Stop() {
		err = errors.New("the hub sent nothing for three minutes")
	}
	if err != nil {
		a.T.Fatalf("waiting for %s: %v; before came %q", expected, err, a.Notices)
	}
	return line
}

// Ask sends a request and returns its result.
func (a *Agent) Ask(method, params string) json.RawMessage {
	a.T.Helper()
	a.id++
	a.Write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, a.id, method, params))
	for {
		line := a.Read("the answer to " + method)
		var answer struct {
			ID     any
			Result json.RawMessage
		}
		if json.Unmarshal([]byte(line), &answer) == nil && fmt.Sprint(answer.ID) == fmt.Sprint(a.id) {
			return answer.Result
		}
	}
}

// Registry calls the registry tool and returns the text of the result.
func (a *Agent) Registry(arguments string) string {
	a.T.Helper()
	var result struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(a.Ask("tools/call", `{"name":"registry","arguments":`+arguments+`}`), &result); err != nil {
		a.T.Fatal(err)
	}
	return result.Content[0].Text
}

// Question is a call of the registry tool, and texts that the reply must and must not contain.
type Question struct {
	Name        string
	Arguments   string
	Want, Never []string
}

// CheckReplies sends questions in order and checks the replies, each of which must be a single line.
func (a *Agent) CheckReplies(rows ...Question) {
	a.T.Helper()
	for _, row := range rows {
		reply := a.Registry(row.Arguments)
		if strings.Contains(reply, "\n") {
			a.T.Errorf("%s: the reply has more than one line: %s", row.Name, reply)
		}
		for _, part := range row.Want {
			if !strings.Contains(reply, part) {
				a.T.Errorf("%s: %s does not contain %s", row.Name, reply, part)
			}
		}
		for _, part := range row.Never {
			if strings.Contains(reply, part) {
				a.T.Errorf("%s: %s must not contain %s", row.Name, reply, part)
			}
		}
	}
}

// Call calls a listed tool and reports whether it succeeded.
func (a *Agent) Call(name, arguments string) bool {
	a.T.Helper()
	var result struct{ IsError bool }
	answer := a.Ask("tools/call", `{"name":"`+name+`","arguments":`+arguments+`}`)
	return answer != nil && json.Unmarshal(answer, &result) == nil && !result.IsError
}

// RegistryCall calls the registry tool in a new session, and returns the text of the
// result.
func RegistryCall(t *testing.T, h *hub.Hub, arguments string) string {
	t.Helper()
	a := Join(t, h, "agent")
	defer a.Leave()
	return a.Registry(arguments)
}

// ApproveAll approves all servers that wait for approval, as the dashboard does.
func ApproveAll(t *testing.T, h *hub.Hub) {
	t.Helper()
	var ticket, session struct{ Ticket, Token string }
	Do(t, h, http.MethodPost, "/api/tickets", map[string]string{"purpose": "page"}, &ticket)
	Do(t, h, http.MethodPost, "/api/session", map[string]string{"ticket": ticket.Ticket}, &session)
	var servers []operations.Server
	Do(t, h, http.MethodGet, "/api/servers", nil, &servers)
	for _, s := range servers {
		if s.Approved {
			continue
		}
		path := fmt.Sprintf("/api/servers/%d/approve", s.ID)
		Row{
			Name: s.Name, Method: http.MethodPost, Path: path, Body: `{"launch_hash":"` + s.LaunchHash + `","tools":"clean"}`,
			Headers: map[string]string{"Authorization": "Bearer " + session.Token}, Status: 200, Want: []string{`"approved":true`},
		}.Send(t, h)
	}
}

// AddModern adds an always listed server that speaks MCP 2026-07-28 only.
func AddModern(t *testing.T, h *hub.Hub) {
	t.Helper()
	command := mcptest.Command(t, "-modern", "-offers")
	Do(t, h, "POST", "/api/servers", map[string]any{"name": "new", "command": command[0], "args": command[1:]}, nil)
	Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
}

// RequireCall holds the name and arguments of a tools/call, as JSON members. The called tool asks the client for input.
const RequireCall = `"name":"new__require","arguments":{"state":"theirs","requests":{"a":{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object"}}}}}`

// Description is a document in which a hub describes its API. Its schemas reject messages and answers with undescribed
// members.
type Description struct {
	t        *testing.T
	compiler *jsonschema.Compiler
	document map[string]any
	compiled map[string]*jsonschema.Schema
}

// Describe reads the document at a path: /openapi.json or /asyncapi.json.
func Describe(t *testing.T, info instance.Info, path string) *Description {
	t.Helper()
	var raw json.RawMessage
	if err := instance.NewClient(info).Do(t.Context(), http.MethodGet, path, nil, &raw); err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	d := &Description{
		t: t, compiler: jsonschema.NewCompiler(), document: document.(map[string]any), compiled: make(map[string]*jsonschema.Schema),
	}
	if err := d.compiler.AddResource("urn:document", document); err != nil {
		t.Fatal(err)
	}
	return d
}

// Check fails the test if a JSON text does not match the schema at place, a JSON pointer into the document.
func (d *Description) Check(place, text string) {
	d.t.Helper()
	schema := d.compiled[place]
	if schema == nil {
		var err error
		if schema, err = d.compiler.Compile("urn:document#" + place); err != nil {
			d.t.Errorf("%s: %v", place, err)
			return
		}
		d.compiled[place] = schema
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		d.t.Errorf("%s does not describe %.300s: %v", place, text, err)
	}
}

// Members returns the names of the properties that the schemas in the document describe.
func (d *Description) Members() map[string]bool {
	names := make(map[string]bool)
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			properties, _ := v["properties"].(map[string]any)
			for name := range properties {
				names[name] = true
			}
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(d.document)
	return names
}

// CheckMessage fails the test if a WebSocket message is not described.
func (d *Description) CheckMessage(text string) {
	d.t.Helper()
	var m struct{ Type string }
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		d.t.Error(err)
		return
	}
	d.Check("/components/messages/"+m.Type+"/payload", text)
}

// ConversationSecret is a value in the environment of a server that must not be in any answer.
const ConversationSecret = "hunter2-in-the-environment"

// Converse sends the requests in a part of a conversation and checks the answers. TestConversations in
// scenarios/surfaces explains the format.
func (a *Agent) Converse(part txtar.File, modern bool) {
	a.T.Helper()
	answer := ""
	for line := range strings.Lines(string(part.Data)) {
		kind, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case kind == ">":
			method, params, _ := strings.Cut(text, " ")
			answer = a.InEra(modern, method, params)
			if strings.Contains(answer, ConversationSecret) {
				a.T.Errorf("%s: the answer has a secret: %s", part.Name, answer)
			}
			answer = strings.ReplaceAll(strings.ReplaceAll(answer, `\\\"`, `"`), `\"`, `"`)
		case kind == "<" && !strings.Contains(answer, text):
			a.T.Errorf("%s: the answer does not have %s\n%s", part.Name, text, answer)
		case kind == "!" && strings.Contains(answer, text):
			a.T.Errorf("%s: the answer has %s\n%s", part.Name, text, answer)
		}
	}
}

// Bearer sends a token with each request.
type Bearer string

// RoundTrip implements http.RoundTripper.
func (b Bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// WebClient connects a client of the SDK over HTTP. version is the version of MCP; "" is the newest one and "sse"
// selects the transport HTTP+SSE.
func WebClient(t *testing.T, h *hub.Hub, version, token string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	web, address := &http.Client{Transport: Bearer(token)}, "http://"+h.Info().Address()
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: address + "/mcp", HTTPClient: web}
	connect := &mcp.ClientSessionOptions{ProtocolVersion: version}
	if version == "sse" {
		transport, connect = &mcp.SSEClientTransport{Endpoint: address + "/sse", HTTPClient: web},
			&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"}
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "web", Version: "1"}, o).Connect(t.Context(), transport, connect)
	if err != nil {
		t.Fatalf("%s: %v", version, err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// CreateToken creates a token as a person does.
func CreateToken(t *testing.T, h *hub.Hub, fields map[string]string) (token string) {
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

// Discovering returns the headers of a server/discover request with a token.
func Discovering(token string) map[string]string {
	return map[string]string{
		"Authorization": "Bearer " + token, "Content-Type": "application/json",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover",
	}
}

// AnswerNext waits for a request of the hub with this method, and answers it with result.
func (a *Agent) AnswerNext(method, result string) {
	a.T.Helper()
	var asked struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(a.Await(method)), &asked); err != nil {
		a.T.Fatal(err)
	}
	a.Write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, asked.ID, result))
}

// Meta and Native describe companions that show the surface meta and the surface native.
var Meta, Native = companion.Entry{Surface: "meta"}, companion.Entry{Surface: "native"}

// AnnotatedWith runs a hub with a server named one, which is not always listed and whose tools have annotations.
func AnnotatedWith(t *testing.T, o hub.Options) *hub.Hub {
	t.Helper()
	h, _ := RunHub(t, o)
	flags := []string{"-offers", "-result", UnusualAnswer}
	for name, hints := range map[string]string{
		"look": `{"readOnlyHint":true}`, "note": `{"readOnlyHint":false,"destructiveHint":false}`,
		"wipe": `{"destructiveHint":true}`, "blank": `{}`,
	} {
		flags = append(flags, "-definition",
			fmt.Sprintf(
				`{"name":%q,"description":"The %s of a lighthouse","inputSchema":{"type":"object","properties":{"lamp":{"type":"string"}}},"annotations":%s}`,
				name, name, hints,
			))
	}
	command := mcptest.Command(t, flags...)
	Do(t, h, "POST", "/api/servers", map[string]any{"name": "one", "command": command[0], "args": command[1:]}, nil)
	Do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
	return h
}

// UnusualAnswer is a result that would change if it were decoded into Go types and encoded again.
const UnusualAnswer = `{"content":[{"type":"text","text":"a\u00e9\/b<>","n":9007199254740993}],"structuredContent":{"d":1.10}, "isError":false}`

// InEra sends a request as a modern or a legacy client does, and returns the answer. members are the members of
// the params, as JSON without braces.
func (a *Agent) InEra(modern bool, method, members string) string {
	a.T.Helper()
	if modern {
		return a.Modern(method, members)
	}
	return a.Exchange(method, "{"+members+"}")
}

// InEachEra calls f with a legacy and with a modern client. Both connect like the companion that entry
// describes.
func InEachEra(t *testing.T, h *hub.Hub, entry companion.Entry, f func(t *testing.T, a *Agent, modern bool)) {
	t.Run("legacy", func(t *testing.T) { f(t, Introduced(t, h, entry, `{"elicitation":{}}`), false) })
	t.Run("modern", func(t *testing.T) { f(t, ArriveBy(t, h, entry), true) })
}

// Calling returns the members of the params of tools/call, as JSON without braces.
func Calling(tool, arguments string) string {
	return fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments)
}

// ListedNames returns the names of the tools in an answer to tools/list.
func ListedNames(t *testing.T, answer string) (names []string) {
	t.Helper()
	var list struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal([]byte("{"+answer+"}"), &list); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	for _, tool := range list.Result.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// ModernMeta is the _meta member that MCP 2026-07-28 requires in the params of a request.
const ModernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"modern","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{}}}`

// Arrive connects a client without initializing a session, like clients of MCP 2026-07-28.
func Arrive(t *testing.T, h *hub.Hub) *Agent {
	t.Helper()
	return ArriveBy(t, h, companion.Entry{})
}

// ArriveBy is like Arrive, but connects like the companion that entry describes.
func ArriveBy(t *testing.T, h *hub.Hub, entry companion.Entry) *Agent {
	t.Helper()
	stream, err := companion.Dial(t.Context(), h.Info(), "1.2.3", rand.Text(), entry)
	if err != nil {
		t.Fatal(err)
	}
	a := &Agent{T: t, Stream: stream, Lines: bufio.NewReader(stream)}
	t.Cleanup(a.Leave)
	return a
}

// Modern sends a request of MCP 2026-07-28 and returns the answer. members are the members of the params without _meta,
// as JSON without braces.
func (a *Agent) Modern(method, members string) string {
	a.T.Helper()
	if members != "" {
		members += ","
	}
	return a.Exchange(method, "{"+members+ModernMeta+"}")
}

// Required is an answer of MCP 2026-07-28 that asks the client for input.
type Required struct {
	Result struct {
		ResultType    string
		InputRequests map[string]struct {
			Method string
			Params json.RawMessage
		}
		RequestState string
		Content      []struct{ Text string }
	}
	Error json.RawMessage
}

// ReadRequired decodes an answer into a Required.
func ReadRequired(t *testing.T, answer string) (r Required) {
	t.Helper()
	if err := json.Unmarshal([]byte("{"+answer+"}"), &r); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	return r
}

// Holds begins a call of the tool hold of server one, and returns when the server executes it.
func (a *Agent) Holds() {
	a.T.Helper()
	a.Write(`{"jsonrpc":"2.0","id":"held","method":"tools/call","params":{"name":"one__hold","arguments":{"key":"k"},` +
		strings.Replace(ModernMeta, `"_meta":{`, `"_meta":{"progressToken":1,`, 1) + `}}`)
	a.Await("notifications/progress")
}

// TasksMeta is ModernMeta of a client that supports tasks.
const TasksMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`

// Server returns the description of a companion that shows only the server with this name.
func Server(name string) companion.Entry { return companion.Entry{Surface: "server:" + name} }

// Introduced connects like the companion that entry describes, and initializes a session with the given client
// capabilities, as JSON.
func Introduced(t *testing.T, h *hub.Hub, entry companion.Entry, capabilities string) *Agent {
	t.Helper()
	a := ArriveBy(t, h, entry)
	a.Exchange("initialize", `{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"agent","version":"1"}}`)
	a.Write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a
}

// Poll is like AwaitList for lists whose changes are not announced: it repeats the request without waiting for a
// notification.
func (a *Agent) Poll(method, text string) string {
	a.T.Helper()
	for {
		if answer := a.Exchange(method, `{}`); strings.Contains(answer, text) {
			return answer
		}
	}
}

// AwaitModernList is like Poll for a modern client.
func (a *Agent) AwaitModernList(method, text string) {
	a.T.Helper()
	for !strings.Contains(a.Modern(method, ""), text) {
	}
}

// Tool calls a tool of server one, and returns the text of the result.
func (s *Scenario) Tool(name, arguments string) string {
	s.T.Helper()
	var result struct{ Content []struct{ Text string } }
	Do(s.T, s.Hub, "POST", "/api/servers/1/call", map[string]any{"tool": name, "args": json.RawMessage(arguments)}, &result)
	if len(result.Content) == 0 {
		s.T.Fatalf("%s answers nothing", name)
	}
	return result.Content[0].Text
}

// ReachedNothing fails the test if server one has carried out a request for a name that it does not list.
func (s *Scenario) ReachedNothing() {
	s.T.Helper()
	if got := s.Tool("ran", "{}"); got != "[]" {
		s.T.Errorf("the server has carried out %s", got)
	}
}

// Asked returns how often server one was asked for its tools.
func (s *Scenario) Asked() int {
	s.T.Helper()
	n, err := strconv.Atoi(s.Tool("asked", "{}"))
	if err != nil {
		s.T.Fatal(err)
	}
	return n
}

// Offering runs a hub with two always listed servers, one and two, that have resources, prompts, completions and logging.
func Offering(t *testing.T) *hub.Hub {
	t.Helper()
	h, _ := RunHub(t, hub.Options{})
	AddOffering(t, h, "one", "two")
	return h
}

// AddOffering adds always listed servers to a hub without servers, and waits until the hub has read all of their lists, so
// that every later list_changed announces a real change.
func AddOffering(t *testing.T, h *hub.Hub, names ...string) {
	t.Helper()
	for i, name := range names {
		command := mcptest.Command(t, "-offers")
		Do(t, h, "POST", "/api/servers", map[string]any{"name": name, "command": command[0], "args": command[1:]}, nil)
		Do(t, h, "POST", fmt.Sprintf("/api/servers/%d/activate", i+1), nil, nil)
	}
	waiting := Join(t, h, "agent")
	defer waiting.Leave()
	for _, name := range names {
		waiting.AwaitList("resources/templates/list", name+"+")
	}
}

// Exchange sends a request and returns the answer, without its id.
func (a *Agent) Exchange(method, params string) string {
	a.T.Helper()
	a.id++
	a.Write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, a.id, method, params))
	head := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,`, a.id)
	for {
		line := a.Read("the answer to " + method)
		if rest, ok := strings.CutPrefix(line, head); ok {
			return strings.TrimSuffix(rest, "}\n")
		}
		a.Notices = append(a.Notices, strings.TrimSpace(line))
	}
}

// Await returns the first message with a method and removes it from Notices. If none has been received yet, it waits
// for one.
func (a *Agent) Await(method string) string {
	a.T.Helper()
	return a.AwaitText(`"method":"` + method + `"`)
}

// AwaitText is like Await for messages of any method that contain a text.
func (a *Agent) AwaitText(text string) string {
	a.T.Helper()
	for {
		for i, line := range a.Notices {
			if strings.Contains(line, text) {
				a.Notices = append(a.Notices[:i:i], a.Notices[i+1:]...)
				return line
			}
		}
		a.Notices = append(a.Notices, strings.TrimSpace(a.Read(text)))
	}
}

// AwaitList repeats a list request, after each list_changed notification, until the answer contains a text: the hub
// reads the lists other than the tools only after it has started a server.
func (a *Agent) AwaitList(method, text string) string {
	a.T.Helper()
	changed := strings.Replace(strings.Replace(method, "/templates", "", 1), "/list", "/list_changed", 1)
	for {
		if answer := a.Exchange(method, `{}`); strings.Contains(answer, text) {
			return answer
		}
		a.Await("notifications/" + changed)
	}
}

// Acting calls the registry tool with the action toolset and further arguments, as JSON members. It returns the answer
// with quotation marks unescaped and line feeds replaced by spaces.
func (a *Agent) Acting(modern bool, arguments string) string {
	a.T.Helper()
	got := a.InEra(modern, "tools/call", Calling("registry", `{"action":"toolset",`+arguments+`}`))
	return strings.NewReplacer(`\n`, " ", `\"`, `"`).Replace(got)
}

// CreateToolset creates a toolset of tools, each given as SERVER.TOOL.
func CreateToolset(t *testing.T, h *hub.Hub, name string, tools ...string) {
	t.Helper()
	refs := []map[string]string{}
	for _, tool := range tools {
		server, own, _ := strings.Cut(tool, ".")
		refs = append(refs, map[string]string{"server": server, "tool": own})
	}
	Do(t, h, "POST", "/api/toolsets", map[string]any{"name": name, "tools": refs}, nil)
}
