package hub

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/process"
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
	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/doors/api"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/doors/credentials"
	"github.com/agent-discover/agent-discover/backend/doors/endpoint"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/danger"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/registrytool"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/market/downloads"
	"github.com/agent-discover/agent-discover/backend/market/proposals"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/firststart"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/oauth"
	"github.com/agent-discover/agent-discover/backend/servers/readiness"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/store"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

type discovery struct {
	catalog   *catalog.Catalog
	builtin   embedding.Builtin // the encoder of all parts of the hub
	transport transport         // for requests to models
	embedding *embedding.Index
	learning  *learning.Learning
	search    *search.Searcher
}

type servers struct {
	registry  *registry.Registry
	vault     *vault.Vault
	oauth     *oauth.Manager
	first     *firststart.Starter
	readiness *readiness.Reader
	toolsets  *toolset.Keeper
	features  *features.Keeper
	audit     *audit.Log
	journal   *journal.Journal
	inbox     *inspector.Inbox
	approvals *rules.Approvals
	trust     *quarantine.Keeper
	packages  *downloads.Installer
	sandbox   *sandbox.Sandbox
	results   *screen.Screen
	upstream  *upstream.Manager
	calls     *call.Pipeline
	intake    *intake.Intake
	lifecycle *lifecycle.Manager
	migrator  *secretmigration.Migrator
	policy    rules.Current
	downloads *downloads.Downloader
	inspector *inspector.Inspector
	setup     *setup.Syncer
	imports   *setup.Importer
}

type doors struct {
	clients   *gateway.ClientHistory
	gateway   *gateway.Gateway
	companion *companion.Hub
	tokens    *credentials.Keeper
	endpoint  *endpoint.Endpoint
	api       *api.Door
}

// loginEnv waits for the environment of the user's login shell and returns it. If ctx ends first, it returns a minimal
// environment.
type loginEnv func(context.Context) process.Env

// compose creates all parts and concurrently loads the tools of the catalog, because both take long.
func (h *Hub) compose(ctx context.Context, config settings.Settings) error {
	h.discovery.catalog = catalog.New(h.store.Tools, h.bus, h.log)
	var loading errgroup.Group
	loading.Go(func() error { return h.discovery.catalog.Load(ctx) })
	if err := errors.Join(h.composeParts(ctx, config), loading.Wait()); err != nil {
		return err
	}
	return h.discovery.catalog.Recall(ctx, h.servers.trust.Withholding())
}

// composeParts creates all parts, each one after those that it depends on. Nothing runs yet.
func (h *Hub) composeParts(ctx context.Context, config settings.Settings) error {
	h.login = newLoginShell(h.log)
	login := loginEnv(h.login.environment)
	var err error
	if h.doors.tokens, err = credentials.Open(ctx, credentials.Options{Store: h.store.Credentials, Bus: h.bus, Log: h.log}); err != nil {
		return err
	}
	if err := h.composeDiscovery(ctx, config, login); err != nil {
		return err
	}
	if err := h.composeServers(ctx, config, login); err != nil {
		return err
	}
	if err := h.composeEditors(config, login); err != nil {
		return err
	}
	if err := h.composeMarket(ctx, config, login); err != nil {
		return err
	}
	h.composeDoors(config)
	h.setPolicy(config)
	h.settings.Apply(h.setPolicy, "discovery")
	h.settings.Apply(func(s settings.Settings) { h.servers.upstream.SetLimits(s.Limits) }, "limits")
	return h.finishRenames(ctx)
}

// outdated returns a function that reports whether the tools of a server must be listed again. They must if the
// setting discovery.cache is off, or if they were listed longer ago than this setting allows. The tools of a server
// that has not been listed since the start of this hub count as listed at that start.
func (h *Hub) outdated(started time.Time) func(server string) bool {
	return func(server string) bool {
		cache, listed := h.settings.State().Settings.Discovery.Cache, h.servers.upstream.Discoveries.ListedAt(server)
		if listed.IsZero() {
			listed = started
		}
		return !cache.Enabled || time.Since(listed) > time.Duration(cache.TTL)
	}
}

// agentsMay returns the current value of the setting agents.install.
func (h *Hub) agentsMay() registry.Permission {
	return registry.Permission(h.settings.State().Settings.Agents.Install)
}

