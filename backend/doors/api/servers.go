package api

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Server is a configured server as the API shows it.
type Server struct {
	ID              int64             `json:"id"`
	Name            string            `json:"name"`
	Description     string            `json:"description"`
	Source          string            `json:"source"`
	Command         *string           `json:"command"`
	Args            []string          `json:"args"`
	Env             map[string]string `json:"env"`
	Tags            []string          `json:"tags"`
	PackageName     *string           `json:"package_name"`
	PackageVersion  *string           `json:"package_version"`
	Transport       string            `json:"transport"`
	Repository      *string           `json:"repository"`
	Homepage        *string           `json:"homepage"`
	Headers         map[string]string `json:"headers,omitempty"`
	Installed       bool              `json:"installed"`
	Active          bool              `json:"active"`
	LatestVersion   *string           `json:"latest_version"`
	LastHealthCheck *string           `json:"last_health_check"`
	HealthStatus    string            `json:"health_status"`
	ErrorCount      int               `json:"error_count"`
	CreatedAt       string            `json:"created_at"`
	UpdatedAt       string            `json:"updated_at"`
	Approved        bool              `json:"approved"`
	Running         bool              `json:"running"`
	KeepRunning     bool              `json:"keep_running"`
	PID             int               `json:"pid,omitempty"`
	ToolCount       int               `json:"tool_count"`
	ToolTokens      int               `json:"tool_tokens" doc:"what its tools cost in a context, o200k_base; 0 while uncounted"`
	LastError       string            `json:"last_error,omitempty"`
	LaunchHash      string            `json:"launch_hash" doc:"names what a start runs; an approval can be bound to it"`
	Plaintext       []string          `json:"plaintext" doc:"credentials in its configuration that the vault could keep: env.NAME, args[3], headers.NAME, url"`
}

// Tool is a known tool as the API shows it.
type Tool struct {
	ID          int64           `json:"id"`
	ServerID    int64           `json:"server_id"`
	Name        string          `json:"name"`
	Title       string          `json:"title" doc:"empty when it has none"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema,omitempty" doc:"left out of brief lists; null when it has none"`
	Hash        string          `json:"hash" doc:"changes when anything changes that a model relies on"`
	Tokens      int             `json:"tokens" doc:"what its definition costs in a context, o200k_base; 0 while uncounted"`
}

// serverDetail is a server with its tools and what it last wrote to stderr.
type serverDetail struct {
	Server
	Tools  []Tool `json:"tools"`
	Stderr string `json:"stderr,omitempty"`
}

type serverInput struct {
	ID string `path:"id"`
}

type listInput struct {
	Query     string `query:"query"`
	Source    string `query:"source"`
	Installed string `query:"installed"`
}

type bodyInput struct {
	RawBody []byte `contentType:"application/json"`
}

type editInput struct {
	ID      string `path:"id"`
	RawBody []byte `contentType:"application/json"`
}

func (s *server) serverRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/servers", "Configured servers", s.listServers)
	bodyRoute(api, http.MethodPost, "/api/servers", "Configure a server", s.addServer)
	route(api, http.MethodGet, "/api/servers/{id}", "A server with its tools", s.getServer)
	bodyRoute(api, http.MethodPut, "/api/servers/{id}", "Change a server", s.editServer)
	route(api, http.MethodDelete, "/api/servers/{id}", "Forget a server", s.deleteServer)
	route(api, http.MethodPost, "/api/servers/{id}/activate", "Put its tools into every list", s.activate)
	route(api, http.MethodPost, "/api/servers/{id}/deactivate", "Take its tools out of the lists", s.deactivate)
	bodyRoute(api, http.MethodPost, "/api/servers/{id}/approve", "Let a proposed server be started", s.approve)
	route(api, http.MethodPost, "/api/servers/{id}/refresh", "Start it and list its tools", s.refresh)
}

func (s *server) listServers(ctx context.Context, in *listInput) (*reply[[]Server], error) {
	servers, err := s.Registry.Search(ctx, in.Query)
	if err != nil {
		return nil, err
	}
	out := []Server{}
	for _, v := range servers {
		if (in.Source == "" || v.Source == in.Source) && (in.Installed != "true" || v.Installed) {
			out = append(out, s.view(v))
		}
	}
	return ok(out)
}

