package gateway

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// SignIns lets people sign in to remote servers.
type SignIns interface {
	// SignIn begins a sign-in to a server, or returns the one that waits already: the page
	// to open, and a function that waits for the end.
	SignIn(ctx context.Context, server string) (page string, wait func(context.Context) error, err error)
}

// signInQuestion is the question to a client to open the page of a sign-in. A session asks
// one at a time for each server.
type signInQuestion struct {
	over     chan struct{} // closed at the end
	signedIn bool          // valid after over is closed, like err
	err      error         // why the sign-in failed; nil if the client does not open the page
}

// withSignIn sends a request to a server. If the answer is that a person must sign in, and
// the client opens pages for its user, it waits for the sign-in and sends the request once
// more. send must not change what it sends.
func withSignIn[T any](ctx context.Context, s *Session, server string, send func() (T, error)) (T, error) {
	result, err := send()
	if !errors.Is(err, mcphttp.ErrSignIn) || s.gateway.signIns == nil || !s.opensPages(ctx) {
		return result, err
	}
	signedIn, failed := s.signIn(ctx, server)
	switch {
	case signedIn:
		return send()
	case failed != nil:
		return result, failed
	}
	return result, err
}

// opensPages reports whether the client of a request opens pages that servers ask it to.
func (s *Session) opensPages(ctx context.Context) bool {
	var capabilities map[string]json.RawMessage
	if asked, modern := s.exchangeOf(ctx).caller.(*modernCaller); modern {
		_ = json.Unmarshal(asked.declared.Capabilities, &capabilities) // an object; see era.CheckMeta
	} else {
		s.mu.Lock()
		capabilities = s.capabilities
		s.mu.Unlock()
	}
	return unsupported(capabilities, upstream.Question{Method: "elicitation/create", Params: json.RawMessage(`{"mode":"url"}`)}) == ""
}

// signIn waits until a person has signed in to a server. It returns false without an
// error if the client does not open the page.
func (s *Session) signIn(ctx context.Context, server string) (signedIn bool, err error) {
	s.mu.Lock()
	q := s.signIns[server]
	asks := q == nil
	if asks {
		q = &signInQuestion{over: make(chan struct{})}
		s.signIns[server] = q
	}
	s.mu.Unlock()
	if asks {
		declined := s.askToSignIn(ctx, server, q)
		s.mu.Lock()
		if !declined { // otherwise the session does not ask again
			delete(s.signIns, server)
		}
		s.mu.Unlock()
		close(q.over)
	}
	select {
	case <-q.over:
		return q.signedIn, q.err
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// askToSignIn asks the client to open the page of a sign-in, and waits for its end. It
// reports whether the user declined.
func (s *Session) askToSignIn(ctx context.Context, server string, q *signInQuestion) (declined bool) {
	page, wait, err := s.gateway.signIns.SignIn(ctx, server)
	if err != nil {
		q.err = err
		return false
	}
	asking, stop := context.WithCancel(ctx)
	defer stop()
	answered, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- wait(asking) }()
	id := rand.Text()
	if page != "" {
		go func() { answered <- s.openPage(asking, server, page, id) }()
	}
	for {
		select {
		case action := <-answered:
			if action != "accept" {
				return action == "decline"
			}
		case err := <-ended:
			if q.signedIn = err == nil; !q.signedIn && ctx.Err() == nil {
				q.err = err
			}
			if _, modern := s.exchangeOf(ctx).caller.(*modernCaller); !modern && page != "" {
				s.Notify(ctx, "notifications/elicitation/complete", jsonrpc.Set(nil, "elicitationId", jsonrpc.Quote(id)))
			}
			return false
		}
	}
}

// openPage asks the client to open the page of a sign-in. It returns the action of the
// user, and "" if there is none.
func (s *Session) openPage(ctx context.Context, server, page, id string) (action string) {
	params, err := encode(map[string]string{
		"mode": "url", "url": page, "elicitationId": id,
		"message": "Sign in to " + server + ". The request continues when you are signed in.",
	})
	if err != nil {
		return ""
	}
	answer, err := s.exchangeOf(ctx).caller.Ask(ctx, upstream.Question{Server: server, Method: "elicitation/create", Params: params})
	if err != nil {
		return ""
	}
	return jsonrpc.GetString(answer, "action")
}

// awaitSignIn notes that the client is shown empty lists until somebody signs in.
func (s *Session) awaitSignIn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awaitsSignIn = true
}

// signedIn tells the client that the lists besides the tools have changed, if it was shown
// empty ones.
func (s *Session) signedIn() {
	s.mu.Lock()
	awaited := s.awaitsSignIn
	s.awaitsSignIn = false
	s.mu.Unlock()
	if !awaited {
		return
	}
	for _, l := range shownLists {
		s.announceList(l.changed)
	}
}

// wasOffered reports whether the client was told in the answer to initialize that a
// capability exists.
func (s *Session) wasOffered(capability string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return jsonrpc.Get(s.offered, capability) != nil
}
