package hub

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// watchPeriod is the time between two checks that the files of the hub are still its own. Polling is cheap, and works
// for network drives, too, which report no changes.
const watchPeriod = 2 * time.Second

// watchFiles writes run/hub.json again when it was removed or changed. It stops the hub when the data folder, the lock
// or a file that the hub has open was removed, moved or replaced: what the hub writes from then on would be lost, and
// another hub may use the folder. It returns when ctx ends or the hub stops.
func (h *Hub) watchFiles(ctx context.Context) error {
	tick := time.NewTicker(watchPeriod)
	defer tick.Stop()
	begun := paths.Find(h.options.Folder.BegunCalls())
	for failed := false; ; {
		select {
		case <-tick.C:
		case <-h.stop:
			return nil
		case <-ctx.Done():
			return nil
		}
		for _, lost := range []func() error{h.lock.Lost, h.store.Lost, begun.Lost} {
			if why := lost(); why != nil {
				h.lock.Abandon(why.Error() + " while the hub was running")
				h.log.Error("this hub ends, because a file that it needs is gone; the next use starts another", "reason", why)
				h.Stop()
				return nil
			}
		}
		written, err := h.lock.Renew()
		switch {
		case err != nil && !failed:
			h.log.Error("hub cannot be found by other programs", "error", err)
		case written && err == nil:
			h.log.Warn("run/hub.json was removed or changed, and was written again")
		}
		failed = err != nil
	}
}

// closeStore closes the database. If somebody has removed its file, but not the data folder, it is written again.
func (h *Hub) closeStore() error {
	if h.lock.Lost() != nil {
		return h.store.Close()
	}
	restored, err := h.store.CloseRestored(context.Background())
	if restored {
		h.log.Warn("the database was removed while the hub was running, and was written again", "file", h.options.Folder.Database())
	}
	return err
}
