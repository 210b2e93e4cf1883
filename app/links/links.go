// Package links opens agentdiscover: addresses in the window. It registers the window with the system as the program
// for these addresses, and maps an address to a page of the dashboard.
//
// Web pages and other programs can open such an address, so an address only shows a page and has no other effect.
package links

import (
	"net/url"
	"slices"
	"strings"
)

// Scheme is the scheme of the addresses.
const Scheme = "agentdiscover"

// Flag is the argument that precedes an address on the command line of the window. Everything after it is part of the
// address, so that an address cannot add other arguments.
const Flag = "--link"

// pages are the pages that an address may show. Approvals is excluded: a web page could open it just before the user
// clicks, so that the click approves something.
var pages = []string{"overview", "servers", "browse", "editors", "tools", "activity"}

// Page returns the path of the page that an address shows, such as /servers for agentdiscover://servers. An address
// such as agentdiscover://install?id=npm:@scope/name shows what would be installed; if its parameters are invalid, it
// shows a page that says so. For any other address, Page returns "", which keeps the current page.
func Page(address string) string {
	rest, ok := strings.CutPrefix(strings.ToLower(address), Scheme+":")
	rest = strings.TrimLeft(rest, "/")
	if ok && (rest == "install" || strings.HasPrefix(rest, "install?") || strings.HasPrefix(rest, "install/")) {
		return installPage(address)
	}
	parsed, err := url.Parse(address)
	if err != nil || !strings.EqualFold(parsed.Scheme, Scheme) || !slices.Contains(pages, strings.ToLower(parsed.Host)) ||
		parsed.User != nil || strings.Trim(parsed.Path, "/") != "" || parsed.RawQuery != "" || parsed.Fragment != "" {
		return ""
	}
	return "/" + strings.ToLower(parsed.Host)
}

// Register makes the system open agentdiscover: addresses with the window, for this user. program is the absolute
// path of the window. On Linux and macOS, Register does nothing, because the installed menu entry or application
// registers them.
func Register(program string) error { return register(Scheme, program) }

// Unregister undoes Register, unless another program is registered now.
func Unregister(program string) error { return unregister(Scheme, program) }
