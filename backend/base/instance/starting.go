package instance

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// startPatience is how long programs wait for another process that starts the hub. It is long enough for a hub with
// long calls to end and for a slow start, but bounds the wait for a frozen process.
const startPatience = 2 * time.Minute

// ErrStarting is the reason why a program must not start a hub now: another process is
// starting or restarting it for a person.
var ErrStarting = fault.New(fault.Unavailable, "the hub is being restarted; try again")

// BeginStart announces that this process starts or restarts the hub for a person. Until end is called or this process
// ends, other programs do not start a hub but wait for this process, even if the user had stopped the hub before.
func BeginStart(folder paths.Folder) (end func(), err error) {
	if err := folder.Create(); err != nil {
		return nil, err
	}
	data, err := json.Marshal(process.Self())
	if err != nil {
		return nil, err
	}
	file := folder.Run("starting")
	if err := paths.WriteFile(file, data); err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "could not announce the start of the hub: %s",
			fault.MessageOf(folder.Unwritable(err)))
	}
	return func() {
		if now, err := paths.ReadFile(file); err == nil && string(now) == string(data) { // not the file of a later start
			_ = paths.Remove(file) // if this fails, the file has no effect once this process has ended
		}
	}, nil
}

// Starting reports whether a process is starting or restarting the hub for a person.
func Starting(folder paths.Folder) bool {
	file := folder.Run("starting")
	info, err := os.Stat(file)
	if err != nil || time.Since(info.ModTime()) > startPatience {
		return false
	}
	data, err := paths.ReadFile(file)
	var starter process.ID
	return err == nil && json.Unmarshal(data, &starter) == nil && starter.Alive() && starter.PID != os.Getpid()
}

// Withheld returns why a program must not start a hub: ErrStarting, ErrStopped, or nil
// if it may.
func Withheld(folder paths.Folder) error {
	switch {
	case Starting(folder):
		return ErrStarting
	case marked(folder, "stopped") && !Starting(folder): // a start may have begun since the first check
		return ErrStopped
	}
	return nil
}

// Stopped reports whether the user has stopped the hub, so that clients do not start it
// again. It returns false while a process starts the hub for a person.
func Stopped(folder paths.Folder) bool { return errors.Is(Withheld(folder), ErrStopped) }

// awaitStarter waits until no other process is starting the hub.
func awaitStarter(ctx context.Context, folder paths.Folder) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for Starting(folder) {
		if _, err := Read(folder); err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fault.Wrap(context.Cause(ctx), fault.Unavailable, "%s", ErrStarting.Message)
		}
	}
	return nil
}
