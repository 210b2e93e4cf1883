package oauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// loginLife is how long a sign-in waits for a person.
const loginLife = 10 * time.Minute

// Login is a sign-in that a person has to finish in a browser.
type Login struct {
	// Address is the page to open; empty if no person is needed.
	Address string
	// Redirect is the address of this program to which the authorization server redirects the browser at the end. A browser
	// on another machine does not reach it; then the caller must call Complete with the address in the browser.
	Redirect string
	flow     *flow
	manager  *Manager
}

// Wait waits until the sign-in is finished, and returns its result.
func (l *Login) Wait(ctx context.Context) error {
	select {
	case <-l.flow.done:
		return l.flow.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// After calls f when the sign-in ends, or at once if it has ended already.
func (l *Login) After(f func()) {
	l.manager.mu.Lock()
	ended := l.flow.ended
	if !ended {
		l.flow.after = append(l.flow.after, f)
	}
	l.manager.mu.Unlock()
	if ended {
		f()
	}
}

// flow is a sign-in that waits for a person.
type flow struct {
	server   Server
	offer    *offer
	own      registered
	client   client
	scopes   []string
	state    string
	verifier string // PKCE code verifier
	redirect string
	address  string
	timer    *time.Timer
	done     chan struct{} // closed at the end
	err      error         // the result; valid after done is closed
	answered bool          // the browser has come back, or the sign-in is being ended; guarded by Manager.mu, like the fields below
	ended    bool
	after    []func() // to run at the end
}

// Login begins a sign-in, or returns the one that waits already. It opens no browser.
func (m *Manager) Login(ctx context.Context, server string) (*Login, error) {
	s, err := m.options.Find(ctx, server)
	if err != nil {
		return nil, err
	}
	if f := m.waiting(s.ID); f == nil {
		if err := m.share(ctx, flight("login", s), func(ctx context.Context) error { return m.begin(ctx, s) }); err != nil {
			return nil, fault.Wrap(err, fault.KindOf(err), "cannot sign in to server %q: %s", s.Name, fault.MessageOf(err))
		}
	}
	f := m.waiting(s.ID)
	if f == nil { // a token was obtained without a person
		f = &flow{done: make(chan struct{}), ended: true}
		close(f.done)
	}
	return &Login{Address: f.address, Redirect: f.redirect, flow: f, manager: m}, nil
}

// waiting returns the sign-in to a server for which a person is expected, or nil if there
// is none.
func (m *Manager) waiting(id int64) *flow {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.flows {
		if f.server.ID == id {
			return f
		}
	}
	return nil
}

// Await waits until no sign-in to a server waits for a person.
func (m *Manager) Await(ctx context.Context, id int64) error {
	f := m.waiting(id)
	if f == nil {
		return nil
	}
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (m *Manager) begin(ctx context.Context, s Server) error {
	own, err := m.registered(ctx, s)
	if err != nil {
		return err
	}
	n, err := m.network(s, own.issuer)
	if err != nil {
		return err
	}
	m.mu.Lock()
	asked := *m.demand(s.ID)
	m.mu.Unlock()
	if !asked.required {
		asked.challenge = n.probe(ctx)
	}
	if own.machine {
		if err := m.obtain(ctx, s, own, asked.challenge); err != nil {
			return err
		}
		m.notify(s.Name, true)
		return nil
	}
	former, _, _ := m.keep.find(s.ID, hash(s.URL)) // a stored grant that cannot be read is replaced
	o, err := n.discover(ctx, asked.challenge, own.issuer, former.Issuer)
	if err == nil {
		err = o.interactive()
	}
	if err != nil {
		return err
	}
	f := &flow{server: s, offer: o, own: own, state: rand.Text(), verifier: rand.Text() + rand.Text(), done: make(chan struct{})}
	way, err := m.identify(o, own)
	if err != nil {
		return err
	}
	var usual bool
	if f.redirect, usual, err = m.listen(way.registers); err != nil {
		return err
	}
	if f.redirect == "" {
		return fault.New(fault.Unavailable, "other programs use all ports to which the browser may return: %s; end one of them and begin again",
			m.users(ctx))
	}
	defer m.begun()
	if f.client, err = m.clientFor(ctx, n, o, way, f.redirect, usual); err != nil {
		return err
	}
	if f.scopes = union(asked.challenge.scopes, asked.scopes, former.Scopes, own.scopes); len(f.scopes) == 0 {
		f.scopes = union(o.scopes)
	}
	offline := slices.Contains(o.meta.ScopesSupported, "offline_access")
	if offline {
		f.scopes = union(f.scopes, []string{"offline_access"})
	}
	f.address = f.page(offline)
	return m.wait(f)
}

// probe returns the challenge of the server to a request without a token.
func (n *network) probe(ctx context.Context) challenge {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, n.base.String(),
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		return challenge{}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	response, err := n.client.Do(r)
	if err != nil {
		return challenge{} // the metadata at the well-known addresses may help
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		return challenge{}
	}
	return readChallenge(response.Header)
}

// page returns the address at which the person signs in.
func (f *flow) page(offline bool) string {
	sum := sha256.Sum256([]byte(f.verifier))
	query := url.Values{
		"response_type": {"code"}, "client_id": {f.client.ID}, "redirect_uri": {f.redirect}, "state": {f.state},
		"resource": {f.offer.resource}, "code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	if len(f.scopes) > 0 {
		query.Set("scope", strings.Join(f.scopes, " "))
	}
	if offline { // OpenID Connect ignores the scope offline_access otherwise
		query.Set("prompt", "consent")
	}
	u, _ := url.Parse(f.offer.meta.AuthorizationEndpoint) // network.check has parsed it
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += query.Encode()
	return u.String()
}

// wait adds a sign-in to those that wait for a person, for at most loginLife.
func (m *Manager) wait(f *flow) error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return errClosed
	}
	m.flows[f.state] = f
	delete(m.failures, f.server.ID)
	f.timer = time.AfterFunc(loginLife, func() {
		m.mu.Lock()
		late := f.answered
		m.mu.Unlock()
		if !late && f.client.Redirect != "" { // the page may have failed because the authorization server no longer knows the client
			_ = m.keep.dropClient(f.offer.meta.Issuer, f.redirect)
		}
		m.endFlows(func(o *flow) bool { return o == f },
			fault.New(fault.Timeout, "nobody finished the sign-in to server %q within %d minutes; begin again",
				f.server.Name, int(loginLife.Minutes())))
	})
	m.mu.Unlock()
	m.notify(f.server.Name, false)
	return nil
}

// endFlows ends the matching sign-ins that still wait for a person.
func (m *Manager) endFlows(match func(*flow) bool, why error) {
	var ended []*flow
	m.mu.Lock()
	for _, f := range m.flows {
		if match(f) && !f.answered {
			f.answered = true
			ended = append(ended, f)
		}
	}
	m.mu.Unlock()
	for _, f := range ended {
		m.finish(f, why)
	}
	m.closeUnused()
}

// finish ends a sign-in with its result.
func (m *Manager) finish(f *flow, result error) {
	f.timer.Stop()
	m.mu.Lock()
	delete(m.flows, f.state)
	f.ended = true
	if result != nil {
		m.failures[f.server.ID] = fault.MessageOf(result)
	}
	m.mu.Unlock()
	m.closeUnused()
	for _, do := range f.after {
		do()
	}
	m.notify(f.server.Name, result == nil)
	f.err = result
	close(f.done)
}

// Complete finishes a sign-in with the address to which the browser was redirected, for browsers on another machine. It
// returns the name of the server.
func (m *Manager) Complete(ctx context.Context, address string) (server string, err error) {
	address = strings.TrimSpace(address)
	_, query, found := strings.Cut(address, "?")
	if !found {
		query = address
	}
	query, _, _ = strings.Cut(query, "#")
	values, err := url.ParseQuery(query)
	if err != nil || !values.Has("state") {
		return "", fault.New(fault.Invalid,
			"this is not the address at the end of a sign-in: it must contain state and code; copy it from the browser's address bar")
	}
	return m.complete(ctx, values)
}

func (m *Manager) complete(ctx context.Context, values url.Values) (server string, err error) {
	m.mu.Lock()
	f := m.flows[values.Get("state")]
	if f == nil || f.answered {
		m.mu.Unlock()
		return "", fault.New(fault.NotFound,
			"no sign-in waits for this address: it was used already, or took longer than %d minutes; begin again", int(loginLife.Minutes()))
	}
	f.answered = true
	m.mu.Unlock()
	var result error
	err = m.share(ctx, "complete/"+f.state, func(ctx context.Context) error {
		result = f.read(values)
		if result == nil {
			result = m.redeem(ctx, f, values.Get("code"))
		}
		if result != nil {
			result = fault.Wrap(result, fault.KindOf(result), "the sign-in to server %q failed: %s", f.server.Name, fault.MessageOf(result))
		}
		m.finish(f, result)
		return result
	})
	if errors.Is(err, errClosed) {
		m.finish(f, err)
	}
	return f.server.Name, err
}

// read checks the parameters with which the authorization server has redirected the browser. It checks first that they
// come from the expected issuer (RFC 9207).
func (f *flow) read(values url.Values) error {
	meta := f.offer.meta
	switch iss := values.Get("iss"); {
	case iss == "" && meta.AuthorizationResponseIssParameterSupported:
		return fault.New(fault.Denied, "the answer does not name its issuer, as %s promises", shown(meta.Issuer))
	case iss != "" && iss != meta.Issuer:
		return fault.New(fault.Denied, "the answer comes from %s, and not from %s", shown(iss), shown(meta.Issuer))
	case values.Get("error") != "":
		return fault.New(fault.Denied, "%s answered %s", shown(meta.Issuer), said(values.Get("error"), values.Get("error_description")))
	case values.Get("code") == "":
		return fault.New(fault.Invalid, "the address contains no code")
	}
	return nil
}

// redeem exchanges the code of a sign-in for a token.
func (m *Manager) redeem(ctx context.Context, f *flow, code string) error {
	n, err := m.network(f.server, f.own.issuer)
	if err != nil {
		return err
	}
	g := f.offer.grant(f.server, f.own, f.client)
	g.Scopes = f.scopes
	next, err := n.request(ctx, *g, url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {f.redirect}, "code_verifier": {f.verifier},
	})
	if refused, ok := errors.AsType[tokenError](err); ok && refused.code == "invalid_client" && f.client.Redirect != "" {
		_ = m.keep.dropClient(f.offer.meta.Issuer, f.redirect)
	}
	if err != nil {
		return err
	}
	return m.enter(ctx, f.server, next)
}
