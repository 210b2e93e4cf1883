package downloads

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// retryAfter is the time after which installation scripts that have failed are run again.
const retryAfter = 24 * time.Hour

// scriptError is the error of installation scripts that a package needs. It contains a fault.
type scriptError struct{ error }

func (e scriptError) Unwrap() error { return e.error }

// failures are the last failures of installation scripts, by the folders of the installations. Without them, each start
// of a server would install its package again, only to fail in the same way.
type failures map[string]failure

type failure struct {
	server    string
	launchKey [sha256.Size]byte // see job
	at        time.Time
	err       error
}

// keyOf returns a key that changes with everything in the configuration of a server on which the installation scripts of
// its package may depend.
func keyOf(server registry.Server, l upstream.Launch) [sha256.Size]byte {
	text, _ := json.Marshal([]any{server.Sandbox, server.Grants, l.Command, l.Args, l.Own, l.Dir}) // encoding strings cannot fail
	return sha256.Sum256(text)
}

// failed returns the error of the last installation of a job if the next one would fail in the same way, as far as is
// known. If the folder was removed, the server was, too.
func (i *Installer) failed(j job) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	last, has := i.failures[j.folder]
	if !has || !exists(j.folder) || last.launchKey != j.launchKey || i.now().Sub(last.at) >= retryAfter || i.running[j.folder] != nil {
		return nil
	}
	return fault.Wrap(last.err, fault.Failed,
		"%s\nThey failed at %s and were not run again; to try again: agent-discover servers restart %s",
		fault.MessageOf(last.err), last.at.Local().Format(time.DateTime), last.server)
}

// Retry makes the next start of a server install its package again, even if that has failed before.
func (i *Installer) Retry(server string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	maps.DeleteFunc(i.failures, func(_ string, f failure) bool { return f.server == server })
}
