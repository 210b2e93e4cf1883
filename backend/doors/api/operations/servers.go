package operations

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/loosejson"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpshape"
	"github.com/agent-discover/agent-discover/backend/servers/corrections"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/risk"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
)

// Server is the API's view of a configured server.
type Server struct {
	ID              int64             `json:"id" doc:"Unique identifier of the server."`
	Name            string            `json:"name" doc:"Unique name. Tools of the server are called as name__tool."`
	Description     string            `json:"description"`
	Source          string            `json:"source" doc:"Origin of the configuration: local (a person), manual (an agent), setup-file, bundle, copy (a backup copy with which the database was repaired), or the name of another import."`
	Command         *string           `json:"command" doc:"Program that starts a stdio server."`
	Args            []string          `json:"args" doc:"Arguments of the command."`
	Program         string            `json:"program,omitempty" doc:"The program that the command starts, such as npx, if GET /api/market/programs lists it."`
	Env             map[string]string `json:"env" doc:"Environment variables of the server's process."`
	Dir             string            `json:"cwd,omitempty" doc:"Working folder of a stdio server; the home folder if it is missing."`
	StartTimeout    string            `json:"start_timeout,omitempty" doc:"The server's own limit in place of limits.start_timeout, such as 5m. Missing if it has none."`
	CallTimeout     string            `json:"call_timeout,omitempty" doc:"The server's own limit in place of limits.call_timeout, such as 5m. Missing if it has none."`
	Tags            []string          `json:"tags"`
	PackageName     *string           `json:"package_name"`
	PackageVersion  *string           `json:"package_version"`
	Transport       string            `json:"transport" doc:"stdio, streamable-http or sse."`
	Repository      *string           `json:"repository"`
	Homepage        *string           `json:"homepage" doc:"URL of a remote server."`
	Headers         map[string]string `json:"headers,omitempty" doc:"HTTP headers sent to a remote server."`
	Installed       bool              `json:"installed"`
	Active          bool              `json:"active" doc:"Whether the server is always listed: its tools are in every client's list."`
	LatestVersion   *string           `json:"latest_version"`
	LastHealthCheck *string           `json:"last_health_check"`
	HealthStatus    string            `json:"health_status"`
	ErrorCount      int               `json:"error_count"`
	CreatedAt       string            `json:"created_at"`
	UpdatedAt       string            `json:"updated_at"`
	State           string            `json:"state" enum:"waiting,disabled,incomplete,held,sign_in,starting,failing,calls_fail,running,new,stopped" doc:"waiting (for approval), disabled (by a person), incomplete (has no command and no address, or an unknown transport), held (a program has changed how the server is started), sign_in (a person must sign in), starting (for the first time, to list its tools), failing (the last start or check failed), calls_fail (most of the last calls failed), running, new (never started, so its tools are unknown) or stopped."`
	StateReason     string            `json:"state_reason,omitempty" doc:"Why the server cannot be used now, why its calls fail, or why its tools are unknown, as the end of a sentence that begins with the name of the server."`
	Account         string            `json:"account,omitempty" doc:"Label of the account that the server uses, if the same server is configured for several accounts."`
	SignIn          string            `json:"sign_in,omitempty" enum:"signed_in,required,again,waiting" doc:"State of the sign-in to a remote server. signed_in: a person is signed in. required: a person must sign in. again: a person must sign in again. waiting: a sign-in waits for a person. Missing if nobody is signed in and the server has not asked for a sign-in."`
	RecentCalls     int               `json:"recent_calls" doc:"Number of recent calls from which the state calls_fail is determined, at most 10. Calls before the last change of the server do not count."`
	RecentErrors    int               `json:"recent_errors" doc:"Number of failed calls among the last recent_calls calls."`
	Approved        bool              `json:"approved" doc:"Whether a person has allowed the server to start."`
	Disabled        bool              `json:"disabled,omitempty" doc:"Whether a person has disabled the server: it keeps its settings and secrets, but is neither started nor shown to agents."`
	Running         bool              `json:"running" doc:"Whether the server has a process or a connection now."`
	KeepRunning     bool              `json:"keep_running" doc:"Whether the server starts with the hub and is not stopped when idle."`
	Isolation       string            `json:"isolation" enum:"shared,session" doc:"shared (one process or connection for all clients) or session (one for each session of a client)."`
	Sandbox         *Sandbox          `json:"sandbox,omitempty" doc:"How the processes of a stdio server are confined. Left out for a remote server."`
	Sessions        int               `json:"sessions,omitempty" doc:"Number of client sessions that have a process or connection of their own now, if isolation is session."`
	PID             int               `json:"pid,omitempty" doc:"Process ID of a running stdio server; of the first one if there are several."`
	Connections     []Connection      `json:"connections,omitempty" doc:"The processes or connections that clients share, if there are two: one for clients of MCP versions before 2026-07-28, and one for clients of later versions."`
	ToolsKnown      bool              `json:"tools_known" doc:"Whether the server has listed its tools since it was configured. Otherwise the number of its tools is unknown."`
	ToolCount       int               `json:"tool_count" doc:"Number of known tools that agents may use: those that no rule disables and that are not held."`
	ToolsDisabled   int               `json:"tools_disabled,omitempty" doc:"Number of further tools that the rules disable."`
	ItemsHeld       int               `json:"items_held,omitempty" doc:"Number of tools and other items that a person has to approve before agents see them."`
	ToolTokens      int               `json:"tool_tokens" doc:"Number of tokens that the definitions of these tools take in a model's context (o200k_base); 0 until they are counted."`
	LastError       string            `json:"last_error,omitempty" doc:"Why the last start, check or call of the server failed, for people. It begins with the reason that the server itself gave, if any."`
	MissingVariable string            `json:"missing_variable,omitempty" doc:"Name of the environment variable that the server lacks, from its output at the last failure. Store a secret of this name for the server, then start the server again."`
	MissingSecret   bool              `json:"missing_variable_secret,omitempty" doc:"Whether the value of missing_variable is a credential, which belongs in the vault."`
	References      []string          `json:"secret_references,omitempty" doc:"Names of the secrets that the configuration refers to: NAME, or OWNER/NAME for a secret of another server."`
	LaunchHash      string            `json:"launch_hash" doc:"Hash of the launch, that is, of all parts of the configuration that determine what runs when the server starts. Send it when you approve the server, so that the approval fails if the configuration has changed."`
	Plaintext       []string          `json:"plaintext" doc:"Places in the configuration that contain a credential, which could be moved to the vault: env.NAME, args[3], headers.NAME or url."`
	Origin          string            `json:"origin,omitempty" doc:"Where a server that waits for approval comes from, as the end of a sentence that begins with its name, such as: imported from cursor."`
	ProposedBy      string            `json:"proposed_by,omitempty" doc:"Name of the client whose agent proposed the server, as the client reports it."`
	Notes           []string          `json:"notes,omitempty" doc:"Notes for the person who adds the server, as sentences; missing later. They say which credentials of the configuration are stored as secrets, which stay in plain text and why, and which server has almost the same name."`
	Risk            *risk.Assessment  `json:"risk,omitempty" doc:"The risk of starting a server that waits for approval."`
}

