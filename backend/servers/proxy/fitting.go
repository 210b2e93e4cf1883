package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpshape"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// fittingCall returns the result of a call as clients accept it. If there is none, it is one
// that says so to the model.
func (p *Proxy) fittingCall(server, tool string, answer upstream.Result) json.RawMessage {
	result, changes, err := mcpshape.Result("tools/call", mcpshape.Of{Server: server, Name: tool}, answer.JSON, answer.Modern)
	p.noteMended(server, tool, changes, err)
	if err == nil {
		return result
	}
	text := fmt.Sprintf("The server %q answered the call of its tool %q with a result that MCP clients refuse: %s. "+
		"It is not known whether the call did anything.", server, tool, err)
	failure := json.RawMessage(`{"content":[{"type":"text","text":` + string(jsonrpc.Quote(text)) + `}],"isError":true}`)
	if kind := jsonrpc.Get(answer.JSON, "resultType"); answer.Modern && kind != nil {
		failure = jsonrpc.Set(failure, "resultType", kind)
	}
	return failure
}

// fitting returns the result of a request as clients accept it, or an error that names the
// server.
func (p *Proxy) fitting(f Forwarded, answer upstream.Result) (json.RawMessage, error) {
	switch {
	case f.Method == "tasks/result":
		return p.fittingCall(f.Server, f.Tool, answer), nil
	case f.Method == taskState && answer.Modern:
		return p.fittingState(f, answer.JSON), nil
	}
	of := mcpshape.Of{Server: f.Server, Name: jsonrpc.GetString(f.Params, audited[f.Method].member)}
	result, changes, err := mcpshape.Result(f.Method, of, answer.JSON, answer.Modern)
	p.noteMended(f.Server, f.Method, changes, err)
	if err != nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeInternalError,
			"The server %q answered %s with a result that MCP clients refuse: %s", f.Server, f.Method, err)
	}
	return result, nil
}

// fittingState returns the state of a task, as MCP 2026-07-28 has it, with a result as clients
// accept it.
func (p *Proxy) fittingState(f Forwarded, state json.RawMessage) json.RawMessage {
	result := jsonrpc.Get(state, "result")
	if len(result) == 0 || result[0] != '{' {
		return state
	}
	fitting := p.fittingCall(f.Server, f.Tool, upstream.Result{JSON: result, Modern: true})
	if bytes.Equal(fitting, result) {
		return state
	}
	return jsonrpc.Set(state, "result", fitting)
}

// noteMended logs that clients would have refused a result, once for each tool, or each method,
// of a server. It names members only, because values may be secret.
func (p *Proxy) noteMended(server, what string, changes []mcpshape.Change, err error) {
	if err == nil && len(changes) == 0 {
		return
	}
	if _, logged := p.mended.LoadOrStore([2]string{server, what}, true); logged {
		return
	}
	if err != nil {
		p.log.Warn("clients would refuse a result, and get an error instead", "server", server, "of", what)
		return
	}
	p.log.Info("clients would refuse a result, and get it mended", "server", server, "of", what, "member", changes[0].Member)
}
