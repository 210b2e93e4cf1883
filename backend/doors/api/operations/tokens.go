package operations

import (
	"context"
	"net/url"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/doors/credentials"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Tokens holds the operations on the tokens of MCP clients that connect over HTTP.
type Tokens struct {
	Tokens   *credentials.Keeper
	Registry *registry.Registry
	Toolsets *toolset.Keeper
	Importer *importer.Importer
	Address  string // of the hub: host and port
}

// Routes adds the operations with their handlers to a route table.
func (t *Tokens) Routes(table *route.Table) {
	g := table.Group("tokens")
	route.Add(g, route.Get("/api/tokens", "List the tokens of MCP clients"), t.list)
	route.Add(g, route.Post("/api/tokens", "Create a token for an MCP client that connects over HTTP").Creates(), t.create)
	route.Add(g, route.Delete("/api/tokens/{name}", "Revoke the token of an MCP client"), t.revoke)
}

// ClientToken describes a token without the token itself.
type ClientToken struct {
	Name      string     `json:"name"`
	Client    string     `json:"client" doc:"Identifier of the AI editor that uses the token; empty if unknown."`
	Surface   string     `json:"surface" doc:"Surface of the client: registry, meta, native, server:NAME for the tools of one server, or toolset:NAME for those of a toolset."`
	CreatedAt time.Time  `json:"created_at"`
	LastUsed  *time.Time `json:"last_used_at,omitempty" doc:"When the token was last used, to the minute; missing if it was never used."`
}

// NewClientToken describes a token that was just created, including the token itself.
type NewClientToken struct {
	ClientToken
	Token string            `json:"token" doc:"The bearer token. It is not stored and cannot be shown again."`
	Entry importer.Exported `json:"entry" doc:"Configuration with which the client connects. It contains the token."`
}

func clientToken(c credentials.Credential) ClientToken {
	token := ClientToken{Name: c.Name, Client: c.Client, Surface: c.Surface, CreatedAt: c.Created.UTC()}
	if used := c.Used.UTC(); !used.IsZero() {
		token.LastUsed = &used
	}
	return token
}

func (t *Tokens) list(context.Context, *struct{}) (*route.Reply[[]ClientToken], error) {
	out := []ClientToken{}
	for _, c := range t.Tokens.List() {
		out = append(out, clientToken(c))
	}
	return route.OK(out)
}

type tokenFields struct {
	Name    string `json:"name" maxLength:"100"`
	Client  string `json:"client,omitempty" doc:"Identifier of the AI editor that will use the token. The hub adapts names of tools and schemas of arguments to the limits of the editor."`
	Surface string `json:"surface,omitempty" doc:"Surface of the client: registry (the default), meta, native, server:NAME for the tools of one server, or toolset:NAME for those of a toolset."`
}

type tokenInput struct{ route.Object[tokenFields] }

func (t *Tokens) create(ctx context.Context, in *tokenInput) (*route.Reply[NewClientToken], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if err := guard.RequirePerson(ctx,
		"only a person can create tokens; use the dashboard, or a terminal: agent-discover token create NAME"); err != nil {
		return nil, err
	}
	c := credentials.Credential{Name: body.Name, Client: body.Client, Surface: body.Surface}
	if server := c.Server(); server != "" {
		if _, err := t.Registry.Get(server); err != nil {
			return nil, err
		}
	}
	if set := surfaces.Toolset(c.Surface); set != "" {
		if _, err := t.Toolsets.Get(set); err != nil {
			return nil, err
		}
	}
	token, c, err := t.Tokens.Create(ctx, c)
	if err != nil {
		return nil, err
	}
	name, path := registration.Name, "/mcp"
	if server := c.Server(); server != "" {
		name, path = server, "/mcp/"+url.PathEscape(server)
	}
	header := map[string]string{"Authorization": "Bearer " + token}
	entry, err := t.Importer.RemoteEntry(c.Client, name, "http://"+t.Address+path, header)
	if err != nil {
		return nil, err
	}
	return route.Created(NewClientToken{clientToken(c), token, entry})
}

type tokenName struct {
	Name string `path:"name"`
}

func (t *Tokens) revoke(ctx context.Context, in *tokenName) (*route.Reply[map[string]string], error) {
	if err := t.Tokens.Revoke(ctx, in.Name); err != nil {
		return nil, err
	}
	return statusOnly("revoked")
}
