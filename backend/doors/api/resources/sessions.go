package resources

import (
	"context"
	"net/http"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

// Sessions holds the operations that give browsers access to the API.
type Sessions struct {
	Sessions *guard.Sessions
}

// Routes declares the operations.
func (s *Sessions) Routes(t *route.Table) {
	g := t.Group("sessions")
	route.Add(g, route.Post("/api/tickets", "Create a ticket that opens one page or one WebSocket").Creates(), s.createTicket)
	route.Add(g, route.Post("/api/session", "Exchange the ticket of a page for the token of a new session").WithoutToken(), s.begin)
	route.Add(g, route.Post("/api/session/end", "End the session whose token the request contains"), s.end)
}

type ticketFields struct {
	Purpose string `json:"purpose" enum:"page,socket" doc:"page for a ticket that is exchanged at /api/session, socket for a ticket that opens a WebSocket."`
}

type ticketInput struct{ route.Object[ticketFields] }

type ticketView struct {
	Ticket    string    `json:"ticket" doc:"The ticket. It can be used once."`
	ExpiresAt time.Time `json:"expires_at"`
}

// createTicket creates a ticket. A session cannot create tickets for pages: the new session would continue after the
// end of the first one.
func (s *Sessions) createTicket(ctx context.Context, in *ticketInput) (*route.Reply[ticketView], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	by := guard.SessionOf(ctx)
	switch {
	case body.Purpose != guard.ForPage && body.Purpose != guard.ForSocket:
		return nil, fault.New(fault.Invalid, "purpose must be %q or %q", guard.ForPage, guard.ForSocket)
	case body.Purpose == guard.ForPage && by != nil:
		return nil, fault.New(fault.Denied, "a page cannot create a ticket for another page; use: agent-discover open")
	}
	secret, expires, err := s.Sessions.Issue(body.Purpose, by)
	if err != nil {
		return nil, err
	}
	return route.Created(ticketView{secret, expires.UTC()})
}

type exchangeFields struct {
	Ticket string `json:"ticket" doc:"An unused ticket for a page, at most 30 seconds old."`
}

type exchangeInput struct{ route.Object[exchangeFields] }

type sessionView struct {
	Token     string    `json:"token" doc:"Token of the session, to be sent like the hub's own token."`
	Session   string    `json:"session" doc:"Public identifier of the session, for /hello. It is no secret."`
	ExpiresAt time.Time `json:"expires_at" doc:"When the session ends if it is not used before. Each use extends the session."`
}

func (s *Sessions) begin(_ context.Context, in *exchangeInput) (*route.Reply[sessionView], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if _, ok := s.Sessions.Redeem(body.Ticket, guard.ForPage); !ok {
		return nil, route.Fail(http.StatusUnauthorized, "this ticket is unknown, used or too old; get a new one with: agent-discover open")
	}
	token, begun := s.Sessions.Begin()
	return route.OK(sessionView{token, begun.ID(), s.Sessions.Expiry(begun).UTC()})
}

func (s *Sessions) end(ctx context.Context, _ *struct{}) (*route.Reply[map[string]string], error) {
	session := guard.SessionOf(ctx)
	if session == nil {
		return nil, fault.New(fault.Invalid, "not a session token; the hub's own token cannot be revoked")
	}
	s.Sessions.End(session)
	return statusOnly("ended")
}
