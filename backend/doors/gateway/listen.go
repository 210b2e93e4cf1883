package gateway

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// maxListens is how many subscriptions/listen requests of one session may be open.
const maxListens = 16

// maxListened is how many resources, and how many tasks, one subscriptions/listen request may name.
const maxListened = 1000

// listener is an open subscriptions/listen request. Its notifications contain its id.
type listener struct {
	of      *Session // the session that has sent the request
	changes *changes
	id      json.RawMessage // of the request
	notify  func(method string, params json.RawMessage) error
	lists   map[string]bool // methods of the list_changed notifications that the request asks for

	mu      sync.Mutex
	acked   bool
	pending []notification // notifications that are held back until the acknowledgement
}

// notification is a notification that waits to be sent to a client.
type notification struct {
	method string
	params json.RawMessage
	of     *listener // the listen request that it belongs to; nil if there is none
}

// listFlags are the members of a listen request that ask for notifications of changed lists.
var listFlags = []struct{ flag, capability, method string }{
	{"toolsListChanged", "tools", "notifications/tools/list_changed"},
	{"promptsListChanged", "prompts", "notifications/prompts/list_changed"},
	{"resourcesListChanged", "resources", "notifications/resources/list_changed"},
}

// listens serves the subscriptions/listen requests of one session.
type listens struct {
	session       *Session
	peer          Peer
	surface       surface
	requests      *requests
	tasks         *sessionTasks
	changes       *changes
	subscriptions *resourceSubscriptions
}

// serve serves subscriptions/listen until ctx ends. It returns a result if the hub stops, otherwise an error. It first
// acknowledges the parts of the request that it honours: lists that may change, and resources and tasks that the client
// can listen to.
func (n *listens) serve(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	asked := jsonrpc.Get(params, "notifications")
	own, err := n.surface.Introduce(ctx, nil)
	if err != nil {
		return nil, answer.Request(err)
	}
	l := &listener{of: n.session, changes: n.changes, id: jsonrpc.RequestID(ctx), lists: make(map[string]bool)}
	l.notify = func(method string, params json.RawMessage) error { return n.peer.Notify(ctx, method, params) }
	honoured := json.RawMessage("{}")
	for _, list := range listFlags {
		if string(jsonrpc.Get(asked, list.flag)) == "true" && offers(jsonrpc.Get(own.Capabilities, list.capability), "listChanged") {
			l.lists[list.method] = true
			honoured = jsonrpc.Set(honoured, list.flag, json.RawMessage("true"))
		}
	}
	if !n.changes.add(l) {
		return nil, jsonrpc.NewError(mcpversion.CodeBusy, "%d subscriptions of this client are open, which is the limit", maxListens)
	}
	defer n.changes.remove(l)
	if uris := jsonrpc.Get(asked, "resourceSubscriptions"); uris != nil {
		honoured = jsonrpc.Set(honoured, "resourceSubscriptions", n.subscribe(ctx, l, uris))
	}
	defer n.subscriptions.removeAll(ctx, l)
	if ids := jsonrpc.Get(asked, "taskIds"); ids != nil {
		honoured = jsonrpc.Set(honoured, "taskIds", n.tasks.followAll(ctx, l, ids))
	}
	defer n.tasks.unfollow(l)
	if err := l.notify("notifications/subscriptions/acknowledged", l.tagged(jsonrpc.Set(nil, "notifications", honoured))); err != nil {
		return nil, err
	}
	l.acknowledged()
	<-ctx.Done()
	if context.Cause(ctx) == ErrStopping {
		return json.RawMessage("{}"), nil
	}
	return nil, context.Cause(ctx)
}

// subscribe subscribes l to the resources with the given URIs. It returns the URIs for which that succeeded.
func (n *listens) subscribe(ctx context.Context, l *listener, uris json.RawMessage) json.RawMessage {
	done := []string{}
	count := 0
	for raw := range jsonrpc.Items(uris) {
		uri, ok := jsonrpc.String(raw)
		if count++; !ok || count > maxListened {
			continue
		}
		asked := jsonrpc.Set(nil, "uri", raw)
		server, own, err := n.requests.owner("resources/subscribe", asked)
		if err != nil {
			continue
		}
		key := n.subscriptions.key(server, n.session.id, jsonrpc.GetString(own, "uri"))
		if _, err = n.subscriptions.add(ctx, l, key, formOf(asked, own)); err == nil {
			done = append(done, uri)
		}
	}
	list, _ := answer.Encode(done) // encoding strings cannot fail
	return list
}

// tagged returns params with the id of the listen request.
func (l *listener) tagged(params json.RawMessage) json.RawMessage {
	return mcpversion.Meta{SubscriptionID: l.id}.Stamp(params)
}

// announce implements subscriber.
func (l *listener) announce(method string, params json.RawMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := notification{method, l.tagged(params), l}
	if l.acked {
		l.changes.outbox.put(n)
	} else if len(l.pending) < maxListened {
		l.pending = append(l.pending, n)
	}
}

// upstreamCaller implements subscriber.
func (l *listener) upstreamCaller() upstream.Caller { return modernLists{l.of.caller} }

// acknowledged sends the notifications that were held back, and lets later ones pass.
func (l *listener) acknowledged() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acked = true
	for _, n := range l.pending {
		l.changes.outbox.put(n)
	}
	l.pending = nil
}
