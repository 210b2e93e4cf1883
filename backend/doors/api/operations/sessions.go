package operations

import (
	"context"
	"encoding/hex"
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

// Routes adds the operations with their handlers to a route table.
func (s *Sessions) Routes(t *route.Table) {
	g := t.Group("sessions")
	route.Add(g, route.Post("/api/tickets", "Create a ticket that opens one page or one WebSocket").Creates(), s.createTicket)
	route.Add(g, route.Post("/api/session", "Exchange the ticket of a page for the token of a new session").WithoutToken(), s.begin)
	route.Add(g, route.Post("/api/session/challenge", "Create a challenge, which a page signs to resume its session").WithoutToken(),
		s.challenge)
	route.Add(g, route.Post("/api/session/resume", "Exchange a signed challenge for the token of a new session").WithoutToken(), s.resume)
	route.Add(g, route.Post("/api/session/end", "End the session whose token the request contains"), s.end)
}

type ticketFields struct {
	Purpose string `json:"purpose" enum:"page,socket" doc:"Purpose of the ticket. page: it is exchanged for a session at /api/session. socket: it opens a WebSocket."`
	File    bool   `json:"file,omitempty" doc:"Whether to write a ticket for a page to a file that opens the dashboard in a browser, instead of returning the ticket. Only the user of the hub can read the file. The file is removed when the ticket expires."`
	Snap    string `json:"snap,omitempty" doc:"Name of the browser's snap package. The file is then in a folder that the snap can read."`
}

type ticketInput struct{ route.Object[ticketFields] }

type ticketView struct {
	Ticket    string    `json:"ticket,omitempty" doc:"The ticket. It can be used once."`
	File      string    `json:"file,omitempty" doc:"Path of the file that contains the ticket."`
	ExpiresAt time.Time `json:"expires_at"`
}

// createTicket creates a ticket. A session cannot create a ticket for a page, because the new page would get a session
// of its own, which would outlive the first one.
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
	if body.File {
		if body.Purpose != guard.ForPage {
			return nil, fault.New(fault.Invalid, "only a ticket for a page can be written to a file")
		}
		file, expires, err := s.Sessions.IssueFile(body.Snap)
		if err != nil {
			return nil, err
		}
		return route.Created(ticketView{File: file, ExpiresAt: expires.UTC()})
	}
	secret, expires, err := s.Sessions.Issue(body.Purpose, by)
	if err != nil {
		return nil, err
	}
	return route.Created(ticketView{Ticket: secret, ExpiresAt: expires.UTC()})
}

type exchangeFields struct {
	Ticket string `json:"ticket" doc:"An unused ticket for a page, at most 30 seconds old."`
	PageKeys
}

// PageKeys are the public keys that a page registers.
type PageKeys struct {
	PageKey   string `json:"page_key,omitempty" doc:"Public key of a key pair that the page keeps in memory: an uncompressed P-256 point in hexadecimal. With it, an open page resumes its session after a restart of the hub on the same port."`
	ReloadKey string `json:"reload_key,omitempty" doc:"Public key of a key pair that the page keeps in the browser's storage, in the format of page_key. With it, a reloaded page resumes its session until the hub stops."`
}

func (k PageKeys) parse() (keys guard.Keys, err error) {
	if k.PageKey != "" {
		if keys.Page, err = guard.ParseKey(k.PageKey); err != nil {
			return guard.Keys{}, err
		}
	}
	if k.ReloadKey != "" {
		if keys.Reload, err = guard.ParseKey(k.ReloadKey); err != nil {
			return guard.Keys{}, err
		}
	}
	return keys, nil
}

type exchangeInput struct{ route.Object[exchangeFields] }

type sessionView struct {
	Token     string    `json:"token" doc:"Token of the session, to be sent in place of the hub's own token. It becomes invalid when the hub stops."`
	Session   string    `json:"session" doc:"Public identifier of the session, for /hello. It is no secret."`
	ProofKey  string    `json:"proof_key" doc:"Key of the HMAC session_proof in the response of /hello, with which the hub proves to the page that it knows the session."`
	ExpiresAt time.Time `json:"expires_at" doc:"When the session expires. Each use of the session extends it."`
}

func (s *Sessions) view(token string, session *guard.Session) (*route.Reply[sessionView], error) {
	return route.OK(sessionView{token, session.ID(), session.ProofKey(), s.Sessions.Expiry(session).UTC()})
}

func (s *Sessions) begin(_ context.Context, in *exchangeInput) (*route.Reply[sessionView], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	keys, err := body.parse()
	if err != nil {
		return nil, err
	}
	if _, ok := s.Sessions.Redeem(body.Ticket, guard.ForPage); !ok {
		return nil, route.Fail(http.StatusUnauthorized, "this ticket is unknown, used or too old; get a new one with: agent-discover open")
	}
	return s.view(s.Sessions.Begin(keys))
}

type challengeFields struct {
	Session string `json:"session" doc:"Public identifier of the session."`
}

type challengeInput struct {
	route.Object[challengeFields]
}

type challengeView struct {
	Challenge string `json:"challenge" doc:"The challenge to sign. It can be used once, within 30 seconds."`
	Instance  string `json:"instance" doc:"Identifier of the running hub process, which changes with each start of the hub."`
}

// errNoSession returns the same error for a session that never existed, has ended, or cannot be resumed.
func errNoSession() error {
	return route.Fail(http.StatusUnauthorized,
		"the session of this page has ended; open the dashboard from the tray or with: agent-discover open")
}

func (s *Sessions) challenge(_ context.Context, in *challengeInput) (*route.Reply[challengeView], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	text, instance, ok := s.Sessions.Challenge(body.Session)
	if !ok {
		return nil, errNoSession()
	}
	return route.OK(challengeView{text, instance})
}

type resumeFields struct {
	Session   string `json:"session" doc:"Public identifier of the session to resume."`
	Challenge string `json:"challenge"`
	Signature string `json:"signature" doc:"ECDSA signature with SHA-256 by a key of the session, in the format of WebCrypto, in hexadecimal. The signed message consists of the lines agent-discover, resume, the instance, 127.0.0.1:PORT, the session and the challenge."`
	PageKeys
}

type resumeInput struct{ route.Object[resumeFields] }

func (s *Sessions) resume(_ context.Context, in *resumeInput) (*route.Reply[sessionView], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	keys, err := body.parse()
	if err != nil {
		return nil, err
	}
	signature, err := hex.DecodeString(body.Signature)
	if err != nil {
		return nil, fault.New(fault.Invalid, "signature must be hexadecimal")
	}
	token, session, ok := s.Sessions.Resume(body.Session, body.Challenge, signature, keys)
	if !ok {
		return nil, errNoSession()
	}
	return s.view(token, session)
}

func (s *Sessions) end(ctx context.Context, _ *struct{}) (*route.Reply[map[string]string], error) {
	session := guard.SessionOf(ctx)
	if session == nil {
		return nil, fault.New(fault.Invalid, "not a session token; the hub's own token cannot be revoked")
	}
	s.Sessions.End(session)
	return statusOnly("ended")
}
