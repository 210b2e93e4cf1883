package hub

import (
	"context"
	"os"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

const (
	passphraseVariable = "AGENT_DISCOVER_PASSPHRASE"
	keychainVariable   = "AGENT_DISCOVER_KEYCHAIN" // off leaves the system's keychain alone
)

// openVault makes the vault, and unlocks its file for who gave the passphrase
// with the start. A wrong one is said, and the hub goes on: what needs no
// secret works.
func (h *Hub) openVault(ctx context.Context, bus *events.Bus) {
	h.vault = secrets.NewVault(secrets.Options{
		Store: h.store, Bus: bus, Folder: h.options.Folder, Given: h.given,
		NoKeychain: strings.EqualFold(os.Getenv(keychainVariable), "off"),
	})
	passphrase := os.Getenv(passphraseVariable)
	if passphrase == "" {
		return
	}
	_ = os.Unsetenv(passphraseVariable)
	if err := h.vault.Unlock(ctx, passphrase); err != nil {
		h.log.Error("the file of secrets stays locked", "error", fault.MessageOf(err), "variable", passphraseVariable)
	}
}

// secretNames returns the names of a server's secrets.
func (h *Hub) secretNames(server string) []string {
	names, err := h.vault.Names(context.Background(), server)
	if err != nil {
		h.log.Warn("names of secrets not read", "error", err)
	}
	return names
}
