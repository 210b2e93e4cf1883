package upstream

import (
	"encoding/json"
	"time"
)

// StateChanged is published when a server's session has started or ended.
type StateChanged struct {
	Name    string
	Running bool
}

// PauseChanged is published when the user has resumed all servers, or has
// paused them and they are about to stop.
type PauseChanged struct{ Paused bool }

// Wrote is published when a server has written lines to its standard error.
// Manager.Output returns them.
type Wrote struct{ Server string }

// Notified is published for each notification of a server that does not belong
// to a call in flight.
type Notified struct {
	Server string
	Method string
	Params json.RawMessage // redacted
	At     time.Time
}

// Progressed is published for progress of a call that uses Manager.Progress.
// Params contain the caller's own progress token.
type Progressed struct {
	Server string
	Params json.RawMessage // redacted
	At     time.Time
}
