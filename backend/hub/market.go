package hub

import (
	"context"
	"crypto/x509"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/netreach"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
	"github.com/agent-discover/agent-discover/backend/market/fetch"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/marketplace"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
	"github.com/agent-discover/agent-discover/backend/market/npm"
	"github.com/agent-discover/agent-discover/backend/market/oci"
	"github.com/agent-discover/agent-discover/backend/market/official"
	"github.com/agent-discover/agent-discover/backend/market/persona"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
	"github.com/agent-discover/agent-discover/backend/market/probe"
	"github.com/agent-discover/agent-discover/backend/market/pypi"
	"github.com/agent-discover/agent-discover/backend/market/updates"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
)

type market struct {
	official    *official.Client
	mirror      *mirror.Mirror
	npm         *npm.Source
	pypi        *pypi.Source
	programs    *prerequisites.Checker
	installer   *installer.Installer
	marketplace *marketplace.Marketplace
	updates     *updates.Updates
	personas    *persona.Personas
}

// composeMarket creates the parts of the marketplace. They use the environment of the login shell, because the programs
// that start servers do.
func (h *Hub) composeMarket(ctx context.Context, config settings.Settings, login loginEnv) (err error) {
	m := &h.market
	m.personas = persona.New(persona.Options{
		Folder: h.options.Folder.Personas(), Parser: h.editors.importer, Store: h.store, Lifecycle: h.servers.lifecycle, Registry: h.servers.registry, Toolsets: h.servers.toolsets,
	})
	network := h.network(login)
	m.official = official.New(official.Options{URL: config.Market.RegistryURL, Network: network})
	m.npm = npm.New(npm.Options{Environment: login})
	m.pypi = pypi.New(pypi.Options{Environment: login})
	m.mirror, err = mirror.Open(ctx, mirror.Options{
		Source: m.official, Store: h.store, Bus: h.bus, Log: h.log, Installed: h.installedEntries,
		Meaning: mirror.Meaning{
			Settings: config.Search, Builtin: embedding.Builtin{Encoder: minilm.New(), Model: minilm.Model, Dimensions: minilm.Dimensions}, Store: h.store.MirrorVectors(),
		},
	})
	if err != nil {
		return err
	}
	m.programs = prerequisites.New(prerequisites.Options{Environment: login, Machine: prerequisites.ThisMachine(process.Clean())})
	m.installer = installer.New(installer.Options{
		Machine: h.machine(), Programs: m.programs, Environment: login,
		Releases: map[listing.Kind]installer.Releases{listing.KindNPM: m.npm, listing.KindPyPI: m.pypi},
		Files:    fetch.New(fetch.Options{Source: "the publisher", Network: network, Allow: netreach.NotNearerThan(config.Market.RegistryURL)}), Packages: h.servers.downloads,
		Registry: h.servers.registry, Servers: h.servers.lifecycle, Children: h.servers.upstream,
		Vault: h.servers.vault, Credentials: h.servers.migrator, Store: h.store, Bus: h.bus, Log: h.log,
	})
	m.marketplace = marketplace.New(marketplace.Options{
		Official: m.official, Mirror: m.mirror, NPM: m.npm, PyPI: m.pypi,
		Prober:    probe.New(probe.Options{Store: h.store, Network: network, Agent: "agent-discover/" + h.options.Version}),
		Installer: m.installer, Installs: h.store, Bus: h.bus,
		Updatable: func(ctx context.Context) map[string]bool { return m.updates.Updatable(ctx) },
	})
	m.updates = updates.New(updates.Options{
		Registry: h.servers.registry, Listings: m.marketplace, Images: oci.New(login), Installer: m.installer, Processes: h.servers.upstream, Catalog: h.discovery.catalog, Trust: h.servers.trust,
		Vault: h.servers.vault, Journal: h.servers.journal, Store: h.store, Bus: h.bus, Log: h.log,
	})
	return nil
}

// machine describes this machine for plans.
func (h *Hub) machine() plan.Machine {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then ~ is not replaced
	}
	folder := string(h.options.Folder)
	return plan.Machine{
		OS: runtime.GOOS, Home: home, Packages: filepath.Join(folder, "packages"), Bundles: filepath.Join(folder, "market-bundles"),
		Registry: h.packageRegistry,
	}
}

// packageRegistry returns the address from which the user's own tool downloads a package, and "" if that is not known.
func (h *Hub) packageRegistry(kind listing.Kind, name string) string {
	ctx, cancel := context.WithTimeout(context.Background(), registryTime)
	defer cancel()
	var address string
	switch kind { // an error means that it is not known
	case listing.KindNPM:
		address, _ = h.market.npm.Registry(ctx, name)
	case listing.KindPyPI:
		address, _ = h.market.pypi.Index(ctx)
	}
	return address
}

// registryTime limits how long a plan waits for the address of a package registry, which npm, uv or pip may have to name.
const registryTime = 20 * time.Second

// installedEntries returns the names of the installed servers of the official registry.
func (h *Hub) installedEntries(ctx context.Context) ([]string, error) {
	installs, err := h.store.Installs(ctx, 0)
	var names []string
	for _, i := range installs {
		if i.Listing.Source == listing.Official {
			names = append(names, i.Listing.Name)
		}
	}
	return names, err
}

// network returns a function that returns the proxy and the certificate authorities of the login shell's environment.
func (h *Hub) network(login loginEnv) func() (func(*url.URL) (*url.URL, error), *x509.CertPool) {
	return func() (func(*url.URL) (*url.URL, error), *x509.CertPool) {
		env := login(context.Background())
		authorities, err := mcphttp.CAsOf(env.Get)
		if err != nil {
			h.log.Warn("the marketplace uses only the certificate authorities of the system", "error", err)
		}
		return mcphttp.ProxyOf(env.Get), authorities
	}
}
