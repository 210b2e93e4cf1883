package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
)

var errClosed = fault.New(fault.Unavailable, "the hub is stopping")

// Access authorizes the requests to one server. It implements mcphttp.Authorization.
type Access struct {
	manager *Manager
	server  Server
}

// Access returns the authorization of requests to a server.
func (m *Manager) Access(s Server) *Access {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.secrets = m.changes[s.ID]
	return &Access{m, s}
}

// Header implements mcphttp.Authorization.
func (a *Access) Header(ctx context.Context) (string, error) {
	m := a.manager
	g, err := m.grant(ctx, a.server)
	if err != nil || g == nil {
		return "", err
	}
	if !g.due(m.options.Now()) || !g.renewable() {
		return g.header(), nil
	}
	next, err := m.renew(ctx, a.server, g, false)
	switch {
	case err == nil:
		return next.header(), nil
	case isEnded(err):
		return "", nil // the server decides whether it answers without a token
	case !g.ended(m.options.Now()) && ctx.Err() == nil:
		return g.header(), nil
	}
	return "", err
}

// retryRejected is the minimum time between two renewals of a token that the server rejects.
const retryRejected = 30 * time.Second

// Challenged implements mcphttp.Authorization. It opens no browser: if a person has to
// sign in, the error says so.
func (a *Access) Challenged(ctx context.Context, c mcphttp.Challenge) (retry bool, err error) {
	m, s, said := a.manager, a.server, readChallenge(c.Header)
	if c.Status == http.StatusForbidden && said.code != "insufficient_scope" {
		return false, nil
	}
	g, err := m.grant(ctx, s)
	if err != nil {
		return false, err
	}
	switch {
	case g != nil && g.header() != c.Sent:
		return true, nil // the token was renewed, or somebody signed in, after the request was sent
	case c.Status == http.StatusForbidden:
		return m.stepUp(ctx, s, g, said, c.Operation)
	case g != nil && g.renewable() && !(g.forced && m.options.Now().Sub(g.Obtained) < retryRejected):
		_, err := m.renew(ctx, s, g, true)
		if err == nil || !isEnded(err) {
			return err == nil, err
		}
	}
	return m.require(ctx, s, said)
}

// grant returns the grant for a server, nil if there is none.
func (m *Manager) grant(ctx context.Context, s Server) (*grant, error) {
	address := hash(s.URL)
	if g := m.held(s.ID, address); g != nil {
		return g, nil
	}
	found, ok, err := m.keep.find(s.ID, address)
	if err != nil || !ok {
		return nil, err
	}
	err = m.share(ctx, flight("open", s), func(ctx context.Context) error {
		opened, err := m.keep.open(ctx, found)
		if err != nil {
			return fault.Wrap(err, fault.KindOf(err), "the sign-in to server %q cannot be read: %s", s.Name, fault.MessageOf(err))
		}
		m.learn(s.Name, opened.Access, opened.Refresh, opened.Client.Secret)
		m.mu.Lock()
		defer m.mu.Unlock()
		// Somebody may have signed in or out meanwhile.
		if current, ok, _ := m.keep.find(s.ID, address); ok && current.Sealed == found.Sealed {
			m.grants[s.ID] = opened
		}
		return nil
	})
	return m.held(s.ID, address), err
}

func (m *Manager) held(id int64, address string) *grant {
	m.mu.Lock()
	defer m.mu.Unlock()
	if g := m.grants[id]; g != nil && g.Address == address {
		return g
	}
	return nil
}

func flight(kind string, s Server) string { return kind + "/" + strconv.FormatInt(s.ID, 10) }

// isEnded reports whether err means that the authorization server has ended a sign-in, or no longer knows the client.
func isEnded(err error) bool {
	refused, ok := errors.AsType[tokenError](err)
	return ok && (refused.code == "invalid_grant" || refused.code == "invalid_client" || refused.code == "unauthorized_client")
}

