package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/inspector"
)

// transientRoutes serve servers that exist for a test only.
func (s *server) transientRoutes(api huma.API) {
	bodyRoute(api, http.MethodPost, "/api/transient", "Start a server for a test", s.openTransient)
	route(api, http.MethodDelete, "/api/transient/{id}", "End a transient server", s.closeTransient)
	route(api, http.MethodGet, "/api/elicitations", "Questions of servers that wait for a person", s.elicitations)
	bodyRoute(api, http.MethodPost, "/api/elicitations/{id}/respond", "Answer a server's question", s.respond)
}

type transientReply struct {
	Handle        string            `json:"handle"`
	ServerName    string            `json:"serverName"`
	Tools         []json.RawMessage `json:"tools"`
	Capabilities  json.RawMessage   `json:"capabilities"`
	ServerVersion namedVersion      `json:"serverVersion"`
	ExpiresAt     int64             `json:"expiresAt" doc:"milliseconds since 1970"`
}

type namedVersion struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func (s *server) openTransient(ctx context.Context, in *bodyInput) (*reply[transientReply], error) {
	var body struct {
		Command   string    `json:"command"`
		Args      texts     `json:"args"`
		Env       stringMap `json:"env"`
		Transport string    `json:"transport"`
		URL       string    `json:"url"`
		Headers   stringMap `json:"headers"`
		LifeMS    float64   `json:"ttl_ms"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	opened, err := s.Inspector.Open(ctx, inspector.Spec{
		Transport: body.Transport, Command: body.Command, Args: body.Args, Env: body.Env,
		URL: body.URL, Headers: body.Headers, Life: time.Duration(body.LifeMS) * time.Millisecond,
	})
	if fault.KindOf(err) == fault.Invalid {
		return nil, badRequest(fault.MessageOf(err))
	}
	if err != nil {
		return nil, err
	}
	about, _ := s.Upstream.Describe(opened.Server.Name)
	return &reply[transientReply]{Status: http.StatusCreated, Body: transientReply{
		Handle: opened.Handle, ServerName: opened.Server.Name, Tools: append([]json.RawMessage{}, opened.Tools...),
		Capabilities: orObject(about.Capabilities), ServerVersion: namedVersion{about.Name, about.Version},
		ExpiresAt: opened.Ends.UnixMilli(),
	}}, nil
}

func orObject(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("{}")
	}
	return raw
}

func (s *server) closeTransient(_ context.Context, in *serverInput) (*reply[done], error) {
	s.Inspector.Close(in.ID)
	return ok(done{true})
}

// Elicitation is a server's question as the API shows it.
type Elicitation struct {
	ID         string          `json:"id"`
	ServerName string          `json:"serverName"`
	Message    string          `json:"message"`
	Schema     json.RawMessage `json:"requestedSchema"`
	CreatedAt  int64           `json:"createdAt" doc:"milliseconds since 1970"`
}

func (s *server) elicitations(context.Context, *struct{}) (*reply[listOf[Elicitation]], error) {
	out := listOf[Elicitation]{Entries: []Elicitation{}}
	for _, e := range s.Inbox.Elicitations() {
		out.Entries = append(out.Entries, Elicitation{e.ID, e.Server, e.Message, orObject(e.Schema), e.At.UnixMilli()})
	}
	return ok(out)
}

// listOf is a list as the original gives it.
type listOf[T any] struct {
	Entries []T `json:"entries"`
}

func (s *server) respond(_ context.Context, in *editInput) (*reply[done], error) {
	var body struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	err := s.Inbox.Respond(in.ID, body.Action, body.Content)
	if fault.KindOf(err) == fault.Invalid {
		return nil, badRequest(fault.MessageOf(err))
	}
	if err != nil {
		return nil, err
	}
	return ok(done{true})
}
