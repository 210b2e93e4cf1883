package upstream

import (
	"context"
	"encoding/json"
)

// RootsCaller is a Caller whose client may have roots of its own. If HasRoots returns true, the hub passes roots/list
// to the caller: from a server that the client has for itself at any time, and from a shared server only during the
// client's calls. Otherwise servers get the roots of the settings.
type RootsCaller interface {
	Caller
	HasRoots() bool
}

// OwnerCaller is a Caller for the client that has a server for itself. If AnswersAnyTime returns true, it also
// answers requests that the server sends while no call is in flight.
type OwnerCaller interface {
	Caller
	AnswersAnyTime() bool
	// Folder is the working directory of the client; empty if it is not known.
	Folder() string
}

// MessageCaller is a Caller that gets the log messages of the server that its call has
// caused. Message is called in the order in which messages and the result arrive.
type MessageCaller interface {
	Caller
	Message(params json.RawMessage)
}

// MessageQueuer is a Caller for all calls of a client, which gets the log messages that
// its calls have caused. QueueMessage is called in the order in which messages and
// results arrive, and must not block. It reports whether it has taken the message.
type MessageQueuer interface {
	Caller
	QueueMessage(params json.RawMessage) bool
}

// passMessage passes a log message to the caller of the call that has caused it, if that is certain. It returns the
// client if a MessageQueuer has taken the message.
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
