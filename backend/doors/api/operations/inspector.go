package operations

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Inspector holds the operations with which a person sends requests to one server directly. Each exists twice: for
// configured servers, and for transient servers, which are started only for a test.
type Inspector struct {
	Registry *registry.Registry
	Requests *inspector.Inspector
	Upstream *upstream.Manager
	Output   func(server string, n int, after int64) (lines []upstream.Line, left int64)
	Messages func(server string, after int64, budget int) (list []upstream.Message, missed int64, more bool)
}

// Routes adds the operations with their handlers to a route table.
func (i *Inspector) Routes(t *route.Table) {
	g := t.Group("tester")
	for _, of := range []inspected{
		{i, "/api/servers/{id}", "servers", i.configuredServer, i.activeServer},
		{i, "/api/transient/{id}", "tester", i.transientServer, i.transientServer},
	} {
		route.Add(g, route.Get(of.path+"/output", "List the last lines that a server wrote to standard error").In(of.outputTag), of.output)
		route.Add(g, route.Get(of.path+"/messages", "List recorded JSON-RPC messages between the hub and a server").In(of.outputTag),
			of.messages)
		route.Add(g, route.Get(of.path+"/roots", "List the MCP roots that a server gets"), of.roots)
		route.Add(g, route.Get(of.path+"/info", "Retrieve what a server reports about itself"), of.info)
		route.Add(g, route.Get(of.path+"/tools", "Ask a server for its tools").Returns(toolsReply{}), of.tools)
		route.Add(g, route.Get(of.path+"/resources", "Ask a server for a page of its resources").Returns(resourcesReply{}), of.resources)
		route.Add(g, route.Get(of.path+"/resource-templates",
			"Ask a server for a page of its resource templates").Returns(templatesReply{}), of.templates)
		route.Add(g, route.Post(of.path+"/resource/read", "Read a resource").Returns(contentsReply{}), of.readResource)
		route.Add(g, route.Post(of.path+"/resource/subscribe", "Subscribe to changes of a resource"), of.subscribe)
		route.Add(g, route.Post(of.path+"/resource/unsubscribe", "Unsubscribe from changes of a resource"), of.unsubscribe)
		route.Add(g, route.Get(of.path+"/prompts", "Ask a server for a page of its prompts").Returns(promptsReply{}), of.prompts)
		route.Add(g, route.Post(of.path+"/prompt/get", "Get a prompt").Returns(messagesReply{}), of.getPrompt)
		route.Add(g,
			route.Post(of.path+"/complete",
				"Ask a server to complete an argument of a prompt or a variable of a resource template").Returns(completionReply{}),
			of.complete)
		route.Add(g, route.Post(of.path+"/ping", "Ping a server"), of.ping)
		route.Add(g, route.Post(of.path+"/logging-level", "Set the level of a server's log notifications"), of.setLevel)
		route.Add(g, route.Post(of.path+"/call", "Call a tool").Returns(callReply{}), of.call)
		route.Add(g, route.Post(of.path+"/request", "Send any JSON-RPC request to a server").Returns(requestReply{}), of.request)
		route.Add(g, route.Get(of.path+"/export", "Export a server's configuration in the format of a client"), of.export)
	}
}

// inspected is the set of operations on one kind of servers: configured or transient ones.
type inspected struct {
	*Inspector
	path      string
	outputTag string
	// known returns the server with an id. ready does the same, but returns an error if requests to the server are
	// not allowed.
	known, ready func(id string) (registry.Server, error)
}

func (i *Inspector) configuredServer(id string) (registry.Server, error) {
	v, err := lookup(i.Registry, id)
	if err != nil {
		return v, fault.New(fault.NotFound, "Server not found")
	}
	return v, nil
}

// activeServer returns a configured server that is always listed or running.
func (i *Inspector) activeServer(id string) (registry.Server, error) {
	v, err := i.configuredServer(id)
	if err != nil {
		return v, err
	}
	if !v.AlwaysListed && !i.Upstream.State(v.Name).Running {
		return v, route.BadRequestWith(fault.CodeStopped, "Server not active")
	}
	return v, nil
}