// setPolicy replaces the tool policy with one made from s.
func (h *Hub) setPolicy(s settings.Settings) {
	h.servers.policy.Set(rules.New(rules.Options{Discovery: s.Discovery, Destroys: danger.MayDestroy, ClientID: gateway.ClientID}))
	events.Publish(h.bus, catalog.ShownChanged{})
	h.doors.gateway.RulesChanged()
}

func (h *Hub) composeDiscovery(ctx context.Context, config settings.Settings, login loginEnv) (err error) {
	d := &h.discovery
	d.transport = newTransport(login, h.log)
	shown := rules.Shown{Catalog: d.catalog, Policy: &h.servers.policy}
	d.builtin = embedding.Builtin{Encoder: h.options.Encoder, Model: minilm.Model, Dimensions: minilm.Dimensions}
	if d.builtin.Encoder == nil {
		d.builtin.Encoder = minilm.New()
	}
	d.embedding = embedding.New(embedding.Options{
		Settings: config.Search, Builtin: d.builtin, Catalog: shown, Store: h.store.ToolVectors, Bus: h.bus, Log: h.log,
		Transport: d.transport,
	})
	d.learning, err = learning.Open(ctx, learning.Options{
		Store: h.store.Learning, Bus: h.bus, Log: h.log, Redact: h.redactor.Head, On: config.Search.Learning,
		Expired: func(age time.Duration) time.Time { return h.servers.audit.Expired(age) }, // opened after learning
	})
	if err != nil {
		return err
	}
	d.search = search.New(search.Options{Catalog: shown, Bus: h.bus, Meaning: d.embedding, Learned: d.learning, Spelled: minilm.Knows})
	return nil
}

func (h *Hub) composeServers(ctx context.Context, config settings.Settings, login loginEnv) (err error) {
	s := &h.servers
	if s.registry, err = registry.Open(ctx, h.store.Servers, h.bus); err != nil {
		return err
	}
	if s.features, err = features.Open(ctx, h.store.Features, h.bus); err != nil {
		return err
	}
	if s.audit, err = h.openAudit(ctx, config); err != nil {
		return err
	}
	s.journal, err = journal.Open(ctx, journal.Options{
		Store: h.store.Calls, Bus: h.bus, Log: h.log, Retention: config.Log.Retention(), Audit: s.audit, Await: h.redactor.Await,
	})
	if err != nil {
		return err
	}
	s.vault = h.openVault()
	s.oauth = h.openOAuth(config.OAuth.ClientIDDocument)
	s.inbox = inspector.NewInbox(inspector.InboxOptions{
		Records: s.journal, Bus: h.bus, Sampler: sampler(config.Sampling, h.discovery.transport), Answers: h.store.Answers, Vault: s.vault,
		Configured: s.registry.Get, Log: h.log, Timeout: h.options.AnswerTimeout,
	})
	if s.approvals, err = rules.OpenApprovals(ctx, h.store.ToolApprovals); err != nil {
		return err
	}
	if err = h.openTrust(ctx, config); err != nil {
		return err
	}
	s.packages = downloads.NewInstaller(h.log)
	s.sandbox = h.openSandbox(config, login)
	s.upstream = upstream.New(upstream.Options{
		Confiner: s.sandbox,
		Registry: s.registry, Catalog: h.discovery.catalog, Features: s.features, Gate: s.trust, Bus: h.bus, Log: h.log,
		Limits: config.Limits, Roots: config.Roots, Version: h.options.Version, Children: h.options.Folder.Run("children.json"),
		Environment: login, LoginProblem: h.login.problem,
		Secrets: s.vault, Known: h.redactor, Window: s.inbox.Window(), Pause: pauseSetting(h.options.Folder),
		Authorize: s.authorize,
	})
	h.composeFirstStart()
	renew := func(server string) { s.upstream.Renew(server); s.first.Again(server) }
	s.oauth.OnChange(renew)
	s.vault.OnChange(func(name string) {
		if server, err := s.registry.Get(name); err == nil {
			s.oauth.Reconsider(server.ID, name)
		}
		renew(name)
	})
	s.toolsets, err = toolset.Open(ctx, toolset.Options{
		Store: h.store.Toolsets, Catalog: h.discovery.catalog, Registry: s.registry, Bus: h.bus,
		Policy: h.agentsMay, Removed: h.doors.tokens.ForgetToolset,
		Held: func(tool catalog.Key) error {
			server, err := s.registry.Get(tool.Server)
			if err != nil {
				return nil // the toolset says that the tool is missing
			}
			return s.trust.RefuseTool(server, tool.Tool)
		},
		Accept: func(ctx context.Context, t *catalog.Tool) error {
			return s.trust.AcceptTool(ctx, t.Server, t.OwnName(), t.Definition)
		},
	})
	if err == nil {
		h.composeUses(config, login)
	}
	return err
}