// renew returns a newer grant than g. All callers share one request.
func (m *Manager) renew(ctx context.Context, s Server, g *grant, forced bool) (*grant, error) {
	err := m.share(ctx, flight("token", s), func(ctx context.Context) error {
		if current := m.held(s.ID, g.Address); current == nil || current.Access != g.Access {
			return nil
		}
		n, err := m.network(s, g.Entered)
		if err != nil {
			return err
		}
		next, err := n.renew(ctx, g)
		if isEnded(err) {
			m.end(s, g, err)
		}
		if err != nil {
			return fault.Wrap(err, fault.KindOf(err), "the token for server %q could not be renewed: %s", s.Name, fault.MessageOf(err))
		}
		next.forced = forced
		return m.use(ctx, s, g, next)
	})
	if err != nil {
		return nil, err
	}
	if next := m.held(s.ID, g.Address); next != nil {
		return next, nil
	}
	return nil, fault.Wrap(tokenError{"invalid_grant"}, fault.Denied, "somebody signed out of server %q", s.Name)
}

// use replaces former, the grant of a server, by next, and stores next. It does nothing if former is no longer the
// grant of the server. If the file cannot be written, next is used nevertheless, because the authorization server may
// no longer accept former.
func (m *Manager) use(ctx context.Context, s Server, former, next *grant) error {
	m.learn(s.Name, next.Access, next.Refresh)
	if m.held(s.ID, former.Address) != former {
		return nil
	}
	if err := m.keep.save(ctx, s.Name, next); err != nil {
		m.options.Log.Warn("could not store a renewed token; the sign-in ends with the hub",
			"server", s.Name, "error", fault.MessageOf(err))
	}
	m.mu.Lock()
	m.grants[s.ID] = next
	m.mu.Unlock()
	return nil
}

// end removes a sign-in that the authorization server has ended. The next sign-in asks for the same scopes.
func (m *Manager) end(s Server, g *grant, why error) {
	m.mu.Lock()
	delete(m.grants, s.ID)
	d := m.demand(s.ID)
	d.scopes, d.again = union(d.scopes, g.Scopes), true
	m.mu.Unlock()
	err := m.keep.drop(func(k keptGrant) bool { return k.Server == s.ID })
	if refused, ok := errors.AsType[tokenError](why); ok && refused.code != "invalid_grant" && g.Client.Redirect != "" {
		err = errors.Join(err, m.keep.dropClient(g.Issuer, g.Client.Redirect))
	}
	if err != nil {
		m.options.Log.Warn("could not remove an ended sign-in", "server", s.Name, "error", fault.MessageOf(err))
	}
	m.notify(s.Name, false)
}

// demand collects a server's requests for authorization since the last sign-in.
type demand struct {
	challenge  challenge
	scopes     []string        // scopes in addition to those of the challenge
	operations map[string]bool // operations whose token lacked a scope
	required   bool            // a person has to sign in
	again      bool            // the authorization server has ended the last sign-in
	checked    time.Time       // when the server was last found to offer a sign-in
}

// demand returns the demand of a server. The caller holds mu.
func (m *Manager) demand(id int64) *demand {
	if m.demands[id] == nil {
		m.demands[id] = &demand{operations: make(map[string]bool)}
	}
	return m.demands[id]
}

// recheck is how long the hub relies on a server's offer of a sign-in before it asks the server again.
const recheck = 5 * time.Minute

// require handles a request for which there is no token. If the server's client gets tokens without a person, require
// obtains one; otherwise the error says that a person must sign in. If the server offers no sign-in, require returns
// false and no error.
func (m *Manager) require(ctx context.Context, s Server, c challenge) (retry bool, err error) {
	own, err := m.registered(ctx, s)
	if err != nil {
		return false, err
	}
	if own.machine {
		err := m.obtain(ctx, s, own, c)
		return err == nil, err
	}
	m.mu.Lock()
	checked := m.demand(s.ID).checked
	m.mu.Unlock()
	if m.options.Now().Sub(checked) > recheck {
		n, err := m.network(s, own.issuer)
		if err != nil {
			return false, err
		}
		if _, err := n.discover(ctx, c, own.issuer, ""); errors.Is(err, errNoOffer) {
			return false, nil
		} else if err != nil {
			return false, fault.Wrap(err, fault.KindOf(err), "server %q requires a sign-in, which fails: %s", s.Name, fault.MessageOf(err))
		}
	}
	m.mu.Lock()
	d := m.demand(s.ID)
	// A session that began before the secrets of the server were changed, or before somebody signed out, says nothing about
	// what the server requires now.
	required := d.required || s.secrets == m.changes[s.ID]
	news := required && !d.required
	d.challenge, d.required, d.checked = c, required, m.options.Now()
	again := d.again
	m.mu.Unlock()
	if news {
		m.notify(s.Name, false)
	}
	if again {
		return false, fault.Wrap(mcphttp.ErrSignIn, fault.Denied,
			"the sign-in to server %q has ended; a person must sign in again: agent-discover auth login %s", s.Name, s.Name)
	}
	return false, signIn(s.Name, "requires a sign-in")
}

