package netreach

import (
	"net/netip"
	"net/url"
	"strings"
)

// Through returns the end of an error message about an address that was not reached. It says through which proxy the
// connection was made, or that none is used and why. It is empty for addresses of this machine, for which no proxy is
// used. proxy returns the proxy for an address, or nil for none; for an address without a host, the proxy of all hosts
// that NO_PROXY does not exclude. proxy itself may be nil.
func Through(proxy func(*url.URL) (*url.URL, error), to *url.URL) string {
	if via := ProxyFor(proxy, to); via != nil {
		return " (through the proxy " + via.Scheme + "://" + via.Host + ")"
	}
	ip, err := netip.ParseAddr(to.Hostname())
	if err == nil && Of(ip) == Local || strings.EqualFold(to.Hostname(), "localhost") {
		return ""
	}
	if ProxyFor(proxy, &url.URL{Scheme: to.Scheme}) != nil {
		return " (no proxy is used; NO_PROXY excludes this host)"
	}
	variable := "HTTPS_PROXY"
	if to.Scheme == "http" {
		variable = "HTTP_PROXY"
	}
	return " (no proxy is used; the variable " + variable + " sets one)"
}

// ProxyFor returns the proxy for an address, or nil if the connection is direct.
func ProxyFor(proxy func(*url.URL) (*url.URL, error), to *url.URL) *url.URL {
	if proxy == nil || to == nil {
		return nil
	}
	via, err := proxy(to)
	if err != nil {
		return nil
	}
	return via
}
