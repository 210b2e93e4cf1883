package hub

import (
	"context"
	"log/slog"
	"os"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

const (
	passphraseVariable = "AGENT_DISCOVER_PASSPHRASE"
	keychainVariable   = "AGENT_DISCOVER_KEYCHAIN" // "off" disables the keychain
)

// openVault returns the vault. If the environment contains the passphrase of the secrets file, Run unlocks the file
// once other programs can find the hub.
func (h *Hub) openVault() *vault.Vault {
	vault := vault.New(vault.Options{
		Store: h.store.Secrets, Bus: h.bus, Folder: h.options.Folder, Known: h.redactor, Launch: h.servers.launchOf,
		Work:       h.options.PassphraseWork,
		NoKeychain: strings.EqualFold(os.Getenv(keychainVariable), "off"),
	})
	h.unlock = func(context.Context) error { return nil }
	if passphrase := os.Getenv(passphraseVariable); passphrase != "" {
		_ = os.Unsetenv(passphraseVariable)
		h.unlock = vault.UnlockLater(passphrase)
	}
	return vault
}

// launchOf returns the configuration of a server.
func (s *servers) launchOf(name string) (launch.Launch, bool) {
	server, err := s.registry.Get(name)
	return launch.Of(server), err == nil
}

// knowConfigurations adds the credentials in the configurations of all servers to the redactor, now and after each
// change, until ctx ends.
func (c *chores) knowConfigurations(ctx context.Context) error {
	for ctx.Err() == nil {
		changes, stop := events.Subscribe[registry.Changed](c.bus, 256)
		for open := true; open && ctx.Err() == nil; {
			c.redactor.AddLaunches(func(yield func(string, launch.Launch) bool) {
				for _, s := range c.servers.registry.List() {
					if !yield(s.Name, launch.Of(s)) {
						return
					}
				}
			})
			select {
			case _, open = <-changes:
			case <-ctx.Done():
			}
		}
		stop()
	}
	return nil
}

// secretNames returns the names of a server's secrets. It logs an error instead of returning it.
func secretNames(vault *vault.Vault, server string, log *slog.Logger) []string {
	names, err := vault.Names(context.Background(), server)
	if err != nil {
		log.Warn("could not read the names of secrets", "error", err)
	}
	return names
}
