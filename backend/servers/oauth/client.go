package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

// client identifies this program to an authorization server.
type client struct {
	ID       string    `json:"id"`
	Secret   string    `json:"secret,omitempty"`
	Basic    bool      `json:"basic,omitempty"` // the secret is sent in a header, not in the body
	Expires  time.Time `json:"expires,omitzero"`
	Redirect string    `json:"redirect,omitempty"` // redirect address of a client that was registered dynamically
}

// These are the names of the secrets in which a person describes the OAuth client that they have registered for a
// server. The names contain a colon, so that the secrets are not sent to the server as headers.
const (
	idSecret     = "oauth:client_id"
	secretSecret = "oauth:client_secret"
	issuerSecret = "oauth:issuer" // optional: the only issuer that gets the client's credentials
	scopeSecret  = "oauth:scope"  // optional: further scopes, separated by spaces
	grantSecret  = "oauth:grant"  // optional: client_credentials, if no person signs in
)

// registered is the client that a person has registered for a server.
type registered struct {
	client
	issuer  string
	scopes  []string
	machine bool // tokens are obtained with client credentials, without a person
}

// registered returns the client that the secrets of a server describe. Its ID is empty if they describe none.
func (m *Manager) registered(ctx context.Context, s Server) (r registered, err error) {
	names, err := m.options.Vault.Names(ctx, s.Name)
	if err != nil {
		return r, err
	}
	wanted := make(map[string]string)
	for _, name := range []string{idSecret, secretSecret, issuerSecret, scopeSecret, grantSecret} {
		if slices.Contains(names, name) {
			wanted[name] = launch.Reference(name)
		}
	}
	if len(wanted) == 0 {
		return r, nil
	}
	filled, err := m.options.Vault.Fill(ctx, s.Name, launch.Launch{Transport: "streamable-http", URL: s.URL, Headers: wanted})
	if err != nil {
		return r, err
	}
	value := func(name string) string { return strings.TrimSpace(filled.Headers[name]) }
	r = registered{
		client: client{ID: value(idSecret), Secret: value(secretSecret)}, issuer: value(issuerSecret),
		scopes: strings.Fields(value(scopeSecret)), machine: value(grantSecret) == "client_credentials",
	}
	switch {
	case value(grantSecret) != "" && !r.machine && value(grantSecret) != "authorization_code":
		return r, fault.New(fault.Invalid, "the secret %s of server %q must be client_credentials or authorization_code",
			grantSecret, s.Name)
	case r.machine && (r.ID == "" || r.Secret == ""):
		return r, fault.New(fault.Invalid, "server %q gets tokens with client credentials, so its secrets %s and %s are required",
			s.Name, idSecret, secretSecret)
	}
	return r, nil
}

// basicAt reports whether the client secret is sent to an authorization server in the Authorization header, and not in
// the body of the request.
func (r registered) basicAt(o *offer) bool {
	return r.Secret != "" && !slices.Contains(o.meta.TokenEndpointAuthMethodsSupported, "client_secret_post")
}

// identity says how a sign-in identifies this program to the authorization server.
type identity struct {
	client         // the client that a person has registered, or the client ID metadata document; for the usual ports only
	registers bool // a client can be registered dynamically if client has no ID, or for a port that is not usual
}

// identify returns how a sign-in identifies this program. A client that a person has registered comes first, then the client
// ID metadata document. Both name the redirect addresses at the usual ports. Authorization servers should accept every port
// of loopback addresses (RFC 8252, section 7.3), but many compare it, so that another port needs a client of its own.
func (m *Manager) identify(o *offer, own registered) (identity, error) {
	registers := o.meta.RegistrationEndpoint != ""
	switch {
	case own.ID != "":
		own.Basic = own.basicAt(o)
		return identity{own.client, false}, nil
	case m.options.Document != "" && o.meta.ClientIDMetadataDocumentSupported:
		return identity{client{ID: m.options.Document}, registers}, nil
	case !registers:
		return identity{}, fault.New(fault.Failed,
			"%s does not let programs register themselves: register one there with the redirect address %s, then set the secrets %s "+
				"and, if it has one, %s of the server",
			shown(o.meta.Issuer), redirectAt(m.options.Ports[0]), idSecret, secretSecret)
	}
	return identity{registers: true}, nil
}

