package sandbox

import (
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// networkOf returns the addresses that a server may reach with a sandbox level and grants.
func networkOf(level string, grants registry.Grants) confinement.Network {
	if level != registry.Strict || slices.Contains(grants.Network, registry.AnyHost) {
		return confinement.Network{}
	}
	n := confinement.Network{Restricted: true}
	for _, g := range grants.Network {
		host, port := splitHost(g)
		number, err := strconv.ParseUint(port, 10, 16)
		switch {
		case err != nil:
		case host == "" && !slices.Contains(n.Ports, uint16(number)):
			n.Ports = append(n.Ports, uint16(number))
		case host != "":
			if one := (confinement.Endpoint{Host: strings.ToLower(host), Port: uint16(number)}); !slices.Contains(n.Hosts, one) {
				n.Hosts = append(n.Hosts, one)
			}
		}
	}
	return n
}

// splitHost returns the host and the port of a grant: host:port or a port alone.
func splitHost(grant string) (host, port string) {
	if at := strings.LastIndexByte(grant, ':'); at >= 0 {
		return strings.Trim(grant[:at], "[]"), grant[at+1:]
	}
	return "", grant
}

// CheckGrants returns a fault.Invalid unless all grants can be enforced: paths are
// absolute or begin with ~/, and a network grant is *, a port or host:port.
func CheckGrants(g registry.Grants) error {
	for _, path := range append(slices.Clone(g.Read), g.Write...) {
		if path != "~" && !strings.HasPrefix(path, "~/") && !filepath.IsAbs(path) || strings.ContainsAny(path, "\x00\n\r") {
			return fault.New(fault.Invalid, "invalid path %q: use an absolute path or one that begins with ~/", path)
		}
	}
	for _, n := range g.Network {
		_, port := splitHost(n)
		if number, err := strconv.ParseUint(port, 10, 16); n != registry.AnyHost &&
			(err != nil || number == 0 || strings.ContainsAny(n, " \t\r\n\x00/")) {
			return fault.New(fault.Invalid, "invalid network grant %q: use host:port, a port such as 443, or * for everything", n)
		}
		host, _ := splitHost(n)
		if address, err := netip.ParseAddr(host); err == nil && (address.IsUnspecified() || address.IsMulticast() || address.Zone() != "") {
			return fault.New(fault.Invalid, "invalid network grant %q: %s is not the address of one host", n, host)
		}
	}
	return nil
}
