package call

import (
	"bytes"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// screenArguments masks the credentials in the arguments of a call, or returns an error if the call must not be
// made.
func (e *exchange) screenArguments() error {
	if !e.judged || e.Method != callTool {
		return nil
	}
	arguments, err := e.p.options.Screen.Arguments(e.subject)
	if err != nil || len(arguments) == 0 || bytes.Equal(arguments, e.subject.Arguments) {
		return err
	}
	e.Params = jsonrpc.Set(e.Params, "arguments", arguments)
	return nil
}

// screenResult returns the result to pass on. If the result is kept back until a person releases it,
// screenResult returns an error.
func (e *exchange) screenResult(r Result) (_ Result, err error) {
	switch {
	case !e.judged, !e.sent: // if the request was not sent, a person has released the result
		return r, nil
	case e.Method == taskState:
		r.JSON, err = e.screenState(r.JSON)
	default:
		r.JSON, err = e.p.options.Screen.Result(e.subject, r.JSON)
	}
	if err != nil {
		return Result{}, err
	}
	return r, nil
}

// screenState is like screenResult, for the result in the state of a task of MCP 2026-07-28.
func (e *exchange) screenState(state json.RawMessage) (json.RawMessage, error) {
	result := jsonrpc.Get(state, "result")
	if result == nil {
		return state, nil
	}
	if _, ok := e.p.options.Screen.Released(e.subject); ok {
		return state, nil
	}
	judged, err := e.p.options.Screen.Result(e.subject, result)
	if err != nil || bytes.Equal(judged, result) {
		return state, err
	}
	return jsonrpc.Set(state, "result", judged), nil
}

// TaskState returns the state of a task that a server sent in a notification, fitted and screened. It returns an
// error if the result in the state is kept back.
func (p *Pipeline) TaskState(about Request, state json.RawMessage) (json.RawMessage, error) {
	about.Method = taskState
	e := p.exchange(about)
	if state = e.fitState(state); e.judged {
		return e.screenState(state)
	}
	return state, nil
}
