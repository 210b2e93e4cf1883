package upstream

import (
	"encoding/json"
	"time"
)

// StateChanged is published when a server's process has started or ended.
type StateChanged struct {
	Name    string
	Running bool
}

// PauseChanged is published when the user has paused all servers, before they
// are stopped, or has taken that back.
type PauseChanged struct{ Paused bool }

// Wrote is published when a server's process has written lines to its standard
// error: see Manager.Output.
type Wrote struct{ Server string }

// Notified is published for each notification of a server that belongs to no
// call in flight.
type Notified struct {
	Server string
	Method string
	Params json.RawMessage // covered
	At     time.Time
}

// Progressed is published for progress of a call that a person made through
// the hub's own doors. Params are as the caller gets them: with its token.
type Progressed struct {
	Server string
	Params json.RawMessage // covered
	At     time.Time
}
