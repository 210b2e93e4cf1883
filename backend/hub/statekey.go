package hub

import (
	"encoding/hex"
	"log/slog"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/doors/pendinginput"
)

// stateKey returns the key that encrypts the states of calls that wait for input from a
// client. The key is kept in a file. So clients can continue a call after a restart of
// the hub, if the server is of the modern era.
func stateKey(folder paths.Folder, log *slog.Logger) []byte {
	file := folder.Run("states.key")
	if data, err := paths.ReadFile(file); err == nil {
		if key, err := hex.DecodeString(string(data)); err == nil && len(key) == pendinginput.KeySize {
			return key
		}
	}
	key := pendinginput.NewKey()
	if err := paths.WriteFile(file, []byte(hex.EncodeToString(key))); err != nil {
		log.Warn("could not keep the key of waiting calls; they end with the hub", "error", err)
	}
	return key
}
