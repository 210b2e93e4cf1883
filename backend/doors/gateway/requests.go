package gateway

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// pass sends a request of the client to the server that it names. In the result, a URI
// is as the client has written it in the request, and others are as it is shown them.
func (s *Session) pass(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if result, ok, err := s.readResult(method, params); ok {
		return result, err
	}
	if all, ok := s.surface.(allServers); ok {
		if m, ok := all.own.(metaTools); ok {
			if result, ok, err := m.serve(method, params); ok {
				return result, err
			}
		}
	}
	server, own, err := s.owner(method, params)
	if err != nil {
		return nil, err
	}
	result, err := s.forward(ctx, server, method, own)
	if err != nil {
		return nil, err
	}
	uri, bare := jsonrpc.GetString(own, "uri"), ""
	if uri == jsonrpc.GetString(params, "uri") {
		bare = uri
	}
	if method == "resources/read" {
		s.noteView(server, uri)
	}
	return s.surface.shown(server, method, result, bare), nil
}

// owner returns the server that a request of the client names, and the params as the
// server knows them.
func (s *Session) owner(method string, params json.RawMessage) (server string, own json.RawMessage, err error) {
	server, own, err = s.surface.incoming(method, params)
	if err != nil {
		return "", nil, rpcError(err)
	}
	if server == "" {
		return "", nil, unnamed(method)
	}
	return server, own, nil
}

// unnamed returns the error of a request that names no server.
func unnamed(method string) error {
	switch method {
	case "prompts/get":
		return jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: the name of a prompt is missing")
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		return jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: the uri of a resource is missing")
	case "completion/complete":
		return jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: ref must be of type ref/prompt with a name, or of type ref/resource with a uri")
	case "tasks/get", "tasks/result", "tasks/cancel":
		return jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: the taskId is missing")
	}
	return jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s", method)
}

// forward sends a request of the client to a server, within the session's limit of
// requests in flight.
func (s *Session) forward(ctx context.Context, server, method string, params json.RawMessage) (json.RawMessage, error) {
	e := s.exchangeOf(ctx)
	request := call.Request{
		Server: server, Session: s.id, Client: s.client().Name, Origin: s.origin(method), Method: method, Params: params, Caller: e.caller, Progress: e.progress,
	}
	if t := s.taskOf(server, jsonrpc.GetString(params, "taskId")); t != nil {
		request.Tool, request.Over = t.tool, t.lease
	}
	if !s.beginCall() {
		s.gateway.calls.Refuse(request, errBusy)
		return nil, rpcError(errBusy)
	}
	defer s.endCall()
	s.uses(server)
	defer s.wants(ctx, server, e.level)()
	result, err := withSignIn(ctx, s, server, func() (call.Result, error) {
		return s.gateway.calls.Call(ctx, request)
	})
	s.flush(ctx, e)
	if err != nil {
		return nil, rpcError(err)
	}
	e.note(result.Modern)
	return result.JSON, nil
}

// rpcError returns a fault as a JSON-RPC error. Other errors are unchanged.
func rpcError(err error) error {
	var rpc *jsonrpc.Error
	var cancelled *jsonrpc.Cancelled
	if errors.As(err, &rpc) || errors.As(err, &cancelled) {
		return err
	}
	switch fault.KindOf(err) {
	case fault.Busy:
		return jsonrpc.NewError(mcpversion.CodeBusy, "%s", fault.MessageOf(err))
	case fault.Invalid, fault.NotFound, fault.Denied:
		return jsonrpc.NewError(jsonrpc.CodeInvalidParams, "%s", fault.MessageOf(err))
	}
	return jsonrpc.NewError(jsonrpc.CodeInternalError, "%s", fault.MessageOf(err))
}
