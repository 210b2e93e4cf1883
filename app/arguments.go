package app

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"net/url"
	"path"
	"strings"
	"unicode"

	"github.com/agent-discover/agent-discover/app/links"
	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// request is the parsed command line of the window.
type request struct {
	page       string // path of the dashboard page to show, such as /servers; empty for the current one
	test       string // name of a server to inspect in a separate window; empty for the dashboard
	unregister bool   // remove what the programs have registered with the system, and open no window
}

// maxLength limits page paths and server names, in bytes.
const maxLength = 400

func parse(args []string) (request, error) {
	var r request
	if len(args) > 0 && args[0] == links.Flag { // parse no options in the rest, which may come from a web page
		return request{page: links.Page(strings.Join(args[1:], " "))}, nil
	}
	flags := flag.NewFlagSet("agent-discover-desktop", flag.ContinueOnError)
	flags.StringVar(&r.page, "page", "", "show this page of the dashboard, such as /servers")
	flags.StringVar(&r.test, "test", "", "inspect this server in a separate window")
	flags.BoolVar(&r.unregister, "unregister", false,
		"remove start at login and, on Windows, the registration of "+links.Scheme+": addresses")
	if err := flags.Parse(args); err != nil {
		return request{}, err
	}
	if flags.NArg() > 0 {
		return request{}, fault.New(fault.Invalid, "unexpected argument %q; see agent-discover-desktop -help", flags.Arg(0))
	}
	if r.page != "" && !isPage(r.page) {
		return request{}, fault.New(fault.Invalid, "invalid page; use a path of the dashboard, such as /servers")
	}
	if r.test != "" {
		if !isName(r.test) {
			return request{}, errName
		}
		r.page = "/test/" + url.PathEscape(r.test) + "?popout=1" // the inspector without the rest of the dashboard
	}
	return r, nil
}

var errName = fault.New(fault.Invalid, "invalid server name: use at most %d bytes and no control characters", maxLength)

// isPage reports whether text is the path of a page of the dashboard, not an address of another site.
func isPage(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && isName(text) && strings.HasPrefix(text, "/") && !strings.ContainsAny(text, `\`) &&
		parsed.Scheme == "" && parsed.Host == "" && path.Clean(parsed.Path) == parsed.Path
}

func isName(text string) bool {
	return text != "" && len(text) <= maxLength && strings.IndexFunc(text, unicode.IsControl) < 0
}

// singletonName returns the name of the singleton: only one window with this name may be open.
func (r request) singletonName() string {
	if r.test == "" {
		return "window"
	}
	sum := sha256.Sum256([]byte(r.test))
	return "window-" + hex.EncodeToString(sum[:6])
}
