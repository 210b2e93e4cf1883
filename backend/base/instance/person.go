package instance

import (
	"context"
	"net/http"
)

// Person returns a client with its own session, like that of a dashboard page. The
// hub treats its requests as decisions of a person. Use it only for a request that
// a person has just confirmed, or to show a person something. end ends the session.
func (c *Client) Person(ctx context.Context) (person *Client, end func(), err error) {
	token, err := c.Session(ctx)
	if err != nil {
		return nil, nil, err
	}
	p := *c.current() // the session is one of this hub
	p.token, p.next = token, nil
	return &p, func() { _ = p.Do(context.WithoutCancel(ctx), http.MethodPost, "/api/session/end", nil, nil) }, nil
}

// Session returns the token of a new session, for a page that a person uses.
func (c *Client) Session(ctx context.Context) (token string, err error) {
	var ticket struct{ Ticket string }
	if err := c.Do(ctx, http.MethodPost, "/api/tickets", map[string]string{"purpose": "page"}, &ticket); err != nil {
		return "", err
	}
	var session struct{ Token string }
	err = c.Do(ctx, http.MethodPost, "/api/session", map[string]string{"ticket": ticket.Ticket}, &session)
	return session.Token, err
}
