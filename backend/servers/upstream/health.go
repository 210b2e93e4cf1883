package upstream

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// pingTimeout is how long a running server may take to answer the ping of a
// health check.
const pingTimeout = 15 * time.Second

// Check tests a server and stores the result as its health. A running server is
// pinged. A stopped server is started, and stopped again unless a call has used
// it meanwhile. Check returns how long the test took, and an error if the
// server is not healthy.
func (m *Manager) Check(ctx context.Context, server registry.Server) (latency time.Duration, err error) {
	began := time.Now()
	w := wantOf(server, "", nil)
	w.check = true
	session, err := m.check(ctx, w)
	latency = time.Since(began)
	if kind := fault.KindOf(err); ctx.Err() == nil && kind != fault.Denied && kind != fault.Busy && !errors.Is(err, errEnded) {
		m.health.note(server, err, m.registry.NoteCheck)
	}
	if session != nil {
		session.use.leave()
		if !server.KeepRunning && session.use.retireChecked() {
			session.at.shutdown(session, "")
		}
	}
	return latency, err
}

// check tests the server. It returns the session that it used, if any, even
// with an error. The caller must call leave on the session.
func (m *Manager) check(ctx context.Context, w want) (*session, error) {
	server := w.server
	if err := server.Usable(); err != nil {
		return nil, err
	}
	ran := m.slots.current(w.target)
	for {
		session, err := m.router.acquire(ctx, w)
		if err != nil || session != ran {
			return session, err // a successful start shows that the server is healthy
		}
		if err = session.ping(ctx); !errors.Is(err, mcphttp.ErrLost) {
			return session, err
		}
		session.use.leave() // the server has dropped the session; test with a new one
	}
}

// ping sends a ping. An answer that the method is unknown counts as success.
func (s *session) ping(ctx context.Context) error {
	call := s.peer.pingCall(min(pingTimeout, s.manager.limits.get().CallTimeout))
	_, err := s.conn.Call(ctx, call)
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		if rpc.Code == jsonrpc.CodeMethodNotFound {
			return nil
		}
		return fault.New(fault.Failed, "server %q answered ping with MCP error %d: %s",
			s.server.Name, rpc.Code, s.redactor.Text(rpc.Message))
	}
	if err != nil {
		return s.explainer.explain(err, call)
	}
	return nil
}

// healthNotes stores the results of starts and checks, and the unexpected ends of servers, in the registry.
type healthNotes struct {
	registry *registry.Registry
	log      *slog.Logger
}

func (h *healthNotes) death(server registry.Server, failure error) {
	h.note(server, failure, h.registry.NoteDeath)
}

// note stores the result of a start, a check or an exit. Servers outside the
// registry have no health.
func (h *healthNotes) note(server registry.Server, failure error, store func(context.Context, string, error) error) {
	if server.ID == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := store(ctx, server.Name, failure); err != nil && fault.KindOf(err) != fault.NotFound {
		h.log.Warn("could not store the health of a server", "server", server.Name, "error", err)
	}
}
