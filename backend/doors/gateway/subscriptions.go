package gateway

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// subscriber is a session, or a subscriptions/listen request of a session.
type subscriber interface {
	// announce sends a notification without waiting.
	announce(method string, params json.RawMessage)
	// upstreamCaller returns the caller on whose behalf the hub sends requests to servers.
	upstreamCaller() upstream.Caller
}

// resourceSubscriptions records who has subscribed to which resources. The hub subscribes to a resource at its
// server once, for the first subscriber, and unsubscribes after the last one has left. A server with
// subscriptions is not stopped for being idle. It is safe for concurrent use.
type resourceSubscriptions struct {
	pipeline *call.Pipeline

	mu        sync.Mutex
	resources map[resourceKey]*subscription
}

// resourceKey identifies a resource of a server. If the server runs for one client session only, session is the
// id of that session; otherwise it is empty.
type resourceKey struct{ server, session, uri string }

// request returns a request about the resource. The request is sent in the server session that the lease over
// holds.
func (k resourceKey) request(method string, over *upstream.Lease) call.Request {
	return call.Request{
		Server: k.server, Session: k.session, Method: method, Params: jsonrpc.Set(nil, "uri", jsonrpc.Quote(k.uri)),
		Internal: true, Over: over,
	}
}

// subscription is one resource with its subscribers.
type subscription struct {
	changing sync.Mutex // held while the server is asked to subscribe or unsubscribe
	lease    *upstream.Lease
	over     atomic.Pointer[upstream.Lease] // like lease, but set before subscribing, so that no update is missed

	subscribers map[subscriber]forms // guarded by resourceSubscriptions.mu
}

// forms is the set of forms in which a subscriber has written the URI of a resource. The subscriber gets each
// update in the same forms.
type forms uint8

const (
	ownForm   forms = 1 << iota // as the server knows it
	shownForm                   // as the hub shows it
	allForms  = ownForm | shownForm
)

// formOf returns the form in which a client has written the URI in params. own contains the same params in the
// server's own form.
func formOf(params, own json.RawMessage) forms {
	if jsonrpc.GetString(params, "uri") == jsonrpc.GetString(own, "uri") {
		return ownForm
	}
	return shownForm
}

// add adds a subscriber of a resource. If the hub has not subscribed to the resource yet, add sends resources/subscribe
// to the server.
func (b *resourceSubscriptions) add(ctx context.Context, s subscriber, key resourceKey, form forms) (json.RawMessage, error) {
	b.mu.Lock()
	sub := b.resources[key]
	if sub == nil {
		sub = &subscription{subscribers: make(map[subscriber]forms)}
		if b.resources == nil {
			b.resources = make(map[resourceKey]*subscription)
		}
		b.resources[key] = sub
	}
	sub.subscribers[s] |= form
	b.mu.Unlock()
	sub.changing.Lock()
	defer sub.changing.Unlock()
	if sub.live() {
		return json.RawMessage("{}"), nil
	}
	result, err := b.subscribe(ctx, key, sub, s.upstreamCaller())
	if err != nil {
		b.leave(s, key, form)
		b.drop(key, sub)
	}
	return result, err
}

// live reports whether the hub has subscribed in a server session that still runs. The caller holds changing.
func (sub *subscription) live() bool {
	if sub.lease == nil {
		return false
	}
	select {
	case <-sub.lease.Done():
		return false
	default:
		return true
	}
}

// subscribe sends resources/subscribe to the server of key. who is the caller on whose behalf it does so; it is nil
// when a subscription is renewed. The caller of subscribe holds sub.changing.
func (b *resourceSubscriptions) subscribe(
	ctx context.Context, key resourceKey, sub *subscription, who upstream.Caller,
) (json.RawMessage, error) {
	lease, err := b.pipeline.Lease(ctx, key.server, key.session, who)
	if err != nil {
		return nil, err
	}
	if jsonrpc.Get(jsonrpc.Get(lease.Capabilities(), "resources"), "subscribe") == nil {
		lease.Release()
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: server %q does not support subscriptions", key.server)
	}
	sub.over.Store(lease)
	result, err := b.pipeline.Call(ctx, key.request("resources/subscribe", lease))
	if err != nil {
		lease.Release()
		return nil, err
	}
	sub.end()
	sub.lease = lease
	return result.JSON, nil
}

// leave removes one form in which s has subscribed to a resource. It returns the subscription if s has no other form.
// It returns nil if s has another form, or had not subscribed in the removed form.
func (b *resourceSubscriptions) leave(s subscriber, key resourceKey, form forms) *subscription {
	b.mu.Lock()
	defer b.mu.Unlock()
	sub := b.resources[key]
	if sub == nil || sub.subscribers[s]&form == 0 {
		return nil
	}
	if sub.subscribers[s] &^= form; sub.subscribers[s] != 0 {
		return nil
	}
	delete(sub.subscribers, s)
	return sub
}

// drop forgets a resource that has no subscribers. It returns false, and does nothing, if the resource has subscribers.
func (b *resourceSubscriptions) drop(key resourceKey, sub *subscription) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(sub.subscribers) > 0 {
		return false
	}
	if b.resources[key] == sub {
		delete(b.resources, key)
	}
	return true
}

