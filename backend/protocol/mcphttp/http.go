package mcphttp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

const (
	connectTimeout = 15 * time.Second // for the TCP connection, and again for the TLS handshake
	maxRedirects   = 5
	// idleConns is the number of connections that stay open for the next call.
	idleConns = 8
)

func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fault.New(fault.Invalid, "its URL must begin with http:// or https:// and name a host")
	}
	u.Fragment = ""
	return u, nil
}

// Show returns a URL without user, password, query and fragment, which may hold
// credentials. It also accepts a URL with ${…} placeholders.
func Show(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		text = text[:i]
	}
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return "its URL"
	}
	authority, path, slash := strings.Cut(rest, "/")
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	if slash {
		path = "/" + path
	}
	return scheme + "://" + authority + path
}

// ProxyOf returns a function for Options.Proxy that follows the environment variables HTTPS_PROXY, HTTP_PROXY,
// ALL_PROXY and NO_PROXY, in upper or lower case. ALL_PROXY takes the place of those of the first two that are not
// set. For an address without a host, the function ignores NO_PROXY; see netreach.Through. get returns the value of an
// environment variable.
func ProxyOf(get func(name string) string) func(*url.URL) (*url.URL, error) {
	either := func(name string) string {
		if value := get(name); value != "" {
			return value
		}
		return get(strings.ToLower(name))
	}
	all := either("ALL_PROXY")
	config := httpproxy.Config{
		HTTPProxy: cmp.Or(either("HTTP_PROXY"), all), HTTPSProxy: cmp.Or(either("HTTPS_PROXY"), all), NoProxy: either("NO_PROXY"),
	}
	of := config.ProxyFunc()
	config.NoProxy = ""
	general := config.ProxyFunc()
	return func(to *url.URL) (*url.URL, error) {
		if to.Host == "" {
			return general(to)
		}
		return of(to)
	}
}

func newClient(l *Link) *http.Client {
	transport := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout: connectTimeout,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: idleConns,
		IdleConnTimeout:     90 * time.Second,
		// HTTP/2 pings detect dead connections, which otherwise look like idle
		// event streams.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
	if l.options.CAs != nil {
		transport.TLSClientConfig = &tls.Config{RootCAs: l.options.CAs}
	}
	if l.options.Proxy != nil {
		transport.Proxy = func(r *http.Request) (*url.URL, error) { return l.options.Proxy(r.URL) }
	}
	return &http.Client{Transport: transport, CheckRedirect: l.redirect}
}

// redirect allows redirects only within the server's origin, because headers
// hold credentials.
func (l *Link) redirect(next *http.Request, via []*http.Request) error {
	switch {
	case !sameOrigin(next.URL, l.base):
		return fault.New(fault.Failed,
			"%s redirects to another origin, %s, to which credentials are not sent; if you trust it, set the server's URL to its new "+
				"address", l.options.Shown, origin(next.URL))
	case next.Method != via[0].Method:
		return fault.New(fault.Failed,
			"%s redirects with a status that drops the request body; set the server's URL to the address of the redirect", l.options.Shown)
	case len(via) >= maxRedirects:
		return fault.New(fault.Failed, "%s redirects in a loop", l.options.Shown)
	}
	return nil
}

func sameOrigin(a, b *url.URL) bool { return strings.EqualFold(origin(a), origin(b)) }

// origin returns the scheme, host and port of a URL.
func origin(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port)
}

// request describes an HTTP request that do sends to the server.
type request struct {
	method string
	target *url.URL
	body   []byte      // the body of a POST; otherwise nil
	header http.Header // the headers that the message itself needs; may be nil
	after  string      // Last-Event-ID, or empty
	sent   func()      // called when the whole request was written
	// operation is the value for Challenge.Operation.
	operation string
}

// do sends a request with all headers of the session. If Authorization.Challenged asks
// for another attempt, do sends it again, but only once. The error is a fault.
func (l *Link) do(ctx context.Context, r request) (*http.Response, error) {
	for retried := false; ; retried = true {
		token := ""
		if l.options.Authorization != nil {
			var err error
			if token, err = l.options.Authorization.Header(ctx); err != nil {
				return nil, err
			}
		}
		response, err := l.attempt(ctx, r, token)
		if err != nil || l.options.Authorization == nil ||
			response.StatusCode != http.StatusUnauthorized && response.StatusCode != http.StatusForbidden {
			return response, err
		}
		retry, err := l.options.Authorization.Challenged(ctx,
			Challenge{Status: response.StatusCode, Header: response.Header, Sent: token, Operation: r.operation})
		if err == nil && (!retry || retried) {
			return response, nil
		}
		_ = response.Body.Close()
		if err != nil {
			return nil, unauthorized{err}
		}
	}
}

// unauthorized is the error of a request that the server refuses until a person signs in.
type unauthorized struct{ error }

func (u unauthorized) Unwrap() error { return u.error }

func isUnauthorized(err error) bool {
	_, is := errors.AsType[unauthorized](err)
	return is
}

// attempt sends a request once. token is the Authorization header, unless it is empty.
func (l *Link) attempt(ctx context.Context, r request, token string) (*http.Response, error) {
	if r.sent != nil {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { r.sent() }})
	}
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	request, err := http.NewRequestWithContext(ctx, r.method, r.target.String(), body)
	if err != nil {
		return nil, l.trouble(ctx, err)
	}
	l.setHeaders(request, r)
	if token != "" {
		request.Header.Set("Authorization", token)
	}
	response, err := l.client.Do(request)
	if err != nil {
		return nil, l.trouble(ctx, err)
	}
	return response, nil
}

func (l *Link) setHeaders(request *http.Request, r request) {
	h := request.Header
	h.Set("User-Agent", l.options.Agent)
	for name, value := range l.options.Headers {
		if strings.EqualFold(name, "Host") {
			request.Host = value
		} else {
			h.Set(name, value)
		}
	}
	switch {
	case r.method == http.MethodGet:
		h.Set("Accept", "text/event-stream")
	case r.body != nil:
		h.Set("Content-Type", "application/json")
		h.Set("Accept", "application/json, text/event-stream")
	}
	if r.header != nil {
		maps.Copy(h, r.header)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, value := range map[string]string{"Mcp-Session-Id": l.session, "MCP-Protocol-Version": l.version, "Last-Event-ID": r.after} {
		if value != "" {
			h.Set(name, value)
		}
	}
}
