// Package api serves HTTP: the REST API, the WebSocket that pushes events, and the pages of the dashboard, all on the
// hub's one port. The window, the tray icon, the command line and scripts control the hub through it. The package only
// combines its subpackages:
//
//	guard ─┬─ route ── operations (the REST API), described by openapi
//	       ├─ push (the WebSocket)
//	       └─ static (files of the dashboard)
package api

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/audit"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/calls/screen"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/openapi"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/doors/api/push"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/doors/api/static"
	"github.com/agent-discover/agent-discover/backend/doors/credentials"
	"github.com/agent-discover/agent-discover/backend/doors/endpoint"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/editors/doctor"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/editors/onboarding"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/market/backup"
	"github.com/agent-discover/agent-discover/backend/market/downloads"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/marketplace"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
	"github.com/agent-discover/agent-discover/backend/market/persona"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
	"github.com/agent-discover/agent-discover/backend/market/preview"
	"github.com/agent-discover/agent-discover/backend/market/syncfolder"
	"github.com/agent-discover/agent-discover/backend/market/updates"
	"github.com/agent-discover/agent-discover/backend/servers/corrections"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/oauth"
	"github.com/agent-discover/agent-discover/backend/servers/readiness"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
	"github.com/agent-discover/agent-discover/frontend"
)

// Options are the parts of the hub that the HTTP handler uses.
type Options struct {
	Info     instance.Info // the address, token and version of the hub
	Stop     func()        // stops the hub; returns at once
	Sessions *guard.Sessions
	Timeouts guard.Timeouts

	Servers   Servers
	Discovery Discovery
	Editors   Editors
	Clients   Clients
	Config    Config
	Market    Market
	Roots     []string // URIs of the MCP roots that servers get

	Bus *events.Bus
	Log *slog.Logger
}

// Config holds the settings, the file that contains them, and the policy that is made from them.
type Config struct {
	File   string // path of the settings file
	Live   *settings.Live
	Edit   settings.Editor
	Policy *rules.Current
}

// Servers holds the parts that configure, run and call servers.
type Servers struct {
	Registry  *registry.Registry
	Catalog   *catalog.Catalog
	Intake    *intake.Intake
	Lifecycle *lifecycle.Manager
	Downloads *downloads.Downloader
	Upstream  *upstream.Manager
	Traces    *upstream.Traces
	Listed    *upstream.Discoveries
	Readiness *readiness.Reader
	// Corrections returns the items of a server that the hub changes or omits in the lists for clients.
	Corrections func(server string) []corrections.Correction
	Calls       *call.Pipeline
	Inspector   *inspector.Inspector
	Inbox       *inspector.Inbox // elicitations: questions of servers to the user
	Approvals   *rules.Approvals
	Trust       *quarantine.Keeper
	Results     *screen.Screen
	Journal     *journal.Journal
	Audit       *audit.Log
	Sandbox     *sandbox.Sandbox
	// Widened records in the journal and the audit log that a person has allowed a server more.
	Widened func(server, text string)
	// ToolHistory returns the changes of a tool's definition, the latest first.
	ToolHistory func(ctx context.Context, server, tool string) ([]catalog.Past, error)
	// ToolsSeen returns when the tools of a server, or of all servers if server is empty, were first listed and last changed.
	ToolsSeen func(ctx context.Context, server string) (map[catalog.Key]catalog.Seen, error)
	Secrets   Secrets
	OAuth     *oauth.Manager
	Toolsets  *toolset.Keeper
	Setup     Setup
}

// Secrets holds the parts that keep credentials.
type Secrets struct {
	Vault    *vault.Vault
	Migrator *secretmigration.Migrator
	Names    func(server string) []string // names of the secrets of a server; if nil, WebSockets receive no names
}

// Setup holds the parts that add servers from setup files and imported databases.
type Setup struct {
	Syncer   *setup.Syncer
	Importer *setup.Importer
}

// Discovery holds the parts of the search for tools.
type Discovery struct {
	Embedding *embedding.Index
	Learning  *learning.Learning
}

