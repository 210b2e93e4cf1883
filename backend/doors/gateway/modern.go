package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/pendinginput"
	"github.com/agent-discover/agent-discover/backend/protocol/inputrequired"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// listTTL is how long clients may cache the hub's lists, in milliseconds, unless a server
// says how long its own may be.
const listTTL = 60_000

// modern serves a request of MCP 2026-07-28. Such requests carry what a session
// otherwise remembers, and lists depend on the configuration only.
func (s *Session) modern(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	meta, bad := mcpversion.CheckMeta(params)
	if bad != nil {
		return nil, bad
	}
	s.introduceModern(meta)
	hop := mcpversion.Hop{ServerInfo: s.surface.info(), Private: true}
	if method != "resources/read" {
		hop.TTLMs = s.surface.ttl(method)
	}
	result, err := s.answerModern(ctx, method, meta, params, &hop)
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
		return mcpversion.Restamp(method, result, hop), nil // a list that its server has sent says how long it may be cached
	}
	result = mcpversion.Complete(method, result, hop)
	if method == "subscriptions/listen" {
		own := jsonrpc.Set(jsonrpc.Get(result, "_meta"), mcpversion.KeySubscriptionID, jsonrpc.RequestID(ctx))
		result = jsonrpc.Set(result, "_meta", own)
	}
	return result, nil
}

// answerModern sets hop anew if the request has started the server.
func (s *Session) answerModern(ctx context.Context, method string, meta mcpversion.Meta, params json.RawMessage, hop *mcpversion.Hop) (json.RawMessage, error) {
	ctx = exchange{modern: true, caller: modernLists{s}}.in(ctx)
	switch method {
	case "server/discover":
		own, err := s.surface.introduce(ctx, meta.ClientCapabilities)
		if err != nil {
			return nil, rpcError(err)
		}
		hop.ServerInfo, hop.TTLMs = own.Info, s.surface.ttl(method)
		return mcpversion.Discover{Capabilities: modernCapabilities(own.Capabilities), Instructions: own.Instructions}.Result(*hop), nil
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list":
		return s.surface.list(ctx, method, mcpversion.Meta{}.Stamp(params))
	case "tools/call", "prompts/get", "resources/read":
		return s.rounds(ctx, method, meta, params, *hop)
	case "tasks/get", "tasks/update", "tasks/cancel":
		return s.modernTask(ctx, method, meta, params)
	case "completion/complete":
		return s.pass(ctx, method, mcpversion.Meta{}.Stamp(params))
	case "subscriptions/listen":
		return s.listen(ctx, params)
	}
	return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s", method)
}

// modernCapabilities returns capabilities without those of the legacy era only.
func modernCapabilities(capabilities json.RawMessage) json.RawMessage {
	return jsonrpc.Delete(capabilities, "tasks")
}

// introduceModern notes the client's name, for people.
func (s *Session) introduceModern(meta mcpversion.Meta) {
	name := jsonrpc.GetString(meta.ClientInfo, "name")
	s.mu.Lock()
	known := s.introduced
	if !known && name != "" {
		s.setName(name, jsonrpc.GetString(meta.ClientInfo, "version"))
	}
	s.introduced = true
	s.mu.Unlock()
	if !known {
		s.gateway.note(s)
		s.gateway.clientsChanged()
	}
}

// rounds serves a request that servers may answer with questions: the client gets
// these as a result, and answers them with its next request. Servers of the modern era
// send such results themselves; for others, the hub parks the call.
func (s *Session) rounds(ctx context.Context, method string, meta mcpversion.Meta, params json.RawMessage, hop mcpversion.Hop) (json.RawMessage, error) {
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
	binding := pendinginput.Binding{Principal: s.id, Session: s.id, Method: method, Params: hash}
	round := &modernRound{
		session: s, declared: upstream.Declared{Capabilities: meta.ClientCapabilities, LogLevel: meta.LogLevel, Modern: true},
	}
	call, err := s.gateway.parkedCall(retry, binding)
	if err != nil {
		return nil, err
	}
	if call == nil {
		if retry.State, err = s.gateway.unsealed(retry.State, binding); err != nil {
			return nil, err
		}
		own := retry.AddTo(mcpversion.Meta{}.Stamp(params))
		call = s.gateway.parked.Begin(ctx, binding, func(ctx context.Context, c *pendinginput.Call) (json.RawMessage, error) {
			asked := &modernCaller{round, c}
			e := exchange{modern: true, caller: asked, progress: asked.progress, level: meta.LogLevel, server: &round.server}
			return s.answer(e.in(ctx), method, own)
		})
	}
	outcome, err := call.Wait(ctx, s.notifier(ctx, meta))
	switch {
	case err != nil:
		return inputOf(err, round.missing.Load())
	case outcome.Required != nil:
		return outcome.Required.JSON(), nil
	case round.server.Load():
		return s.gateway.sealed(mcpversion.Restamp(method, outcome.Result, hop), binding), nil
	}
	return mcpversion.Complete(method, outcome.Result, hop), nil
}

