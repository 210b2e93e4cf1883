package operations

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

type requestFields struct {
	Method string          `json:"method" doc:"Method of the JSON-RPC request, such as tasks/list. Methods of the handshake, such as initialize, are refused."`
	Params json.RawMessage `json:"params,omitempty" doc:"Object with the parameters."`
}

// requestReply describes the answer of a server: either a result or an error.
type requestReply struct {
	Result mcpObject     `json:"result,omitempty" doc:"The result, as the server sent it."`
	Error  *requestError `json:"error,omitempty" doc:"The JSON-RPC error of the server."`
}

type requestError struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty" doc:"Further details of the error; any JSON value."`
}

// request sends any JSON-RPC request to a server and returns its answer, be it a result or an error.
func (of inspected) request(ctx context.Context, in *serverBody[requestFields]) (*route.Raw, error) {
	v, err := of.ready(in.ID)
	if err != nil {
		return nil, of.missing(err)
	}
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	params := body.Params
	if string(params) == "null" {
		params = nil
	}
	switch {
	case body.Method == "":
		return nil, route.BadRequest("method is required")
	case body.Method == "initialize" || body.Method == "server/discover" || strings.HasPrefix(body.Method, "notifications/"):
		return nil, route.BadRequest("the hub itself sends " + body.Method + "; send another method")
	case len(params) > 0 && params[0] != '{':
		return nil, route.BadRequest("params must be an object")
	}
	q := inspector.Query{Method: body.Method, Params: params, Client: guard.ClientOf(ctx)}
	if body.Method == "tools/call" {
		q.Method, q.Tool, q.Task = "", jsonrpc.GetString(params, "name"), jsonrpc.Get(params, "task") != nil
	}
	result, err := of.Requests.Do(ctx, v, q)
	member, answer := "result", result.JSON
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		member = "error"
		answer, err = json.Marshal(requestError{rpc.Code, rpc.Message, rpc.Data})
	}
	if err != nil {
		return nil, err
	}
	return route.RawJSON(jsonrpc.Set(nil, member, answer))
}
