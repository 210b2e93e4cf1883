package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/pendinginput"
	"github.com/agent-discover/agent-discover/backend/protocol/inputrequired"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// modernRequests serves the modern requests of one session. Such a request contains everything that a legacy session
// would remember, and modern lists depend on the configuration only.
type modernRequests struct {
	client   *clientInfo
	caller   *clientCaller
	peer     Peer
	surface  surface
	requests *requests
	tasks    *sessionTasks
	listens  *listens
	pending  *pendingCalls
	met      func() // called at the first request of the client
}

func (s *modernRequests) serve(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	meta, bad := mcpversion.CheckMeta(params)
	if bad != nil {
		return nil, bad
	}
	if s.client.introduceModern(meta) {
		s.met()
	}
	hop := mcpversion.Hop{ServerInfo: s.surface.Info(), Private: true}
	if method != "resources/read" {
		hop.TTLMs = s.surface.TTL(method)
	}
	result, err := s.answer(ctx, method, meta, params, &hop)
	var rpc *jsonrpc.Error
	switch {
	case errors.As(err, &rpc):
		return nil, mcpversion.ErrorFor(mcpversion.Modern, rpc)
	case err != nil:
		return nil, err
	}
	switch method {
	case "tools/call", "prompts/get", "resources/read":
		return result, nil // rounds has completed it
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list", "tasks/get", "tasks/update", "tasks/cancel":
		return mcpversion.Restamp(method, result, hop), nil // keep the cache time that the server of a list has stated
	}
	result = mcpversion.Complete(method, result, hop)
	if method == "subscriptions/listen" {
		own := jsonrpc.Set(jsonrpc.Get(result, "_meta"), mcpversion.KeySubscriptionID, jsonrpc.RequestID(ctx))
		result = jsonrpc.Set(result, "_meta", own)
	}
	return result, nil
}

// answer serves a request whose _meta is valid. For server/discover it updates hop, because the request may
// have started the server.
func (s *modernRequests) answer(
	ctx context.Context, method string, meta mcpversion.Meta, params json.RawMessage, hop *mcpversion.Hop,
) (json.RawMessage, error) {
	ctx = exchange{modern: true, caller: modernLists{s.caller}}.in(ctx)
	switch method {
	case "server/discover":
		own, err := s.surface.Introduce(ctx, meta.ClientCapabilities)
		if err != nil {
			return nil, answer.Request(err)
		}
		hop.ServerInfo, hop.TTLMs = own.Info, s.surface.TTL(method)
		capabilities := jsonrpc.Delete(own.Capabilities, "tasks") // only legacy clients use this capability
		return mcpversion.Discover{Capabilities: capabilities, Instructions: own.Instructions}.Result(*hop), nil
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list":
		return s.surface.List(ctx, method, mcpversion.Meta{}.Stamp(params))
	case "tools/call", "prompts/get", "resources/read":
		return s.rounds(ctx, method, meta, params, *hop)
	case "tasks/get", "tasks/update", "tasks/cancel":
		return s.tasks.serveModern(ctx, method, meta, params)
	case "completion/complete":
		return s.requests.pass(ctx, method, mcpversion.Meta{}.Stamp(params))
	case "subscriptions/listen":
		return s.listens.serve(ctx, params)
	}
	return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s", method)
}

// rounds serves a request to which a server may respond with questions for the client. The client gets the
// questions as a result and answers them in its next request. Modern servers send such results themselves; for
// a legacy server, the hub keeps the call waiting between the two requests.
func (s *modernRequests) rounds(
	ctx context.Context, method string, meta mcpversion.Meta, params json.RawMessage, hop mcpversion.Hop,
) (json.RawMessage, error) {
	if meta.LogLevel != "" && !slices.Contains(levels, meta.LogLevel) {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: unknown log level %q", meta.LogLevel)
	}
	retry, _, err := inputrequired.ReadRetry(params)
	if err != nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: %s", err)
	}
	hash, err := inputrequired.Hash(params)
	if err != nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: %s", err)
	}
	binding := pendinginput.Binding{Principal: s.client.session, Session: s.client.session, Method: method, Params: hash}
	round := &modernRound{
		caller: s.caller, declared: upstream.Declared{Capabilities: meta.ClientCapabilities, LogLevel: meta.LogLevel, Modern: true},
	}
	call, err := s.pending.resumed(retry, binding)
	if err != nil {
		return nil, err
	}
	if call == nil {
		if retry.State, err = s.pending.unsealed(retry.State, binding); err != nil {
			return nil, err
		}
		own := retry.AddTo(mcpversion.Meta{}.Stamp(params))
		call = s.pending.lot.Begin(ctx, binding, func(ctx context.Context, c *pendinginput.Call) (json.RawMessage, error) {
			asked := &modernCaller{round, c}
			e := exchange{modern: true, caller: asked, progress: asked.progress, level: meta.LogLevel, server: &round.server}
			if method == "tools/call" {
				return s.surface.Call(e.in(ctx), own)
			}
			return s.requests.pass(e.in(ctx), method, own)
		})
	}
	outcome, err := call.Wait(ctx, s.notifier(ctx, meta))
	switch {
	case err != nil:
		return inputOf(err, round.missing.Load())
	case outcome.Required != nil:
		return outcome.Required.JSON(), nil
	case round.server.Load():
		return s.pending.sealed(mcpversion.Restamp(method, outcome.Result, hop), binding), nil
	}
	return mcpversion.Complete(method, outcome.Result, hop), nil
}

// inputOf returns the error of a call. If the error says what the user must do before the client repeats the call,
// inputOf returns a result of type input_required instead. missing contains the capabilities without which the hub
// could not ask the client; it is nil if there are none.
func inputOf(err error, missing *string) (json.RawMessage, error) {
	var rpc *jsonrpc.Error
	if !errors.As(err, &rpc) {
		return nil, err
	}
	if required, ok := inputrequired.FromError(rpc); ok {
		return required.JSON(), nil
	}
	if missing != nil {
		return nil, mcpversion.MissingCapabilities(json.RawMessage(*missing))
	}
	return nil, err
}

// notifier returns a function that sends notifications of a call to the client, if the client's request asks for them.
// The function sends progress with the progress token of the request, and log messages of at least the level in the
// request.
func (s *modernRequests) notifier(ctx context.Context, meta mcpversion.Meta) func(method string, params json.RawMessage) {
	return func(method string, params json.RawMessage) {
		switch {
		case method == "notifications/progress" && meta.ProgressToken != nil:
			params = jsonrpc.Set(params, "progressToken", meta.ProgressToken)
		case method == "notifications/message" && meta.LogLevel != "" && atLeast(params, meta.LogLevel):
		default:
			return
		}
		_ = s.peer.Notify(ctx, method, params)
	}
}