// Editors holds the parts that deal with AI editors.
type Editors struct {
	Registrar *registration.Registrar
	Entry     operations.EditorEntry // the command by which editors connect to the hub
	Importer  *importer.Importer
	Guide     *onboarding.Guide
	Doctor    *doctor.Doctor
	// ChangeSetting writes a value to the settings file and reads the file again.
	ChangeSetting func(keys []string, value any) (changed []string, err error)
}

// Market holds the parts of the marketplace.
type Market struct {
	Marketplace *marketplace.Marketplace
	Installer   *installer.Installer
	Programs    *prerequisites.Checker
	Preview     func(context.Context, registry.Server) (preview.Preview, error)
	Mirror      *mirror.Mirror
	Updates     *updates.Updates
	Personas    *persona.Personas
	Backup      *backup.Keeper
	SyncFolder  *syncfolder.Keeper
}

// Clients holds the parts that serve MCP clients.
type Clients struct {
	Gateway   *gateway.Gateway
	Companion http.Handler // serves companions, the programs that editors start as MCP servers
	Endpoint  http.Handler // serves MCP over HTTP
	Tokens    *credentials.Keeper
	// ChooseResults sets the folder in which clients may save images and files of long results.
	ChooseResults func(entered string) (folder string, err error)
}

// Door is the HTTP handler of the hub's port.
type Door struct {
	*guard.Guard
	sessions *guard.Sessions
	pusher   *push.Pusher
}

// New returns the handler. WebSockets receive nothing before Run is called.
func New(o Options) *Door {
	views := operations.NewViews(operations.ViewOptions{
		States: o.Servers.Upstream, Readiness: o.Servers.Readiness, Tools: o.Servers.Catalog, Calls: o.Servers.Journal,
		SignIns: o.Servers.OAuth, Policy: o.Config.Policy, Held: o.Servers.Trust.Waiting, Sandboxes: o.Servers.Sandbox,
	})
	mux := http.NewServeMux()
	table := route.NewTable(mux, openapi.Documents(o.Info.Version))
	for _, group := range groups(o, views) {
		group.Routes(table)
	}
	open := map[string]bool{"/companion": true} // companions authenticate on their socket
	mux.Handle("GET /companion", o.Clients.Companion)
	for _, path := range []string{endpoint.Path, endpoint.ServerPath, endpoint.SSEPath} {
		mux.Handle(path, o.Clients.Endpoint)
	}
	mux.HandleFunc(wellKnown, route.NotFound)
	for path, handler := range openapi.Handlers(table, socketChannel()) {
		open[path] = true
		mux.Handle("GET "+path, handler)
	}
	dashboard := static.NewDashboard(frontend.Files())
	mux.Handle("/", dashboard)

	pusher := newPusher(o, views)
	return &Door{sessions: o.Sessions, pusher: pusher, Guard: guard.New(guard.Options{
		Info: o.Info, Timeouts: o.Timeouts, Sessions: o.Sessions,
		Public: func(r *http.Request) bool {
			reads := r.Method == http.MethodGet || r.Method == http.MethodHead
			return reads && (open[r.URL.Path] || strings.HasPrefix(r.URL.Path, wellKnown)) || table.Public(r) || dashboard.Has(r)
		},
		Endpoint: endpoint.Serves, Clients: o.Clients.Tokens,
		Next: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if guard.WantsSocket(r) {
				pusher.ServeHTTP(w, r)
				return
			}
			mux.ServeHTTP(w, r)
		}),
	})}
}

// wellKnown is the prefix of the paths at which MCP clients look for the metadata of an authorization server. The hub
// has none, so it answers 404.
const wellKnown = "/.well-known/"

