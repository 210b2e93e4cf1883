package upstream

import (
	"context"
	"encoding/json"
)

// RootsCaller is a Caller whose client may have roots of its own. If HasRoots returns true, the hub passes a server's
// roots/list requests to the caller: at any time if the client has the server for itself, and only during the client's
// calls if the server is shared. Otherwise servers get the roots of the settings.
type RootsCaller interface {
	Caller
	HasRoots() bool
}

// OwnerCaller is a Caller for the client that has a server for itself. If AnswersAnyTime returns true, the caller also
// answers requests that the server sends while no call is in flight.
type OwnerCaller interface {
	Caller
	AnswersAnyTime() bool
	// Folder is the working directory of the client; empty if it is not known.
	Folder() string
}

// MessageCaller is a Caller that gets those log messages of the server that its call has caused.
// Message is called in the order in which messages and the result arrive.
type MessageCaller interface {
	Caller
	Message(params json.RawMessage)
}

// MessageQueuer is a Caller for all calls of a client. It gets the log messages that these calls
// have caused. QueueMessage is called in the order in which messages and results arrive, and
// must not block. It reports whether it has taken the message.
type MessageQueuer interface {
	Caller
	QueueMessage(params json.RawMessage) bool
}

// passMessage passes a log message to the caller whose call has caused it, if that caller is certain. If the caller is
// a MessageQueuer and has taken the message, taken is the caller's client.
func (a *attribution) passMessage(params json.RawMessage) (taken any) {
	of := a.cause(context.Background(), params, a.conn.Pending())
	switch c := of.caller.(type) {
	case MessageCaller:
		a.conn.Within(c, func() { c.Message(params) })
	case MessageQueuer:
		if c.QueueMessage(params) {
			return clientOf(c)
		}
	}
	return nil
}
