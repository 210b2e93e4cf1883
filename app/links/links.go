// Package links opens agentdiscover: addresses in the window. It registers the window for them with the system, and says
// which page of the dashboard an address shows.
//
// Web pages and other programs can open such an address, so it shows a page and does nothing else.
package links

import (
	"net/url"
	"slices"
	"strings"
)

// Scheme is the scheme of the addresses.
const Scheme = "agentdiscover"

// Flag is the argument that precedes an address on the command line of the window. Everything after it is part of the
// address, so that an address cannot bring other arguments.
const Flag = "--link"

// pages are the pages that an address may show. Approvals is missing: it must not appear below a click that is meant for
// something else.
var pages = []string{"overview", "servers", "browse", "editors", "tools", "activity"}

// Page returns the path of the page that an address shows, such as /servers for agentdiscover://servers; "" for any other
// address, which shows the window as it is. An address such as agentdiscover://install?id=npm:@scope/name shows what would
// be installed, and an invalid one of this kind shows a page that says so.
func Page(address string) string {
	if asksToInstall(address) {
		return installPage(address)
	}
	parsed, err := url.Parse(address)
	if err != nil || !strings.EqualFold(parsed.Scheme, Scheme) || !slices.Contains(pages, strings.ToLower(parsed.Host)) ||
		parsed.User != nil || strings.Trim(parsed.Path, "/") != "" || parsed.RawQuery != "" || parsed.Fragment != "" {
		return ""
	}
	return "/" + strings.ToLower(parsed.Host)
}

// Register makes the system open agentdiscover: addresses with the window, for this user. program is its absolute path.
// It does nothing where the installed menu entry or application registers it: on Linux and macOS.
func Register(program string) error { return register(Scheme, program) }

// Unregister undoes Register, unless another program is registered now.
func Unregister(program string) error { return unregister(Scheme, program) }