// Connection is one of the processes or connections of a server.
type Connection struct {
	Protocol string `json:"protocolVersion" doc:"Version of MCP that the hub and the server have negotiated."`
	PID      int    `json:"pid,omitempty" doc:"Process ID; left out for a remote server."`
	InFlight int    `json:"in_flight" doc:"Number of calls in flight."`
}

// Tool is the API's view of a known tool.
type Tool struct {
	ID          int64           `json:"id" doc:"Unique identifier of the tool."`
	ServerID    int64           `json:"server_id" doc:"Unique identifier of the tool's server."`
	Name        string          `json:"name"`
	Title       string          `json:"title" doc:"Title to show to people; empty when the tool has none."`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema,omitempty" doc:"JSON schema of the arguments; null if the tool has none. Missing if the request has brief=true."`
	Hash        string          `json:"hash" doc:"Hash of everything that a model sees of the tool: name, description and schemas."`
	Tokens      int             `json:"tokens" doc:"Number of tokens that the definition takes in a model's context (o200k_base); 0 until it is counted."`
}

// serverDetail is a server with its tools and the last lines of its standard error.
type serverDetail struct {
	Server
	Tools       []Tool       `json:"tools"`
	Stderr      string       `json:"stderr,omitempty" doc:"The last lines that the server's process wrote to standard error."`
	Corrections []Correction `json:"corrections,omitempty" doc:"Items that the hub corrects or leaves out in the lists for clients, because clients could otherwise reject the whole list."`
}

