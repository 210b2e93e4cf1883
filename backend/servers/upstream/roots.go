package upstream

import (
	"encoding/json"
	"path/filepath"

	"github.com/agent-discover/agent-discover/backend/base/pathname"
)

// roots answers the roots/list requests of the server of a session.
type roots struct {
	*origin
	use *usage
	of  func(server string) []Root // returns the roots of the settings, or of a private server
}

// ofCaller reports whether the caller of a cause answers roots/list. It returns false for private servers, which have
// their own roots.
func (r *roots) ofCaller(of cause) bool {
	c, ok := of.caller.(RootsCaller)
	return ok && !r.private && (!of.late || r.target.Client != "") && c.HasRoots()
}

// owner returns the client that has the server for itself, and nil if there is none.
func (r *roots) owner() OwnerCaller {
	if r.target.Client == "" {
		return nil
	}
	first, _, _ := r.use.clients()
	owner, _ := first.(OwnerCaller)
	return owner
}

// answer returns the result of roots/list.
func (r *roots) answer() json.RawMessage {
	roots := r.of(r.server.Name)
	if owner := r.owner(); owner != nil && owner.Folder() != "" && len(roots) == 0 {
		roots = []Root{{URI: pathname.Here.URI(owner.Folder()), Name: filepath.Base(owner.Folder())}}
	}
	data, _ := json.Marshal(map[string]any{"roots": roots})
	return data
}