// composeUses composes the packages that change, call and inspect servers.
func (h *Hub) composeUses(config settings.Settings, login loginEnv) {
	s := &h.servers
	s.lifecycle = lifecycle.New(lifecycle.Options{
		Registry: s.registry, Catalog: h.discovery.catalog, Processes: s.upstream, Vault: s.vault,
		Metrics: records{
			s.journal, s.features, h.discovery.learning, h.doors.tokens, s.inbox, s.approvals, s.toolsets, s.trust, h.forgetFiles,
		}, Names: serverNames{h}, Hold: s.first.Hold, Again: s.packages.Retry, Policy: h.agentsMay, Log: h.log,
	})
	s.migrator = secretmigration.New(s.registry, s.vault)
	s.intake = intake.New(intake.Options{
		Registry: s.registry, Vault: s.vault, Migrator: s.migrator, Policy: h.agentsMay, Hold: s.first.Hold, Remove: s.lifecycle.Remove,
		Trust: s.trust, Ports: func() []int { return []int{h.info.Port, config.Port} },
	})
	s.downloads = downloads.New(downloads.Options{
		Registry: s.registry, Running: s.upstream, Environment: login, Refuse: s.trust.RefuseStart, Confined: s.sandbox,
		Background: config.WarmPackages, Folder: h.options.Folder.Run("downloads"), Bus: h.bus, Log: h.log,
	})
	s.results = h.newScreen()
	s.calls = call.New(call.Options{
		Registry: s.registry, Upstream: s.upstream, Journal: s.journal, Rules: &s.policy, Approvals: s.approvals, Person: s.inbox,
		Catalog: h.discovery.catalog, Features: s.features, Quarantine: s.trust, Screen: s.results, Bus: h.bus, Log: h.log,
		Near:       func(client, server, tool string) []string { return h.doors.gateway.Near(client, server, tool) },
		MustRecord: func() bool { return h.settings.State().Settings.Audit.Required },
	})
	s.inspector = inspector.New(inspector.Options{
		Servers: s.upstream, Configured: s.registry.Get, Inbox: s.inbox, Pipeline: s.calls, Presets: h.store.Presets,
	})
	s.setup = setup.New(setup.Options{
		Registry: s.registry, Intake: s.intake, Lifecycle: s.lifecycle, Secrets: s.vault, File: config.SetupFile, Variable: variable(login),
		Log: h.log,
	})
	s.imports = setup.NewImporter(setup.ImportOptions{
		Registry: s.registry, Intake: s.intake, Catalog: h.discovery.catalog, Secrets: s.vault, Metrics: importedMetrics{s.journal},
		Presets: h.store.Presets, Imported: s.trust.Forget, Read: store.ReadOriginal, Folder: h.options.Folder.Run(""), Log: h.log,
	})
}

