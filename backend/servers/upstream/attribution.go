package upstream

import (
	"context"
	"encoding/json"
)

// RootsCaller is a Caller that may have roots of its own. If it has, it is asked for
// them while its call is in flight; otherwise servers get the roots of the settings.
type RootsCaller interface {
	Caller
	HasRoots() bool
}

// hasRoots reports whether a caller has roots of its own. Private servers have theirs.
func (s *session) hasRoots(caller Caller) bool {
	c, ok := caller.(RootsCaller)
	return ok && !s.private && c.HasRoots()
}

// MessageCaller is a Caller that gets the log messages of the server that its call has
// caused. Message is called in the order in which messages and the result arrive.
type MessageCaller interface {
	Caller
	Message(params json.RawMessage)
}

// passMessage passes a log message to the caller of the call that has caused it, if
// that is certain.
func (s *session) passMessage(params json.RawMessage) {
	caller, _ := s.cause(context.Background())
	if c, ok := caller.(MessageCaller); ok {
		s.conn.Within(caller, func() { c.Message(params) })
	}
}
