package plan

import (
	"net/textproto"
	"net/url"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// remote plans a server at an address.
func (b *builder) remote(r listing.Remote) {
	if r.Type != "streamable-http" && r.Type != "sse" {
		b.refuse("Remote servers of the type %s are not supported.", prose(r.Type, 40))
		return
	}
	b.address(r)
	b.headers(r.Headers)
}

// The parts of an address in which a variable may occur.
const (
	inScheme = iota
	inBase   // the variable is the beginning of the address, including the host
	inHost
	inPath
	inQuery
)

// partOf returns the part of an address in which a variable first occurs.
func partOf(address, variable string) int {
	before, after, _ := strings.Cut(address, "{"+variable+"}")
	_, rest, started := strings.Cut(before, "://")
	switch {
	case strings.ContainsAny(before, "?#"):
		return inQuery
	case before == "" && strings.HasPrefix(after, "://"):
		return inScheme
	case before == "":
		return inBase
	case !started && !strings.Contains(before, "}"), started && !strings.Contains(rest, "/"):
		return inHost
	}
	return inPath
}

var (
	hostPart = lazyregexp.New(`^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$`)
	dots     = lazyregexp.New(`(?:^|/)\.\.?(?:/|$)`)
)

func (b *builder) address(r listing.Remote) {
	if r.URL == "" {
		b.refuse("It names no address.")
		return
	}
	in := input{
		Input: listing.Input{Value: r.URL, Required: true}, variables: r.Variables, name: "url", where: "The address", secret: "url",
		check: func(variable, answer string) string {
			switch partOf(r.URL, variable) {
			case inScheme:
				if answer != "https" && answer != "http" {
					return "The answer must be https or http."
				}
			case inBase:
				if u, err := url.Parse(answer); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil ||
					u.RawQuery != "" || u.Fragment != "" {
					return "The answer must be an address that begins with https://."
				}
			case inHost:
				if !hostPart.MatchString(answer) {
					return "The answer is part of the name of a host: use letters, digits, dots and dashes."
				}
			default:
				if dots.MatchString(answer) || strings.ContainsFunc(answer, func(r rune) bool { return r < ' ' || r == 0x7f }) {
					return "The answer must not contain control characters or the names . and .. of folders."
				}
			}
			return ""
		},
		escape: func(variable, answer string) string {
			if part := partOf(r.URL, variable); part != inPath && part != inQuery {
				return strings.TrimRight(answer, "/")
			}
			return strings.NewReplacer("+", "%20", "%2F", "/").Replace(url.QueryEscape(answer)) // correct in paths and in queries
		},
	}
	in.whole = func(plain string) string {
		u, err := url.Parse(plain)
		switch {
		case err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http",
			strings.ContainsFunc(plain, func(r rune) bool { return r == ' ' || r == '\\' || safetext.Hidden(r) }):
			return "It does not lead to the address of a server."
		case braces.MatchString(plain):
			return "The address has a variable that the listing does not explain."
		}
		return ""
	}
	for _, v := range b.fill(in) {
		b.plan.URL = v.text
		if _, rest, ok := strings.Cut(v.text, "://"); !ok || strings.Contains(strings.SplitN(rest, "/", 2)[0], "${") {
			b.refuse("It has a secret in the name of the host, so that nobody can see where it leads.")
		}
		if u, err := url.Parse(v.plain); err == nil && u.Scheme == "http" && !loopback(u.Hostname()) {
			b.note("The connection is not encrypted: others in the network can read and change it.")
		}
	}
}

var (
	headerName = lazyregexp.New("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")
	// reserved are headers that HTTP and MCP set themselves.
	reserved = lazyregexp.New(`^(?:Host|Connection|Content-.*|Transfer-Encoding|Te|Trailer|Upgrade|Keep-Alive|Proxy-.*|` +
		`Accept|Accept-Encoding|Expect|Origin|Mcp-.*|Last-Event-Id)$`)
)

func (b *builder) headers(fields []listing.Field) {
	taken := make(map[string]bool)
	for _, f := range fields {
		where, canonical := "The header "+safetext.Visible(safetext.Clip(f.Name, 100)), textproto.CanonicalMIMEHeaderKey(f.Name)
		switch {
		case !headerName.MatchString(f.Name):
			b.refuse("%s has no valid name.", where)
			return
		case reserved.MatchString(canonical):
			b.refuse("%s belongs to the protocol, and a listing must not set it.", where)
			return
		case taken[canonical]:
			continue
		}
		taken[canonical] = true
		for _, v := range b.fill(input{
			Input: f.Input, variables: f.Variables, name: f.Name, where: where, secret: f.Name,
			whole: func(plain string) string {
				if strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
					return "The answer must not contain line breaks or control characters."
				}
				return ""
			},
		}) {
			b.plan.Headers[f.Name] = v.text
		}
	}
}
