package call

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// maxInFlight limits the number of requests in flight, those of all sessions
// together.
const maxInFlight = 1024

// FlightChanged is published when a request begins or ends.
type FlightChanged struct{}

// send sends a request and returns the answer, changed so that the client accepts it.
func (e *exchange) send(ctx context.Context) (_ Result, err error) {
	select {
	case e.p.slots <- struct{}{}:
		events.Publish(e.p.options.Bus, FlightChanged{})
	default:
		return Result{}, fault.New(fault.Busy, "%d calls are in flight on this hub; try again when some have finished", maxInFlight)
	}
	defer func() {
		<-e.p.slots
		events.Publish(e.p.options.Bus, FlightChanged{})
	}()
	switch {
	case e.Method == callTool:
		e.Params = e.by.Params(e.Server, e.Tool, jsonrpc.Overwrite(e.Params, "name", jsonrpc.Quote(e.Tool)))
	case !e.Direct:
		e.Params = jsonrpc.Unambiguous(e.Params, checked...)
	}
	if err := e.begin(); err != nil {
		return Result{}, err
	}
	e.sent = true
	var answer upstream.Result
	message := jsonrpc.Call{Method: e.Method, Params: e.Params, Progress: e.progress()}
	if e.Internal {
		answer, err = e.p.options.Upstream.Request(ctx, e.server, e.Session, e.Over, message)
	} else {
		answer, err = e.p.options.Upstream.CallOver(ctx, e.server, e.Session, e.Over, e.Caller, message)
	}
	if err != nil {
		return Result{}, err
	}
	result := Result{JSON: answer.JSON, Modern: answer.Modern, answer: answer}
	if err := e.fit(&result); err != nil {
		return Result{}, err
	}
	result.ToolError = failed(result.JSON)
	return result, nil
}

// progress returns a handler for the progress that the server reports. It publishes the progress, for the journal and for
// WebSockets, and passes it to the caller.
func (e *exchange) progress() func(json.RawMessage) {
	publish := e.p.options.Upstream.Progress(e.Server)
	return func(params json.RawMessage) {
		publish(params)
		if e.Progress != nil {
			e.Progress(params)
		}
	}
}

// InFlight returns the number of requests in flight. It includes those that wait
// for their server to start.
func (p *Pipeline) InFlight() int { return len(p.slots) }
