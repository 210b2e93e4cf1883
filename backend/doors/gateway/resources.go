package gateway

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// readResource serves resources/read.
func (s *Session) readResource(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	server, own, err := s.gateway.resource("resources/read", params)
	if err != nil {
		return nil, err
	}
	return s.forward(ctx, server, "resources/read", own)
}

// resource returns the server of the resource that params name, and params with the
// URI that the server knows.
func (g *Gateway) resource(method string, params json.RawMessage) (server string, own json.RawMessage, err error) {
	server, own, err = g.incoming(method, params)
	if err == nil && server == "" {
		err = jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: the uri of a resource is missing")
	}
	return server, own, err
}

// complete serves completion/complete.
func (s *Session) complete(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	server, own, err := s.gateway.incoming("completion/complete", params)
	if err != nil {
		return nil, rpcError(err)
	}
	if server == "" {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: ref must be of type ref/prompt with a name, or of type ref/resource with a uri")
	}
	return s.forward(ctx, server, "completion/complete", own)
}