func (i *Inspector) transientServer(handle string) (registry.Server, error) {
	found, err := i.Requests.Find(handle)
	if err != nil {
		return registry.Server{}, err
	}
	return found.Server, nil
}

// missing returns err, but with the text of the original product when a configured server does not exist. The original
// product uses this text on some routes only.
func (of inspected) missing(err error) error {
	if of.path == "/api/servers/{id}" && fault.KindOf(err) == fault.NotFound {
		return fault.New(fault.NotFound, "Not found")
	}
	return err
}

type serverAbout struct {
	Name         string          `json:"name" doc:"Name that the server reports."`
	Version      string          `json:"version"`
	Instructions string          `json:"instructions,omitempty" doc:"The server's instructions for models."`
	Capabilities json.RawMessage `json:"capabilities" doc:"Object with the MCP capabilities of the server."`
	Protocol     string          `json:"protocolVersion" doc:"Version of MCP that the hub and the server have negotiated."`
	Versions     []string        `json:"supportedVersions,omitempty" doc:"All versions of MCP that the server supports, if the server reports them."`
	Declared     json.RawMessage `json:"clientCapabilities" doc:"Object with the MCP capabilities that the hub declares to the server: in initialize or, if the protocol version is 2026-07-28 or later, in each request."`
}

func (of inspected) info(ctx context.Context, in *ServerInput) (*route.Reply[serverAbout], error) {
	v, err := of.ready(in.ID)
	if err != nil {
		return nil, err
	}
	if err := of.Upstream.Start(ctx, v); err != nil {
		return nil, err
	}
	about, ok := of.Upstream.Introduce(ctx, v)
	if !ok {
		return nil, fault.New(fault.Failed, "server %q stopped after its start; try again", v.Name)
	}
	return route.OK(serverAbout{
		Name: about.Name, Version: about.Version, Instructions: about.Instructions, Capabilities: orObject(about.Capabilities),
		Protocol: about.ProtocolVersion, Versions: about.Versions, Declared: orObject(about.Declared),
	})
}

func orObject(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("{}")
	}
	return raw
}

// ask sends a request to a server and returns its result. When the server answers with a JSON-RPC error, the returned
// error has the server's message.
func (of inspected) ask(ctx context.Context, id string, q inspector.Query) (json.RawMessage, error) {
	v, err := of.ready(id)
	if err != nil {
		return nil, err
	}
	q.Client = guard.ClientOf(ctx)
	result, err := of.Requests.Do(ctx, v, q)
	if err != nil {
		return nil, serverError(err)
	}
	return result.JSON, nil
}

// serverError returns err. If err is a JSON-RPC error of a server, it keeps only the message, as the original product
// does.
func serverError(err error) error {
	if text, ok := jsonrpc.ErrorText(err); ok && fault.CodeOf(err) == "" {
		return route.Fail(http.StatusInternalServerError, text)
	}
	return err
}

func (of inspected) tools(ctx context.Context, in *ServerInput) (*route.Raw, error) {
	v, err := of.ready(in.ID)
	if err != nil {
		return nil, err
	}
	tools, err := of.Upstream.ListTools(ctx, v)
	if err != nil {
		return nil, serverError(err)
	}
	data, err := json.Marshal(map[string]any{"tools": append([]json.RawMessage{}, tools...)})
	if err != nil {
		return nil, err
	}
	return route.RawJSON(data)
}

type promptFields struct {
	Name      string          `json:"name" doc:"Name of the prompt."`
	Arguments json.RawMessage `json:"arguments,omitempty" doc:"Object with the arguments of the prompt; values are strings."`
}

func (of inspected) getPrompt(ctx context.Context, in *serverBody[promptFields]) (*route.Raw, error) {
	if _, err := of.ready(in.ID); err != nil {
		return nil, err
	}
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if body.Name == "" {
		return nil, route.BadRequest("name is required")
	}
	params := jsonrpc.Set(nil, "name", jsonrpc.Quote(body.Name))
	if len(body.Arguments) > 0 && string(body.Arguments) != "null" {
		params = jsonrpc.Set(params, "arguments", body.Arguments)
	}
	result, err := of.ask(ctx, in.ID, inspector.Query{Method: "prompts/get", Params: params})
	if err != nil {
		return nil, err
	}
	return route.RawJSON(result)
}