// remove removes one form in which s has subscribed to a resource. If that was the last form of the last
// subscriber, remove also unsubscribes at the server.
func (b *resourceSubscriptions) remove(ctx context.Context, s subscriber, key resourceKey, form forms) (err error) {
	sub := b.leave(s, key, form)
	if sub == nil {
		return nil
	}
	sub.changing.Lock()
	defer sub.changing.Unlock()
	b.mu.Lock()
	used := len(sub.subscribers) > 0
	b.mu.Unlock()
	if used {
		return nil
	}
	if sub.live() {
		_, err = b.pipeline.Call(ctx, key.request("resources/unsubscribe", sub.lease))
	}
	sub.end()
	b.drop(key, sub) // does nothing if add has a new subscriber, which waits for sub.changing
	return err
}

// end releases the lease of the server. The caller holds changing.
func (sub *subscription) end() {
	if sub.lease != nil {
		sub.lease.Release()
		sub.lease = nil
	}
}

// farewell limits the time for ending the subscriptions of a client that has left, and the task of a cancelled
// call.
const farewell = 5 * time.Second

// removeAll ends all subscriptions of a subscriber that has left.
func (b *resourceSubscriptions) removeAll(ctx context.Context, s subscriber) {
	b.mu.Lock()
	var keys []resourceKey
	for key, sub := range b.resources {
		if sub.subscribers[s] != 0 {
			keys = append(keys, key)
		}
	}
	b.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	for _, key := range keys {
		_ = b.remove(ctx, s, key, allForms) // the server may have ended
	}
}

// all returns the resources that have subscribers.
func (b *resourceSubscriptions) all() []resourceKey {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Keys(b.resources))
}

// of returns the subscribers that get an update of a resource: those that have subscribed to its URI or to a
// URI above it, in the server session that sent the update.
func (b *resourceSubscriptions) of(a upstream.Announced) map[subscriber]forms {
	uri := jsonrpc.GetString(a.Params, "uri")
	b.mu.Lock()
	defer b.mu.Unlock()
	found := make(map[subscriber]forms)
	for key, sub := range b.resources {
		if key.server == a.Server && key.session == a.Session && covers(key.uri, uri) && a.Over(sub.over.Load()) {
			for s, form := range sub.subscribers {
				found[s] |= form
			}
		}
	}
	return found
}

// covers reports whether uri is the URI subscribed, or a URI below it.
func covers(subscribed, uri string) bool {
	if len(uri) <= len(subscribed) || uri[:len(subscribed)] != subscribed {
		return uri == subscribed
	}
	return subscribed[len(subscribed)-1] == '/' || uri[len(subscribed)] == '/' || uri[len(subscribed)] == '?' || uri[len(subscribed)] == '#'
}

// renew subscribes again to the resources of a server that has started anew. It returns the URIs of the resources that
// may have changed while the hub was not subscribed.
func (b *resourceSubscriptions) renew(ctx context.Context, server, session string) (missed []string) {
	b.mu.Lock()
	lost := make(map[resourceKey]*subscription)
	for key, sub := range b.resources {
		if key.server == server && key.session == session {
			lost[key] = sub
		}
	}
	b.mu.Unlock()
	for key, sub := range lost {
		sub.changing.Lock()
		if !sub.live() && sub.lease != nil {
			if _, err := b.subscribe(ctx, key, sub, nil); err == nil {
				missed = append(missed, key.uri)
			}
		}
		sub.changing.Unlock()
	}
	return missed
}

// key returns the key of a resource for the session with this id.
func (b *resourceSubscriptions) key(server, session, uri string) resourceKey {
	return resourceKey{server, b.pipeline.OwnerOf(server, session), uri}
}

// legacySubscriptions serves resources/subscribe and resources/unsubscribe of one session.
type legacySubscriptions struct {
	session       *Session
	requests      *requests
	inFlight      *inFlight
	subscriptions *resourceSubscriptions
}

func (l *legacySubscriptions) subscribe(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	server, own, err := l.requests.owner("resources/subscribe", params)
	if err != nil {
		return nil, err
	}
	if !l.inFlight.begin() {
		return nil, answer.Request(errBusy)
	}
	defer l.inFlight.end()
	key := l.subscriptions.key(server, l.session.id, jsonrpc.GetString(own, "uri"))
	result, err := l.subscriptions.add(ctx, l.session, key, formOf(params, own))
	if err != nil {
		return nil, answer.Request(err)
	}
	return result, nil
}

func (l *legacySubscriptions) unsubscribe(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	server, own, err := l.requests.owner("resources/unsubscribe", params)
	if err != nil {
		return nil, err
	}
	key := l.subscriptions.key(server, l.session.id, jsonrpc.GetString(own, "uri"))
	err = l.subscriptions.remove(ctx, l.session, key, formOf(params, own))
	if err != nil && fault.KindOf(err) != fault.Failed {
		return nil, answer.Request(err)
	}
	return json.RawMessage("{}"), nil
}
