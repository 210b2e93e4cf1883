package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// offer describes how people sign in to a server.
type offer struct {
	resource string // the identifier for which tokens are issued
	meta     oauthex.AuthServerMeta
	scopes   []string // scopes that the server lists
}

// challenge contains the WWW-Authenticate headers of a response with status 401 or 403.
type challenge struct {
	metadata string // address of the server's metadata, or empty
	scopes   []string
	code     string // error code such as insufficient_scope, or empty
}

// readChallenge reads the headers of a response. A header that cannot be read counts as
// missing.
func readChallenge(h http.Header) (c challenge) {
	for _, line := range h.Values("WWW-Authenticate") {
		challenges, err := oauthex.ParseWWWAuthenticate([]string{line})
		if err != nil {
			continue
		}
		for _, one := range challenges {
			if one.Scheme != "bearer" && one.Scheme != "dpop" {
				continue
			}
			if address := one.Params["resource_metadata"]; address != "" && c.metadata == "" {
				c.metadata = address
			}
			if one.Scheme == "bearer" && c.code == "" {
				c.code = one.Params["error"]
			}
			if one.Scheme == "bearer" && c.scopes == nil {
				c.scopes = strings.Fields(one.Params["scope"])
			}
		}
	}
	return c
}

// errNoOffer is in the chain of the error for a server that describes no way to sign in.
var errNoOffer = errors.New("no sign-in offered")

// discover finds out how people sign in to the server. issuer is the authorization server
// of the client that the user has registered, or empty. preferred is the issuer of the
// tokens so far, or empty.
func (n *network) discover(ctx context.Context, c challenge, issuer, preferred string) (*offer, error) {
	described, err := n.resourceMetadata(ctx, c.metadata)
	if err != nil {
		return nil, err
	}
	if described == nil { // servers of MCP 2025-03-26 are authorization servers themselves
		resource := *n.base
		resource.Fragment, resource.RawFragment, resource.User = "", "", nil
		described = &oauthex.ProtectedResourceMetadata{Resource: resource.String(), AuthorizationServers: []string{origin(n.base)}}
	}
	servers := slices.Clone(described.AuthorizationServers)
	if issuer != "" {
		if !slices.ContainsFunc(servers, func(s string) bool { return sameIssuer(s, issuer) }) {
			named := ""
			if len(servers) > 0 {
				named = servers[0]
			}
			return nil, fault.New(fault.Failed,
				"the server names %s as its authorization server, but its secret %s is %s; set that secret again",
				shown(named), issuerSecret, shown(issuer))
		}
		servers = []string{issuer}
	}
	slices.SortStableFunc(servers, func(a, b string) int { return rank(a, preferred) - rank(b, preferred) })
	failure := error(fault.Wrap(errNoOffer, fault.Failed, "the server describes no way to sign in"))
	for _, server := range servers {
		meta, err := n.serverMetadata(ctx, server)
		if err == nil && meta != nil {
			return &offer{resource: described.Resource, meta: *meta, scopes: described.ScopesSupported}, nil
		}
		if err != nil {
			failure = err
		}
	}
	return nil, failure
}

func rank(issuer, preferred string) int {
	if sameIssuer(issuer, preferred) {
		return 0
	}
	return 1
}

// sameIssuer compares issuers; a slash at the end makes no difference.
func sameIssuer(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }

