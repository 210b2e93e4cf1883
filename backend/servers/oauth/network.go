package oauth

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/netreach"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

const (
	connectTimeout = 15 * time.Second
	maxAnswer      = 1 << 20 // bytes of metadata or of the answer to a request for a token
	maxRedirects   = 5
)

// network makes the requests about the authorization of one server. A server may name
// addresses that are as near to this machine as its own, but none that are nearer: a
// server on the internet must not make the hub send requests to the user's network, nor
// one in that network to this machine.
type network struct {
	base    *url.URL        // URL of the server
	entered map[string]bool // hosts that the user has entered: of the server and of the issuer
	client  *http.Client
	proxy   func(*url.URL) (*url.URL, error) // nil for direct connections
	now     func() time.Time
}

// network returns a network for requests about server s. issuer is the authorization server that the user has entered,
// or empty.
func (m *Manager) network(s Server, issuer string) (*network, error) {
	base, err := url.Parse(strings.TrimSpace(s.URL))
	if err != nil || base.Host == "" {
		return nil, fault.New(fault.Invalid, "server %q has no valid URL", s.Name)
	}
	n := &network{base: base, now: m.options.Now, proxy: s.Proxy, entered: map[string]bool{base.Hostname(): true}}
	if u, err := url.Parse(issuer); err == nil && u.Host != "" {
		n.entered[u.Hostname()] = true
	}
	transport := &http.Transport{
		DialContext: n.dial, TLSHandshakeTimeout: connectTimeout, ResponseHeaderTimeout: requestTimeout,
		ForceAttemptHTTP2: true, DisableKeepAlives: true,
	}
	if s.CAs != nil {
		transport.TLSClientConfig = &tls.Config{RootCAs: s.CAs}
	}
	if s.Proxy != nil {
		transport.Proxy = func(r *http.Request) (*url.URL, error) { return s.Proxy(r.URL) }
	}
	n.client = &http.Client{Transport: n.throughProxies(transport), CheckRedirect: n.redirect, Timeout: requestTimeout}
	return n, nil
}

// throughProxies returns a round tripper that uses t and lets dial connect to proxies in any network.
func (n *network) throughProxies(t *http.Transport) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if t.Proxy != nil {
			if proxy, err := t.Proxy(r); err == nil && proxy != nil {
				r = r.WithContext(context.WithValue(r.Context(), proxyKey{}, proxy.Hostname()))
			}
		}
		return t.RoundTrip(r)
	})
}

type proxyKey struct{}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// errTooNear is the error for an address that the server must not name.
var errTooNear = errors.New("it is an address in a private network")

// dial connects to an address. It refuses a resolved IP address that is nearer to this machine than the server, unless
// the user has entered the host or the host is a proxy.
func (n *network) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: connectTimeout}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if proxy, _ := ctx.Value(proxyKey{}).(string); !n.entered[host] && host != proxy {
		dialer.ControlContext = func(ctx context.Context, _, resolved string, _ syscall.RawConn) error {
			ip, err := netip.ParseAddrPort(resolved)
			if err == nil && netreach.Of(ip.Addr()) > netreach.Public && netreach.Of(ip.Addr()) > n.reach(ctx) {
				return errTooNear
			}
			return err
		}
	}
	return dialer.DialContext(ctx, kind, address)
}

// reach returns how near the server itself is to this machine; Public if the name cannot be resolved.
func (n *network) reach(ctx context.Context) netreach.Reach {
	return netreach.OfHost(ctx, n.base.Hostname())
}

// check returns an error unless requests may be sent to an address. The address must use https, except on this machine,
// or on the server's host if the server's own URL uses http. An IP address that the user has not entered must not be
// nearer to this machine than the server.
func (n *network) check(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return fault.New(fault.Failed, "%q is not a valid address", shown(address))
	}
	host := u.Hostname()
	ip, err := netip.ParseAddr(host)
	here := host == "localhost" || err == nil && ip.IsLoopback()
	if u.Scheme != "https" && (u.Scheme != "http" || !here && (n.base.Scheme != "http" || host != n.base.Hostname())) {
		return fault.New(fault.Failed, "%s does not begin with https://", shown(address))
	}
	if err == nil && !n.entered[host] {
		if near := netreach.Of(ip); near > netreach.Public && near > n.reach(context.Background()) {
			return fault.New(fault.Failed, "%s: %s", shown(address), errTooNear)
		}
	}
	return nil
}

// redirect allows redirects of GET requests only, because a POST contains credentials.
func (n *network) redirect(next *http.Request, via []*http.Request) error {
	if via[0].Method != http.MethodGet || len(via) >= maxRedirects {
		return http.ErrUseLastResponse
	}
	return n.check(next.URL.String())
}

// send sends a request and returns the response, whose Body is closed, and at most maxAnswer bytes of the body. The
// error is a fault. Its message does not contain the query of the request's URL.
func (n *network) send(r *http.Request) (*http.Response, []byte, error) {
	if err := n.check(r.URL.String()); err != nil {
		return nil, nil, err
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "agent-discover")
	response, err := n.client.Do(r)
	if err != nil {
		return nil, nil, n.unreachable(r, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, nil, n.unreachable(r, err)
	}
	return response, body, nil
}

func (n *network) unreachable(r *http.Request, err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // the text of the wrapped error has no address
	}
	why := safetext.Clip(safetext.Label(err.Error()), 200) + netreach.Through(n.proxy, r.URL)
	switch {
	case errors.Is(err, errTooNear):
		why = errTooNear.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.Timeout, "%s did not answer in time%s", shown(r.URL.String()), netreach.Through(n.proxy, r.URL))
	}
	return fault.New(fault.Unavailable, "%s cannot be reached: %s", shown(r.URL.String()), why)
}

// get reads a JSON document. found is false if there is none at the address.
func (n *network) get(ctx context.Context, address string, document any) (found bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false, fault.New(fault.Failed, "%q is not a valid address", shown(address))
	}
	response, body, err := n.send(r)
	if err != nil {
		return false, err
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case response.StatusCode/100 == 4, response.StatusCode/100 == 3,
		response.StatusCode == http.StatusOK && !strings.HasSuffix(kind, "json"):
		return false, nil
	case response.StatusCode != http.StatusOK:
		return false, fault.New(fault.Failed, "%s answered with status %d", shown(address), response.StatusCode)
	case json.Unmarshal(body, document) != nil:
		return false, fault.New(fault.Failed, "%s has metadata that are not valid JSON", shown(address))
	}
	return true, nil
}

// shown returns an address without user, query and fragment, for use in an error message.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address"
	}
	return safetext.Clip(safetext.Label((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()), 200)
}
