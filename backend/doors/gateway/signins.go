package gateway

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"

	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// SignIns lets people sign in to remote servers.
type SignIns interface {
	// SignIn begins a sign-in to a server, or joins one that is in progress. It returns the page to open, and a
	// function that waits until the sign-in has ended.
	SignIn(ctx context.Context, server string) (page string, wait func(context.Context) error, err error)
}

// signInQuestion is a request to the client to open the page of a sign-in. A session has at most one open
// request for each server.
type signInQuestion struct {
	over     chan struct{} // closed when ask has returned
	signedIn bool          // whether the user has signed in; valid after over is closed, like err
	err      error         // why the sign-in failed; nil if the client does not open the page
}

// signIns asks the client of one session to open the pages of sign-ins. It is safe for
// concurrent use.
type signIns struct {
	service   SignIns // nil if nobody can sign in
	client    *clientInfo
	exchanges *exchanges
	peer      Peer
	changes   *changes

	mu      sync.Mutex
	open    map[string]*signInQuestion // by server; includes the questions that the user has declined
	awaited bool                       // the client was shown empty lists because nobody has signed in yet
}

// Retry sends a request to a server. If the server answers that a person must sign in, and the client can open
// pages for its user, Retry waits for the sign-in and sends the request once more. send must not change the
// request.
func (s *signIns) Retry(ctx context.Context, server string, send func() error) error {
	err := send()
	if !errors.Is(err, mcphttp.ErrSignIn) || s.service == nil || !s.opensPages(ctx) {
		return err
	}
	signedIn, failed := s.await(ctx, server)
	switch {
	case signedIn:
		return send()
	case failed != nil:
		return failed
	}
	return err
}

// opensPages reports whether the client of a request opens the pages that servers ask it to open.
func (s *signIns) opensPages(ctx context.Context) bool {
	page := upstream.Question{Method: "elicitation/create", Params: json.RawMessage(`{"mode":"url"}`)}
	asked, modern := s.exchanges.of(ctx).caller.(*modernCaller)
	if !modern {
		return s.client.lacks(page) == ""
	}
	var capabilities map[string]json.RawMessage
	_ = json.Unmarshal(asked.declared.Capabilities, &capabilities) // mcpversion.CheckMeta has accepted only an object
	return unsupported(capabilities, page) == ""
}

// await waits until a person has signed in to a server. It returns false without an
// error if the client does not open the page.
func (s *signIns) await(ctx context.Context, server string) (signedIn bool, err error) {
	s.mu.Lock()
	q := s.open[server]
	asks := q == nil
	if asks {
		q = &signInQuestion{over: make(chan struct{})}
		s.open[server] = q
	}
	s.mu.Unlock()
	if asks {
		declined := s.ask(ctx, server, q)
		s.mu.Lock()
		if !declined { // a question that was declined stays, so that it is not asked again
			delete(s.open, server)
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

// ask asks the client to open the page of a sign-in, and waits until the sign-in has ended. It reports whether
// the user declined.
func (s *signIns) ask(ctx context.Context, server string, q *signInQuestion) (declined bool) {
	page, wait, err := s.service.SignIn(ctx, server)
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
			if _, modern := s.exchanges.of(ctx).caller.(*modernCaller); !modern && page != "" {
				_ = s.peer.Notify(ctx, "notifications/elicitation/complete", jsonrpc.Set(nil, "elicitationId", jsonrpc.Quote(id)))
			}
			return false
		}
	}
}

// openPage asks the client to open the page of a sign-in. It returns the user's answer, such as accept or
// decline, or "" if there is none.
func (s *signIns) openPage(ctx context.Context, server, page, id string) (action string) {
	params, err := answer.Encode(map[string]string{
		"mode": "url", "url": page, "elicitationId": id,
		"message": "Sign in to " + server + ". The request continues when you are signed in.",
	})
	if err != nil {
		return ""
	}
	answer, err := s.exchanges.of(ctx).caller.Ask(ctx, upstream.Question{Server: server, Method: "elicitation/create", Params: params})
	if err != nil {
		return ""
	}
	return jsonrpc.GetString(answer, "action")
}

// awaitSignIn records that the client is shown empty lists until somebody signs in.
func (s *signIns) awaitSignIn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awaited = true
}

// signedIn notifies the client that all lists other than the list of tools have changed, if the client was shown empty
// lists.
func (s *signIns) signedIn() {
	s.mu.Lock()
	awaited := s.awaited
	s.awaited = false
	s.mu.Unlock()
	if awaited {
		s.changes.announceLists()
	}
}