func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// resourceMetadata returns the metadata of the server (RFC 9728), or nil if it has none. It
// tries named, which is the address in a challenge or empty, and then the well-known
// addresses for the path of the server's URL and for its root. Metadata about another
// resource are an error, because an attacker may have written them.
func (n *network) resourceMetadata(ctx context.Context, named string) (*oauthex.ProtectedResourceMetadata, error) {
	const wellKnown = "/.well-known/oauth-protected-resource"
	at := func(path string) string {
		u := url.URL{Scheme: n.base.Scheme, Host: n.base.Host, Path: path}
		return u.String()
	}
	addresses := []string{at(wellKnown)}
	if path := strings.TrimSuffix(n.base.Path, "/"); path != "" {
		addresses = []string{at(wellKnown + path), at(wellKnown)}
	}
	if named != "" {
		addresses = append([]string{named}, addresses...)
	}
	for _, address := range addresses {
		var m oauthex.ProtectedResourceMetadata
		found, err := n.get(ctx, address, &m)
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		if !n.covers(m.Resource) {
			return nil, fault.New(fault.Failed, "%s describes %s, which is not the server; its sign-in is not used",
				shown(address), shown(m.Resource))
		}
		if len(m.AuthorizationServers) == 0 {
			return nil, fault.Wrap(errNoOffer, fault.Failed, "%s names no authorization server", shown(address))
		}
		for _, server := range m.AuthorizationServers {
			if err := n.check(server); err != nil {
				return nil, err
			}
		}
		return &m, nil
	}
	return nil, nil
}

// covers reports whether resource is the URL of the server, or a parent of this URL with
// the same origin. Many servers have one resource for all of their paths.
func (n *network) covers(resource string) bool {
	u, err := url.Parse(resource)
	if err != nil || !strings.EqualFold(origin(u), origin(n.base)) || u.User != nil || u.Fragment != "" {
		return false
	}
	if u.RawQuery != "" && u.RawQuery != n.base.RawQuery {
		return false
	}
	parent := strings.TrimSuffix(u.Path, "/")
	return parent == strings.TrimSuffix(n.base.Path, "/") || strings.HasPrefix(n.base.Path, parent+"/")
}

// serverMetadata returns the metadata of an authorization server (RFC 8414 or OpenID
// Connect), or nil if there are none. It skips metadata that name another issuer. If it
// finds only such metadata, it returns an error.
func (n *network) serverMetadata(ctx context.Context, issuer string) (*oauthex.AuthServerMeta, error) {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil, fault.New(fault.Failed, "%s is not a valid issuer", shown(issuer))
	}
	path := strings.TrimSuffix(u.Path, "/")
	paths := []string{"/.well-known/oauth-authorization-server" + path, "/.well-known/openid-configuration" + path}
	if path != "" {
		paths = append(paths, path+"/.well-known/openid-configuration")
	}
	var failure error
	for _, path := range paths {
		var m oauthex.AuthServerMeta
		found, err := n.get(ctx, (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}).String(), &m)
		switch {
		case err != nil:
			return nil, err
		case !found:
		case !sameIssuer(m.Issuer, issuer):
			failure = fault.New(fault.Failed, "the metadata of %s are those of %s; its sign-in is not used", shown(issuer), shown(m.Issuer))
		default:
			return &m, n.checkEndpoints(m)
		}
	}
	return nil, failure
}

func (n *network) checkEndpoints(m oauthex.AuthServerMeta) error {
	if m.TokenEndpoint == "" {
		return fault.New(fault.Failed, "%s has no token endpoint", shown(m.Issuer))
	}
	for _, address := range []string{m.TokenEndpoint, m.AuthorizationEndpoint, m.RegistrationEndpoint, m.RevocationEndpoint} {
		if address == "" {
			continue
		}
		if err := n.check(address); err != nil {
			return err
		}
	}
	return nil
}

// interactive returns an error unless the authorization server has a page to sign in and
// supports PKCE with S256, which MCP requires.
func (o *offer) interactive() error {
	switch {
	case o.meta.AuthorizationEndpoint == "":
		return fault.New(fault.Failed, "%s has no page to sign in", shown(o.meta.Issuer))
	case !slices.Contains(o.meta.CodeChallengeMethodsSupported, "S256"):
		return fault.New(fault.Failed, "%s does not list the PKCE method S256, which MCP requires; its sign-in is not used",
			shown(o.meta.Issuer))
	}
	return nil
}
