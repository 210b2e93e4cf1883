package intake

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/netreach"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// CheckLaunch returns a fault.Invalid if a server is Agent Discover itself, or if the address of a remote server is not an
// HTTP URL.
func (i *Intake) CheckLaunch(s registry.Server) error {
	err := i.CheckOwn(s)
	if address := s.Endpoint(); err == nil && address != "" && s.Transport != "" {
		err = CheckAddress(address)
	}
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "server %s: %s", s.Name, fault.MessageOf(err))
	}
	return nil
}

// CheckOwn returns a fault.Invalid if a server is Agent Discover itself: its command, or an address of this hub. The hub
// would list its own tools as those of the server, and a call of them would come back to it.
func (i *Intake) CheckOwn(s registry.Server) error {
	own := launch.Own(s.Command, s.Args)
	if u, err := url.Parse(s.Endpoint()); err == nil && i.options.Ports != nil {
		port, _ := strconv.Atoi(u.Port())
		ip, _ := netip.ParseAddr(u.Hostname())
		here := strings.EqualFold(u.Hostname(), "localhost") || ip.IsValid() && netreach.Of(ip) == netreach.Local
		own = own || here && port > 0 && slices.Contains(i.options.Ports(), port)
	}
	if own {
		return fault.New(fault.Invalid, "it is Agent Discover itself, which cannot be one of its own servers")
	}
	return nil
}

// CheckAddress returns a fault.Invalid if an address is not an HTTP URL. References such as ${PORT} may stand for any part
// of it, because their values are known only when the server is started.
func CheckAddress(address string) error {
	if strings.HasPrefix(address, "${") {
		return nil
	}
	u, err := launch.ParseURL(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fault.New(fault.Invalid, "the URL must start with http:// or https:// and name a host")
	}
	return nil
}