func (h *Hub) composeDoors(config settings.Settings) {
	d, s := &h.doors, &h.servers
	d.clients = gateway.NewClientHistory(h.store.Clients, h.log)
	d.gateway = gateway.New(gateway.Options{
		Registry: s.registry, Catalog: h.discovery.catalog, Features: s.features, Search: h.discovery.search, Intake: s.intake,
		Lifecycle: s.lifecycle, Setup: s.setup, Calls: s.calls, Rules: &s.policy, Usage: s.journal, SessionTools: h.store.SessionTools,
		Slugs: h.store.Slugs, History: d.clients, Learning: h.discovery.learning, Toolsets: s.toolsets, Bus: h.bus, Log: h.log,
		Version: h.options.Version, StateKey: stateKey(h.options.Folder, h.log), Person: person{s.inbox, s.approvals},
		Readiness: s.readiness, Arrivals: arrivals{s.first, h.discovery.embedding}, SignIns: signIns{s.oauth},
		Market: agentMarket{
			proposals.New(proposals.Options{Market: h.market.marketplace, Registry: s.registry, Policy: s.intake.Policy}),
		},
		AddFound: addFound(config.SessionTools, h.log), ResultsFolder: config.Results.Folder, Outdated: h.outdated(time.Now()),
	})
	d.companion = &companion.Hub{
		Info: h.info, Serve: d.serveCompanion, Stop: h.Stop, Admit: guard.Admit, Log: h.log,
		Busy: func() bool { return s.upstream.InFlight() > 0 },
	}
	d.endpoint = endpoint.New(endpoint.Options{
		Open:      func(ctx context.Context, o gateway.Opening) endpoint.Session { return d.gateway.Open(ctx, o) },
		Principal: api.PrincipalOf, Log: h.log,
		Knows: func(server string) bool {
			_, err := s.registry.Get(server)
			return err == nil
		},
		Usable: s.toolsets.Usable,
	})
	entry := h.editors.registrar.Entry()
	d.api = api.New(api.Options{
		Info: h.info, Stop: h.Stop, Sessions: h.openSessions(), Timeouts: h.options.Timeouts,
		Servers: api.Servers{
			Registry: s.registry, Catalog: h.discovery.catalog, Intake: s.intake, Lifecycle: s.lifecycle, Downloads: s.downloads,
			Upstream: s.upstream, Traces: s.upstream.Traces, Listed: s.upstream.Discoveries, Readiness: s.readiness, Calls: s.calls,
			Inspector: s.inspector, Inbox: s.inbox, Approvals: s.approvals, Trust: s.trust, Results: s.results, Journal: s.journal,
			Audit: s.audit, Sandbox: s.sandbox, Widened: s.recordWidened, ToolHistory: h.store.Tools.ToolHistory,
			ToolsSeen: h.store.Tools.ToolsSeen, Corrections: h.corrections,
			Secrets: api.Secrets{
				Vault: s.vault, Migrator: s.migrator, Names: func(server string) []string { return secretNames(s.vault, server, h.log) },
			},
			OAuth: s.oauth, Toolsets: s.toolsets,
			Setup: api.Setup{Syncer: s.setup, Importer: s.imports},
		},
		Discovery: api.Discovery{Embedding: h.discovery.embedding, Learning: h.discovery.learning},
		Editors: api.Editors{
			Registrar: h.editors.registrar, Importer: h.editors.importer, Guide: h.editors.guide, Doctor: h.editors.doctor,
			ChangeSetting: h.changeSetting,
			Entry: operations.EditorEntry{
				Name: registration.Name, Command: entry.Command, Args: entry.Args, Env: entry.Env, Text: h.editors.registrar.EntryText(),
			},
		},
		Clients: api.Clients{
			Gateway: d.gateway, Companion: d.companion, Endpoint: d.endpoint, Tokens: d.tokens, ChooseResults: h.chooseResults,
		},
		Config: api.Config{File: h.options.Folder.Config(), Live: h.settings, Edit: settingsEditor, Policy: &h.servers.policy},
		Market: api.Market{
			Marketplace: h.market.marketplace, Installer: h.market.installer, Programs: h.market.programs, Preview: h.market.preview.Of,
			Mirror: h.market.mirror, Updates: h.market.updates, Personas: h.market.personas, Backup: h.market.backup,
			SyncFolder: h.market.syncFolder,
		},
		Roots: config.Roots, Bus: h.bus, Log: h.log,
	})
	h.settings.Apply(func(s settings.Settings) { d.gateway.SetResultsFolder(s.Results.Folder) }, "results")
	h.settings.Apply(func(s settings.Settings) { h.editors.registrar.SetAuto(s.Editors.AutoRegister) }, "editors.auto_register")
	h.settings.Apply(func(s settings.Settings) { d.gateway.SetAddFound(addFound(s.SessionTools, h.log)) }, "session_tools")
}

