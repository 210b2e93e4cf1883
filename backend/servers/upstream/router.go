package upstream

import (
	"context"
	"errors"
	"log/slog"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// router finds or starts the session that a caller wants. A server of both eras of the protocol,
// legacy and modern, may have two sessions.
type router struct {
	slots    *slotTable
	registry *registry.Registry
	log      *slog.Logger
}

// acquire returns the session that a caller wants, which it starts if necessary, and
// adds a call to it. The caller must end the call with usage.leave.
func (r *router) acquire(ctx context.Context, w want) (*session, error) {
	if w.over != nil && w.over.session.use.enter(w) {
		return w.over.session, nil
	}
	w.target.Second = r.fitsSecond(w)
	session, err := r.acquireAt(ctx, w)
	if !errors.Is(err, errOtherEra) {
		return session, err
	}
	w.target.Second = !w.target.Second
	if session, err = r.acquireAt(ctx, w); err == nil || ctx.Err() != nil {
		return session, err
	}
	if s := r.slots.of(w.target); s != nil && s.erasOf(w.server).of(w.era) != never && !errors.Is(err, errEnded) {
		r.log.Warn("could not start a second session with a server, so a client uses that of the other era",
			"server", w.server.Name, "error", fault.MessageOf(err))
	}
	w.only, w.target.Second = false, false
	return r.acquireAt(ctx, w)
}

// fitsSecond reports whether the second session with a server is the right one for w: it runs in the wanted era and
// the first one does not, or the first one does not run and either era will do.
func (r *router) fitsSecond(w want) bool {
	w.target.Second = true
	second, first := r.eraAt(w), mcpversion.Unknown
	if second == mcpversion.Unknown {
		return false
	}
	w.target.Second = false
	if first = r.eraAt(w); first == mcpversion.Unknown {
		return second == w.era || !w.only
	}
	return second == w.era && first != w.era
}

// eraAt returns the era of the session at w.target, or the era in which that session is being started. It returns
// Unknown if there is no session that can be used for w.
func (r *router) eraAt(w want) mcpversion.Era {
	s := r.slots.of(w.target)
	if s == nil {
		return mcpversion.Unknown
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.start != nil:
		return s.start.era
	case s.session != nil && !s.session.use.ending() && sameLaunch(s.session.server, w.server):
		return s.session.profile.era()
	}
	return mcpversion.Unknown
}

// tell sends a request to each running session of a target. told is false if none is running.
func (r *router) tell(ctx context.Context, t Target, call jsonrpc.Call) (told bool, err error) {
	for _, second := range []bool{true, false} {
		t.Second = second
		s := r.slots.of(t)
		if s == nil {
			continue
		}
		if session := s.running(); session != nil {
			_, err = session.requests.request(ctx, nil, call)
			told = true
		}
	}
	return told, err
}

// acquireAt is acquire for the session of exactly w.target.
func (r *router) acquireAt(ctx context.Context, w want) (*session, error) {
	s := r.slots.of(w.target)
	if s == nil {
		// The server may have been removed since the caller looked it up.
		if now, err := r.registry.ByID(w.server.ID); err != nil || now.Name != w.server.Name {
			return nil, errRemoved
		}
		s = r.slots.open(w.target)
	}
	return s.acquire(ctx, w)
}
