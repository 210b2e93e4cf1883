package gateway

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"

	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/toolsetview"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// IDPrefix begins the ids of requests to clients. It is unique to this process: after
// a restart, a client may still answer a request of the previous hub.
var IDPrefix = "hub-" + rand.Text()[:10] + "-"

// Session is one client's connection to the hub. It receives the client's messages and passes each to the part that
// serves it.
type Session struct {
	id       string
	project  Project
	pipeline *call.Pipeline
	surface  surface
	met      func()                    // called when the client has introduced itself
	closed   func(ctx context.Context) // releases what the gateway holds for the session

	client *clientInfo
	caller *clientCaller

	choice  *toolsetview.Choice
	tools   *clientTools
	found   *sessionTools
	list    *toolList
	changes *changes

	level         *logLevel
	exchanges     *exchanges
	sending       *sending
	signIns       *signIns
	results       *longResults
	requests      *requests
	calls         *toolCalls
	lessons       *lessons
	tasks         *sessionTasks
	subscriptions *legacySubscriptions
	listens       *listens
	modern        *modernRequests
}

// Request implements jsonrpc.Handler.
func (s *Session) Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if mcpversion.Detect(method, params, "") == mcpversion.Modern {
		return s.modern.serve(ctx, method, params)
	}
	switch method {
	case "initialize":
		return s.initialize(ctx, params)
	case "ping":
		return json.RawMessage("{}"), nil
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list":
		return s.surface.List(ctx, method, params)
	case "tools/call":
		return s.surface.Call(ctx, params)
	case "resources/subscribe":
		return s.subscriptions.subscribe(ctx, params)
	case "resources/unsubscribe":
		return s.subscriptions.unsubscribe(ctx, params)
	case "logging/setLevel":
		return s.setLevel(ctx, params)
	case "tasks/get", "tasks/result", "tasks/cancel":
		return s.tasks.serve(ctx, method, params)
	case "tasks/list":
		return s.tasks.serveList(ctx, params)
	}
	return s.requests.pass(ctx, method, params)
}

// Notification implements jsonrpc.Handler.
func (s *Session) Notification(method string, _ json.RawMessage) {
	switch method {
	case "notifications/initialized":
		s.client.begin()
	case "notifications/roots/list_changed":
		s.pipeline.NotifyOwn(s.id, method)
	}
}

// Bad implements jsonrpc.Handler. It returns the error to send to a client whose line is not a valid message.
func (s *Session) Bad(_ []byte, err error) *jsonrpc.Error {
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return rpc
	}
	return jsonrpc.NewError(jsonrpc.CodeInvalidRequest, "Invalid Request: %s", err)
}

// InputSchema returns the argument schema of the tool that the session lists under a name, and nil if it lists
// no such tool.
func (s *Session) InputSchema(name string) json.RawMessage {
	server, tool, ok := s.surface.Resolve(name)
	if !ok {
		return nil
	}
	t, known := s.tools.Lookup(server, tool)
	if !known || !s.tools.Lists(t) {
		return nil
	}
	return jsonrpc.Get(t.Definition, "inputSchema")
}

func (s *Session) initialize(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	var said initializeParams
	if err := json.Unmarshal(params, &said); err != nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params of initialize: %s", err)
	}
	declared := jsonrpc.Get(params, "capabilities")
	own, err := s.surface.Introduce(ctx, declared)
	if err != nil {
		return nil, answer.Request(err)
	}
	version := mcpversion.Negotiate(said.ProtocolVersion)
	if version < tasksVersion {
		own.Capabilities = jsonrpc.Delete(own.Capabilities, "tasks")
	}
	s.client.introduce(said, declared, own.Capabilities)
	s.list.note()
	s.met()
	return answer.Encode(struct {
		ProtocolVersion string `json:"protocolVersion"`
		surfaces.Introduction
	}{version, own})
}

func (s *Session) setLevel(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	own, err := s.surface.Introduce(ctx, nil)
	switch {
	case err != nil:
		return nil, answer.Request(err)
	case jsonrpc.Get(own.Capabilities, "logging") == nil:
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: logging/setLevel")
	}
	level := jsonrpc.GetString(params, "level")
	if !slices.Contains(levels, level) {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: unknown log level %q", level)
	}
	s.level.set(ctx, level)
	return json.RawMessage("{}"), nil
}

// Close ends the session and returns when its goroutine has ended. The caller must have closed the peer's Done
// channel, and all requests of the session must have returned.
func (s *Session) Close(ctx context.Context) {
	s.closed(ctx)
	<-s.changes.over
}

// announce implements subscriber.
func (s *Session) announce(method string, params json.RawMessage) { s.changes.announce(method, params) }

// upstreamCaller implements subscriber.
func (s *Session) upstreamCaller() upstream.Caller { return s.caller }

// describe returns the session as Gateway.Clients lists it.
func (s *Session) describe() Client {
	name, version := s.client.called()
	c := Client{Session: s.id, Name: name, Version: version, Calls: s.sending.inFlight.count(), Project: s.project}
	if view, ok := s.surface.(*toolsetview.View); ok {
		c.Toolset = view.Set()
	}
	return c
}

// addsFoundIfOld reports whether find_tool adds tools to the session's list if the session's client is a legacy client.
func (s *Session) addsFoundIfOld(chosen *choices) bool {
	editor := s.client.editor()
	chosen.mu.Lock()
	on, set := chosen.of[editor]
	chosen.mu.Unlock()
	if set {
		return on
	}
	all, ok := s.surface.(*allServers)
	return ok && all.own.AddsFound()
}