// lookup finds a server by its id.
func (s *server) lookup(in *serverInput) (registry.Server, error) {
	id, err := strconv.ParseInt(in.ID, 10, 64)
	if err != nil {
		return registry.Server{}, fault.New(fault.NotFound, "Not found")
	}
	return s.Registry.ByID(id)
}

func (s *server) getServer(_ context.Context, in *serverInput) (*reply[serverDetail], error) {
	v, err := s.lookup(in)
	if err != nil {
		return nil, err
	}
	detail := serverDetail{Server: s.view(v), Tools: []Tool{}, Stderr: s.Upstream.Stderr(v.Name)}
	for _, t := range s.Catalog.Snapshot().Of(v.Name) {
		detail.Tools = append(detail.Tools, toolView(v.ID, t))
	}
	slices.SortFunc(detail.Tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	return ok(detail)
}

func toolView(server int64, t *catalog.Tool) Tool {
	out := briefTool(server, t)
	out.InputSchema = schemaOf(t)
	return out
}

// briefTool shows a tool without its schema.
func briefTool(server int64, t *catalog.Tool) Tool {
	return Tool{ID: t.ID, ServerID: server, Name: t.Name, Title: t.Title, Description: t.Description, Hash: t.Hash, Tokens: t.Tokens}
}

func schemaOf(t *catalog.Tool) json.RawMessage {
	if schema := t.InputSchema(); schema != nil {
		return schema
	}
	return json.RawMessage("null")
}

// serverFields are what a request may set; nil leaves a field as it is.
type serverFields struct {
	Description *string           `json:"description"`
	Command     *string           `json:"command"`
	Args        []string          `json:"args"`
	Env         map[string]string `json:"env"`
	Tags        []string          `json:"tags"`
	Transport   *string           `json:"transport"`
	Homepage    *string           `json:"homepage"`
	Headers     map[string]string `json:"headers"`
	KeepRunning *bool             `json:"keep_running"`
}

func (f serverFields) apply(v *registry.Server) {
	set := func(to *string, from *string) {
		if from != nil {
			*to = *from
		}
	}
	set(&v.Description, f.Description)
	set(&v.Command, f.Command)
	set(&v.URL, f.Homepage)
	// A server that has a program and no address stays one that is started:
	// clients of old send the transport along without a thought.
	if f.Transport != nil && (*f.Transport == "stdio" || v.URL != "" || v.Command == "") {
		v.Transport = *f.Transport
	}
	if f.Args != nil {
		v.Args = f.Args
	}
	if f.Env != nil {
		v.Env = f.Env
	}
	if f.Headers != nil {
		v.Headers = f.Headers
	}
	if f.Tags != nil {
		v.Tags = f.Tags
	}
	if f.KeepRunning != nil {
		v.KeepRunning = *f.KeepRunning
	}
}

func (s *server) addServer(ctx context.Context, in *bodyInput) (*reply[Server], error) {
	var body struct {
		Name   string `json:"name"`
		Source string `json:"source"`
		Warm   *bool  `json:"warm"` // false: it is about to be started anyway
		serverFields
		// Wrong kinds of these have always been taken for none.
		Args texts     `json:"args"`
		Env  stringMap `json:"env"`
		Tags texts     `json:"tags"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	v := registry.Server{Name: body.Name, Source: cmp.Or(body.Source, "local")}
	body.apply(&v)
	v.Args, v.Env, v.Tags = body.Args, body.Env, body.Tags
	v, err := s.Lifecycle.Add(ctx, v)
	if err != nil {
		return nil, err
	}
	if body.Warm == nil || *body.Warm {
		s.Prefetcher.Later(v)
	}
	return &reply[Server]{Status: http.StatusCreated, Body: s.view(v)}, nil
}

func (s *server) editServer(ctx context.Context, in *editInput) (*reply[Server], error) {
	v, err := s.lookup(&serverInput{in.ID})
	if err != nil {
		return nil, err
	}
	var body serverFields
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	v, err = s.Registry.Update(ctx, v.Name, body.apply)
	if err != nil {
		return nil, err
	}
	return ok(s.view(v))
}

func (s *server) deleteServer(ctx context.Context, in *serverInput) (*reply[map[string]string], error) {
	v, err := s.lookup(in)
	if err != nil {
		return nil, err
	}
	if err := s.Lifecycle.Remove(ctx, v.Name); err != nil {
		return nil, err
	}
	s.facts.forget(v.ID)
	return ok(map[string]string{"status": "deleted"})
}

type activation struct {
	Status    string `json:"status"`
	ToolCount *int   `json:"tool_count,omitempty"`
}

func (s *server) activate(ctx context.Context, in *serverInput) (*reply[activation], error) {
	v, err := s.lookup(in)
	if err != nil {
		return nil, err
	}
	switch remote := v.Transport != "stdio"; {
	case v.Command == "" && !remote:
		return nil, badRequest("No command configured")
	case remote && v.URL == "": // in the words that clients know
		return nil, fault.New(fault.Failed, "Server %q has no command configured for stdio transport", v.Name)
	}
	tools, already, err := s.Lifecycle.Activate(ctx, v.Name)
	if err != nil {
		return nil, err
	}
	if already {
		return ok(activation{Status: "already_active"})
	}
	count := len(tools)
	return ok(activation{Status: "activated", ToolCount: &count})
}

func (s *server) deactivate(ctx context.Context, in *serverInput) (*reply[activation], error) {
	v, err := s.lookup(in)
	if err != nil {
		return nil, err
	}
	was, err := s.Lifecycle.Deactivate(ctx, v.Name)
	if err != nil {
		return nil, err
	}
	if !was {
		return ok(activation{Status: "not_active"})
	}
	return ok(activation{Status: "deactivated"})
}

// approve takes a body {"launch_hash": …} that says what the person was shown;
// without one it approves the server as it is.
func (s *server) approve(ctx context.Context, in *editInput) (*reply[Server], error) {
	v, err := s.lookup(&serverInput{in.ID})
	if err != nil {
		return nil, err
	}
	var shown struct {
		LaunchHash string `json:"launch_hash"`
	}
	if len(in.RawBody) > 0 {
		if err := decodeObject(in.RawBody, &shown); err != nil {
			return nil, err
		}
	}
	if v, err = s.Lifecycle.Approve(ctx, v.Name, shown.LaunchHash); err != nil {
		return nil, err
	}
	return ok(s.view(v))
}

func (s *server) refresh(ctx context.Context, in *serverInput) (*reply[activation], error) {
	v, err := s.lookup(in)
	if err != nil {
		return nil, err
	}
	tools, err := s.Lifecycle.Refresh(ctx, v.Name)
	if err != nil {
		return nil, err
	}
	count := len(tools)
	return ok(activation{Status: "refreshed", ToolCount: &count})
}

func (s *server) view(v registry.Server) Server {
	state, tools, known := s.Upstream.State(v.Name), s.Catalog.Snapshot().Of(v.Name), s.facts.of(v)
	out := Server{
		ID: v.ID, Name: v.Name, Description: v.Description, Source: v.Source,
		Command: optional(v.Command), Args: orEmpty(v.Args), Env: v.Env, Tags: orEmpty(v.Tags),
		PackageName: optional(v.Package.Name), PackageVersion: optional(v.Package.Version), LatestVersion: optional(v.Package.Latest),
		Transport: v.Transport, Repository: optional(v.Repository), Homepage: optional(v.URL), Headers: v.Headers,
		Installed: v.Installed, Active: v.Enabled, HealthStatus: v.Health.Status, ErrorCount: v.Health.Errors,
		CreatedAt: v.CreatedAt.Format(time.DateTime), UpdatedAt: v.UpdatedAt.Format(time.DateTime),
		Approved: v.Approved, Running: state.Running, KeepRunning: v.KeepRunning, PID: state.PID,
		ToolCount: len(tools), LastError: v.Health.LastError, LaunchHash: known.hash, Plaintext: known.plaintext,
	}
	if out.Env == nil {
		out.Env = map[string]string{}
	}
	if !v.Health.CheckedAt.IsZero() {
		out.LastHealthCheck = optional(v.Health.CheckedAt.Format(time.DateTime))
	}
	for _, t := range tools {
		out.ToolTokens += t.Tokens
	}
	return out
}
