package gateway

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// clientCaller is the client of a session as package upstream sees it: it answers requests of servers, and gets
// their log messages. Package upstream tells clients apart by their clientCaller.
type clientCaller struct {
	client  *clientInfo
	peer    Peer
	folder  string // the client's working directory; empty if it is not known
	surface surface
	person  standIn
	level   *logLevel
	changes *changes
}

// Ask implements upstream.Caller. It forwards a server's request to the client
// if the client has declared the capability for it.
func (c *clientCaller) Ask(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	if missing := c.client.lacks(q); missing != "" {
		if answer, asked, err := c.person.ask(ctx, c.client, q); asked {
			return answer, err
		}
		name, _ := c.client.called()
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "%s cannot be answered: the client %q does not support %s%s",
			q.Method, name, missing, nobody(q.Method))
	}
	answer, err := c.peer.Call(ctx, jsonrpc.Call{Method: q.Method, Params: c.surface.Shown(q.Server, q.Method, q.Params, "")})
	if err != nil {
		return nil, err
	}
	if _, own, err := c.surface.Incoming(q.Method, answer); err == nil {
		answer = own
	}
	return answer, nil
}

// AnswersAnyTime implements upstream.OwnerCaller. A legacy client answers requests of servers as long as it is
// connected, even if no call is in flight.
func (c *clientCaller) AnswersAnyTime() bool {
	select {
	case <-c.peer.Done():
		return false
	default:
	}
	return c.client.isReady()
}

// Folder implements upstream.OwnerCaller.
func (c *clientCaller) Folder() string { return c.folder }

// HasRoots implements upstream.RootsCaller.
func (c *clientCaller) HasRoots() bool { return c.client.hasRoots() }

// Declared implements upstream.Declarer.
func (c *clientCaller) Declared() upstream.Declared {
	declared := c.client.declares()
	return upstream.Declared{Capabilities: c.person.complete(declared), LogLevel: c.level.asked(), Asked: canBeAsked(declared)}
}

// QueueMessage implements upstream.MessageQueuer. The client gets the message before the results that the
// server sends later; see sending.flush.
func (c *clientCaller) QueueMessage(params json.RawMessage) bool {
	if c.client.isReady() && atLeast(params, c.level.asked()) {
		c.changes.announce("notifications/message", params)
	}
	return true
}

// canBeAsked reports whether a client with these capabilities answers any requests of servers.
func canBeAsked(capabilities json.RawMessage) bool {
	return slices.ContainsFunc([]string{"elicitation", "sampling", "roots"}, func(name string) bool {
		return jsonrpc.IsObject(jsonrpc.Get(capabilities, name))
	})
}

// joining is a legacy client whose initialize is being served, so that its capabilities are not recorded yet. It
// answers requests of servers.
type joining struct{ *clientCaller }

// Client implements upstream.CallOf.
func (j joining) Client() any { return j.clientCaller }

// Declared implements upstream.Declarer.
func (j joining) Declared() upstream.Declared {
	d := j.clientCaller.Declared()
	d.Asked = true
	return d
}

// modernLists is the caller of those requests of a modern client whose results the hub rewrites, such as lists.
// It implements upstream.CallOf and upstream.Declarer.
type modernLists struct{ *clientCaller }

// Client implements upstream.CallOf.
func (m modernLists) Client() any { return m.clientCaller }

// Declared implements upstream.Declarer.
func (m modernLists) Declared() upstream.Declared {
	d := m.clientCaller.Declared()
	d.Rewritten = true
	return d
}

// standIn is the person who answers in place of clients that cannot answer.
type standIn struct{ person Person } // nil if there is no such person

// ask asks the person in place of the client. asked is false if nobody can answer.
func (s standIn) ask(ctx context.Context, client *clientInfo, q upstream.Question) (answer json.RawMessage, asked bool, err error) {
	q.Client, _ = client.called()
	q.Session = client.session
	if s.person == nil || !s.person.CanAnswer(ctx, q) {
		return nil, false, nil
	}
	answer, err = s.person.Ask(ctx, q)
	return answer, true, err
}

// complete returns the capabilities of a client together with the capabilities for the requests that a person can
// answer in place of the client.
func (s standIn) complete(capabilities json.RawMessage) json.RawMessage {
	if s.person == nil || !s.person.Present() {
		return capabilities
	}
	elicitation := json.RawMessage(`{"form":{},"url":{}}`)
	capabilities = jsonrpc.Set(capabilities, "elicitation", elicitation)
	if !jsonrpc.IsObject(jsonrpc.Get(capabilities, "sampling")) {
		capabilities = jsonrpc.Set(capabilities, "sampling", json.RawMessage("{}"))
	}
	return capabilities
}

// nobody returns the last part of the error message about a request that neither the client nor a person answers.
// It is empty if a person cannot answer requests of this method at all.
func nobody(method string) string {
	if method == "roots/list" {
		return ""
	}
	return ", and no window of Agent Discover is open; open it and call again"
}

// unsupported returns words for what a client with these capabilities would have to support to answer q, for an error
// message that says that the client does not support it. It returns "" if the client can answer. An empty capability
// elicitation means forms only, as in MCP before 2025-11-25.
func unsupported(capabilities map[string]json.RawMessage, q upstream.Question) string {
	has := func(capability, member string) bool { return jsonrpc.Get(capabilities[capability], member) != nil }
	switch q.Method {
	case "roots/list":
		if !jsonrpc.IsObject(capabilities["roots"]) {
			return "it"
		}
		return ""
	case "sampling/createMessage":
		switch {
		case !jsonrpc.IsObject(capabilities["sampling"]):
			return "it"
		case !has("sampling", "tools") && (jsonrpc.Get(q.Params, "tools") != nil || jsonrpc.Get(q.Params, "toolChoice") != nil):
			return "sampling with tools"
		}
		return ""
	case "elicitation/create":
		switch mode := jsonrpc.GetString(q.Params, "mode"); {
		case !jsonrpc.IsObject(capabilities["elicitation"]):
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