// clientFor returns the client for a sign-in. If necessary, it registers one. usual says that the redirect address is at a
// usual port; a client for another port is not kept for later sign-ins, because they find another free port.
func (m *Manager) clientFor(ctx context.Context, n *network, o *offer, way identity, redirect string, usual bool) (client, error) {
	if !usual {
		c, err := n.register(ctx, o, redirect)
		if err != nil {
			err = fault.Wrap(err, fault.KindOf(err), "%s; a free port was tried, because other programs use the usual ones: %s",
				fault.MessageOf(err), m.users(ctx))
		}
		return c, err
	}
	if way.ID != "" {
		return way.client, nil
	}
	if c, ok := m.keep.client(ctx, o.meta.Issuer, redirect); ok && (c.Expires.IsZero() || m.options.Now().Before(c.Expires)) {
		return c, nil
	}
	c, err := n.register(ctx, o, redirect)
	if err != nil {
		return client{}, err
	}
	return c, m.keep.saveClient(ctx, o.meta.Issuer, redirect, c)
}

// register registers this program as a client (RFC 7591).
func (n *network) register(ctx context.Context, o *offer, redirect string) (client, error) {
	if err := n.check(o.meta.RegistrationEndpoint); err != nil {
		return client{}, err
	}
	meta := &oauthex.ClientRegistrationMetadata{
		ClientName: "Agent Discover", RedirectURIs: []string{redirect}, ApplicationType: "native", ResponseTypes: []string{"code"},
		GrantTypes: []string{"authorization_code"}, TokenEndpointAuthMethod: authMethod(o.meta.TokenEndpointAuthMethodsSupported),
	}
	if supported := o.meta.GrantTypesSupported; len(supported) == 0 || slices.Contains(supported, "refresh_token") {
		meta.GrantTypes = append(meta.GrantTypes, "refresh_token")
	}
	answer, err := oauthex.RegisterClient(ctx, o.meta.RegistrationEndpoint, meta, n.client)
	if err != nil {
		why := "it did not give a usable answer" // the error may contain the answer, which may contain a secret
		if refused, ok := errors.AsType[*oauthex.ClientRegistrationError](err); ok {
			why = "it answered " + said(refused.ErrorCode, refused.ErrorDescription)
		}
		return client{}, fault.New(fault.Failed, "could not register at %s: %s", shown(o.meta.Issuer), why)
	}
	c := client{ID: answer.ClientID, Secret: answer.ClientSecret, Expires: answer.ClientSecretExpiresAt, Redirect: redirect}
	c.Basic = c.Secret != "" && answer.TokenEndpointAuthMethod != "client_secret_post"
	return c, nil
}

// authMethod returns the method with which the program authenticates to the token endpoint. It prefers "none", because
// a program on the machines of its users cannot keep a secret.
func authMethod(supported []string) string {
	for _, method := range []string{"none", "client_secret_post", "client_secret_basic"} {
		if len(supported) == 0 || slices.Contains(supported, method) {
			return method
		}
	}
	return "none"
}

// said formats an error of an authorization server for people.
func said(code, description string) string {
	text := safetext.Clip(safetext.Label(code), 60)
	if description != "" {
		text += ": " + strings.TrimSuffix(safetext.Clip(safetext.Label(description), 200), ".")
	}
	return text
}

// authenticate adds the client to a request to the token or revocation endpoint: in a header, or by calling set for
// each parameter of the body.
func (c client) authenticate(r *http.Request, set func(name, value string)) {
	if c.Secret != "" && c.Basic {
		r.SetBasicAuth(url.QueryEscape(c.ID), url.QueryEscape(c.Secret))
		return
	}
	set("client_id", c.ID)
	if c.Secret != "" {
		set("client_secret", c.Secret)
	}
}
