package gateway

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Ask implements upstream.Caller. It forwards a server's request to the client
// if the client has declared the capability for it.
func (s *Session) Ask(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	s.mu.Lock()
	missing, name := unsupported(s.capabilities, q), s.name
	s.mu.Unlock()
	if missing != "" {
		if answer, asked, err := s.askPerson(ctx, q); asked {
			return answer, err
		}
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "%s cannot be answered: the client %q does not support %s%s", q.Method, name, missing, s.gateway.nobody(q.Method))
	}
	answer, err := s.peer.Call(ctx, jsonrpc.Call{Method: q.Method, Params: s.surface.shown(q.Server, q.Method, q.Params, "")})
	if err != nil {
		return nil, err
	}
	if _, own, err := s.surface.incoming(q.Method, answer); err == nil {
		answer = own
	}
	return answer, nil
}

// AnswersAnyTime implements upstream.OwnerCaller. Servers can ask legacy clients without
// a call, until these leave.
func (s *Session) AnswersAnyTime() bool {
	select {
	case <-s.peer.Done():
		return false
	default:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready
}

// Folder implements upstream.OwnerCaller.
func (s *Session) Folder() string { return s.folder }

// HasRoots implements upstream.RootsCaller.
func (s *Session) HasRoots() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return isObject(s.capabilities["roots"])
}

// Declared implements upstream.Declarer.
func (s *Session) Declared() upstream.Declared {
	s.mu.Lock()
	defer s.mu.Unlock()
	return upstream.Declared{Capabilities: s.gateway.withPerson(s.declared), LogLevel: s.level, Asked: canBeAsked(s.declared)}
}

// canBeAsked reports whether servers can ask a client with these capabilities something.
func canBeAsked(capabilities json.RawMessage) bool {
	return slices.ContainsFunc([]string{"elicitation", "sampling", "roots"}, func(name string) bool {
		return isObject(jsonrpc.Get(capabilities, name))
	})
}

// joining is a legacy client that can be asked, before its capabilities are noted.
type joining struct{ *Session }

// Client implements upstream.CallOf.
func (j joining) Client() any { return j.Session }

// Declared implements upstream.Declarer.
func (j joining) Declared() upstream.Declared {
	d := j.Session.Declared()
	d.Asked = true
	return d
}

// caller implements subscriber.
func (s *Session) caller() upstream.Caller { return s }

// modernLists makes the requests of a modern client whose results the hub rewrites. It
// implements upstream.CallOf and upstream.Declarer.
type modernLists struct{ *Session }

// Client implements upstream.CallOf.
func (m modernLists) Client() any { return m.Session }

// Declared implements upstream.Declarer.
func (m modernLists) Declared() upstream.Declared {
	d := m.Session.Declared()
	d.Rewritten = true
	return d
}

// askPerson asks a person in place of the client. asked is false if nobody can answer.
func (s *Session) askPerson(ctx context.Context, q upstream.Question) (answer json.RawMessage, asked bool, err error) {
	s.mu.Lock()
	q.Client, q.Session = s.name, s.id
	s.mu.Unlock()
	if s.gateway.person == nil || !s.gateway.person.CanAnswer(ctx, q) {
		return nil, false, nil
	}
	answer, err = s.gateway.person.Ask(ctx, q)
	return answer, true, err
}

// nobody completes the error of a request that a person could answer.
func (g *Gateway) nobody(method string) string {
	if method == "roots/list" {
		return ""
	}
	return ", and no window of Agent Discover is open; open it and call again"
}

// withPerson returns the capabilities of a client with those of the person who answers in
// its place.
func (g *Gateway) withPerson(capabilities json.RawMessage) json.RawMessage {
	if g.person == nil || !g.person.Present() {
		return capabilities
	}
	elicitation := json.RawMessage(`{"form":{},"url":{}}`)
	capabilities = jsonrpc.Set(capabilities, "elicitation", elicitation)
	if !isObject(jsonrpc.Get(capabilities, "sampling")) {
		capabilities = jsonrpc.Set(capabilities, "sampling", json.RawMessage("{}"))
	}
	return capabilities
}

// unsupported returns what a client with these capabilities lacks to answer a
// question, and "" if it can answer. An empty capability elicitation means forms
// only, as in MCP before 2025-11-25.
func unsupported(capabilities map[string]json.RawMessage, q upstream.Question) string {
	has := func(capability, member string) bool { return jsonrpc.Get(capabilities[capability], member) != nil }
	switch q.Method {
	case "roots/list":
		if !isObject(capabilities["roots"]) {
			return "it"
		}
		return ""
	case "sampling/createMessage":
		switch {
		case !isObject(capabilities["sampling"]):
			return "it"
		case !has("sampling", "tools") && (jsonrpc.Get(q.Params, "tools") != nil || jsonrpc.Get(q.Params, "toolChoice") != nil):
			return "sampling with tools"
		}
		return ""
	case "elicitation/create":
		switch mode := jsonrpc.GetString(q.Params, "mode"); {
		case !isObject(capabilities["elicitation"]):
			return "it"
		case mode == "" || mode == "form":
			if has("elicitation", "url") && !has("elicitation", "form") {
				return "forms"
			}
		case !has("elicitation", mode):
			return "the mode " + string(jsonrpc.Quote(safetext.Clip(mode, maxClientText)))
		}
		return ""
	}
	return "it"
}
