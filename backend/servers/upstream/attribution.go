package upstream

import (
	"context"
	"encoding/json"
)

// RootsCaller is a Caller that may have roots of its own. If it has, it is asked for
// them: by a server of its own at any time, and by a server that clients share only
// during its call. Otherwise servers get the roots of the settings.
type RootsCaller interface {
	Caller
	HasRoots() bool
}

// OwnerCaller is a Caller for the client that has a server for itself. It answers what
// the server asks without a call in flight, if it can be asked at any time.
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

// passMessage passes a log message to the caller of the call that has caused it, if
// that is certain. It returns the client if it has the message now.
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
