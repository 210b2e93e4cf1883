package instance

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// nextPatience is how long Next waits for a hub that refuses connections.
const nextPatience = 5 * time.Second

// Unreached reports whether err means that a request did not reach a hub, because the hub is ending or has ended. A hub
// that does not answer in time may hang, so that waiting does not help.
func Unreached(err error) bool {
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
		return false
	}
	_, refused := errors.AsType[*connectError](err)
	return refused
}

// connectError says why no connection to a hub could be made.
type connectError struct{ error }

func (e *connectError) Unwrap() error { return e.error }

// Next waits until the hub of a folder, which has refused a connection, has ended or accepts connections again. It returns
// the running hub, or an error that wraps ErrNone if the hub has ended. If the hub does not answer in time, or still refuses
// connections after five seconds, the error is that of Info.NoAnswer.
func Next(ctx context.Context, folder paths.Folder) (Info, error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for deadline := time.Now().Add(nextPatience); ; {
		info, err := Read(folder)
		if err != nil {
			return info, err
		}
		if err = Ping(ctx, info); err == nil {
			return info, nil
		}
		if !Unreached(err) || time.Now().After(deadline) {
			return info, info.NoAnswer(err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return info, context.Cause(ctx)
		}
	}
}
