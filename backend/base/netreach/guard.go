package netreach

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// ErrRefused is the reason why a request fails if a Transport must not connect to the address of the host.
var ErrRefused = errors.New("it is not a public address")

// Transport is an http.Transport that connects only to addresses that are allowed, after redirects too.
type Transport struct {
	*http.Transport
	allow   func(context.Context, netip.Addr) bool
	timeout time.Duration
}

// Guard makes a transport connect only to addresses that allow accepts, and limits each attempt to connect to timeout.
// Host names are checked after they are resolved. A proxy of the transport may have any address. The proxy resolves
// host names itself, so requests through it are checked only if their URL has an IP address. Guard replaces the
// DialContext of t.
func Guard(t *http.Transport, timeout time.Duration, allow func(context.Context, netip.Addr) bool) *Transport {
	g := &Transport{Transport: t, allow: allow, timeout: timeout}
	t.DialContext = g.dial
	return g
}

type proxyKey struct{}

// RoundTrip implements http.RoundTripper.
func (g *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if ip, err := netip.ParseAddr(r.URL.Hostname()); err == nil && !g.allow(r.Context(), ip) {
		return nil, ErrRefused
	}
	if g.Proxy != nil {
		if proxy, err := g.Proxy(r); err == nil && proxy != nil {
			r = r.WithContext(context.WithValue(r.Context(), proxyKey{}, proxy.Hostname()))
		}
	}
	return g.Transport.RoundTrip(r)
}

func (g *Transport) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: g.timeout}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if proxy, _ := ctx.Value(proxyKey{}).(string); proxy != host {
		dialer.ControlContext = func(ctx context.Context, _, resolved string, _ syscall.RawConn) error {
			ip, err := netip.ParseAddrPort(resolved)
			if err == nil && !g.allow(ctx, ip.Addr()) {
				return ErrRefused
			}
			return err
		}
	}
	return dialer.DialContext(ctx, network, address)
}

// NotNearerThan returns a function that accepts public IP addresses, and others that are not nearer to this machine
// than the host of the URL in address. If the URL has no host, the function accepts only public IP addresses.
func NotNearerThan(address string) func(context.Context, netip.Addr) bool {
	return func(ctx context.Context, ip netip.Addr) bool {
		near := Of(ip)
		if near == Public {
			return true
		}
		u, err := url.Parse(address)
		return err == nil && u.Host != "" && near <= OfHost(ctx, u.Hostname())
	}
}

// OfHost returns the reach of a host name or IP address. The reach of a name is that of its farthest address, or Public if
// the name cannot be resolved.
func OfHost(ctx context.Context, host string) Reach {
	if ip, err := netip.ParseAddr(host); err == nil {
		return Of(ip)
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(addresses) == 0 {
		return Public
	}
	farthest := Local
	for _, ip := range addresses {
		farthest = min(farthest, Of(ip))
	}
	return farthest
}
