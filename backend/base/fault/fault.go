// Package fault answers what went wrong in words that may be shown: what
// happened and what to do. Each door (command line, REST, MCP) translates a
// Kind into its own code once; the chain behind the message is for the log.
package fault

import (
	"errors"
	"fmt"
)

// Kind is what sort of failure an error is.
type Kind int

// The kinds, in the order of how far the act got.
const (
	Internal    Kind = iota // ours to mend
	Invalid                 // the input is wrong
	NotFound                // no such server, tool, session
	Conflict                // exists already, or changed meanwhile
	Denied                  // a rule or a missing approval forbids it
	Busy                    // too much in flight; try again later
	Unavailable             // something this needs is not there: program, hub, bus
	Failed                  // the other side failed
	Timeout                 // the other side did not answer in time
)

// Error is a failure with a message for its user.
type Error struct {
	Kind    Kind
	Message string // a sentence without a secret, a path of ours or a stack
	Err     error  // what caused it; for the log
}

// New returns an error with a message.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Wrap returns an error with a message and a cause that stays out of it.
func Wrap(err error, kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Err: err}
}

// Error returns the message and the cause: the text for the log.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of err; Internal when it carries none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// MessageOf returns what a user may read of err. An error without a message of
// its own says only that something failed: its text may hold anything.
func MessageOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message
	}
	return "internal error; the hub's log has the details (agent-discover doctor shows where)"
}
