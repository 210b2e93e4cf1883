package plan

import (
	"net"
	"net/url"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// registry sets the address from which a package is downloaded. If the listing names another package registry than the
// user's package manager uses, a person chooses between the two, because they may have different packages of the same
// name. registry returns option followed by the address of the chosen registry and by suffix, or "" for the user's
// registry.
func (b *builder) registry(p listing.Package, option, suffix string) string {
	ours := ""
	if b.machine.Registry != nil && b.plan.Problem == "" {
		ours = withoutUser(b.machine.Registry(p.Kind, p.Identifier))
	}
	b.plan.Download.From = ours
	plain := func(address string) string { // the address of a Python registry may include /simple, the path of its index
		return strings.TrimSuffix(strings.ToLower(strings.TrimRight(address, "/")), "/simple")
	}
	if p.BaseURL == "" || plain(p.BaseURL) == plain(ours) {
		return ""
	}
	theirs, ok := webAddress(p.BaseURL)
	if !ok || theirs.RawQuery != "" || theirs.Fragment != "" {
		b.refuse("“%s” is not the address of a package registry.", prose(p.BaseURL, 200))
		return ""
	}
	if ours == "" || option == "" {
		b.note("The listing names the package registry %s. The package is downloaded from the one that your own tool is set to.", p.BaseURL)
		return ""
	}
	r := b.ask(asked{name: "registry", label: "Package registry", where: "The package registry", Input: listing.Input{
		Required: true, Choices: []string{ours, p.BaseURL},
		Description: "Your own tool is set to " + ours + ", and the listing names " + p.BaseURL +
			". A package with the same name may be another one there.",
	}})
	if len(r.values) == 0 || r.values[0] == ours {
		return ""
	}
	b.plan.Download.From = p.BaseURL
	return option + strings.TrimRight(p.BaseURL, "/") + suffix
}

// withoutUser returns an address without a user name and password.
func withoutUser(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.User = nil
	return u.String()
}

// webAddress parses an address from a listing. It accepts https, and http on this computer. It accepts no user name
// and no hidden characters.
func webAddress(address string) (*url.URL, bool) {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Host == "" || u.Opaque != "" ||
		strings.ContainsFunc(address, func(r rune) bool { return r == ' ' || r == '\\' || safetext.Hidden(r) }) {
		return nil, false
	}
	return u, u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname())
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