// signIn returns the error of a request that needs a person to sign in.
func signIn(server, why string) error {
	return fault.Wrap(mcphttp.ErrSignIn, fault.Denied, "server %q %s; a person must sign in: agent-discover auth login %s",
		server, why, server)
}

// operation identifies an operation that a server refused because its token lacked a scope.
type operation struct {
	server int64
	name   string
}

// maxTries is how many new tokens are requested for an operation whose token lacks a scope.
const maxTries = 3

// stepUp handles a request that was refused because its token lacks a scope.
func (m *Manager) stepUp(ctx context.Context, s Server, g *grant, c challenge, name string) (retry bool, err error) {
	lacks := "asks for more permissions"
	if len(c.scopes) > 0 {
		lacks = fmt.Sprintf("asks for the permission %s", safetext.Clip(safetext.Label(strings.Join(c.scopes, " ")), 200))
	}
	op := operation{s.ID, name}
	m.mu.Lock()
	tries := m.tries[op]
	m.mu.Unlock()
	if tries >= maxTries {
		return false, fault.New(fault.Denied, "server %q %s although it was granted %d times; ask its operator what your account may do",
			s.Name, lacks, tries)
	}
	own, err := m.registered(ctx, s)
	if err != nil {
		return false, err
	}
	if own.machine {
		m.mu.Lock()
		m.tries[op]++
		m.mu.Unlock()
		if g != nil {
			c.scopes = union(c.scopes, g.Scopes)
		}
		err := m.obtain(ctx, s, own, c)
		return err == nil, err
	}
	m.mu.Lock()
	d := m.demand(s.ID)
	d.scopes, d.operations[name], d.required = union(d.scopes, c.scopes), true, true
	d.challenge.metadata = c.metadata
	m.mu.Unlock()
	m.notify(s.Name, false)
	return false, signIn(s.Name, lacks)
}

// obtain gets a token with client credentials, for which no person signs in.
func (m *Manager) obtain(ctx context.Context, s Server, own registered, c challenge) error {
	return m.share(ctx, flight("obtain", s), func(ctx context.Context) error {
		n, err := m.network(s, own.issuer)
		if err != nil {
			return err
		}
		o, err := n.discover(ctx, c, own.issuer, "")
		if err != nil {
			return fault.Wrap(err, fault.KindOf(err), "no token for server %q: %s", s.Name, fault.MessageOf(err))
		}
		g := o.grant(s, own, own.client)
		scopes := c.scopes
		if len(scopes) == 0 {
			scopes = o.scopes
		}
		g.Machine, g.Scopes = true, union(scopes, own.scopes)
		g.Client.Basic = own.basicAt(o)
		next, err := n.renew(ctx, g)
		if err != nil {
			return fault.Wrap(err, fault.KindOf(err), "no token for server %q: %s", s.Name, fault.MessageOf(err))
		}
		return m.enter(ctx, s, next)
	})
}

// grant returns a grant that is made from the offer and has no token yet.
func (o *offer) grant(s Server, own registered, c client) *grant {
	return &grant{
		Server: s.ID, Issuer: o.meta.Issuer, Resource: o.resource, Address: hash(s.URL), Client: c, Token: o.meta.TokenEndpoint,
		Revoke: o.meta.RevocationEndpoint, Entered: own.issuer,
	}
}

// enter stores the first grant of a sign-in.
func (m *Manager) enter(ctx context.Context, s Server, g *grant) error {
	m.learn(s.Name, g.Access, g.Refresh, g.Client.Secret)
	if err := m.keep.save(ctx, s.Name, g); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.grants[s.ID] = g
	if d := m.demands[s.ID]; d != nil {
		for name := range d.operations {
			m.tries[operation{s.ID, name}]++
		}
		delete(m.demands, s.ID)
	}
	return nil
}
