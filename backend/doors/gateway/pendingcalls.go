package gateway

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/pendinginput"
	"github.com/agent-discover/agent-discover/backend/protocol/inputrequired"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// pendingCalls holds the calls of modern clients that wait for input. The hub keeps a call to a legacy server
// waiting. A modern server returns its state to the client, which sends it back with the input; the hub seals
// that state.
type pendingCalls struct {
	lot    *pendinginput.Lot
	sealer *pendinginput.Sealer // of the states of modern servers
}

// errClientGone is the cause with which waiting calls end when their client has left.
var errClientGone = errors.New("the client has disconnected")

// resumed returns the waiting call that a retry continues. It returns nil if the request is not a retry, or if
// its state comes from a modern server.
func (p *pendingCalls) resumed(retry inputrequired.Retry, binding pendinginput.Binding) (*pendinginput.Call, error) {
	if retry.State == nil {
		return nil, nil
	}
	if _, err := p.unsealed(retry.State, binding); err == nil {
		return nil, nil
	}
	call, err := p.lot.Resume(retry, binding)
	if err != nil {
		return nil, retryError(err)
	}
	return call, nil
}

// stateLife is how long a client may send back the state of a server.
const stateLife = 24 * time.Hour

// sealed returns a result of a modern server with its state encrypted and bound to the client and its request.
// The server itself could not notice that a client sends the state of another client, because the hub is its
// only client.
func (p *pendingCalls) sealed(result json.RawMessage, binding pendinginput.Binding) json.RawMessage {
	if mcpversion.ResultType(result) != mcpversion.TypeInputRequired {
		return result
	}
	required, err := inputrequired.Read(result)
	if err != nil || required.State == nil {
		return result
	}
	return jsonrpc.Set(result, "requestState", p.sealer.Seal(required.State, binding, time.Now().Add(stateLife)))
}

// unsealed is the inverse of sealed: it decrypts state and returns the state that the server sent. It returns nil if
// state is nil.
func (p *pendingCalls) unsealed(state json.RawMessage, binding pendinginput.Binding) (json.RawMessage, error) {
	if state == nil {
		return nil, nil
	}
	own, err := p.sealer.Open(state, binding, time.Now())
	if err != nil {
		return nil, retryError(err)
	}
	return own, nil
}

// retryError returns the error of a retry that continues no call.
func retryError(err error) error {
	if errors.Is(err, pendinginput.ErrUnknownOutcome) {
		return jsonrpc.NewError(mcpversion.CodeUnknownOutcome, "%s", err)
	}
	return jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: %s", pendinginput.ErrState)
}
