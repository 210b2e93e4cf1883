package hub

import (
	"context"
	"os"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

const (
	passphraseVariable = "AGENT_DISCOVER_PASSPHRASE"
	keychainVariable   = "AGENT_DISCOVER_KEYCHAIN" // "off" disables the keychain
)

// openVault returns the vault, unlocked if the environment has the passphrase of
// its file. A wrong passphrase is logged and not fatal, because servers without
// secrets still work.
func (h *Hub) openVault(ctx context.Context) *secrets.Vault {
	vault := secrets.NewVault(secrets.Options{
		Store: h.store, Bus: h.bus, Folder: h.options.Folder, Given: h.redactor,
		NoKeychain: strings.EqualFold(os.Getenv(keychainVariable), "off"),
	})
	passphrase := os.Getenv(passphraseVariable)
	if passphrase == "" {
		return vault
	}
	_ = os.Unsetenv(passphraseVariable)
	if err := vault.Unlock(ctx, passphrase); err != nil {
		h.log.Error("secrets file not unlocked", "error", fault.MessageOf(err), "variable", passphraseVariable)
	}
	return vault
}

// secretNames returns the names of a server's secrets.
func (h *Hub) secretNames(server string) []string {
	names, err := h.servers.vault.Names(context.Background(), server)
	if err != nil {
		h.log.Warn("could not read the names of secrets", "error", err)
	}
	return names
}
