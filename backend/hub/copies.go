package hub

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/store"
)

const (
	firstCopy = time.Minute // after the start, which the copy must not slow down
	lookAgain = time.Hour
)

// copyDatabase copies the database whenever a copy is due. It returns when ctx ends.
func (c *chores) copyDatabase(ctx context.Context) error {
	file := c.folder.Database()
	for wait := firstCopy; ; wait = lookAgain {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil
		}
		if !store.CopyDue(file, time.Now()) {
			continue
		}
		if err := store.Copy(ctx, file); err != nil && ctx.Err() == nil {
			c.log.Warn("could not copy the database", "error", err)
		}
	}
}
