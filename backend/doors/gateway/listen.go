package gateway

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// maxListens is how many subscriptions/listen requests of one session may be open.
const maxListens = 16

// maxListened is how many resources one of them may name.
const maxListened = 1000

// listener is an open subscriptions/listen request. Its notifications carry its id.
type listener struct {
	session *Session
	id      json.RawMessage // of the request
	notify  func(method string, params json.RawMessage) error
	lists   map[string]bool // methods of the list_changed notifications that it wants

	mu      sync.Mutex
	acked   bool
	pending []notification // that came before the acknowledgement
}

// notification is one that waits for a client.
type notification struct {
	method string
	params json.RawMessage
	of     *listener // nil if it answers no listen request
}

// sendTo sends the notification.
func (n notification) sendTo(peer Peer) error {
	if n.of != nil {
		return n.of.notify(n.method, n.params)
	}
	return peer.Notify(context.Background(), n.method, n.params)
}

// listFlags are the members of a listen request that ask for changes of lists.
var listFlags = []struct{ flag, capability, method string }{
	{"toolsListChanged", "tools", "notifications/tools/list_changed"},
	{"promptsListChanged", "prompts", "notifications/prompts/list_changed"},
	{"resourcesListChanged", "resources", "notifications/resources/list_changed"},
}

// listen serves subscriptions/listen until ctx ends, and has a result if the hub stops.
// It first acknowledges the part of the request that it honours. Lists that do not
// change and resources that cannot be subscribed to are not in it.
func (s *Session) listen(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	asked := jsonrpc.Get(params, "notifications")
	own, err := s.surface.introduce(ctx, nil)
	if err != nil {
		return nil, rpcError(err)
	}
	l := &listener{session: s, id: jsonrpc.RequestID(ctx), lists: make(map[string]bool)}
	l.notify = func(method string, params json.RawMessage) error { return s.peer.Notify(ctx, method, params) }
	if !s.addListener(l) {
		return nil, jsonrpc.NewError(mcpversion.CodeBusy, "%d subscriptions of this client are open, which is the limit", maxListens)
	}
	defer s.removeListener(l)
	honoured := json.RawMessage("{}")
	s.mu.Lock()
	for _, list := range listFlags {
		if string(jsonrpc.Get(asked, list.flag)) == "true" && offers(own.Capabilities, list.capability, "listChanged") {
			l.lists[list.method] = true
			honoured = jsonrpc.Set(honoured, list.flag, json.RawMessage("true"))
		}
	}
	s.mu.Unlock()
	if uris := jsonrpc.Get(asked, "resourceSubscriptions"); uris != nil {
		honoured = jsonrpc.Set(honoured, "resourceSubscriptions", l.subscribe(ctx, uris))
	}
	defer s.gateway.subscriptions.removeAll(ctx, l)
	if ids := jsonrpc.Get(asked, "taskIds"); ids != nil {
		honoured = jsonrpc.Set(honoured, "taskIds", l.followTasks(ctx, ids))
	}
	defer s.unfollowTasks(l)
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

// subscribe subscribes to resources, and returns those for which that succeeded.
func (l *listener) subscribe(ctx context.Context, uris json.RawMessage) json.RawMessage {
	var done []string
	n := 0
	for raw := range jsonrpc.Items(uris) {
		uri, ok := jsonrpc.String(raw)
		if n++; !ok || n > maxListened {
			continue
		}
		asked := jsonrpc.Set(nil, "uri", raw)
		server, own, err := l.session.owner("resources/subscribe", asked)
		if err != nil {
			continue
		}
		if _, err = l.session.gateway.subscriptions.add(ctx, l, l.session.resource(server, jsonrpc.GetString(own, "uri")), formOf(asked, own)); err == nil {
			done = append(done, uri)
		}
	}
	raw, _ := encode(append([]string{}, done...)) // strings cannot fail
	return raw
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
		l.session.outbox.put(n)
	} else if len(l.pending) < maxListened {
		l.pending = append(l.pending, n)
	}
}

// caller implements subscriber.
func (l *listener) caller() upstream.Caller { return modernLists{l.session} }

// acknowledged lets notifications pass.
func (l *listener) acknowledged() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acked = true
	for _, n := range l.pending {
		l.session.outbox.put(n)
	}
	l.pending = nil
}

func (s *Session) addListener(l *listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.listeners) >= maxListens {
		return false
	}
	if s.listeners == nil {
		s.listeners = make(map[*listener]bool)
	}
	if s.signature == 0 {
		s.signature = s.toolSignature()
	}
	s.listeners[l] = true
	return true
}

func (s *Session) removeListener(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, l)
}

// announceList tells the client that a list has changed: in the legacy era by a
// notification, in the modern one on each listen request that wants it.
func (s *Session) announceList(method string) {
	s.mu.Lock()
	ready := s.ready && s.declares(method)
	var to []*listener
	for l := range s.listeners {
		if l.lists[method] {
			to = append(to, l)
		}
	}
	s.mu.Unlock()
	if ready {
		s.announce(method, nil)
	}
	for _, l := range to {
		l.announce(method, nil)
	}
}

// declares reports whether the client was told that a list may change, by the
// notification of its changes. The caller holds mu.
func (s *Session) declares(method string) bool {
	for _, list := range listFlags {
		if list.method == method {
			return offers(s.offered, list.capability, "listChanged")
		}
	}
	return false
}

// announce implements subscriber.
func (s *Session) announce(method string, params json.RawMessage) {
	s.outbox.put(notification{method: method, params: params})
}