// Correction describes an item that the hub changes or omits in the lists for clients, because clients would reject
// the whole list.
type Correction struct {
	Kind    mcpshape.Kind `json:"kind" enum:"tool,prompt,resource,resource template"`
	Name    string        `json:"name" doc:"Name of a tool or a prompt, or URI of a resource or a template; empty if the item has none."`
	LeftOut bool          `json:"left_out" doc:"Whether the whole item is left out of the lists for clients."`
	Changes []string      `json:"changes" doc:"Descriptions of the corrected and removed members of the item, or the reasons why the whole item is left out."`
}

// Servers holds the operations on configured servers.
type Servers struct {
	Registry  *registry.Registry
	Intake    *intake.Intake
	Lifecycle *lifecycle.Manager
	Download  func(registry.Server) // downloads the package of a server in the background
	Trust     *quarantine.Keeper
	Catalog   *catalog.Catalog
	Stderr    func(server string) string
	// Corrections returns the items of a server that the hub changes or omits in the lists for clients.
	Corrections func(server string) []corrections.Correction
	Views       *Views
}

// Routes adds the operations with their handlers to a route table.
func (s *Servers) Routes(t *route.Table) {
	g := t.Group("servers")
	route.Add(g, route.Get("/api/servers", "List servers"), s.list)
	route.Add(g, route.Post("/api/servers", "Add a server").Creates(), s.add)
	route.Add(g, route.Get("/api/servers/{id}", "Retrieve a server and its tools"), s.get)
	route.Add(g, route.Put("/api/servers/{id}", "Update a server"), s.update)
	route.Add(g, route.Delete("/api/servers/{id}", "Delete a server"), s.remove)
}

type listInput struct {
	Query     string `query:"query" doc:"Text to search for in names, descriptions and tags."`
	Source    string `query:"source" doc:"Only servers from this source."`
	Installed string `query:"installed" doc:"If true, only installed servers."`
}

func (s *Servers) list(ctx context.Context, in *listInput) (*route.Reply[[]Server], error) {
	servers, err := s.Registry.Search(ctx, in.Query)
	if err != nil {
		return nil, err
	}
	out := []Server{}
	for _, v := range servers {
		if (in.Source == "" || v.Source == in.Source) && (in.Installed != "true" || v.Installed) {
			out = append(out, s.Views.Server(v))
		}
	}
	return route.OK(out)
}

