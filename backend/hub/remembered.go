package hub

import (
	"context"
	"errors"

	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
)

// remembered is what calls of a server have left behind.
type remembered struct {
	*journal.Journal
	learning *learning.Learning
}

// Forget implements lifecycle.Metrics: another server of that name is not the one
// that was called.
func (r remembered) Forget(ctx context.Context, server string) error {
	return errors.Join(r.Journal.Forget(ctx, server), r.learning.ForgetServer(ctx, server))
}
