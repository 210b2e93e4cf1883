package hub

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/doors/api"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/doors/credentials"
	"github.com/agent-discover/agent-discover/backend/doors/endpoint"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/inspector"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/listings"
	"github.com/agent-discover/agent-discover/backend/servers/oauth"
	"github.com/agent-discover/agent-discover/backend/servers/prefetch"
	"github.com/agent-discover/agent-discover/backend/servers/proxy"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/store"
)

type discovery struct {
	catalog   *catalog.Catalog
	embedding *embedding.Index
	learning  *learning.Learning
	search    *search.Searcher
}

type servers struct {
	registry  *registry.Registry
	vault     *secrets.Vault
	oauth     *oauth.Manager
	listings  *listings.Listings
	journal   *journal.Journal
	inbox     *inspector.Inbox
	upstream  *upstream.Manager
	proxy     *proxy.Proxy
	lifecycle *lifecycle.Manager
	migrator  *secretmigration.Migrator
	prefetch  *prefetch.Prefetcher
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

// loginEnv returns the environment of the user's login shell, once it is known.
type loginEnv func(context.Context) process.Env

// compose creates all parts, from the lowest wing to the highest. Nothing runs
// yet except the login shell.
func (h *Hub) compose(ctx context.Context, config settings.Settings) error {
	login := h.startLogin()
	var err error
	if h.doors.tokens, err = credentials.Open(ctx, credentials.Options{Store: h.store, Bus: h.bus, Log: h.log}); err != nil {
		return err
	}
	if err := h.composeDiscovery(ctx, config); err != nil {
		return err
	}
	if err := h.composeServers(ctx, config, login); err != nil {
		return err
	}
	if err := h.composeEditors(config, login); err != nil {
		return err
	}
	h.composeDoors(config)
	return nil
}

func (h *Hub) composeDiscovery(ctx context.Context, config settings.Settings) (err error) {
	d := &h.discovery
	if d.catalog, err = catalog.Open(ctx, h.store, h.bus, h.log); err != nil {
		return err
	}
	d.embedding = embedding.New(embedding.Options{
		Settings: config.Search, Builtin: embedding.Builtin{Encoder: minilm.New(), Model: minilm.Model, Dimensions: minilm.Dimensions},
		Catalog: d.catalog, Store: h.store, Bus: h.bus, Log: h.log,
	})
	d.learning, err = learning.Open(ctx, learning.Options{
		Store: h.store, Bus: h.bus, Log: h.log, Redact: h.redactor.Head, On: config.Search.Learning,
	})
	if err != nil {
		return err
	}
	d.search = search.New(search.Options{Catalog: d.catalog, Bus: h.bus, Meaning: d.embedding, Learned: d.learning})
	return nil
}

func (h *Hub) composeServers(ctx context.Context, config settings.Settings, login loginEnv) (err error) {
	s := &h.servers
	if s.registry, err = registry.Open(ctx, h.store, h.bus); err != nil {
		return err
	}
	if s.listings, err = listings.Open(ctx, h.store, h.bus); err != nil {
		return err
	}
	s.journal, err = journal.Open(ctx, journal.Options{Store: h.store, Bus: h.bus, Log: h.log, Retention: config.Log.Retention(), Await: h.redactor.Await})
	if err != nil {
		return err
	}
	s.vault = h.openVault()
	s.oauth = h.openOAuth(config.OAuth.ClientIDDocument)
	s.inbox = inspector.NewInbox(inspector.InboxOptions{
		Records: s.journal, Bus: h.bus, Sampler: sampler(config.Sampling), Answers: h.store, Vault: s.vault, Configured: s.registry.Get, Log: h.log, Timeout: h.options.AnswerTimeout,
	})
	s.upstream = upstream.New(upstream.Options{
		Registry: s.registry, Catalog: h.discovery.catalog, Listings: s.listings, Bus: h.bus, Log: h.log, Limits: config.Limits, Roots: config.Roots,
		Version: h.options.Version, Children: h.options.Folder.Run("children.json"), Environment: login,
		Secrets: s.vault, Given: h.redactor, Window: s.inbox.Window(), Pause: h.pauseSetting(), Authorize: h.authorize,
	})
	s.vault.OnChange(s.upstream.Renew)
	s.oauth.OnChange(s.upstream.Renew)
	s.lifecycle = lifecycle.New(lifecycle.Options{
		Registry: s.registry, Catalog: h.discovery.catalog, Processes: s.upstream, Vault: s.vault,
		Metrics: records{s.journal, s.listings, h.discovery.learning, h.doors.tokens, s.oauth, s.inbox}, Agents: config.Agents, Log: h.log,
	})
	s.migrator = secretmigration.New(s.registry, s.vault)
	s.prefetch = prefetch.New(prefetch.Options{
		Registry: s.registry, Running: s.upstream, Environment: login, Background: config.WarmPackages, Bus: h.bus, Log: h.log,
	})
	s.proxy = proxy.New(s.registry, s.upstream, s.journal, h.bus)
	s.inspector = inspector.New(s.upstream, s.registry.Get, s.inbox, s.journal, h.store)
	s.setup = setup.New(setup.Options{
		Registry: s.registry, Lifecycle: s.lifecycle, Secrets: s.vault, File: config.SetupFile, Variable: variable(login), Log: h.log,
	})
	s.imports = setup.NewImporter(setup.ImportOptions{
		Registry: s.registry, Lifecycle: s.lifecycle, Catalog: h.discovery.catalog, Secrets: s.vault, Metrics: importedMetrics{s.journal},
		Presets: h.store, Read: store.ReadOriginal, Folder: h.options.Folder.Run(""), Log: h.log,
	})
	return nil
}

func (h *Hub) composeDoors(config settings.Settings) {
	d, s := &h.doors, &h.servers
	d.clients = gateway.NewClientHistory(h.store, h.log)
	d.gateway = gateway.New(gateway.Options{
		Registry: s.registry, Catalog: h.discovery.catalog, Listings: s.listings, Search: h.discovery.search, Lifecycle: s.lifecycle, Setup: s.setup,
		Proxy: s.proxy, Usage: s.journal, SessionTools: h.store, Slugs: h.store, History: d.clients, Learning: h.discovery.learning,
		Bus: h.bus, Log: h.log, Version: h.options.Version, StateKey: h.stateKey(),
		Person: s.inbox, SignIns: signIns{s.oauth},
		AddFound: h.addFound(config.SessionTools), ResultsFolder: config.Results.Folder,
	})
	d.companion = &companion.Hub{
		Info: h.info, Serve: h.serveCompanion, Stop: h.Stop, Admit: guard.Admit, Log: h.log,
		Busy: func() bool { return s.upstream.InFlight() > 0 },
	}
	d.endpoint = endpoint.New(endpoint.Options{
		Open:      func(ctx context.Context, o gateway.Opening) endpoint.Session { return d.gateway.Open(ctx, o) },
		Principal: api.PrincipalOf, Log: h.log,
		Knows: func(server string) bool {
			_, err := s.registry.Get(server)
			return err == nil
		},
	})
	entry := h.editors.registrar.Entry()
	d.api = api.New(api.Options{
		Info: h.info, Stop: h.Stop, Sessions: h.openSessions(), Timeouts: h.options.Timeouts,
		Servers: api.Servers{
			Registry: s.registry, Catalog: h.discovery.catalog, Lifecycle: s.lifecycle, Prefetch: s.prefetch, Upstream: s.upstream, Proxy: s.proxy,
			Inspector: s.inspector, Inbox: s.inbox, Journal: s.journal,
			Secrets: api.Secrets{Vault: s.vault, Migrator: s.migrator, Names: h.secretNames},
			OAuth:   s.oauth,
			Setup:   api.Setup{Syncer: s.setup, Importer: s.imports},
		},
		Discovery: api.Discovery{Embedding: h.discovery.embedding, Learning: h.discovery.learning},
		Editors: api.Editors{
			Registrar: h.editors.registrar, Importer: h.editors.importer, Doctor: h.editors.doctor, KeepSetting: h.keepSetting,
			Entry: resources.EditorEntry{Name: registration.Name, Command: entry.Command, Args: entry.Args, Env: entry.Env},
		},
		Clients: api.Clients{Gateway: d.gateway, Companion: d.companion, Endpoint: d.endpoint, Tokens: d.tokens, ChooseResults: h.chooseResults},
		Roots:   config.Roots, Bus: h.bus, Log: h.log,
	})
}

// addFound returns the setting of session tools by the ids of editors.
func (h *Hub) addFound(of settings.SessionTools) map[string]bool {
	out := make(map[string]bool)
	for _, list := range []struct {
		ids []string
		on  bool
	}{{of.On, true}, {of.Off, false}} {
		for _, id := range list.ids {
			e, known := table.ByID(id)
			if !known {
				h.log.Warn("unknown client in the setting session_tools; see: agent-discover editors list --all", "client", id)
				continue
			}
			out[e.ID] = list.on
		}
	}
	return out
}

// chooseResults saves the folder for files of long results in the settings file. It holds
// at once, for all sessions.
func (h *Hub) chooseResults(entered string) (folder string, err error) {
	if folder, err = settings.ResultsFolder(entered); err != nil {
		return "", err
	}
	if err := h.keepSetting([]string{"results", "folder"}, folder); err != nil {
		return "", err
	}
	h.doors.gateway.SetResultsFolder(folder)
	return folder, nil
}

// serveCompanion serves the session of a client that has started a companion.
func (h *Hub) serveCompanion(ctx context.Context, session string, entry companion.Entry, stream io.ReadWriter) error {
	return h.doors.gateway.Serve(ctx, gateway.Opening{ID: session, Client: entry.Client, Surface: entry.Surface, Folder: entry.Folder}, stream)
}

// openSessions opens the sessions of browsers.
func (h *Hub) openSessions() *guard.Sessions {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then no snap has a folder
	}
	return guard.OpenSessions(guard.SessionOptions{
		Address: h.info.Address(), File: h.options.Folder.Run("sessions.json"),
		Redirects: guard.Redirects{Folder: h.options.Folder, Home: home}, Log: h.log,
	})
}

