package app

import (
	"flag"
	"net/url"
	"path"
	"strings"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// request is what a start of the window was asked for.
type request struct {
	page string // of the dashboard to show first, such as /servers; empty for where it is
	test string // a server to test in a window of its own; empty for the dashboard
}

const longest = 300 // characters of a page or of a server's name

func parse(args []string) (request, error) {
	var r request
	flags := flag.NewFlagSet("agent-discover-desktop", flag.ContinueOnError)
	flags.StringVar(&r.page, "page", "", "show this page of the dashboard, such as /servers")
	flags.StringVar(&r.test, "test", "", "test this server in a window of its own")
	if err := flags.Parse(args); err != nil {
		return request{}, err
	}
	if flags.NArg() > 0 {
		return request{}, fault.New(fault.Invalid, "what is %q for? See: agent-discover-desktop -help", flags.Arg(0))
	}
	if r.page != "" && !isPage(r.page) {
		return request{}, fault.New(fault.Invalid, "a page is a path of the dashboard, such as /servers")
	}
	if r.test != "" {
		if !isName(r.test) {
			return request{}, errNoName
		}
		r.page = testPage(r.test)
	}
	return r, nil
}

var errNoName = fault.New(fault.Invalid, "a server's name has no control characters, and at most %d others", longest)

// isPage tells a path on this page from everything that could lead elsewhere.
func isPage(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && isName(text) && strings.HasPrefix(text, "/") && !strings.ContainsAny(text, `\`) &&
		parsed.Scheme == "" && parsed.Host == "" && path.Clean(parsed.Path) == parsed.Path
}

func isName(text string) bool {
	return text != "" && len(text) <= longest && strings.IndexFunc(text, unicode.IsControl) < 0
}

// testPage is the tester for one server, without the rest of the dashboard.
func testPage(server string) string { return "/test/" + url.PathEscape(server) + "?popout=1" }

// seatName is the name under which there is one such window.
func (r request) seatName() string {
	if r.test == "" {
		return "window"
	}
	return "window-" + short(r.test)
}

// title is what the title bar shows.
func (r request) title() string {
	if r.test == "" {
		return Title
	}
	return r.test + " · " + Title
}
