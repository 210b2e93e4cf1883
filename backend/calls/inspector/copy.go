package inspector

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// copyPrefix is the beginning of the names of transient copies of configured
// servers.
const copyPrefix = transientPrefix + "of_"

// CopyName returns a new name for a private copy of a configured server, or for a private instance of another version
// of that server. No client sees servers with such names, and no model answers their sampling requests.
func CopyName() string { return copyPrefix + strings.ToLower(rand.Text()[:12]) }

// openCopy is Open for a copy of a configured server.
func (i *Inspector) openCopy(ctx context.Context, spec Spec) (*Transient, error) {
	name := CopyName()
	server, err := i.copyOf(spec.Of, name)
	if err != nil {
		return nil, err
	}
	return i.start(ctx, &Transient{Handle: strings.TrimPrefix(name, transientPrefix), Server: server, Of: spec.Of}, spec.Life)
}

// copyOf returns the current configuration of a server under another name.
func (i *Inspector) copyOf(of, name string) (registry.Server, error) {
	server, err := i.configured(of)
	switch {
	case err != nil:
		return server, fault.New(fault.NotFound, "server %q was removed", of)
	}
	if err := server.Usable(); err != nil {
		return server, err
	}
	server.ID, server.Name, server.KeepRunning, server.AlwaysListed = 0, name, false, false
	return server, nil
}

// Limits of the roots of one server.
const (
	maxRoots   = 100
	maxRootURI = 4096 // bytes
)

// SetRoots replaces the roots of a transient server and notifies the server.
func (i *Inspector) SetRoots(handle string, roots []upstream.Root) error {
	found, err := i.Find(handle)
	if err != nil {
		return err
	}
	if len(roots) > maxRoots {
		return fault.New(fault.Invalid, "a server gets at most %d roots", maxRoots)
	}
	for _, root := range roots {
		switch {
		case !strings.HasPrefix(root.URI, "file://"):
			return fault.New(fault.Invalid, "every root must be a file:// URI, not %q", root.URI)
		case len(root.URI) > maxRootURI || len(root.Name) > maxRootURI:
			return fault.New(fault.Invalid, "the URI and the name of a root have at most %d bytes", maxRootURI)
		}
	}
	return i.servers.SetRoots(found.Server.Name, roots)
}
