package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/inventory"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/toolsetview"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// sources are subscriptions to the events that may concern sessions.
type sources struct {
	tools   <-chan catalog.Changed
	servers <-chan registry.Changed
	lists   <-chan features.Changed
	states  <-chan upstream.StateChanged
	notices <-chan upstream.Announced
	sets    <-chan toolset.Changed
	stop    [6]func()
}

func subscribe(bus *events.Bus) *sources {
	var s sources
	s.tools, s.stop[0] = events.Subscribe[catalog.Changed](bus, 256)
	s.servers, s.stop[1] = events.Subscribe[registry.Changed](bus, 256)
	s.lists, s.stop[2] = events.Subscribe[features.Changed](bus, 256)
	s.states, s.stop[3] = events.Subscribe[upstream.StateChanged](bus, 256)
	s.notices, s.stop[4] = events.Subscribe[upstream.Announced](bus, 4096)
	s.sets, s.stop[5] = events.Subscribe[toolset.Changed](bus, 256)
	return &s
}

// feed passes events of the hub on to the sessions: changes of lists, and notifications of servers.
type feed struct {
	bus           *events.Bus
	sessions      *sessions
	inventory     *inventory.Inventory
	pipeline      *call.Pipeline
	lists         *featureLists
	translation   *translation
	introductions *introductions
	subscriptions *resourceSubscriptions
	levels        *serverLevels
	found         *sessionToolSaver
	early         *sources // the events since New, for run

	settling chan chan struct{}        // settle sends a channel, which follow closes after delivery
	over     chan struct{}             // closed when run returns
	working  sync.WaitGroup            // goroutines of run
	active   [len(shownLists)][]string // always listed servers with items in each of shownLists; used by run only
}

// run passes events on until ctx ends.
func (f *feed) run(ctx context.Context) {
	defer close(f.over)
	defer f.working.Wait()
	for from := f.early; ctx.Err() == nil; from = subscribe(f.bus) {
		f.sessions.look()
		if from != f.early {
			f.announceMissed()
		}
		f.follow(ctx, from)
		for _, stop := range from.stop {
			stop()
		}
	}
}

// follow passes events on to the sessions. It returns when ctx ends, or when the
// bus drops a subscription that is too slow.
func (f *feed) follow(ctx context.Context, from *sources) {
	for ok := true; ok; {
		select {
		case _, ok = <-from.tools:
			f.sessions.look()
		case change, open := <-from.servers:
			if ok = open; change.Renamed != "" {
				f.found.rename(ctx, f.sessions.all(), change.Name, change.Renamed)
			} else if change.Removed {
				for _, s := range f.sessions.all() { // a later server of the same name is a different server
					s.found.forget(change.Name)
				}
				f.found.forget(ctx, change.Name)
			}
			f.sessions.look()
			f.announceLists("", "")
		case _, ok = <-from.sets:
			f.sessions.look()
			f.announceServed()
		case change, open := <-from.lists:
			if ok = open; open {
				f.announceLists(change.Server, change.Kind)
			}
		case change, open := <-from.states:
			if ok = open; change.Running {
				f.working.Go(func() { f.started(ctx, change.Name, change.Client) })
			}
		case notice, open := <-from.notices:
			if ok = open; open {
				f.deliver(notice)
			}
		case delivered := <-f.settling:
			ok = f.deliverAll(from.notices)
			close(delivered)
		case <-ctx.Done():
			return
		}
	}
}

// deliverAll delivers the notifications that have arrived. It returns false if the bus has dropped the subscription to
// notifications.
func (f *feed) deliverAll(notices <-chan upstream.Announced) bool {
	for {
		select {
		case notice, open := <-notices:
			if !open {
				return false
			}
			f.deliver(notice)
		default:
			return true
		}
	}
}

// settle waits until the notifications that servers have sent so far are delivered to
// the outboxes of the sessions.
func (f *feed) settle(ctx context.Context) {
	delivered := make(chan struct{})
	select {
	case f.settling <- delivered:
		<-delivered
	case <-f.over:
	case <-ctx.Done():
	}
}

// listing describes a list, other than the list of tools, whose changes the hub announces to clients.
type listing struct {
	changed string // method of the notification that the list has changed
	kinds   []features.Kind
}

var shownLists = [...]listing{
	{"notifications/prompts/list_changed", []features.Kind{features.Prompts}},
	{"notifications/resources/list_changed", []features.Kind{features.Resources, features.Templates}},
}

