package hub

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/netreach"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/market/backup"
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
	"github.com/agent-discover/agent-discover/backend/market/preview"
	"github.com/agent-discover/agent-discover/backend/market/probe"
	"github.com/agent-discover/agent-discover/backend/market/pypi"
	"github.com/agent-discover/agent-discover/backend/market/syncfolder"
	"github.com/agent-discover/agent-discover/backend/market/updates"
	"github.com/agent-discover/agent-discover/backend/store"
)

type market struct {
	official    *official.Client
	mirror      *mirror.Mirror
	npm         *npm.Source
	pypi        *pypi.Source
	programs    *prerequisites.Checker
	preview     *preview.Previewer
	installer   *installer.Installer
	marketplace *marketplace.Marketplace
	updates     *updates.Updates
	personas    *persona.Personas
	backup      *backup.Keeper
	syncFolder  *syncfolder.Keeper
}

// composeMarket creates the parts of the marketplace. They use the environment of the login shell, because the programs
// that start servers do.
func (h *Hub) composeMarket(ctx context.Context, config settings.Settings, login loginEnv) (err error) {
	m := &h.market
	m.personas = persona.New(persona.Options{
		Folder: h.options.Folder.Personas(), Parser: h.editors.importer, Store: h.store.Personas, Intake: h.servers.intake,
		Lifecycle: h.servers.lifecycle, Registry: h.servers.registry, Toolsets: h.servers.toolsets,
	})
	m.backup = backup.New(backup.Options{
		Registry: h.servers.registry, Intake: h.servers.intake, Migrator: h.servers.migrator, Vault: h.servers.vault,
		Toolsets: h.servers.toolsets, Approvals: h.servers.approvals, Learning: h.discovery.learning, Personas: m.personas,
		Settings: settingsFile{h}, Expect: h.servers.trust.Expect, Version: h.options.Version,
	})
	m.syncFolder = syncfolder.New(syncfolder.Options{
		Data: h.options.Folder, Home: homeFolder(), Backup: m.backup, Registry: h.servers.registry, Migrator: h.servers.migrator,
		Toolsets: h.servers.toolsets, Personas: m.personas, Approvals: h.servers.approvals, Settings: settingsFile{h},
		Remove: h.servers.lifecycle.Remove,
	})
	network := networkOf(login, h.log)
	m.official = official.New(official.Options{URL: config.Market.RegistryURL, Network: network})
	m.npm = npm.New(npm.Options{Environment: login})
	m.pypi = pypi.New(pypi.Options{Environment: login})
	m.mirror, err = mirror.Open(ctx, mirror.Options{
		Source: m.official, Store: h.store.Mirror, Bus: h.bus, Log: h.log,
		Installed: func(ctx context.Context) ([]string, error) { return installedEntries(ctx, h.store.Installs) },
		Meaning: mirror.Meaning{
			Settings: config.Search, Builtin: h.discovery.builtin, Store: h.store.MirrorVectors, Transport: h.discovery.transport,
		},
	})
	if err != nil {
		return err
	}
	m.programs = prerequisites.New(prerequisites.Options{Environment: login, Machine: prerequisites.ThisMachine(process.Clean())})
	m.preview = preview.New(preview.Options{
		NPM: m.npm, PyPI: m.pypi, Environment: login, Confined: h.servers.sandbox, Folder: h.options.Folder.Run("previews"),
		Now: h.options.Now, Log: h.log,
	})
	m.installer = installer.New(installer.Options{
		Machine: m.machine(string(h.options.Folder)), Programs: m.programs, Environment: login,
		Releases: map[listing.Kind]installer.Releases{listing.KindNPM: m.npm, listing.KindPyPI: m.pypi},
		Files: fetch.New(fetch.Options{
			Source: "the publisher", Network: network, Allow: netreach.NotNearerThan(config.Market.RegistryURL),
		}), Packages: h.servers.downloads,
		Registry: h.servers.registry, Intake: h.servers.intake, Servers: h.servers.lifecycle, Children: h.servers.upstream,
		Vault: h.servers.vault, Store: h.store.Installs, Bus: h.bus, Log: h.log,
	})
	m.marketplace = marketplace.New(marketplace.Options{
		Official: m.official, Mirror: m.mirror, NPM: m.npm, PyPI: m.pypi,
		Prober:    probe.New(probe.Options{Store: h.store.Probes, Network: network, Agent: "agent-discover/" + h.options.Version}),
		Installer: m.installer, Installs: h.store.Installs, Bus: h.bus,
		Updatable: func(ctx context.Context) map[string]bool { return m.updates.Updatable(ctx) },
	})
	m.updates = updates.New(updates.Options{
		Registry: h.servers.registry, Listings: m.marketplace, Images: oci.New(login), Installer: m.installer,
		Processes: h.servers.upstream, Catalog: h.discovery.catalog, Trust: h.servers.trust, Vault: h.servers.vault,
		Journal: h.servers.journal, Store: h.store.Installs, Bus: h.bus, Log: h.log,
	})
	return nil
}

// machine describes this machine for package plan. folder is the data folder.
func (m *market) machine(folder string) plan.Machine {
	return plan.Machine{
		OS: runtime.GOOS, Home: homeFolder(), Packages: filepath.Join(folder, "packages"), Bundles: filepath.Join(folder, "market-bundles"),
		Registry: m.packageRegistry,
	}
}

// homeFolder returns the home folder of the user, or "" if it is unknown. Then ~ is not replaced.
func homeFolder() string {
	home, _ := os.UserHomeDir() // empty after an error
	return home
}

// packageRegistry returns the address of the registry from which npm, uv or pip is configured to download a package,
// or "" if the address is unknown.
func (m *market) packageRegistry(kind listing.Kind, name string) string {
	ctx, cancel := context.WithTimeout(context.Background(), registryTime)
	defer cancel()
	var address string
	switch kind { // on error, the address stays unknown
	case listing.KindNPM:
		address, _ = m.npm.Registry(ctx, name)
	case listing.KindPyPI:
		address, _ = m.pypi.Index(ctx)
	}
	return address
}

// registryTime limits how long a plan waits for the address of a package registry. npm, uv or pip may have to be run to
// find it.
const registryTime = 20 * time.Second

// installedEntries returns the names of the entries of the official registry from which servers were installed.
func installedEntries(ctx context.Context, stored *store.Installs) ([]string, error) {
	installs, err := stored.Installs(ctx, 0)
	var names []string
	for _, i := range installs {
		if i.Listing.Source == listing.Official {
			names = append(names, i.Listing.Name)
		}
	}
	return names, err
}
