package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/inspector"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/proxy"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// testerRoutes serve a person's questions to a server, configured or transient.
func (s *server) testerRoutes(api huma.API) {
	for _, of := range []target{
		{s, "/api/servers/{id}", s.configuredServer, s.activeServer},
		{s, "/api/transient/{id}", s.transientServer, s.transientServer},
	} {
		of.outputRoute(api)
		route(api, http.MethodGet, of.path+"/info", "What the server says of itself", of.info)
		route(api, http.MethodGet, of.path+"/tools", "Its tools, asked now", of.tools)
		route(api, http.MethodGet, of.path+"/resources", "Its resources, a page of them", of.resources)
		route(api, http.MethodGet, of.path+"/resource-templates", "Its resource templates", of.templates)
		bodyRoute(api, http.MethodPost, of.path+"/resource/read", "Read a resource", of.readResource)
		bodyRoute(api, http.MethodPost, of.path+"/resource/subscribe", "Be told when a resource changes", of.subscribe)
		bodyRoute(api, http.MethodPost, of.path+"/resource/unsubscribe", "Be told no more", of.unsubscribe)
		route(api, http.MethodGet, of.path+"/prompts", "Its prompts, a page of them", of.prompts)
		bodyRoute(api, http.MethodPost, of.path+"/prompt/get", "Get a prompt", of.getPrompt)
		bodyRoute(api, http.MethodPost, of.path+"/ping", "Ask whether it answers", of.ping)
		bodyRoute(api, http.MethodPost, of.path+"/logging-level", "Set what it logs to us", of.setLevel)
		bodyRoute(api, http.MethodPost, of.path+"/call", "Call a tool", of.call)
		route(api, http.MethodGet, of.path+"/export", "Its configuration for a client", of.export)
	}
}

// target is the kind of servers that a set of routes asks.
type target struct {
	*server
	path string
	// known returns the server that a request names, find the one that may be
	// asked besides.
	known, find func(id string) (registry.Server, error)
}

// rawReply is a server's own result, byte for byte.
type rawReply struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

func raw(body json.RawMessage, err error) (*rawReply, error) {
	if err != nil {
		return nil, err
	}
	return &rawReply{"application/json", body}, nil
}

func badRequest(text string) error { return huma.NewError(http.StatusBadRequest, text) }

func (s *server) configuredServer(id string) (registry.Server, error) {
	v, err := s.lookup(&serverInput{ID: id})
	if err != nil {
		return v, fault.New(fault.NotFound, "Server not found")
	}
	return v, nil
}

// missing says that a server is not there in the words of this route.
func (t target) missing(err error) error {
	if t.path == "/api/servers/{id}" && fault.KindOf(err) == fault.NotFound {
		return fault.New(fault.NotFound, "Not found")
	}
	return err
}

// activeServer finds a configured server that is switched on, or runs.
func (s *server) activeServer(id string) (registry.Server, error) {
	v, err := s.configuredServer(id)
	if err != nil {
		return v, err
	}
	if !v.Enabled && !s.Upstream.State(v.Name).Running {
		return v, badRequest("Server not active")
	}
	return v, nil
}

func (s *server) transientServer(handle string) (registry.Server, error) {
	found, err := s.Inspector.Find(handle)
	if err != nil {
		return registry.Server{}, err
	}
	return found.Server, nil
}

type pageInput struct {
	ID     string `path:"id"`
	Cursor string `query:"cursor"`
}

type serverAbout struct {
	Name         string          `json:"name"`
	Version      string          `json:"version"`
	Instructions string          `json:"instructions,omitempty"`
	Capabilities json.RawMessage `json:"capabilities"`
}

func (t target) info(ctx context.Context, in *serverInput) (*reply[serverAbout], error) {
	v, err := t.find(in.ID)
	if err != nil {
		return nil, err
	}
	if err := t.Upstream.Start(ctx, v); err != nil {
		return nil, err
	}
	about, ok := t.Upstream.Describe(v.Name)
	if !ok {
		return nil, fault.New(fault.Failed, "server %q ended just now; try again", v.Name)
	}
	out := serverAbout{Name: about.Name, Version: about.Version, Instructions: about.Instructions, Capabilities: about.Capabilities}
	if out.Capabilities == nil {
		out.Capabilities = json.RawMessage("{}")
	}
	return &reply[serverAbout]{Status: http.StatusOK, Body: out}, nil
}

// ask sends one request to a server; its error answers are told as it wrote them.
func (t target) ask(ctx context.Context, id string, q inspector.Query) (json.RawMessage, error) {
	v, err := t.find(id)
	if err != nil {
		return nil, err
	}
	result, err := t.Inspector.Do(ctx, v, q)
	if err != nil {
		return nil, failedAnswer(err)
	}
	return result, nil
}

// failedAnswer is a server's failure in the words of the original.
func failedAnswer(err error) error {
	if text, ok := jsonrpc.ErrorText(err); ok {
		return huma.NewError(http.StatusInternalServerError, text)
	}
	return err
}

