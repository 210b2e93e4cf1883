package gateway

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/era"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/proxy"
)

// getPrompt serves prompts/get.
func (s *Session) getPrompt(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	name := jsonrpc.GetString(params, "name")
	if name == "" {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: the name of a prompt is missing")
	}
	server, prompt, err := s.gateway.resolvePrompt(name)
	if err != nil {
		return nil, err
	}
	return s.forward(ctx, server, "prompts/get", jsonrpc.Set(params, "name", jsonrpc.Quote(prompt)))
}

// forward sends a request of the client to a server, within the session's limit of
// requests in flight. In the result, URIs are as the client is shown them.
func (s *Session) forward(ctx context.Context, server, method string, params json.RawMessage) (json.RawMessage, error) {
	if !s.beginCall() {
		return nil, rpcError(errBusy)
	}
	defer s.endCall()
	s.uses(server)
	e := s.exchangeOf(ctx)
	result, err := s.gateway.proxy.Forward(ctx, proxy.Forwarded{
		Server: server, Method: method, Params: params, Caller: e.caller, Progress: e.progress,
	})
	if err != nil {
		return nil, rpcError(err)
	}
	return s.gateway.shown(server, method, result), nil
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
		return jsonrpc.NewError(era.CodeBusy, "%s", fault.MessageOf(err))
	case fault.Invalid, fault.NotFound, fault.Denied:
		return jsonrpc.NewError(jsonrpc.CodeInvalidParams, "%s", fault.MessageOf(err))
	}
	return jsonrpc.NewError(jsonrpc.CodeInternalError, "%s", fault.MessageOf(err))
}
