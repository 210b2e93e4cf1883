package operations

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/loosejson"
	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Transient holds the operations on servers that exist only for a test.
type Transient struct {
	Inspector *inspector.Inspector
	Describe  func(server string) (upstream.Description, bool)
	// Shown returns the given tools without those that are held until a person approves them.
	Shown func(ctx context.Context, server registry.Server, tools []json.RawMessage) []json.RawMessage
	// Widened records that a person has allowed a server more. text continues a sentence that begins with the person.
	Widened func(server, text string)
}

// Routes adds the operations with their handlers to a route table.
func (s *Transient) Routes(t *route.Table) {
	g := t.Group("tester")
	route.Add(g, route.Post("/api/transient", "Start a transient server").Creates(), s.open)
	route.Add(g, route.Delete("/api/transient/{id}", "Stop a transient server"), s.close)
	route.Add(g, route.Put("/api/transient/{id}/roots", "Replace the MCP roots of a transient server and notify the server"), s.setRoots)
}

type transientFields struct {
	Command   string              `json:"command,omitempty" doc:"Program of a stdio server."`
	Args      loosejson.Strings   `json:"args,omitempty" doc:"Arguments of the command."`
	Env       loosejson.StringMap `json:"env,omitempty" doc:"Environment variables of the server's process."`
	Transport string              `json:"transport,omitempty" doc:"stdio, streamable-http or sse. If it is missing, the default is stdio for a server that has a command or no url, sse if the path of url ends in /sse, and otherwise streamable-http."`
	URL       string              `json:"url,omitempty" doc:"URL of a remote server."`
	Headers   loosejson.StringMap `json:"headers,omitempty" doc:"HTTP headers to send to a remote server."`
	Server    string              `json:"server,omitempty" doc:"Name of a configured server. A copy of this server is started, with its secrets; the fields that describe a server are not needed."`
	LifeMS    float64             `json:"ttl_ms,omitempty" doc:"How long the server may be unused before the hub stops it, in milliseconds."`
}

type openTransientInput struct{ route.Object[transientFields] }

type transientReply struct {
	Handle        string            `json:"handle" doc:"Identifier of the server in the paths of the API."`
	ServerName    string            `json:"serverName" doc:"Name of the server in the journal and in pushed messages."`
	Tools         []json.RawMessage `json:"tools" doc:"Tools as the server listed them."`
	Capabilities  json.RawMessage   `json:"capabilities" doc:"Object with the MCP capabilities of the server."`
	ServerVersion namedVersion      `json:"serverVersion"`
	ExpiresAt     int64             `json:"expiresAt" doc:"When the hub stops the server unless it is used before, in milliseconds since 1970 UTC."`
}

type namedVersion struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func (s *Transient) open(ctx context.Context, in *openTransientInput) (*route.Reply[transientReply], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if body.Server == "" {
		if err := guard.RequirePerson(ctx,
			"only a person may start a server that is not configured: use the page Test of the dashboard, or configure the server: "+
				"agent-discover servers add"); err != nil {
			return nil, err
		}
	}
	opened, err := s.Inspector.Open(ctx, inspector.Spec{
		Transport: body.Transport, Command: body.Command, Args: body.Args, Env: body.Env,
		URL: body.URL, Headers: body.Headers, Of: body.Server, Life: time.Duration(body.LifeMS) * time.Millisecond,
	})
	if err != nil {
		return nil, route.InvalidIsBadRequest(err)
	}
	if body.Server == "" {
		s.Widened(opened.Server.Name, "started it for a test: "+programOf(opened.Server))
	}
	about, _ := s.Describe(opened.Server.Name)
	return route.Created(transientReply{
		Handle: opened.Handle, ServerName: opened.Server.Name,
		Tools: append([]json.RawMessage{}, s.Shown(ctx, opened.Server, opened.Tools)...), Capabilities: orObject(about.Capabilities),
		ServerVersion: namedVersion{about.Name, about.Version}, ExpiresAt: opened.Ends.UnixMilli(),
	})
}

// programOf returns the program of a server, or the host of a remote one, without arguments and without the rest of its
// URL, which may contain credentials.
func programOf(s registry.Server) string {
	if s.Command != "" {
		return s.Command
	}
	if u, err := url.Parse(s.URL); err == nil {
		return u.Host
	}
	return "a remote server"
}

type transientInput struct {
	ID string `path:"id" doc:"Handle of the transient server."`
}

func (s *Transient) close(_ context.Context, in *transientInput) (*route.Reply[done], error) {
	s.Inspector.Close(in.ID)
	return route.OK(done{true})
}