// parkedCall returns the parked call that a retry continues, nil if the request is no
// retry or one that is for the server.
func (g *Gateway) parkedCall(retry inputrequired.Retry, binding pendinginput.Binding) (*pendinginput.Call, error) {
	if retry.State == nil {
		return nil, nil
	}
	if _, err := g.unsealed(retry.State, binding); err == nil {
		return nil, nil
	}
	call, err := g.parked.Resume(retry, binding)
	if err != nil {
		return nil, retryError(err)
	}
	return call, nil
}

// stateLife is how long the state of a server may be presented.
const stateLife = 24 * time.Hour

// sealed returns a result of a modern server with its state bound to the client: the
// server sees one client, the hub, and could not tell whose state it gets.
func (g *Gateway) sealed(result json.RawMessage, binding pendinginput.Binding) json.RawMessage {
	if mcpversion.ResultType(result) != mcpversion.TypeInputRequired {
		return result
	}
	required, err := inputrequired.Read(result)
	if err != nil || required.State == nil {
		return result
	}
	return jsonrpc.Set(result, "requestState", g.sealer.Seal(required.State, binding, time.Now().Add(stateLife)))
}

// unsealed returns the state of a server that sealed has bound to the client, nil if
// there is none.
func (g *Gateway) unsealed(state json.RawMessage, binding pendinginput.Binding) (json.RawMessage, error) {
	if state == nil {
		return nil, nil
	}
	own, err := g.sealer.Open(state, binding, time.Now())
	if err != nil {
		return nil, retryError(err)
	}
	return own, nil
}

// answer carries out a request for its server.
func (s *Session) answer(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if method == "tools/call" {
		return s.surface.call(ctx, params)
	}
	return s.pass(ctx, method, params)
}

// retryError returns the error of a retry that continues no call.
func retryError(err error) error {
	if errors.Is(err, pendinginput.ErrUnknownOutcome) {
		return jsonrpc.NewError(mcpversion.CodeUnknownOutcome, "%s", err)
	}
	return jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: %s", pendinginput.ErrState)
}

// inputOf returns the error of a call, or what a server's error requires of the user
// before the call is made anew. missing is a capability without which the client
// could not be asked.
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

// notifier returns a function that passes notifications of a call to the client, as its
// request asks for them: progress under its token, and log messages of its level.
func (s *Session) notifier(ctx context.Context, meta mcpversion.Meta) func(method string, params json.RawMessage) {
	return func(method string, params json.RawMessage) {
		switch {
		case method == "notifications/progress" && meta.ProgressToken != nil:
			params = jsonrpc.Set(params, "progressToken", meta.ProgressToken)
		case method == "notifications/message" && severe(params, meta.LogLevel):
		default:
			return
		}
		_ = s.peer.Notify(ctx, method, params)
	}
}

// modernRound is one request of a modern client to a server.
type modernRound struct {
	session  *Session
	declared upstream.Declared
	server   atomic.Bool            // set if the server is of the modern era
	missing  atomic.Pointer[string] // set if the client lacks a capability
}

// modernCaller answers what a server asks during one modern call. It implements
// upstream.CallOf and upstream.Declarer.
type modernCaller struct {
	*modernRound
	call *pendinginput.Call
}

// Declared implements upstream.Declarer.
func (m *modernCaller) Declared() upstream.Declared { return m.declared }

// progress passes progress of the server on.
func (m *modernCaller) progress(params json.RawMessage) {
	m.call.Notify("notifications/progress", params)
}

// Message implements upstream.MessageCaller.
func (m *modernCaller) Message(params json.RawMessage) {
	m.call.Notify("notifications/message", params)
}

// HasRoots implements upstream.RootsCaller.
func (m *modernCaller) HasRoots() bool {
	return isObject(jsonrpc.Get(m.declared.Capabilities, "roots"))
}

// Client implements upstream.CallOf.
func (m *modernCaller) Client() any { return m.session }

// Ask implements upstream.Caller.
func (m *modernCaller) Ask(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	var declared map[string]json.RawMessage
	_ = json.Unmarshal(m.declared.Capabilities, &declared) // an object; see mcpversion.CheckMeta
	if lacks := unsupported(declared, q); lacks != "" {
		if answer, asked, err := m.session.askPerson(ctx, q); asked {
			return answer, err
		}
		required := requiredFor(q)
		m.missing.Store(&required)
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "%s cannot be answered: the client does not support %s%s", q.Method, lacks, m.session.gateway.nobody(q.Method))
	}
	params := jsonrpc.Delete(m.session.surface.shown(q.Server, q.Method, q.Params, ""), "elicitationId")
	answer, err := m.call.Ask(ctx, q.Method, params)
	if err != nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidRequest, "%s was not answered: %s", q.Method, err)
	}
	if _, own, err := m.session.surface.incoming(q.Method, answer); err == nil {
		answer = own
	}
	return answer, nil
}

// requiredFor returns the capabilities that a client needs to answer a question, as an
// object.
func requiredFor(q upstream.Question) string {
	switch q.Method {
	case "sampling/createMessage":
		return `{"sampling":{}}`
	case "roots/list":
		return `{"roots":{}}`
	case "elicitation/create":
		if jsonrpc.GetString(q.Params, "mode") == "url" {
			return `{"elicitation":{"url":{}}}`
		}
		return `{"elicitation":{}}`
	}
	return `{}`
}