// PrincipalOf describes the credential that authenticated a request to the MCP endpoint.
func PrincipalOf(r *http.Request) endpoint.Principal {
	if grant := guard.GrantOf(r.Context()); grant != nil {
		return endpoint.Principal{
			ID: grant.ID, Name: grant.Name, Server: grant.Server(), Surface: grant.Surface, Client: grant.Client, Ended: grant.Ended(),
		}
	}
	if session := guard.SessionOf(r.Context()); session != nil {
		return endpoint.Principal{ID: "page-" + session.ID(), Anything: true, Ended: session.Ended()}
	}
	return endpoint.Principal{ID: "hub", Anything: true}
}

// groups returns the groups of REST operations, each with its dependencies.
func groups(o Options, views *operations.Views) []interface{ Routes(*route.Table) } {
	s := o.Servers
	return []interface{ Routes(*route.Table) }{
		&operations.Hub{
			Info: o.Info, Began: time.Now(), Sessions: o.Sessions, Registry: s.Registry, Catalog: s.Catalog, Upstream: s.Upstream,
			Journal: s.Journal, Held: s.Trust.Counts, Clients: o.Clients.Gateway.Clients, Stop: o.Stop,
			HTTPClients: func() (names []string) {
				for _, c := range o.Clients.Tokens.List() {
					names = append(names, c.Name)
				}
				return names
			},
		},
		&operations.Config{File: o.Config.File, Live: o.Config.Live, Change: o.Editors.ChangeSetting, Edit: o.Config.Edit},
		&operations.Rules{Policy: o.Config.Policy, Catalog: s.Catalog},
		&operations.Sessions{Sessions: o.Sessions},
		&operations.Tokens{
			Tokens: o.Clients.Tokens, Registry: s.Registry, Toolsets: s.Toolsets, Importer: o.Editors.Importer, Address: o.Info.Address(),
		},
		&operations.Servers{
			Registry: s.Registry, Intake: s.Intake, Lifecycle: s.Lifecycle, Download: s.Downloads.Later, Trust: s.Trust, Catalog: s.Catalog,
			Stderr: s.Upstream.Stderr, Corrections: s.Corrections, Views: views,
		},
		&operations.Parse{Importer: o.Editors.Importer},
		&operations.Activation{
			Registry: s.Registry, Lifecycle: s.Lifecycle, Intake: s.Intake, Accept: s.Trust.Accept, Views: views,
		},
		&operations.Sandboxes{
			Registry: s.Registry, Views: views, Forget: s.Sandbox.ForgetDenied, Granted: s.Sandbox.Granted, Widened: s.Widened,
		},
		&operations.Health{Registry: s.Registry, Upstream: s.Upstream},
		&operations.Prereqs{
			Registry: s.Registry, Programs: o.Market.Programs, Downloads: s.Downloads, Preview: o.Market.Preview, Roots: o.Roots,
		},
		&operations.Secrets{
			Registry: s.Registry, Vault: s.Secrets.Vault, Migrate: s.Secrets.Migrator.Migrate, Widened: s.Widened,
		},
		&operations.SignIns{Registry: s.Registry, OAuth: s.OAuth, Sessions: o.Sessions},
		&operations.Setup{Syncer: s.Setup.Syncer, Import: s.Setup.Importer.Import},
		&operations.Inspector{
			Registry: s.Registry, Requests: s.Inspector, Upstream: s.Upstream, Output: s.Traces.Output, Messages: s.Traces.Messages,
		},
		&operations.Transient{
			Inspector: s.Inspector, Describe: s.Upstream.Describe, Shown: s.Upstream.ShownTools, Widened: s.Widened,
		},
		&operations.Questions{Inbox: s.Inbox},
		&operations.ToolApprovals{Approvals: s.Approvals},
		&operations.Presets{Inspector: s.Inspector},
		&operations.Discovery{Registry: s.Registry, Catalog: s.Catalog, Servers: s.Upstream, Listed: s.Listed, History: s.ToolHistory},
		&operations.Tools{
			Registry: s.Registry, Catalog: s.Catalog, Policy: o.Config.Policy, Journal: s.Journal, FoundBy: o.Clients.Gateway.FoundBy,
			Held: s.Calls.Held, Meant: o.Clients.Gateway.Meant, Near: o.Clients.Gateway.Near, Readiness: s.Readiness, Seen: s.ToolsSeen,
		},
		&operations.Toolsets{Keeper: s.Toolsets, Policy: o.Config.Policy, Catalog: s.Catalog},
		&operations.Trust{Registry: s.Registry, Keeper: s.Trust},
		&operations.KeptResults{Screen: s.Results},
		&operations.Find{Find: o.Clients.Gateway.Find},
		&operations.Search{Status: o.Discovery.Embedding.Status},
		&operations.Learned{Learning: o.Discovery.Learning},
		&operations.Context{Use: o.Clients.Gateway.Context},
		&operations.Logs{Journal: s.Journal, Log: o.Log},
		&operations.Audit{Audit: s.Audit, Settle: s.Journal.Settle, Problem: s.Journal.Problem, Log: o.Log},
		&operations.Metrics{Registry: s.Registry, Journal: s.Journal, Now: time.Now},
		&operations.Editors{
			Registrar: o.Editors.Registrar, Entry: o.Editors.Entry, Check: o.Editors.Doctor.Run, Shown: o.Clients.Gateway,
			ChangeSetting: o.Editors.ChangeSetting,
		},
		&operations.Results{Folder: o.Clients.Gateway.ResultsFolder, Choose: o.Clients.ChooseResults},
		&operations.EditorImport{Importer: o.Editors.Importer},
		&operations.Onboarding{Guide: o.Editors.Guide},
		&operations.Market{Market: o.Market.Marketplace, Preview: o.Market.Preview},
		&operations.MarketJobs{Installer: o.Market.Installer, Programs: o.Market.Programs},
		&operations.MarketMirror{Mirror: o.Market.Mirror},
		&operations.MarketUpdates{Updates: o.Market.Updates, Policy: s.Intake.Policy},
		&operations.Personas{Personas: o.Market.Personas},
		&operations.Backup{Keeper: o.Market.Backup},
		&operations.SyncFolder{Keeper: o.Market.SyncFolder},
		&operations.Marketplace{Market: o.Market.Marketplace},
	}
}

