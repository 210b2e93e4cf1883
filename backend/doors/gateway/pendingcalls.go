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

// pendingCalls are the calls of modern clients that wait for input: those that the hub parks,
// and those whose state modern servers have given away.
type pendingCalls struct {
	lot    *pendinginput.Lot
	sealer *pendinginput.Sealer // of the states of modern servers
}

// errClientGone is the cause of the end of parked calls whose client has left.
var errClientGone = errors.New("the client has disconnected")

// end ends the parked calls of the session with an id.
func (p *pendingCalls) end(session string) {
	p.lot.End(func(b pendinginput.Binding) bool { return b.Session == session }, errClientGone)
}

// resumed returns the parked call that a retry continues, nil if the request is no
// retry or one that is for the server.
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

// stateLife is how long the state of a server may be presented.
const stateLife = 24 * time.Hour

// sealed returns a result of a modern server with its state bound to the client: the
// server sees one client, the hub, and could not tell whose state it gets.
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

// unsealed returns the state of a server that sealed has bound to the client, nil if
// there is none.
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
