// Package fetch downloads documents from package registries. It trusts no answer: size and time are limited, redirects
// must stay encrypted, and credentials go only to the addresses that they were configured for. Its errors are faults that
// say what went wrong without naming a credential. Callers interpret the documents.
package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/netreach"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

const (
	connectTimeout = 10 * time.Second
	timeout        = 15 * time.Second // of a whole request
	maxRedirects   = 5
	userAgent      = "agent-discover"
)

// Options configure a Client.
type Options struct {
	// Source is the name of the registry in errors, such as npm.
	Source string
	// Proxy returns the proxy for an address; nil uses none.
	Proxy func(*url.URL) (*url.URL, error)
	// CAs are the trusted certificate authorities; nil means those of the system.
	CAs *x509.CertPool
	// Network replaces Proxy and CAs, if it is not nil. It is called once, before the first request.
	Network func() (proxy func(*url.URL) (*url.URL, error), authorities *x509.CertPool)
	// Insecure reports whether invalid certificates of a host are accepted, because the user's own settings say so;
	// nil accepts none.
	Insecure func(host string) bool
	// Allow reports whether connections to an address may be made. It restricts downloads whose URLs come from a
	// foreign document. nil allows all addresses.
	Allow func(ctx context.Context, ip netip.Addr) bool
	// Authorize returns the Authorization header for an address, "" for none. It is called again for each redirect.
	Authorize func(*url.URL) string
}

// Client downloads documents from one registry. Its methods may be called concurrently.
type Client struct {
	http   *http.Client
	source string
	stall  time.Duration // how long a download may receive nothing
	// transports returns the transports of http.
	transports func() transports
}

// New returns a client.
func New(o Options) *Client {
	hop := &hop{authorize: o.Authorize, insecure: o.Insecure, transports: sync.OnceValue(func() transports { return newTransports(o) })}
	return &Client{
		source: o.Source, stall: stall, transports: hop.transports, http: &http.Client{Transport: hop, CheckRedirect: checkRedirect},
	}
}

// transports are the transports of one client and their proxies. lax, which may be nil, accepts any certificate.
type transports struct {
	strict, lax transport
	proxy       func(*url.URL) (*url.URL, error)
}

type transport interface {
	http.RoundTripper
	CloseIdleConnections()
}

func newTransports(o Options) transports {
	if o.Network != nil {
		o.Proxy, o.CAs = o.Network()
	}
	t := transports{strict: newTransport(o, false), proxy: o.Proxy}
	if o.Insecure != nil {
		t.lax = newTransport(o, true)
	}
	return t
}

func newTransport(o Options, anyCertificate bool) transport {
	transport := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout: connectTimeout,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     30 * time.Second,
		TLSClientConfig:     &tls.Config{RootCAs: o.CAs, InsecureSkipVerify: anyCertificate},
	}
	if o.Proxy != nil {
		transport.Proxy = func(r *http.Request) (*url.URL, error) { return o.Proxy(r.URL) }
	}
	if o.Allow != nil {
		return netreach.Guard(transport, connectTimeout, o.Allow)
	}
	return transport
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// hop is the transport of a Client. It sets the Authorization header and chooses the strict or the lax transport for
// each request, also after a redirect: net/http could send a header of the first request to other hosts as well.
type hop struct {
	transports func() transports
	insecure   func(host string) bool
	authorize  func(*url.URL) string
}

func (h *hop) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", userAgent)
	r.Header.Del("Referer")
	r.Header.Del("Authorization") // net/http adds one for an address with a user name
	if h.authorize != nil {
		if header := h.authorize(r.URL); header != "" {
			r.Header.Set("Authorization", header)
		}
	}
	t := h.transports()
	if t.lax != nil && h.insecure(r.URL.Hostname()) {
		return t.lax.RoundTrip(r)
	}
	return t.strict.RoundTrip(r)
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (h *hop) CloseIdleConnections() {
	t := h.transports()
	t.strict.CloseIdleConnections()
	if t.lax != nil {
		t.lax.CloseIdleConnections()
	}
}

var (
	errRedirects = errors.New("too many redirects")
	errDowngrade = errors.New("redirect to an address that is not encrypted")
)

func checkRedirect(next *http.Request, before []*http.Request) error {
	switch {
	case len(before) > maxRedirects:
		return errRedirects
	case next.URL.Scheme != "https" && before[len(before)-1].URL.Scheme == "https", next.URL.Scheme != "http" && next.URL.Scheme != "https":
		return errDowngrade
	}
	return nil
}

// JSON downloads a JSON document of at most limit bytes, requested as the media type accept, and decodes it into out.
func (c *Client) JSON(ctx context.Context, address, accept string, limit int64, out any) error {
	data, err := c.Bytes(ctx, address, accept, limit)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fault.Wrap(err, fault.Failed, "%s sent an answer that is not the expected JSON", c.place(address))
	}
	return nil
}

