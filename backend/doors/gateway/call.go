package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/finding"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/toolsetview"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// toolCalls sends the tool calls of one session to servers.
type toolCalls struct {
	pipeline  *call.Pipeline
	client    *clientInfo
	surface   surface
	tools     *clientTools
	choice    *toolsetview.Choice
	finder    *finding.Finder
	lessons   *lessons
	tasks     *sessionTasks
	signIns   *signIns
	sending   *sending
	exchanges *exchanges
}

// Call calls a tool for this session, within the session's limit of calls in
// flight.
func (c *toolCalls) Call(ctx context.Context, server, tool string, params json.RawMessage) (call.Result, error) {
	return c.Vetted(ctx, server, tool, params, nil)
}

// Vetted is like Call, but vet checks a tool that was not in the catalog when Vetted was called. Vetted calls vet after
// the server has listed the tool, and does not send the call if vet returns an error. If the tool is in the catalog,
// the caller must have checked it. See call.Request.
func (c *toolCalls) Vetted(ctx context.Context, server, tool string, params json.RawMessage, vet func() error) (call.Result, error) {
	if t, known := c.tools.Lookup(server, tool); known {
		tool = t.OwnName()
	}
	request := c.request(ctx, server, tool, params)
	request.Vet = vet
	end, ok := c.sending.begin(ctx, server)
	if !ok {
		c.pipeline.Refuse(request, errBusy)
		return call.Result{}, errBusy
	}
	defer end()
	send := c.pipeline.Call
	if c.needsTask(ctx, request) {
		send = c.callAsTask
	}
	mayAsk := c.signIns.opensPages(ctx)
	var result call.Result
	err := c.signIns.Retry(ctx, server, func() error {
		lease := func() (*upstream.Lease, error) { return c.exchanges.lease(ctx, server) }
		release, err := c.choice.Admit(catalog.Key{Server: server, Tool: tool}, lease)
		if err != nil {
			c.pipeline.Refuse(request, err)
			result = call.Result{}
			return err
		}
		defer release()
		r := request
		if mayAsk { // Retry may send the params twice, and the pipeline changes them
			r.Params = slices.Clone(params)
		}
		result, err = send(ctx, r)
		return err
	})
	c.sending.flush(ctx)
	c.tasks.note(server, tool, result)
	c.exchanges.of(ctx).note(result.Modern)
	c.lessons.called(request, result, err)
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok && c.client.isCommandLine() {
		if written := rpc.Redacted(); written != rpc {
			err = written // the command line shows it to a person; other clients get it as the server has sent it
		}
	}
	result.JSON = c.surface.Shown(server, "tools/call", result.JSON, "")
	return result, err
}

// Refuse records a call that is not sent. why is the reason.
func (c *toolCalls) Refuse(ctx context.Context, server, tool string, params json.RawMessage, why error) {
	c.pipeline.Refuse(c.request(ctx, server, tool, params), why)
}

// roadKey is the context key for the name of the hub's own tool, such as proxy_call, through which a client
// calls another tool.
type roadKey struct{}

func (c *toolCalls) request(ctx context.Context, server, tool string, params json.RawMessage) call.Request {
	e := c.exchanges.of(ctx)
	name, _ := c.client.called()
	road, _ := ctx.Value(roadKey{}).(string)
	return call.Request{
		Client: name, LimitedAs: c.client.limitedAs(), Session: c.client.session, Origin: c.client.origin(cmp.Or(road, "tools/call")),
		Server: server, Tool: tool, Params: params, Caller: e.caller, Progress: e.progress,
	}
}