// list answers with one member of a result, and its cursor.
func (t target) list(ctx context.Context, in *pageInput, method, member string) (*rawReply, error) {
	var params json.RawMessage
	if in.Cursor != "" {
		params = jsonrpc.Set(nil, "cursor", jsonrpc.Quote(in.Cursor))
	}
	result, err := t.ask(ctx, in.ID, inspector.Query{Method: method, Params: params})
	if err != nil {
		return nil, err
	}
	items := jsonrpc.Get(result, member)
	if items == nil {
		items = json.RawMessage("[]")
	}
	body := jsonrpc.Set(nil, member, items)
	if cursor := jsonrpc.Get(result, "nextCursor"); cursor != nil {
		body = jsonrpc.Set(body, "nextCursor", cursor)
	}
	return raw(body, nil)
}

func (t target) tools(ctx context.Context, in *serverInput) (*rawReply, error) {
	v, err := t.find(in.ID)
	if err != nil {
		return nil, err
	}
	tools, err := t.Upstream.ListTools(ctx, v)
	if err != nil {
		return nil, failedAnswer(err)
	}
	data, err := json.Marshal(map[string]any{"tools": append([]json.RawMessage{}, tools...)})
	return raw(data, err)
}

func (t target) resources(ctx context.Context, in *pageInput) (*rawReply, error) {
	return t.list(ctx, in, "resources/list", "resources")
}

func (t target) templates(ctx context.Context, in *pageInput) (*rawReply, error) {
	return t.list(ctx, in, "resources/templates/list", "resourceTemplates")
}

func (t target) prompts(ctx context.Context, in *pageInput) (*rawReply, error) {
	return t.list(ctx, in, "prompts/list", "prompts")
}

// uri reads the body {"uri": …}.
func (t target) uri(in *editInput) (string, error) {
	if _, err := t.find(in.ID); err != nil {
		return "", err
	}
	var body struct {
		URI string `json:"uri"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return "", err
	}
	if body.URI == "" {
		return "", badRequest("uri is required")
	}
	return body.URI, nil
}

func (t target) readResource(ctx context.Context, in *editInput) (*rawReply, error) {
	uri, err := t.uri(in)
	if err != nil {
		return nil, err
	}
	params := jsonrpc.Set(nil, "uri", jsonrpc.Quote(uri))
	result, err := t.ask(ctx, in.ID, inspector.Query{
		Method: "resources/read", Params: params, Kind: journal.ResourceRead, About: uri, Shown: params,
		Answer: func(result json.RawMessage) string { return string(jsonrpc.Get(result, "contents")) },
	})
	return raw(result, err)
}

type done struct {
	OK bool `json:"ok"`
}

func (t target) subscribe(ctx context.Context, in *editInput) (*reply[done], error) {
	return t.watch(ctx, in, "resources/subscribe")
}

func (t target) unsubscribe(ctx context.Context, in *editInput) (*reply[done], error) {
	return t.watch(ctx, in, "resources/unsubscribe")
}

func (t target) watch(ctx context.Context, in *editInput, method string) (*reply[done], error) {
	uri, err := t.uri(in)
	if err != nil {
		return nil, err
	}
	if _, err := t.ask(ctx, in.ID, inspector.Query{Method: method, Params: jsonrpc.Set(nil, "uri", jsonrpc.Quote(uri))}); err != nil {
		return nil, err
	}
	return ok(done{true})
}

func (t target) getPrompt(ctx context.Context, in *editInput) (*rawReply, error) {
	if _, err := t.find(in.ID); err != nil {
		return nil, err
	}
	var body struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	if body.Name == "" {
		return nil, badRequest("name is required")
	}
	params, shown := jsonrpc.Set(nil, "name", jsonrpc.Quote(body.Name)), json.RawMessage("{}")
	if len(body.Arguments) > 0 && string(body.Arguments) != "null" {
		params, shown = jsonrpc.Set(params, "arguments", body.Arguments), body.Arguments
	}
	result, err := t.ask(ctx, in.ID, inspector.Query{
		Method: "prompts/get", Params: params, Kind: journal.PromptGet, About: body.Name, Shown: shown,
		Answer: func(result json.RawMessage) string { return string(jsonrpc.Get(result, "messages")) },
	})
	return raw(result, err)
}

// call calls a tool through the one call path.
func (t target) call(ctx context.Context, in *editInput) (*rawReply, error) {
	v, err := t.find(in.ID)
	if err != nil {
		return nil, t.missing(err)
	}
	var body struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	if body.Tool == "" {
		return nil, badRequest("tool is required")
	}
	if len(body.Args) == 0 || string(body.Args) == "null" {
		body.Args = json.RawMessage("{}")
	}
	// The tool's name is the token: who watches sees what the progress is of.
	params := jsonrpc.Set(jsonrpc.Set(nil, "arguments", body.Args), "_meta", jsonrpc.Set(nil, "progressToken", jsonrpc.Quote(body.Tool)))
	result, err := t.Proxy.Call(ctx, proxy.Request{
		Client: "rest", Server: v.Name, Unlisted: v, Tool: body.Tool, Params: params,
		Caller: t.Inbox, Progress: t.Upstream.Progress(v.Name),
	})
	answer := result.JSON
	if text, ok := jsonrpc.ErrorText(err); ok { // an unknown tool, say: clients want a result that says so
		answer, err = json.Marshal(map[string]any{
			"content": []map[string]string{{"type": "text", "text": text}}, "isError": true,
		})
	}
	return raw(answer, err)
}
