package call

import (
	"bytes"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// screenArguments replaces the arguments of a call by those to send.
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

// screenResult returns a result as it is passed on, or why it is kept back.
func (e *exchange) screenResult(r Result) (_ Result, err error) {
	switch {
	case !e.judged, !e.sent: // not sent: a person has released it
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

// screenState judges the result in the state of a task, as MCP 2026-07-28 has it.
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

// TaskState returns the state of a task that its server announces, as it is passed on, or
// why its result is kept back.
func (p *Pipeline) TaskState(about Request, state json.RawMessage) (json.RawMessage, error) {
	about.Method = taskState
	e := p.exchange(about)
	if state = e.fitState(state); e.judged {
		return e.screenState(state)
	}
	return state, nil
}
