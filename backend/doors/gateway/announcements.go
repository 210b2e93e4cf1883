package gateway

import (
	"context"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// sources are the events that may concern sessions.
type sources struct {
	tools   <-chan catalog.Changed
	servers <-chan registry.Changed
	lists   <-chan features.Changed
	states  <-chan upstream.StateChanged
	notices <-chan upstream.Announced
	sets    <-chan toolset.Changed
	stop    []func()
}

func (g *Gateway) open() *sources {
	var s sources
	add := func(stop func()) { s.stop = append(s.stop, stop) }
	var stop func()
	s.tools, stop = events.Subscribe[catalog.Changed](g.bus, 256)
	add(stop)
	s.servers, stop = events.Subscribe[registry.Changed](g.bus, 256)
	add(stop)
	s.lists, stop = events.Subscribe[features.Changed](g.bus, 256)
	add(stop)
	s.states, stop = events.Subscribe[upstream.StateChanged](g.bus, 256)
	add(stop)
	s.notices, stop = events.Subscribe[upstream.Announced](g.bus, 4096)
	add(stop)
	s.sets, stop = events.Subscribe[toolset.Changed](g.bus, 256)
	add(stop)
	return &s
}

func (s *sources) close() {
	for _, stop := range s.stop {
		stop()
	}
}

// follow passes events on to the sessions. It returns when ctx ends, or when the
// bus drops a subscription that is too slow.
func (g *Gateway) follow(ctx context.Context, from *sources) {
	for ok := true; ok; {
		select {
		case _, ok = <-from.tools:
			g.announce()
		case change, open := <-from.servers:
			if ok = open; change.Removed {
				g.forget(ctx, change.Name)
			}
			g.announce()
			g.announceLists("", "")
		case _, ok = <-from.sets:
			g.announce()
			g.announceServed()
		case change, open := <-from.lists:
			if ok = open; open {
				g.announceLists(change.Server, change.Kind)
			}
		case change, open := <-from.states:
			if ok = open; change.Running {
				g.working.Go(func() { g.started(ctx, change.Name, change.Client) })
			}
		case notice, open := <-from.notices:
			if ok = open; open {
				g.deliver(notice)
			}
		case delivered := <-g.settling:
			ok = g.deliverAll(from.notices)
			close(delivered)
		case <-ctx.Done():
			return
		}
	}
}

// deliverAll delivers the notifications that have arrived. It reports whether the bus
// still sends them.
func (g *Gateway) deliverAll(notices <-chan upstream.Announced) bool {
	for {
		select {
		case notice, open := <-notices:
			if !open {
				return false
			}
			g.deliver(notice)
		default:
			return true
		}
	}
}

// settle waits until the notifications that servers have sent so far are delivered to
// the outboxes of the sessions.
func (g *Gateway) settle(ctx context.Context) {
	delivered := make(chan struct{})
	select {
	case g.settling <- delivered:
		<-delivered
	case <-g.over:
	case <-ctx.Done():
	}
}

// listing is the part of the listings that sessions are shown as one kind of list.
type listing struct {
	changed string // the notification of its changes
	kinds   []features.Kind
}

var shownLists = [...]listing{
	{"notifications/prompts/list_changed", []features.Kind{features.Prompts}},
	{"notifications/resources/list_changed", []features.Kind{features.Resources, features.Templates}},
}

// announceLists tells the sessions which lists besides the tools have changed:
// because a server that they list has listed something else, or because other servers
// are active than when it was last called. Server and kind are empty in the second case.
func (g *Gateway) announceLists(server string, kind features.Kind) {
	servers := g.activeServers()
	for i, l := range shownLists {
		var active []string
		for _, s := range servers {
			if g.listedBy([]string{s.Name}, l) {
				active = append(active, s.Name)
			}
		}
		others := !slices.Equal(active, g.active[i])
		g.active[i] = active
		for _, s := range g.all() {
			if others && s.surface.shows("") || slices.Contains(l.kinds, kind) && s.surface.shows(server) {
				s.announceList(l.changed)
			}
		}
	}
}

// announceServed tells the sessions of toolsets which lists besides the tools come from
// other servers.
func (g *Gateway) announceServed() {
	for _, s := range g.all() {
		s.announceServed()
	}
}

// announceMissed announces everything that may have changed while events were lost.
func (g *Gateway) announceMissed() {
	for _, s := range g.all() {
		for _, l := range shownLists {
			s.announceList(l.changed)
		}
	}
	for _, key := range g.subscriptions.all() {
		g.deliver(updated(key))
	}
}

// updated returns the announcement that a resource has changed.
func updated(key resourceKey) upstream.Announced {
	return upstream.Announced{
		Server: key.server, Session: key.session, Method: "notifications/resources/updated", Params: jsonrpc.Set(nil, "uri", jsonrpc.Quote(key.uri)),
	}
}

// started stores how a server that has started anew introduces itself, and restores
// what sessions have asked of it: subscriptions and log levels. owner is the id of the
// session that has the server for itself; empty if clients share it.
func (g *Gateway) started(ctx context.Context, server, owner string) {
	g.remember(ctx, server)
	for _, s := range g.all() {
		if s.surface.shows(server) {
			s.signedIn()
		}
	}
	g.toldLevels.forget(upstream.Target{Server: server, Client: owner})
	for _, uri := range g.subscriptions.renew(ctx, server, owner) {
		g.deliver(updated(resourceKey{server, owner, uri}))
	}
	g.shareLevel(ctx, server, owner)
}

// announceUnchanged passes on that a server has announced the change of a list that is
// the same as before, to the clients that are shown what the server sends. Others would
// drop their copy of a list for nothing.
func (g *Gateway) announceUnchanged(a upstream.Announced) {
	for _, s := range g.all() {
		if one, ok := s.surface.(oneServer); ok && one.shows(a.Server) {
			s.announceList(a.Method)
		}
	}
}

// deliver passes a notification of a server on to the sessions that it concerns.
func (g *Gateway) deliver(a upstream.Announced) {
	switch a.Method {
	case "notifications/message":
		g.deliverMessage(a)
		return
	case "notifications/tasks/status", "notifications/tasks":
		g.deliverTask(a)
		return
	case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed":
		g.announceUnchanged(a)
		return
	}
	concerned := g.subscriptions.of(a)
	if len(concerned) == 0 {
		return
	}
	shown := g.shown(a.Server, a.Method, a.Params, "")
	for s, form := range concerned {
		if form&ownForm != 0 {
			s.announce(a.Method, a.Params)
		}
		if form&shownForm != 0 {
			s.announce(a.Method, shown)
		}
	}
}