// Bytes downloads a document of at most limit bytes. It returns an error for a web page: registries have no pages at
// these addresses, so the page comes from a proxy or asks for a sign-in.
func (c *Client) Bytes(ctx context.Context, address, accept string, limit int64) ([]byte, error) {
	answer, err := c.Get(ctx, address, accept, limit)
	if err != nil {
		return nil, err
	}
	if err := c.checkStatus(address, answer.Status); err != nil {
		return nil, err
	}
	if !strings.Contains(accept, pageType) && answer.IsPage() {
		return nil, fault.New(fault.Failed, "%s sent a web page instead of data; a proxy or a sign-in page may be in between",
			c.place(address))
	}
	return answer.Body, nil
}

// Answer is the response of a registry.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // only the beginning if the status is not 200
}

// pageType is the media type of web pages.
const pageType = "text/html"

// IsPage reports whether the answer is a web page.
func (a *Answer) IsPage() bool {
	kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	return kind == pageType || strings.HasPrefix(strings.ToLower(strings.TrimSpace(string(a.Body[:min(len(a.Body), 64)]))),
		"<!doctype html")
}

// maxExplanation is the number of bytes read from the body of an error response.
const maxExplanation = 64 << 10

// Get is like Bytes but returns responses with any status, and web pages, without an error.
func (c *Client) Get(ctx context.Context, address, accept string, limit int64) (*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil || request.URL.Host == "" || request.URL.Scheme != "https" && request.URL.Scheme != "http" {
		return nil, fault.New(fault.Invalid, "%s: the configured address is not an http or https URL", c.source)
	}
	request.Header.Set("Accept", accept)
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.failed(ctx, address, err)
	}
	defer func() { _ = response.Body.Close() }()
	ok := response.StatusCode == http.StatusOK
	if !ok {
		limit = maxExplanation
	}
	if ok && response.ContentLength > limit {
		return nil, c.tooLarge(address, limit)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	switch {
	case err != nil && ok:
		return nil, c.failed(ctx, address, err)
	case int64(len(data)) > limit && ok:
		return nil, c.tooLarge(address, limit)
	}
	return &Answer{response.StatusCode, response.Header, data}, nil
}

func (c *Client) tooLarge(address string, limit int64) error {
	err := fault.New(fault.Failed, "%s sent more than %d MB, so the answer was dropped", c.place(address), limit>>20)
	err.Code = fault.CodeTooLarge
	return err
}

func (c *Client) checkStatus(address string, status int) error {
	place := c.place(address)
	switch {
	case status == http.StatusOK:
		return nil
	case status == http.StatusNotFound || status == http.StatusGone:
		return fault.New(fault.NotFound, "%s does not have it", place)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fault.New(fault.Denied, "%s refused access (status %d); check the credentials in the settings of %s", place, status,
			c.source)
	case status == http.StatusTooManyRequests:
		return fault.New(fault.Busy, "%s received too many requests; try again later", place)
	}
	return fault.New(fault.Failed, "%s answered with status %d", place, status)
}

// failed returns the fault for an error of a request.
func (c *Client) failed(ctx context.Context, address string, err error) error {
	place := c.place(address)
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fault.Wrap(certificate, fault.Unavailable,
			"the certificate of %s is not trusted; if your network replaces certificates, name its certificate authority in the "+
				"settings of %s", place, c.source)
	}
	network, isNetwork := errors.AsType[net.Error](err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case ctx.Err() != nil, isNetwork && network.Timeout():
		return fault.Wrap(cause(err), fault.Timeout, "%s did not answer in time", place)
	case errors.Is(err, netreach.ErrRefused):
		return fault.Wrap(netreach.ErrRefused, fault.Denied,
			"%s leads to an address on this computer or in its network, which a listing of a public registry must not do", place)
	case errors.Is(err, errRedirects), errors.Is(err, errDowngrade):
		return fault.Wrap(cause(err), fault.Failed, "%s redirected the request in a way that is not safe to follow", place)
	}
	return fault.Wrap(cause(err), fault.Unavailable, "could not reach %s%s; check the network connection and the proxy settings", place,
		c.through(address))
}

// through says in an error whether an address is reached through a proxy.
func (c *Client) through(address string) string {
	to, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return netreach.Through(c.transports().proxy, to)
}

// cause drops the address from an error of http.Client, because it may contain credentials.
func cause(err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		return outer.Err
	}
	return err
}

// place returns the name of the registry and its host, for errors.
func (c *Client) place(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return c.source
	}
	return c.source + " (" + safetext.Label(u.Host) + ")"
}
