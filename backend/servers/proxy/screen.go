package proxy

import (
	"bytes"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Screened is a call whose arguments and result are judged.
type Screened struct {
	Method          string // tools/call, tasks/result, resources/read or prompts/get
	Server, Tool    string // in place of the tool the URI of a resource or the name of a prompt
	Client, Session string
	Arguments       json.RawMessage // of a task its id
}

// Screen judges what is sent to tools and what they answer.
type Screen interface {
	// Released returns the result of an earlier call with the same arguments that was kept
	// back, and that a person has released since.
	Released(c Screened) (json.RawMessage, bool)
	// Arguments returns the arguments to send, or why the call must not be made.
	Arguments(c Screened) (json.RawMessage, error)
	// Result returns the result to pass on, or why it is kept back. Both return what they
	// were given, unless something was found.
	Result(c Screened, result json.RawMessage) (json.RawMessage, error)
}

// screenArguments returns the params of a call with the arguments to send.
func (p *Proxy) screenArguments(s Screened, params json.RawMessage) (json.RawMessage, error) {
	arguments, err := p.screen.Arguments(s)
	if err != nil || len(arguments) == 0 || bytes.Equal(arguments, s.Arguments) {
		return params, err
	}
	return jsonrpc.Set(params, "arguments", arguments), nil
}
