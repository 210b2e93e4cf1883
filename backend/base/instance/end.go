package instance

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// endGrace is how long End waits for a hub that was asked to end before it kills the hub.
const endGrace = 5 * time.Second

// End ends the process of a hub that does not stop when it is asked over its address: it sends SIGTERM, and SIGKILL
// after endGrace. id is that of Holder. End does nothing if the process has ended, and refuses to end a process that
// does not hold the lock of the folder.
func End(ctx context.Context, folder paths.Folder, id process.ID) error {
	if now, ok := Holder(folder); !ok || now != id {
		return nil
	}
	lock := lockOf(folder)
	free, err := lock.TryLock()
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not find out whether process %d is the hub of %s: %s", id.PID, string(folder),
			paths.Reason(err))
	}
	if free {
		err := lock.Unlock()
		if !id.Alive() {
			return err
		}
		return fault.New(fault.Conflict, "process %d is not ended, because it does not hold the lock of %s, as its hub does; "+
			"if it is an old hub, end it yourself", id.PID, string(folder))
	}
	if err := id.End(ctx, endGrace); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not end the hub (process %d): %s", id.PID, paths.Reason(err))
	}
	return nil
}
