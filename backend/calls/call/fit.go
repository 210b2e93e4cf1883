package call

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpshape"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// fit changes a result so that MCP clients accept it. If that is impossible, a call gets an error result; for other
// methods, fit returns an error that names the server. fit does not change the results of direct requests and of calls
// without a session, because a person uses them to test a server.
func (e *exchange) fit(r *Result) error {
	switch {
	case e.Direct, e.Method == callTool && e.Session == "":
		return nil
	case e.Method == callTool, e.Method == taskResult:
		r.JSON = e.fitCall(r.answer)
		return nil
	case e.Method == taskState && r.Modern:
		r.JSON = e.fitState(r.JSON)
		return nil
	}
	of := mcpshape.Of{Server: e.Server, Name: jsonrpc.GetString(e.Params, reading[e.Method].member)}
	fitting, changes, err := mcpshape.Result(e.Method, of, r.JSON, r.Modern)
	e.p.noteMended(e.Server, e.Method, changes, err)
	if err != nil {
		return jsonrpc.NewError(jsonrpc.CodeInternalError,
			"The server %q answered %s with a result that MCP clients refuse: %s", e.Server, e.Method, err)
	}
	r.JSON = fitting
	return nil
}

// fitCall returns the result of a call, changed so that clients accept it. If that is impossible, it returns an
// error result that explains the problem to the model.
func (e *exchange) fitCall(answer upstream.Result) json.RawMessage {
	result, changes, err := mcpshape.Result(callTool, mcpshape.Of{Server: e.Server, Name: e.Tool}, answer.JSON, answer.Modern)
	e.p.noteMended(e.Server, e.Tool, changes, err)
	if err == nil {
		return result
	}
	text := fmt.Sprintf("The server %q answered the call of its tool %q with a result that MCP clients refuse: %s. "+
		"It is not known whether the call did anything.", e.Server, e.Tool, err)
	failure := json.RawMessage(`{"content":[{"type":"text","text":` + string(jsonrpc.Quote(text)) + `}],"isError":true}`)
	if kind := jsonrpc.Get(answer.JSON, "resultType"); answer.Modern && kind != nil {
		failure = jsonrpc.Set(failure, "resultType", kind)
	}
	return failure
}

// fitState applies fitCall to the result in the state of a task of MCP 2026-07-28.
func (e *exchange) fitState(state json.RawMessage) json.RawMessage {
	result := jsonrpc.Get(state, "result")
	if len(result) == 0 || result[0] != '{' {
		return state
	}
	fitting := e.fitCall(upstream.Result{JSON: result, Modern: true})
	if bytes.Equal(fitting, result) {
		return state
	}
	return jsonrpc.Set(state, "result", fitting)
}

// noteMended logs that clients would have refused a result as the server sent it. It does nothing if there are no
// changes and no error. It logs only once for each tool or method of a server. It may log the name of a JSON member
// that was changed, but no values, because they may be secret.
func (p *Pipeline) noteMended(server, what string, changes []mcpshape.Change, err error) {
	if err == nil && len(changes) == 0 {
		return
	}
	if _, logged := p.mended.LoadOrStore([2]string{server, what}, true); logged {
		return
	}
	if err != nil {
		p.options.Log.Warn("clients would refuse a result, and get an error instead", "server", server, "of", what)
		return
	}
	p.options.Log.Info("clients would refuse a result, and get it mended", "server", server, "of", what, "member", changes[0].Member)
}