func (s *Servers) get(_ context.Context, in *ServerInput) (*route.Reply[serverDetail], error) {
	v, err := lookup(s.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	detail := serverDetail{Server: s.Views.Server(v), Tools: []Tool{}, Stderr: s.Stderr(v.Name)}
	for _, t := range s.Catalog.Snapshot().Of(v.Name) {
		detail.Tools = append(detail.Tools, toolView(v.ID, t, true))
	}
	for _, c := range s.Corrections(v.Name) {
		detail.Corrections = append(detail.Corrections, Correction(c))
	}
	slices.SortFunc(detail.Tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	return route.OK(detail)
}

// toolView returns the API's view of a tool. schema says whether it contains the input schema.
func toolView(server int64, t *catalog.Tool, schema bool) Tool {
	out := Tool{ID: t.ID, ServerID: server, Name: t.Name, Title: t.Title, Description: t.Description, Hash: t.Hash, Tokens: t.Tokens}
	if schema {
		if out.InputSchema = t.InputSchema(); out.InputSchema == nil {
			out.InputSchema = json.RawMessage("null")
		}
	}
	return out
}

// ServerFields are the fields that can be set when a server is added or updated. A nil field leaves the value as it
// is.
type ServerFields struct {
	Description *string             `json:"description,omitempty"`
	Command     *string             `json:"command,omitempty" doc:"Program that starts a stdio server."`
	Transport   *string             `json:"transport,omitempty" doc:"stdio, streamable-http or sse. It is ignored for a server that has a command and no homepage. If it is missing for a new server, the default is stdio for a server that has a command or no homepage, sse if the path of homepage ends in /sse, and otherwise streamable-http."`
	Homepage    *string             `json:"homepage,omitempty" doc:"URL of a remote server."`
	Headers     map[string]string   `json:"headers,omitempty" doc:"HTTP headers to send to a remote server with each request."`
	KeepRunning *bool               `json:"keep_running,omitempty" doc:"Whether to start the server with the hub and not stop it when idle."`
	Isolation   *string             `json:"isolation,omitempty" enum:"shared,session" doc:"Whether all clients share one process or connection (shared, the default), or each session of a client has its own (session)."`
	Dir         *string             `json:"cwd,omitempty" doc:"Working folder of a stdio server: an absolute path, or one that begins with ~/ or a reference to a variable, such as ${env:NAME}. If it is empty, the server starts in the home folder. A confined server must be allowed to read the folder."`
	Start       *string             `json:"start_timeout,omitempty" doc:"How long the server may be silent while it starts, such as 5m. A start goes on while the server writes to standard error, up to ten times as long. If it is empty, limits.start_timeout applies."`
	Call        *string             `json:"call_timeout,omitempty" doc:"How long a call may have neither an answer nor progress, such as 5m. If it is empty, limits.call_timeout applies."`
	Account     *string             `json:"account,omitempty" maxLength:"60" doc:"Label of the account that the server uses, if the same server is configured for several accounts."`
	Args        loosejson.Strings   `json:"args,omitempty" doc:"Arguments of the command."`
	Env         loosejson.StringMap `json:"env,omitempty" doc:"Environment variables of the server's process."`
	Tags        loosejson.Strings   `json:"tags,omitempty"`
}

// check returns a fault.Invalid if a field has a value that no server can have.
func (f ServerFields) check() error {
	for _, limit := range []*string{f.Start, f.Call} {
		if limit != nil {
			if _, err := registry.ParseTimeout(*limit); err != nil {
				return err
			}
		}
	}
	var v registry.Server
	f.apply(&v)
	return v.Check()
}

func (f ServerFields) apply(v *registry.Server) {
	set := func(to, from *string) {
		if from != nil {
			*to = *from
		}
	}
	set(&v.Description, f.Description)
	set(&v.Command, f.Command)
	set(&v.URL, f.Homepage)
	// Clients of the original product always send a transport, even a remote one for a server that has only a command.
	if f.Transport != nil {
		transport, err := registry.TransportFor(*f.Transport, v.Command, v.URL)
		if err != nil {
			transport = *f.Transport // the callers refuse unknown ones
		}
		if transport == "stdio" || v.URL != "" || v.Command == "" {
			v.Transport = transport
		}
	}
	if f.Headers != nil {
		v.Headers = f.Headers
	}
	set(&v.Isolation, f.Isolation)
	set(&v.Account, f.Account)
	set(&v.Dir, f.Dir)
	limit := func(to *time.Duration, from *string) {
		if from != nil {
			*to, _ = registry.ParseTimeout(*from) // check has returned the error
		}
	}
	limit(&v.Timeouts.Start, f.Start)
	limit(&v.Timeouts.Call, f.Call)
	if f.KeepRunning != nil {
		v.KeepRunning = *f.KeepRunning
	}
	if f.Args != nil {
		v.Args = f.Args
	}
	if f.Env != nil {
		v.Env = f.Env
	}
	if f.Tags != nil {
		v.Tags = f.Tags
	}
}

type newServerFields struct {
	Name   string `json:"name" pattern:"^[A-Za-z0-9._][A-Za-z0-9._-]{0,63}$" doc:"Unique name, without two consecutive underscores. It must not consist only of dots."`
	Source string `json:"source,omitempty" doc:"Origin of the configuration, such as local (the default), manual or bundle."`
	Level  string `json:"sandbox,omitempty" enum:"off,guard,strict" doc:"How to confine the processes of a stdio server: off (the default), guard or strict."`
	Start  *bool  `json:"start,omitempty" doc:"Whether to start the server once in the background, to list its tools; true by default. If false, the server starts with the first call, and its tools are unknown until then."`
	Warm   *bool  `json:"warm,omitempty" doc:"Whether to download the package of the server now if start is false; true by default."`
	// Secrets are stored before the server is started for the first time.
	Secrets map[string]string `json:"secrets,omitempty" doc:"Maps names of secrets to their values. An environment variable or header gets the value of the secret of the same name, unless env or headers contains another value for it."`
	ServerFields
	// Clients of the original product may send values of other types. These are ignored.
	Args loosejson.StringsOrNone   `json:"args,omitempty" doc:"Arguments of the command."`
	Env  loosejson.StringMapOrNone `json:"env,omitempty" doc:"Environment variables of the server's process."`
	Tags loosejson.StringsOrNone   `json:"tags,omitempty"`
}

type addServerInput struct{ route.Object[newServerFields] }

func (s *Servers) add(ctx context.Context, in *addServerInput) (*route.Reply[Server], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	v := registry.Server{
		Name: body.Name, Source: cmp.Or(body.Source, "local"), Sandbox: body.Level, Deferred: body.Start != nil && !*body.Start,
	}
	if err := body.check(); err != nil {
		return nil, err
	}
	body.apply(&v)
	v.Args, v.Env, v.Tags = body.Args, body.Env, body.Tags
	// AnyTransport is set because the original product accepts an unknown transport for a server with a command and a
	// homepage.
	a := intake.Arrival{
		Server: v, Origin: intake.Script, Values: body.Secrets, Readable: true, AnyTransport: v.Command != "" && v.URL != "",
	}
	if guard.ByPerson(ctx) {
		a.Origin = intake.Person
	}
	out, err := s.Intake.Add(ctx, a)
	if err != nil {
		return nil, err
	}
	if out.Server.Deferred && (body.Warm == nil || *body.Warm) {
		s.Download(out.Server)
	}
	view := s.Views.Server(out.Server)
	view.Notes = out.Notes()
	return route.Created(view)
}

type changedFields struct {
	ServerFields
	LaunchHash string `json:"launch_hash,omitempty" doc:"The launch_hash of the configuration that the person has reviewed. The request fails if the configuration has changed since."`
}

func (s *Servers) update(ctx context.Context, in *serverBody[changedFields]) (*route.Reply[Server], error) {
	v, err := lookup(s.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if err := body.check(); err != nil {
		return nil, err
	}
	body.apply(&v)
	alone := reflect.DeepEqual(body.ServerFields, ServerFields{Transport: body.Transport})
	if t := body.Transport; t != nil {
		transport, err := registry.TransportFor(*t, v.Command, v.URL)
		if err == nil && transport != "stdio" && v.URL == "" && (v.Transport == transport || alone) {
			return nil, fault.New(fault.Invalid, "homepage is required for the transport %s", *t)
		}
		if _, err := registry.TransportFor(v.Transport, v.Command, v.URL); err != nil {
			return nil, err
		}
	}
	if body.Homepage != nil || body.Transport != nil || body.Command != nil || body.Args != nil {
		if err := s.Intake.CheckLaunch(v); err != nil {
			return nil, err
		}
	}
	var changed error
	edit := func(v *registry.Server) {
		if body.LaunchHash != "" {
			changed = lifecycle.Unchanged(*v, body.LaunchHash)
		}
		if changed == nil {
			body.apply(v)
		}
	}
	if guard.ByPerson(ctx) {
		s.Trust.Expect(v)
	}
	out, err := s.Intake.Update(ctx, v.Name, edit)
	if err = cmp.Or(err, changed); err == nil && guard.ByPerson(ctx) {
		err = s.Trust.Accept(ctx, v.Name, false)
	}
	if err != nil {
		return nil, err
	}
	view := s.Views.Server(out.Server)
	view.Notes = out.Notes()
	return route.OK(view)
}

func (s *Servers) remove(ctx context.Context, in *ServerInput) (*route.Reply[map[string]string], error) {
	v, err := lookup(s.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.Lifecycle.Remove(ctx, v.Name); err != nil {
		return nil, err
	}
	s.Views.forget(v.ID)
	return statusOnly("deleted")
}