// addFound returns, by editor id, whether find_tool adds the tools that it finds to the session's tool list. It logs
// and skips unknown ids.
func addFound(of settings.SessionTools, log *slog.Logger) map[string]bool {
	out := make(map[string]bool)
	for _, list := range []struct {
		ids []string
		on  bool
	}{{of.On, true}, {of.Off, false}} {
		for _, id := range list.ids {
			e, known := table.ByID(id)
			if !known {
				log.Warn("unknown client in the setting session_tools; see: agent-discover editors list --all", "client", id)
				continue
			}
			out[e.ID] = list.on
		}
	}
	return out
}

// chooseResults stores in the settings file which folder gets the files with long results. The change takes effect at
// once, for all sessions.
func (h *Hub) chooseResults(entered string) (folder string, err error) {
	if folder, err = settings.ResultsFolder(entered); err != nil {
		return "", err
	}
	_, err = h.changeSetting([]string{"results", "folder"}, folder)
	return folder, err
}

// serveCompanion serves the session of a client that has started a companion.
func (d *doors) serveCompanion(ctx context.Context, session string, entry companion.Entry, stream io.ReadWriter) error {
	return d.gateway.Serve(ctx, gateway.Opening{
		ID: session, Client: entry.Client, Surface: entry.Surface, Folder: entry.Folder, Credential: entry.Client, Toolset: entry.Toolset,
		Project: gateway.Project{File: entry.File, Wants: entry.Toolset, Problem: entry.Problem},
	}, stream)
}

// openSessions opens the sessions of browsers that show the dashboard.
func (h *Hub) openSessions() *guard.Sessions {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then no folder of a snap is found
	}
	return guard.OpenSessions(guard.SessionOptions{
		Address: h.info.Address(), File: h.options.Folder.Run("sessions.json"),
		Redirects: guard.Redirects{Folder: h.options.Folder, Home: home}, Log: h.log,
	})
}

// records are the stores of data about servers, without the store of tools. They hold the log and metrics of calls,
// the lists of prompts and resources, the usage data from which the search learns, the tokens of endpoints, sign-ins,
// remembered answers, approvals of calls, toolsets, approved and held definitions, and sandbox folders.
type records struct {
	*journal.Journal
	features *features.Keeper
	learning *learning.Learning
	tokens   *credentials.Keeper
	inbox    *inspector.Inbox
	approved *rules.Approvals
	toolsets *toolset.Keeper
	trust    *quarantine.Keeper
	files    func(ctx context.Context, server string) error // see Hub.forgetFiles
}

// Forget implements lifecycle.Metrics. It deletes the records of a removed
// server, so that a later server of the same name does not inherit them.
func (r records) Forget(ctx context.Context, server string) error {
	return errors.Join(r.Journal.Forget(ctx, server), r.features.Forget(ctx, server), r.learning.ForgetServer(ctx, server),
		r.tokens.Forget(ctx, server), r.inbox.Forget(ctx, server), r.approved.Forget(ctx, server), r.toolsets.Forget(ctx, server),
		r.trust.Forget(ctx, server), r.files(ctx, server))
}

// importedMetrics adds the metrics of an imported database to the journal.
type importedMetrics struct{ journal *journal.Journal }

// AddMetric implements setup.Metrics.
func (i importedMetrics) AddMetric(ctx context.Context, m setup.Metric, dry bool) (bool, error) {
	return i.journal.Add(ctx, journal.Tally{
		Server: m.Server, Tool: m.Tool, Calls: m.Calls, Errors: m.Errors, Latency: m.Latency, Last: m.LastAt,
	}, dry)
}

// agentMarket implements registrytool.Market: it lets agents browse the marketplace and propose servers.
type agentMarket struct{ proposals *proposals.Proposals }

// Browse implements registrytool.Market.
func (m agentMarket) Browse(ctx context.Context, q registrytool.MarketQuery) (any, error) {
	return m.proposals.Browse(ctx, proposals.Query(q))
}

// Propose implements registrytool.Market.
func (m agentMarket) Propose(ctx context.Context, p registrytool.MarketProposal) (any, error) {
	return m.proposals.Propose(ctx, proposals.Proposal(p))
}
