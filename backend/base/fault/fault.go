// Package fault defines errors with a message that users may read: what failed,
// why, and what to do. The table in answer.go translates a Kind for REST and the
// command line, and the one in package answer for MCP. The chain of causes is for
// the log.
package fault

import (
	"errors"
	"fmt"
)

// Kind is the class of an error, which determines the HTTP status and the exit code.
type Kind int

// The kinds of errors.
const (
	Internal    Kind = iota // a defect of this program
	Invalid                 // the input is wrong
	NotFound                // no such server, tool or session
	Conflict                // something exists already, or changed in the meantime
	Denied                  // forbidden by a rule, or approval is missing
	Busy                    // too many operations in progress; try again later
	Unavailable             // a program, hub or service that is needed does not run or exist
	Failed                  // a server or another program failed
	Timeout                 // a server or another program did not answer in time
)

// Error is an error with a message for users.
type Error struct {
	Kind    Kind
	Message string // a sentence without secrets, internal paths and stack traces
	Err     error  // the cause, for the log; may be nil
	// Variable names the environment variable without which a server does not
	// start; empty for other errors.
	Variable string
	// Code is one of the codes in this package, for programs that need more detail
	// than Kind; empty for other errors.
	Code string
	// DidYouMean lists existing names that are similar to an unknown name in the request.
	DidYouMean []string
}

// New returns an error with a formatted message.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Wrap returns an error with a formatted message and a cause. The message does not
// include the cause.
func Wrap(err error, kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Err: err}
}

// Error returns the message and the cause, for the log.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap returns the cause, which may be nil.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the first *Error in the chain of err, otherwise
// Internal.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// VariableOf returns the Variable of the first *Error in the chain of err that has
// one, otherwise "".
func VariableOf(err error) string {
	for e, ok := errors.AsType[*Error](err); ok; e, ok = errors.AsType[*Error](e.Err) {
		if e.Variable != "" {
			return e.Variable
		}
	}
	return ""
}

// CodeOf returns the Code of the first *Error in the chain of err that has one, otherwise
// "".
func CodeOf(err error) string {
	for e, ok := errors.AsType[*Error](err); ok; e, ok = errors.AsType[*Error](e.Err) {
		if e.Code != "" {
			return e.Code
		}
	}
	return ""
}

// DidYouMean returns the DidYouMean of the first *Error in the chain of err that has one, otherwise nil.
func DidYouMean(err error) []string {
	for e, ok := errors.AsType[*Error](err); ok; e, ok = errors.AsType[*Error](e.Err) {
		if len(e.DidYouMean) > 0 {
			return e.DidYouMean
		}
	}
	return nil
}

// MessageOf returns the message of the first *Error in the chain of err. For other
// errors it returns a general message, because their text may contain secrets.
func MessageOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message
	}
	return "internal error; the hub's log has the details (agent-discover doctor shows where)"
}