// records are what a server leaves behind besides its tools: the log and metrics of
// calls, its other lists, what the search learned, the tokens that open it, the
// sign-in to it, and the remembered answers to its questions.
type records struct {
	*journal.Journal
	listings *listings.Listings
	learning *learning.Learning
	tokens   *credentials.Keeper
	oauth    *oauth.Manager
	inbox    *inspector.Inbox
}

// Forget implements lifecycle.Metrics. It deletes the records of a removed
// server, so that a later server of the same name does not inherit them.
func (r records) Forget(ctx context.Context, server string) error {
	return errors.Join(r.Journal.Forget(ctx, server), r.listings.Forget(ctx, server), r.learning.ForgetServer(ctx, server), r.tokens.Forget(ctx, server), r.oauth.Forget(ctx, server), r.inbox.Forget(ctx, server))
}

// importedMetrics adds the metrics of an imported database to the journal.
type importedMetrics struct{ journal *journal.Journal }

// AddMetric implements setup.Metrics.
func (i importedMetrics) AddMetric(ctx context.Context, m setup.Metric, dry bool) (bool, error) {
	return i.journal.Add(ctx, journal.Tally{
		Server: m.Server, Tool: m.Tool, Calls: m.Calls, Errors: m.Errors, Latency: m.Latency, Last: m.LastAt,
	}, dry)
}