// announceLists tells the sessions which lists, other than the list of tools, have changed. If server is not empty, the
// server's items of the given kind have changed. For each list, announceLists also finds the always listed servers that
// have items in the list. If these are not the same servers as at the last call, the list has changed, too.
func (f *feed) announceLists(server string, kind features.Kind) {
	servers := f.inventory.ActiveServers()
	for i, l := range shownLists {
		var active []string
		for _, s := range servers {
			if f.lists.hasAny([]string{s.Name}, l) {
				active = append(active, s.Name)
			}
		}
		others := !slices.Equal(active, f.active[i])
		f.active[i] = active
		for _, s := range f.sessions.all() {
			if others && s.surface.Shows("") || slices.Contains(l.kinds, kind) && s.surface.Shows(server) {
				s.changes.announceList(l.changed)
			}
		}
	}
}

// announceServed tells the sessions that show a toolset which lists, other than the list of tools, have changed because
// servers have joined or left the toolset.
func (f *feed) announceServed() {
	for _, s := range f.sessions.all() {
		view, ok := s.surface.(*toolsetview.View)
		if !ok {
			continue
		}
		moved := view.Moved()
		for _, l := range shownLists {
			if f.lists.hasAny(moved, l) {
				s.changes.announceList(l.changed)
			}
		}
	}
}

// announceMissed announces everything that may have changed while events were lost.
func (f *feed) announceMissed() {
	for _, s := range f.sessions.all() {
		s.changes.announceLists()
	}
	for _, key := range f.subscriptions.all() {
		f.deliver(updated(key))
	}
}

// updated returns the announcement that a resource has changed.
func updated(key resourceKey) upstream.Announced {
	return upstream.Announced{
		Server: key.server, Session: key.session,
		Method: "notifications/resources/updated", Params: jsonrpc.Set(nil, "uri", jsonrpc.Quote(key.uri)),
	}
}

// started is called when a server has started. It stores how the server introduces itself. It announces lists to
// sessions that were shown empty lists until a person has signed in. It restores the subscriptions and log levels of
// sessions at the server. owner is the id of the session that has the server for itself; it is empty if clients share
// the server.
func (f *feed) started(ctx context.Context, server, owner string) {
	f.introductions.remember(ctx, server)
	for _, s := range f.sessions.all() {
		if s.surface.Shows(server) {
			s.signIns.signedIn()
		}
	}
	f.levels.told.forget(upstream.Target{Server: server, Client: owner})
	for _, uri := range f.subscriptions.renew(ctx, server, owner) {
		f.deliver(updated(resourceKey{server, owner, uri}))
	}
	f.levels.share(ctx, server, owner)
}

// deliver passes a notification of a server on to the sessions that it concerns.
func (f *feed) deliver(a upstream.Announced) {
	switch a.Method {
	case "notifications/message":
		f.levels.deliver(a)
		return
	case "notifications/tasks/status", "notifications/tasks":
		f.deliverTask(a)
		return
	case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed":
		// Package upstream announces this notification only if the server's list turned out to be unchanged; see
		// upstream.Announced. Pass it on only to sessions that show this server alone. Other clients would read their
		// lists again for nothing.
		for _, s := range f.sessions.all() {
			if one, ok := s.surface.(*oneServer); ok && one.Shows(a.Server) {
				s.changes.announceList(a.Method)
			}
		}
		return
	}
	concerned := f.subscriptions.of(a)
	if len(concerned) == 0 {
		return
	}
	shown := f.translation.Shown(a.Server, a.Method, a.Params, "")
	for s, form := range concerned {
		if form&ownForm != 0 {
			s.announce(a.Method, a.Params)
		}
		if form&shownForm != 0 {
			s.announce(a.Method, shown)
		}
	}
}

// deliverTask passes the state of a task on to the session that has started it.
func (f *feed) deliverTask(a upstream.Announced) {
	for _, s := range f.sessions.all() {
		if a.Session != "" && a.Session != s.id {
			continue
		}
		s.tasks.deliver(a, func(t *task) (json.RawMessage, error) {
			name, _ := s.client.called()
			about := call.Request{Server: t.server, Tool: t.tool, Session: s.id, Client: name, Params: a.Params}
			return f.pipeline.TaskState(about, a.Params)
		})
	}
}
