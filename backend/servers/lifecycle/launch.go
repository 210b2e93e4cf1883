package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// LaunchHash names what a start of a server runs or connects to: two servers
// with one hash do the same. A person's approval is bound to it.
func LaunchHash(s registry.Server) string {
	env := s.Env
	if env == nil {
		env = map[string]string{}
	}
	canonical, _ := json.Marshal(struct { // strings, in this order; maps are sorted
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
