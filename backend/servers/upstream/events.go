package upstream

import (
	"encoding/json"
	"time"
)

// StateChanged is published when a session with a server has started or ended.
type StateChanged struct {
	Name    string
	Client  string // see Target.Client
	Running bool   // whether this session runs
}

// PauseChanged is published when the user has resumed all servers, or has
// paused them. Paused servers are stopped after the event.
type PauseChanged struct{ Paused bool }

// Wrote is published when a server has written lines to its standard error.
// Traces.Output returns the lines.
type Wrote struct{ Server string }

// Notified is published for each notification of a server, except progress of
// calls in flight.
type Notified struct {
	Server string
	Method string
	Params json.RawMessage // redacted
	At     time.Time
}

// Progressed is published for each progress report of a call whose progress
// handler is Manager.Progress. Params contain the progress token that the caller
// chose.
type Progressed struct {
	Server string
	Params json.RawMessage // redacted
	At     time.Time
}

// Announced is published for each notification of a server that concerns clients: updated resources, log messages, the
// status of tasks, and reported changes of lists that turned out to be unchanged. Other changes of lists are events of
// the packages that store the lists. Params are not redacted.
type Announced struct {
	Server string
	Method string
	Params json.RawMessage // as sent by the server; read-only
	// Session is the id of the client's session that has the server for itself; empty
	// if clients share the server.
	Session string
	// Client is the only client that has called the server since its start, as CallOf.Client returns it. It is nil if
	// there are several or none.
	Client any
	// Taken is the client whose MessageQueuer has taken the message already; nil if none has.
	Taken any

	from *session // nil for an announcement that no session has made
}

// Over reports whether the announcement was made by the session of a lease, or by no session. It is true for a nil
// lease.
func (a Announced) Over(l *Lease) bool { return a.from == nil || l == nil || l.session == a.from }

// Elsewhere reports whether a client uses the server only over the session in the other era, and not over the session
// that has made the announcement; see Target.Second. client is the id of the client's session.
func (a Announced) Elsewhere(client string) bool {
	if a.from == nil || a.from.use.usedBy(client) {
		return false
	}
	other := a.from.at.beside()
	return other != nil && other.use.usedBy(client)
}