type callFields struct {
	Tool string          `json:"tool" doc:"Name of the tool."`
	Args json.RawMessage `json:"args,omitempty" doc:"Object with the arguments of the tool, as its input schema describes them."`
	Task bool            `json:"task,omitempty" doc:"Whether to ask the server to run the call as a task. The response is then an object with the member task; request the result with the method tasks/result. With MCP 2026-07-28, the server decides whether to run a task; if it does, the response is an object with resultType task and taskId, and the method tasks/get returns the result."`
}

// call calls a tool in the same way as agents do.
func (of inspected) call(ctx context.Context, in *serverBody[callFields]) (*route.Raw, error) {
	v, err := of.ready(in.ID)
	if err != nil {
		return nil, of.missing(err)
	}
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if body.Tool == "" {
		return nil, route.BadRequest("tool is required")
	}
	if len(body.Args) == 0 || string(body.Args) == "null" {
		body.Args = json.RawMessage("{}")
	}
	// Use the name of the tool as the progress token, so that progress messages to WebSockets show which call they belong
	// to.
	params := jsonrpc.Set(jsonrpc.Set(nil, "arguments", body.Args), "_meta", jsonrpc.Set(nil, "progressToken", jsonrpc.Quote(body.Tool)))
	if body.Task {
		params = jsonrpc.Set(params, "task", json.RawMessage("{}"))
	}
	result, err := of.Requests.Do(ctx, v, inspector.Query{
		Tool: body.Tool, Params: params, Client: guard.ClientOf(ctx), Task: body.Task,
	})
	answer := result.JSON
	if text, ok := jsonrpc.ErrorText(err); ok { // clients expect a tool result for errors such as an unknown tool
		failed := map[string]any{"content": []map[string]string{{"type": "text", "text": text}}, "isError": true}
		if near := fault.DidYouMean(err); len(near) > 0 {
			failed["did_you_mean"] = near
		}
		answer, err = json.Marshal(failed)
	}
	if result.Misfit != "" && err == nil {
		answer = jsonrpc.Set(answer, "arguments_error", jsonrpc.Quote(result.Misfit))
	}
	if err != nil {
		return nil, err
	}
	return route.RawJSON(answer)
}

type pingFields struct{}

type pong struct {
	OK    bool  `json:"ok"`
	RTTMS int64 `json:"rtt_ms" doc:"Round-trip time, in milliseconds."`
}

func (of inspected) ping(ctx context.Context, in *serverBody[pingFields]) (*route.Reply[pong], error) {
	if _, err := of.ready(in.ID); err != nil {
		return nil, err
	}
	if _, err := in.Decode(); err != nil {
		return nil, err
	}
	began := time.Now()
	if _, err := of.ask(ctx, in.ID, inspector.Query{Method: "ping"}); err != nil {
		return nil, err
	}
	return route.OK(pong{true, time.Since(began).Milliseconds()})
}

// levels are the severities of RFC 5424, as MCP names them.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

type levelFields struct {
	Level string `json:"level" enum:"debug,info,notice,warning,error,critical,alert,emergency" doc:"The lowest level of log notifications that the server should send."`
}

type levelReply struct {
	OK    bool   `json:"ok"`
	Level string `json:"level"`
}

func (of inspected) setLevel(ctx context.Context, in *serverBody[levelFields]) (*route.Reply[levelReply], error) {
	if _, err := of.ready(in.ID); err != nil {
		return nil, err
	}
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(levels, body.Level) {
		return nil, route.BadRequest("level must be one of: " + strings.Join(levels, ", "))
	}
	if _, err := of.ask(ctx, in.ID, inspector.Query{
		Method: "logging/setLevel", Params: jsonrpc.Set(nil, "level", jsonrpc.Quote(body.Level)),
	}); err != nil {
		return nil, err
	}
	return route.OK(levelReply{true, body.Level})
}
