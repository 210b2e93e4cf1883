package hub

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/audit"
)

// openAudit opens the audit log. The hash of the last entry is also stored in a file next to the database, and written
// to the hub's ordinary log.
func (h *Hub) openAudit(ctx context.Context, config settings.Settings) (*audit.Log, error) {
	return audit.Open(ctx, audit.Options{
		Store: h.store.Audit, File: h.options.Folder.AuditHead(), Begun: h.options.Folder.BegunCalls(),
		Logged: func() []audit.Head { return loggedHeads(h.options.Folder) }, Retention: config.Audit.Retention(), Log: h.log,
	})
}

// loggedHeads returns the heads of the audit log that were written to the hub's ordinary log. It also reads the older
// files of the ordinary log.
func loggedHeads(folder paths.Folder) (heads []audit.Head) {
	name := filepath.Base(folder.Log())
	extension := filepath.Ext(name)
	for _, name := range paths.Glob(filepath.Dir(folder.Log()), strings.TrimSuffix(name, extension)+"*"+extension) {
		if file, err := os.Open(name); err == nil {
			heads = append(heads, audit.LoggedHeads(file)...)
			_ = file.Close()
		}
	}
	return heads
}
