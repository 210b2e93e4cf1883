package gateway

import (
	"context"
	"encoding/json"
	"sync/atomic"

	"github.com/agent-discover/agent-discover/backend/doors/pendinginput"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// modernRound is one request of a modern client to a server.
type modernRound struct {
	caller   *clientCaller
	declared upstream.Declared
	server   atomic.Bool            // set if the server is of the modern era
	missing  atomic.Pointer[string] // the capabilities that the client lacks, as JSON; nil if it lacks none
}

// modernCaller answers the requests that a server sends during one modern call, by asking the client or a
// person. It implements upstream.CallOf and upstream.Declarer.
type modernCaller struct {
	*modernRound
	call *pendinginput.Call
}

// Declared implements upstream.Declarer.
func (m *modernCaller) Declared() upstream.Declared { return m.declared }

// progress passes a progress notification of the server to the client.
func (m *modernCaller) progress(params json.RawMessage) {
	m.call.Notify("notifications/progress", params)
}

// Message implements upstream.MessageCaller.
func (m *modernCaller) Message(params json.RawMessage) {
	m.call.Notify("notifications/message", params)
}

// HasRoots implements upstream.RootsCaller.
func (m *modernCaller) HasRoots() bool {
	return jsonrpc.IsObject(jsonrpc.Get(m.declared.Capabilities, "roots"))
}

// Client implements upstream.CallOf.
func (m *modernCaller) Client() any { return m.caller }

// Ask implements upstream.Caller.
func (m *modernCaller) Ask(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	var declared map[string]json.RawMessage
	_ = json.Unmarshal(m.declared.Capabilities, &declared) // mcpversion.CheckMeta has accepted only an object
	if lacks := unsupported(declared, q); lacks != "" {
		if answer, asked, err := m.caller.person.ask(ctx, m.caller.client, q); asked {
			return answer, err
		}
		required := requiredFor(q)
		m.missing.Store(&required)
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "%s cannot be answered: the client does not support %s%s",
			q.Method, lacks, nobody(q.Method))
	}
	params := jsonrpc.Delete(m.caller.surface.Shown(q.Server, q.Method, q.Params, ""), "elicitationId")
	answer, err := m.call.Ask(ctx, q.Method, params)
	if err != nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidRequest, "%s was not answered: %s", q.Method, err)
	}
	if _, own, err := m.caller.surface.Incoming(q.Method, answer); err == nil {
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
