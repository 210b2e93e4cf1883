package hub

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/audit"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
)

// serverNames implements lifecycle.Names.
type serverNames struct{ h *Hub }

// Prepare implements lifecycle.Names.
func (n serverNames) Prepare(ctx context.Context, server, to string) error {
	if _, err := settingsEditor.RenameServer(n.h.options.Folder.Config(), server, to, true); err != nil {
		return err
	}
	return n.h.servers.journal.Settle(ctx)
}

// Store implements lifecycle.Names.
func (n serverNames) Store(ctx context.Context, server, to string, kept map[string]string) error {
	return n.h.store.Renames.Rename(ctx, server, to, kept)
}

// Load implements lifecycle.Names.
func (n serverNames) Load(ctx context.Context, server, to string) error {
	s := &n.h.servers
	s.features.Rename(server, to)
	n.h.discovery.learning.Rename(server, to)
	n.h.doors.tokens.Rename(server, to)
	s.inbox.Rename(server)
	err := errors.Join(s.trust.Rename(ctx, server, to), s.journal.Rename(ctx, server, to), s.approvals.Rename(ctx, server),
		s.toolsets.Reload(ctx), n.finish(ctx, server, to))
	s.journal.Record(journal.Record{
		At: time.Now(), Kind: journal.Trust, Client: "dashboard", Road: audit.REST, Server: to, Tool: "server", Outcome: journal.OK,
		Code: "renamed from " + server, Response: fmt.Sprintf("Renamed from %s to %s by a person", server, to),
	}, nil, nil, nil)
	return err
}

// finish changes the name of a server in the files beside the database.
func (n serverNames) finish(ctx context.Context, server, to string) error {
	_, err := n.h.settings.Change(func() error {
		_, err := settingsEditor.RenameServer(n.h.options.Folder.Config(), server, to, false)
		return err
	})
	if err != nil {
		err = fault.Wrap(err, fault.KindOf(err), "server %q is now %q, but not in the rules of config.yaml: %s", server, to,
			fault.MessageOf(err))
	}
	if err = errors.Join(err, n.h.servers.oauth.Rename(server, to), n.h.servers.sandbox.Rename(server, to)); err != nil {
		return err
	}
	return n.h.store.Renames.Renamed(ctx, server, to)
}

// finishRenames finishes the renames and removals that a hub has left when it was killed.
func (h *Hub) finishRenames(ctx context.Context) error {
	pending, err := h.store.Renames.Pending(ctx)
	for _, names := range pending {
		server, to := names[0], names[1]
		var err error
		_, unknown := h.servers.registry.Get(server)
		switch {
		case to != "":
			err = serverNames{h}.finish(ctx, server, to)
		case unknown != nil:
			err = h.forgetFiles(ctx, server)
		default: // a new server has the name
			err = h.store.Renames.Renamed(ctx, server, "")
		}
		if err != nil {
			h.log.Error("a server was renamed or removed, but not everywhere", "server", server, "name", to, "error", fault.MessageOf(err))
		}
	}
	return err
}

// forgetFiles deletes what files beside the database contain about a removed server.
func (h *Hub) forgetFiles(ctx context.Context, server string) error {
	if err := errors.Join(h.servers.oauth.Forget(ctx, server), h.servers.sandbox.Forget(ctx, server)); err != nil {
		return err
	}
	return h.store.Renames.Renamed(ctx, server, "")
}
