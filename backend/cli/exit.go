package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// The exit codes, which the help and the guide list.
const (
	exitOK        = 0
	exitArguments = fault.ExitInvalid
	exitNotFound  = fault.ExitNotFound
	exitFailed    = fault.ExitFailed
	exitDisabled  = fault.ExitDenied
	exitWaiting   = fault.ExitDenied // trust list: items wait for a decision
)

// usage is an error in the arguments of a command. The program then exits with
// exitArguments.
type usage struct{ error }

func usagef(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return usage{fault.Wrap(err, fault.Invalid, "%s", err)}
}

// Unwrap returns the fault, so that fault.MessageOf returns the message of a usage error, too.
func (u usage) Unwrap() error { return u.error }

// exitCode is an error that ends the program with a code. No message is
// printed, because the command already printed one.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// report prints err, which may be nil, and returns the exit code.
func (p *program) report(err error) int {
	if err == nil {
		return exitOK
	}
	var code exitCode
	if errors.As(err, &code) {
		return int(code)
	}
	message := err.Error()
	if _, ok := errors.AsType[*fault.Error](err); ok {
		message = fault.MessageOf(err)
	}
	if p.json {
		text, _ := jsonText(map[string]string{"error": message}) // encoding strings cannot fail
		_, _ = io.WriteString(p.err, safetext.JSON(text))
	} else {
		p.notef("agent-discover: %s\n", message)
	}
	return codeOf(err)
}

func codeOf(err error) int {
	if _, wrong := errors.AsType[usage](err); wrong {
		return exitArguments
	}
	if _, known := errors.AsType[*fault.Error](err); !known {
		return exitArguments // cobra reports an unknown command with an error of its own
	}
	return fault.KindOf(err).Exit()
}
