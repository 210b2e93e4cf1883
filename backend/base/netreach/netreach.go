// Package netreach answers how near a network address is to this machine, so that addresses from untrusted sources cannot
// direct requests of this program into the user's own network.
package netreach

import (
	"net"
	"net/netip"
	"slices"
)

// Reach is how near an address is to this machine.
type Reach int

// The reaches, from far to near.
const (
	Public  Reach = iota
	Private       // in a private network
	Local         // on this machine or its link, or a multicast address
)

// Of returns the reach of an address.
func Of(ip netip.Addr) Reach {
	ip = ip.Unmap()
	switch {
	case ip.IsLoopback(), ip.IsUnspecified(), ip.IsLinkLocalUnicast(), ip.IsMulticast():
		return Local
	case ip.IsPrivate(), sharedSpace.Contains(ip):
		return Private
	}
	return Public
}

// IsHere reports whether an address is one of this machine: of its loopback or of a network interface. In contrast to Of
// it asks the system.
func IsHere(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if ip.IsLoopback() || ip.IsUnspecified() {
		return true
	}
	addresses, _ := net.InterfaceAddrs()
	return slices.ContainsFunc(addresses, func(a net.Addr) bool {
		prefix, err := netip.ParsePrefix(a.String())
		return err == nil && prefix.Addr().WithZone("") == ip
	})
}

// sharedSpace is the address space of RFC 6598, which providers and VPNs use.
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")
