// Package oauth provides the tokens for requests to remote MCP servers, and signs people in to such servers with
// OAuth 2.1, as MCP specifies it.
//
//	request ── Access.Header ── token, renewed if it is about to end
//	401, 403 ── Access.Challenged ── renew and try again, or ask for a sign-in
//	person ── Manager.Login ── address for a browser ── redirect, or Manager.Complete ── token
//
// The package opens no browser: a request without a token fails, and a person starts the sign-in. Tokens belong to a
// server, an authorization server and a resource; registered clients belong to an authorization server and a redirect
// address. Both are stored in a file that the vault encrypts. The package builds on the types of oauthex, but makes
// its own requests, because those of the SDK refuse hosts in the user's own network, do not send the resource when a
// token is renewed, and fall back to guessed addresses if the metadata do not match.
package oauth

import (
	"context"
	"crypto/x509"
	"log/slog"
	"net"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

// Server is a remote MCP server.
type Server struct {
	ID   int64
	Name string
	URL  string // without references; may contain secrets
	// Proxy returns the proxy for a URL; nil connects directly.
	Proxy func(*url.URL) (*url.URL, error)
	// CAs verify certificates; nil means those of the system.
	CAs *x509.CertPool

	secrets int // number of calls of Reconsider when Access was called
}

// Vault encrypts the file of sign-ins. It also holds the secrets that describe the OAuth clients which people have
// registered for servers.
type Vault interface {
	Seal(ctx context.Context, data []byte) ([]byte, error)
	Unseal(ctx context.Context, sealed []byte) ([]byte, error)
	Names(ctx context.Context, server string) ([]string, error)
	Fill(ctx context.Context, server string, l launch.Launch) (launch.Launch, error)
}

// Changed is published after somebody signed in to a server or out of it, when a server
// requires a sign-in, and when a sign-in begins or fails.
type Changed struct{ Server string }

// Options configure a Manager. All fields but Bus, Learn, Document and Now are required.
type Options struct {
	Vault Vault
	File  string // path of the file of sign-ins and registered clients
	Bus   *events.Bus
	Log   *slog.Logger
	// Find returns the current configuration of a server.
	Find func(ctx context.Context, server string) (Server, error)
	// Learn is called with each token before the token is used, so that the hub can redact it.
	Learn func(server, token string)
	// Ports are the usual ports of the redirect addresses, in the order in which they are tried.
	Ports []int
	// Document is the https URL of the client ID metadata document of this program.
	// Clients are registered dynamically if it is empty.
	Document string
	// Now returns the time; nil means time.Now.
	Now func() time.Time
}

// Manager keeps the tokens of servers and conducts sign-ins. All methods are safe for
// concurrent use. Sign-ins end when Close is called.
type Manager struct {
	options  Options
	onChange func(server string)
	keep     *keep
	flights  singleflight.Group // work in progress, by kind and server; see share
	work     sync.WaitGroup

	mu        sync.Mutex
	grants    map[int64]*grant  // grants in use, by server
	demands   map[int64]*demand // requests of servers for authorization since the last sign-in
	changes   map[int64]int     // number of changes of secrets and of removed sign-ins, by server
	tries     map[operation]int // number of new tokens requested for an operation whose token lacked a scope
	flows     map[string]*flow  // sign-ins that wait for a person, by state
	failures  map[int64]string  // why the last sign-in to a server failed
	usual     net.Listener      // at one of Options.Ports; nil while no sign-in waits
	free      net.Listener      // at a free port, for sign-ins whose client was registered for it
	beginning int               // number of sign-ins that need a listener and do not wait for a person yet
	closed    bool
}

// New returns a manager.
func New(o Options) *Manager {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Manager{
		options: o, onChange: func(string) {}, keep: &keep{path: o.File, vault: o.Vault},
		grants: make(map[int64]*grant), demands: make(map[int64]*demand), changes: make(map[int64]int), tries: make(map[operation]int),
		flows: make(map[string]*flow), failures: make(map[int64]string),
	}
}

// OnChange sets a function that is called after somebody has signed in to a server or out of it, because later
// requests are made for another account. It must be called before the manager is used.
func (m *Manager) OnChange(f func(server string)) { m.onChange = f }

// Run waits for the end of ctx, and then closes the manager.
func (m *Manager) Run(ctx context.Context) error {
	<-ctx.Done()
	m.Close()
	return nil
}

// Close ends all sign-ins that wait, and returns when no request is in progress.
func (m *Manager) Close() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.endFlows(func(*flow) bool { return true }, errClosed)
	m.work.Wait()
}

// requestTimeout limits one request about a token.
const requestTimeout = 30 * time.Second

// workTimeout limits the work for one token, in which the keychain may ask a person. The work does not end with the
// call that needs the token, because other calls wait for it too, and because an authorization server may accept a
// refresh token only once.
const workTimeout = 3 * time.Minute

// share runs work, or waits for the work that already runs for the same key, and returns its error. When ctx ends,
// share returns, but the work goes on.
func (m *Manager) share(ctx context.Context, key string, work func(context.Context) error) error {
	result := m.flights.DoChan(key, func() (any, error) {
		m.mu.Lock()
		closed := m.closed
		if !closed {
			m.work.Add(1)
		}
		m.mu.Unlock()
		if closed {
			return nil, errClosed
		}
		defer m.work.Done()
		detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), workTimeout)
		defer cancel()
		return nil, work(detached)
	})
	select {
	case r := <-result:
		return r.Err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// notify publishes that the state of a server has changed. renewed says that somebody has signed in or out.
func (m *Manager) notify(server string, renewed bool) {
	if renewed {
		m.onChange(server)
	}
	if m.options.Bus != nil {
		events.Publish(m.options.Bus, Changed{Server: server})
	}
}

func (m *Manager) learn(server string, tokens ...string) {
	for _, token := range tokens {
		if token != "" && m.options.Learn != nil {
			m.options.Learn(server, token)
		}
	}
}
