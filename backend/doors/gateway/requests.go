package gateway

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// requests passes the requests of a session, other than tools/call, to the servers that they name.
type requests struct {
	pipeline  *call.Pipeline
	client    *clientInfo
	surface   surface
	tools     *clientTools
	results   *longResults
	tasks     *sessionTasks
	signIns   *signIns
	sending   *sending
	exchanges *exchanges
}

// sending is shared by the tool calls and the other requests of a session. It limits how many of them are in
// flight, and makes sure that the client gets log messages before the answer.
type sending struct {
	inFlight  inFlight
	level     *logLevel
	changes   *changes
	exchanges *exchanges
	settle    func(ctx context.Context) // see feed.settle
}

// begin counts a request to a server as in flight, until the caller calls end. ok is false if too many are in
// flight.
func (s *sending) begin(ctx context.Context, server string) (end func(), ok bool) {
	if !s.inFlight.begin() {
		return nil, false
	}
	s.level.uses(server)
	over := s.level.wants(ctx, server, s.exchanges.of(ctx).level, func() (*upstream.Lease, error) { return s.exchanges.lease(ctx, server) })
	return func() { over(); s.inFlight.end() }, true
}

// flush sends the notifications that wait for a legacy client. If the client has set a log level, flush first waits
// until the feed has delivered the log messages that servers have sent so far. The feed delivers log messages that the
// hub cannot assign to a single call.
func (s *sending) flush(ctx context.Context) {
	if isModern(ctx) {
		return
	}
	if s.level.asked() != "" {
		s.settle(ctx)
	}
	_ = s.changes.outbox.send(s.changes.peer) // an error ends the connection
}

// pass sends a request of the client to the server that it names. In the result, the URI of the request stays
// as the client wrote it, and other URIs have the form that the client is shown.
func (r *requests) pass(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if result, ok, err := r.results.readResource(method, params); ok {
		return result, err
	}
	if hub, ok := r.surface.(documents); ok {
		if result, ok, err := hub.serve(method, params); ok {
			return result, err
		}
	}
	server, own, err := r.owner(method, params)
	if err != nil {
		return nil, err
	}
	result, err := r.forward(ctx, server, method, own)
	if err != nil {
		return nil, err
	}
	uri, bare := jsonrpc.GetString(own, "uri"), ""
	if uri == jsonrpc.GetString(params, "uri") {
		bare = uri
	}
	if method == "resources/read" {
		r.tools.noteView(server, uri)
	}
	return r.surface.Shown(server, method, result, bare), nil
}

// documents is a surface that has prompts and resources of the hub itself.
type documents interface {
	// serve serves requests for these prompts and resources; ok is false for all other requests.
	serve(method string, params json.RawMessage) (result json.RawMessage, ok bool, err error)
}

// owner returns the server that a request of the client names, and the params as the
// server knows them.
func (r *requests) owner(method string, params json.RawMessage) (server string, own json.RawMessage, err error) {
	server, own, err = r.surface.Incoming(method, params)
	if err != nil {
		return "", nil, answer.Request(err)
	}
	if server == "" {
		return "", nil, unnamed(method)
	}
	return server, own, nil
}

// unnamed returns the error for a request whose params name no server.
func unnamed(method string) error {
	switch method {
	case "prompts/get":
		return jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: the name of a prompt is missing")
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		return jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: the uri of a resource is missing")
	case "completion/complete":
		return jsonrpc.NewError(jsonrpc.CodeInvalidParams,
			"Invalid params: ref must be of type ref/prompt with a name, or of type ref/resource with a uri")
	case "tasks/get", "tasks/result", "tasks/cancel":
		return jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: the taskId is missing")
	}
	return jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s", method)
}

// forward sends a request of the client to a server, within the session's limit of
// requests in flight.
func (r *requests) forward(ctx context.Context, server, method string, params json.RawMessage) (json.RawMessage, error) {
	e := r.exchanges.of(ctx)
	name, _ := r.client.called()
	request := call.Request{
		Server: server, Session: r.client.session, Client: name, Origin: r.client.origin(method),
		Method: method, Params: params, Caller: e.caller, Progress: e.progress,
	}
	if t := r.tasks.of(server, jsonrpc.GetString(params, "taskId")); t != nil {
		request.Tool, request.Over = t.tool, t.lease
	}
	end, ok := r.sending.begin(ctx, server)
	if !ok {
		r.pipeline.Refuse(request, errBusy)
		return nil, answer.Request(errBusy)
	}
	defer end()
	var result call.Result
	err := r.signIns.Retry(ctx, server, func() (err error) {
		result, err = r.pipeline.Call(ctx, request)
		return err
	})
	r.sending.flush(ctx)
	if err != nil {
		return nil, answer.Request(err)
	}
	e.note(result.Modern)
	return result.JSON, nil
}