func socketChannel() openapi.Channel {
	limits, messages := push.Messages()
	channel := openapi.Channel{Limits: limits}
	for _, m := range messages {
		channel.Messages = append(channel.Messages, openapi.Message(m))
	}
	return channel
}

func newPusher(o Options, views *operations.Views) *push.Pusher {
	s := o.Servers
	return push.New(push.Options{
		Version: o.Info.Version,
		State: push.State{
			Servers: s.Registry, Tools: s.Catalog, Totals: s.Journal.Totals, Running: s.Upstream.State, View: views.Server,
			SecretNames: s.Secrets.Names,
		},
		Status: push.Status{
			Paused: s.Upstream.Paused, InFlight: s.Calls.InFlight, Clients: o.Clients.Gateway.Clients, Held: s.Trust.Counts,
			Kept:    func() int { return len(s.Results.List()) },
			Problem: func() string { return operations.JournalProblem(s.Journal.Problem()) },
		},
		Learning: o.Discovery.Learning, Mirror: o.Market.Mirror, Output: s.Traces, Editors: o.Editors.Registrar, Attend: s.Inbox.Attend,
		Sessions: o.Sessions, Timeouts: o.Timeouts, Bus: o.Bus,
	})
}

// Run sends events to WebSockets until ctx ends, and then closes them. It also keeps the file of sessions up to date.
func (d *Door) Run(ctx context.Context) error {
	var saving sync.WaitGroup
	defer saving.Wait()
	saving.Go(func() { d.sessions.Run(ctx) })
	return d.pusher.Run(ctx)
}

// AwaitNoSockets returns when no WebSocket is open or ctx ends. waited is false when no WebSocket was open at the time
// of the call.
func (d *Door) AwaitNoSockets(ctx context.Context) (waited bool) { return d.pusher.AwaitNone(ctx) }
