package operations

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/oauth"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// SignIns holds the operations with which people sign in to remote servers.
type SignIns struct {
	Registry *registry.Registry
	OAuth    *oauth.Manager
	Sessions *guard.Sessions // writes the files that open a page in a browser
}

// Routes adds the operations with their handlers to a route table.
func (s *SignIns) Routes(t *route.Table) {
	g := t.Group("servers")
	route.Add(g, route.Get("/api/auth", "List the remote servers, and whether somebody is signed in to each"), s.list)
	route.Add(g, route.Post("/api/auth/complete",
		"Finish a sign-in with the address to which the authorization server has redirected the browser"), s.complete)
	route.Add(g, route.Get("/api/servers/{id}/auth", "Show whether somebody is signed in to a server"), s.status)
	route.Add(g, route.Post("/api/servers/{id}/auth/login", "Begin to sign in to a server"), s.login)
	route.Add(g, route.Post("/api/servers/{id}/auth/logout", "Sign out of a server and revoke its tokens"), s.logout)
}

// SignIn reports whether somebody is signed in to a server.
type SignIn struct {
	Server  string   `json:"server" doc:"Name of the server."`
	State   string   `json:"state" enum:"signed_out,signed_in,required,waiting" doc:"required: a request failed because a person must sign in; waiting: a sign-in waits for a person."`
	Again   bool     `json:"again,omitempty" doc:"Whether somebody was signed in before, so that the person must sign in again: the token has expired, or the server asks for more permissions."`
	Issuer  string   `json:"issuer,omitempty" doc:"The authorization server."`
	Scopes  []string `json:"scopes,omitempty" doc:"Scopes of the current token."`
	Expires string   `json:"expires,omitempty" doc:"When the current token expires. If possible, it is renewed before."`
	Failure string   `json:"failure,omitempty" doc:"Why the last sign-in failed."`
}

func (s *SignIns) of(v registry.Server) (SignIn, error) {
	st, err := s.OAuth.Status(v.ID)
	out := SignIn{Server: v.Name, State: string(st.State), Again: st.Again, Issuer: st.Issuer, Scopes: st.Scopes, Failure: st.Failure}
	if !st.Expires.IsZero() {
		out.Expires = st.Expires.UTC().Format(time.RFC3339)
	}
	return out, err
}

func (s *SignIns) list(context.Context, *struct{}) (*route.Reply[[]SignIn], error) {
	out := []SignIn{}
	for _, v := range s.Registry.List() {
		if v.Transport == "stdio" {
			continue
		}
		one, err := s.of(v)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return route.OK(out)
}

// signInWait limits how long the operation status waits for the end of a sign-in.
const signInWait = 20 * time.Second

type signInInput struct {
	ServerInput
	Wait bool `query:"wait" doc:"Whether to delay the response until no sign-in waits for a person, for at most 20 seconds."`
}

func (s *SignIns) status(ctx context.Context, in *signInInput) (*route.Reply[SignIn], error) {
	v, err := lookup(s.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	if in.Wait {
		waiting, cancel := context.WithTimeout(ctx, signInWait)
		defer cancel()
		if s.OAuth.Await(waiting, v.ID) != nil && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return reply(s.of(v))
}

func reply[T any](body T, err error) (*route.Reply[T], error) {
	if err != nil {
		return nil, err
	}
	return route.OK(body)
}

type loginFields struct {
	File bool   `json:"file,omitempty" doc:"Whether to write a file that opens the sign-in page in a browser. The file is removed when the sign-in ends."`
	Snap string `json:"snap,omitempty" doc:"Name of the browser's snap package. The file is then in a folder that the snap can read."`
}

type loginInput struct {
	ServerInput
	route.OptionalObject[loginFields]
}

// SignInPage is the page at which a person signs in.
type SignInPage struct {
	Server   string `json:"server" doc:"Name of the server."`
	Address  string `json:"address,omitempty" doc:"Address of the sign-in page to open in a browser; missing if the sign-in needs no person."`
	File     string `json:"file,omitempty" doc:"Path of a file that opens the sign-in page in a browser, if the request asks for a file."`
	Redirect string `json:"redirect,omitempty" doc:"Address of the hub to which the authorization server redirects the browser at the end of the sign-in. Only a browser on this machine reaches it."`
}

func (s *SignIns) login(ctx context.Context, in *loginInput) (*route.Reply[SignInPage], error) {
	v, err := lookup(s.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	login, err := s.OAuth.Login(ctx, v.Name)
	if err != nil {
		return nil, err
	}
	page := SignInPage{Server: v.Name, Address: login.Address, Redirect: login.Redirect}
	if body.File && login.Address != "" {
		file, remove, err := s.Sessions.WriteRedirect(body.Snap, login.Address)
		if err != nil {
			return nil, err
		}
		login.After(remove)
		page.File = file
	}
	return route.OK(page)
}

type pastedFields struct {
	URL string `json:"url" doc:"The address to which the authorization server has redirected the browser at the end of the sign-in."`
}

type pastedInput struct {
	route.Object[pastedFields]
}

func (s *SignIns) complete(ctx context.Context, in *pastedInput) (*route.Reply[map[string]string], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	server, err := s.OAuth.Complete(ctx, body.URL)
	if err != nil {
		return nil, err
	}
	return route.OK(map[string]string{"status": "signed_in", "server": server})
}

// signedOut is the result of signing out of a server.
type signedOut struct {
	Status  string `json:"status" doc:"Always signed_out."`
	Server  string `json:"server" doc:"Name of the server."`
	Warning string `json:"warning,omitempty" doc:"Why the token could not be revoked."`
}

func (s *SignIns) logout(ctx context.Context, in *ServerInput) (*route.Reply[signedOut], error) {
	v, err := lookup(s.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	unrevoked, err := s.OAuth.Logout(ctx, v.ID, v.Name)
	if err != nil {
		return nil, err
	}
	out := signedOut{Status: "signed_out", Server: v.Name}
	if unrevoked != nil {
		out.Warning = fault.MessageOf(unrevoked)
	}
	return route.OK(out)
}
