package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// ticketView is a ticket as the API shows it, once.
type ticketView struct {
	Ticket    string    `json:"ticket"`
	ExpiresAt time.Time `json:"expires_at"`
}

type sessionView struct {
	Token     string    `json:"token" doc:"goes where the hub's own token would"`
	Session   string    `json:"session" doc:"names the session at /hello; no secret"`
	ExpiresAt time.Time `json:"expires_at" doc:"unless it is used before; each use puts it off"`
}

func (s *server) sessionRoutes(api huma.API) {
	bodyRoute(api, http.MethodPost, "/api/tickets", "A ticket for one page or one WebSocket", s.issueTicket)
	bodyRoute(api, http.MethodPost, "/api/session", "Exchange a page's ticket for a token", s.beginSession)
	route(api, http.MethodPost, "/api/session/end", "Give such a token up", s.endSession)
}

// issueTicket gives page tickets to who has the hub's own token only: a session
// must not outlive its end through another one.
func (s *server) issueTicket(ctx context.Context, in *bodyInput) (*reply[ticketView], error) {
	var body ticketFields
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	by := callerOf(ctx).session
	switch {
	case body.Purpose != forPage && body.Purpose != forSocket:
		return nil, fault.New(fault.Invalid, "purpose must be %q or %q", forPage, forSocket)
	case body.Purpose == forPage && by != nil:
		return nil, fault.New(fault.Denied, "a page cannot let another page in; use: agent-discover open")
	}
	secret, expires, err := s.passes.issue(body.Purpose, by)
	if err != nil {
		return nil, err
	}
	return &reply[ticketView]{Status: http.StatusCreated, Body: ticketView{secret, expires.UTC()}}, nil
}

func (s *server) beginSession(_ context.Context, in *bodyInput) (*reply[sessionView], error) {
	var body exchangeFields
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	if _, ok := s.passes.redeem(body.Ticket, forPage); !ok {
		return nil, huma.NewError(http.StatusUnauthorized, "this ticket is unknown, used or too old; get a new one with: agent-discover open")
	}
	token, begun := s.passes.begin()
	return ok(sessionView{token, begun.id, s.passes.expiry(begun).UTC()})
}

func (s *server) endSession(ctx context.Context, _ *struct{}) (*reply[map[string]string], error) {
	who := callerOf(ctx)
	if who.session == nil {
		return nil, fault.New(fault.Invalid, "this is no session's token; the hub's own ends with the hub")
	}
	s.passes.close(who.session)
	return ok(map[string]string{"status": "ended"})
}
