package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// LaunchHash returns a SHA-256 in hexadecimal over the fields that decide which
// program a start of the server runs, or what it connects to. A person's
// approval is bound to this hash.
func LaunchHash(s registry.Server) string {
	env := s.Env
	if env == nil {
		env = map[string]string{}
	}
	// The fields always have the same order, and package json sorts maps, so
	// that equal configurations have equal bytes.
	canonical, _ := json.Marshal(struct {
		Transport string            `json:"transport"`
		Command   string            `json:"command"`
		Args      []string          `json:"args"`
		Env       map[string]string `json:"env"`
		Homepage  string            `json:"homepage"`
		Headers   map[string]string `json:"headers,omitempty"`
	}{s.Transport, s.Command, append([]string{}, s.Args...), env, s.URL, s.Headers})
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}
