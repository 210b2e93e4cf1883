package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/calls/resolve"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// names returns what names of tools may mean to the session's client.
func (s *Session) names() resolve.Scope {
	r := s.rules()
	return resolve.Scope{
		Servers: s.gateway.registry, View: r.View, Usable: s.gateway.findable(r), Short: s.byShortName,
		Near: func(name string) []string { return callAs(s.gateway.near("", name, 3, r)) },
	}
}

// resolve returns the tool that a name means which the session lists or find_tool replies with.
func (s *Session) resolve(name string) (server, tool string, ok bool) {
	t, ok := s.names().Listed(name)
	return t.Server, t.Name, ok
}

// lookup returns a tool of a server as it appears to the session, by any of its names.
func (s *Session) lookup(server, tool string) (*catalog.Tool, bool) {
	return s.rules().Lookup(server, tool)
}

// InputSchema returns the argument schema of a tool under a name as the session lists
// it, and nil if it does not list the tool.
func (s *Session) InputSchema(name string) json.RawMessage {
	server, tool, ok := s.surface.resolve(name)
	if !ok {
		return nil
	}
	t, known := s.lookup(server, tool)
	if !known || !s.lists(t) {
		return nil
	}
	return jsonrpc.Get(t.Definition, "inputSchema")
}

// call calls a tool for this session, within the session's limit of calls in
// flight.
func (s *Session) call(ctx context.Context, server, tool string, params json.RawMessage) (call.Result, error) {
	return s.vetted(ctx, server, tool, params, nil)
}

// vetted is call for a caller that has looked at the tool if it is known, and otherwise does so with vet; see
// call.Request.
func (s *Session) vetted(ctx context.Context, server, tool string, params json.RawMessage, vet func() error) (call.Result, error) {
	if t, known := s.lookup(server, tool); known {
		tool = t.OwnName()
	}
	request := s.request(ctx, server, tool, params)
	request.Vet = vet
	if !s.beginCall() {
		s.gateway.calls.Refuse(request, errBusy)
		return call.Result{}, errBusy
	}
	defer s.endCall()
	s.uses(server)
	defer s.wants(ctx, server, s.exchangeOf(ctx).level)()
	send := s.gateway.calls.Call
	if s.needsTask(ctx, request) {
		send = s.callAsTask
	}
	mayAsk := s.opensPages(ctx)
	result, err := withSignIn(ctx, s, server, func() (call.Result, error) {
		release, err := s.admitted(ctx, server, tool)
		if err != nil {
			s.gateway.calls.Refuse(request, err)
			return call.Result{}, err
		}
		defer release()
		r := request
		if mayAsk { // Call changes the params of a call
			r.Params = slices.Clone(params)
		}
		return send(ctx, r)
	})
	s.flush(ctx, s.exchangeOf(ctx))
	s.noteTask(server, tool, result)
	s.exchangeOf(ctx).note(result.Modern)
	s.called(request, result, err)
	result.JSON = s.surface.shown(server, "tools/call", result.JSON, "")
	return result, err
}

func (s *Session) request(ctx context.Context, server, tool string, params json.RawMessage) call.Request {
	e := s.exchangeOf(ctx)
	return call.Request{
		Client: s.client().Name, LimitedAs: s.limitedAs(), Session: s.id, Origin: s.origin(roadOf(ctx)), Server: server, Tool: tool, Params: params, Caller: e.caller, Progress: e.progress,
	}
}

// answer returns the response to a call. JSON-RPC errors of the server are
// passed on, and a refusal because of load becomes a JSON-RPC error; any other
// error becomes a result with isError, which a model can read.
func answer(result json.RawMessage, err error) (json.RawMessage, error) {
	var rpc *jsonrpc.Error
	var cancelled *jsonrpc.Cancelled
	switch {
	case err == nil:
		return result, nil
	case errors.As(err, &rpc):
		return nil, rpc
	case errors.As(err, &cancelled):
		return nil, err // the client has cancelled the call and ignores the response
	case fault.KindOf(err) == fault.Busy:
		return nil, jsonrpc.NewError(mcpversion.CodeBusy, "%s", fault.MessageOf(err))
	}
	return errorResult(fault.MessageOf(err))
}

func errorResult(text string) (json.RawMessage, error) {
	return encode(map[string]any{
		"content": []map[string]string{{"type": "text", "text": text}},
		"isError": true,
	})
}

// unknownTool returns the error for a name that resolve does not know. findHow tells how
// to find a tool.
func (s *Session) unknownTool(name, findHow string) *jsonrpc.Error {
	text := "Unknown tool: " + name
	var near []string
	bare := name[strings.LastIndex(name, "__")+1:]
	for _, t := range s.gateway.near("", strings.TrimPrefix(bare, "_"), 3, s.rules()) {
		if mostDanger(t) <= dangerOfName(bare) {
			near = append(near, t.CallAs())
		}
	}
	if len(near) > 0 {
		text += " — did you mean " + strings.Join(near, ", ") + "?"
	}
	if !strings.HasSuffix(text, "?") {
		text += "."
	}
	return jsonrpc.NewError(jsonrpc.CodeInvalidParams, "%s %s", text, findHow)
}

func callAs(tools []*catalog.Tool) []string {
	out := make([]string, len(tools))
	for i, t := range tools {
		out[i] = t.CallAs()
	}
	return out
}

// encode returns JSON in which <, > and & are not escaped, so that models read
// it more easily.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
