package upstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// explainer turns errors of a session into ones that name the server, the cause and a remedy.
type explainer struct {
	*origin
	link   link
	stderr *errorOutput
	use    *usage
}

// explain turns the error of a call into one that names the server, the cause
// and a remedy. An error answer of the server is returned unchanged.
func (x *explainer) explain(err error, call jsonrpc.Call) error {
	var rpc *jsonrpc.Error
	var cancelled *jsonrpc.Cancelled
	var malformed *jsonrpc.Malformed
	var long *jsonrpc.LineTooLong
	name, what := x.server.Name, call.Method
	if tool := jsonrpc.GetString(call.Params, "name"); tool != "" && call.Method == "tools/call" {
		what = fmt.Sprintf("tool %q", tool)
	}
	switch {
	case errors.As(err, &rpc), errors.As(err, &cancelled):
		return err
	case errors.As(err, &malformed):
		return jsonrpc.NewError(jsonrpc.CodeInternalError, "server %q sent a malformed answer to %s: %s", name, what,
			x.redactor.Text(malformed.Why))
	case errors.As(err, &long) && long.Full:
		return fault.Wrap(err, fault.Failed,
			"the answer of server %q to %s had to be dropped: it has %d bytes, and too many large answers arrive at the same time; call "+
				"again", name, what, long.Size)
	case errors.As(err, &long):
		return fault.Wrap(err, fault.Failed,
			"the answer of server %q to %s has %d bytes; the limit is %d MiB. Ask for less at a time", name, what, long.Size, maxLine>>20)
	case isClosed(err):
		return x.explainEnd(err, what)
	case fault.KindOf(err) != fault.Internal:
		return fault.Wrap(known(err), fault.KindOf(err), "the call of %s on server %q failed: %s", what, name,
			x.redactor.Text(fault.MessageOf(err)))
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(err, fault.Timeout,
			"server %q sent neither an answer nor progress for %s within %s; the call was cancelled, and the server is restarted if it "+
				"does not answer a ping either. Try a smaller request, or %s.%s",
			name, what, call.Idle, x.raise("call", x.server.Timeouts.Call, call.Idle), x.stderr.quote(reason{}))
	}
	return fault.Wrap(err, fault.Failed, "the call of %s on server %q failed: %s", what, name, x.redactor.Text(err.Error()))
}

// explainList is explain for a list of tools that was not complete within the start timeout.
func (x *explainer) explainList(err error, limit time.Duration) error {
	if !errors.Is(err, context.DeadlineExceeded) {
		return x.explain(err, jsonrpc.Call{Method: "tools/list", Idle: limit})
	}
	return fault.Wrap(err, fault.Timeout, "server %q did not list all its tools within %s; if it is only slow, %s.%s", x.server.Name,
		registry.FormatTimeout(limit), x.raise("start", x.server.Timeouts.Start, limit), x.stderr.quote(reason{}))
}

// explainEnd is explain for a call that was cut off because the session ended.
func (x *explainer) explainEnd(err error, what string) error {
	within(exitGrace, x.link.gone())
	stopping, cause := x.use.stopped()
	name, end := x.server.Name, x.link.ending()
	switch {
	case stopping && cause != "":
		return fault.Wrap(err, fault.Failed,
			"server %q was stopped while %s was running (%s); whether the call took effect is unknown", name, what, cause)
	case x.link.pid() == 0:
		return fault.Wrap(known(err), fault.Failed,
			"the session with server %q ended while %s was running (%s); whether the call took effect is unknown. The next call starts "+
				"a new one.",
			name, what, x.redactor.Text(end.how))
	}
	why := x.stderr.reason()
	return because(why,
		fault.Wrap(err, fault.Failed,
			"server %q ended while %s was running (%s); whether the call took effect is unknown. The server starts again with the next "+
				"call.%s",
			name, what, end.how, x.stderr.quote(why)))
}

// ended returns an error that describes an unexpected end of the session.
func (x *explainer) ended(end ending) error {
	if x.link.pid() == 0 {
		return fault.Wrap(known(end.cause), fault.Failed, "the session with server %q ended (%s); the next call starts a new one",
			x.server.Name, x.redactor.Text(end.how))
	}
	why := x.stderr.reason()
	return because(why,
		fault.Wrap(end.cause, fault.Failed, "server %q exited unexpectedly (%s); it starts again with the next call.%s",
			x.server.Name, end.how, x.stderr.quote(why)))
}

// raise says how a person gives the server more time. what is the limit that has passed: start or call. own is the limit
// that the server has for itself, or 0; limit is the limit that has passed.
func (x *explainer) raise(what string, own, limit time.Duration) string {
	setting := fmt.Sprintf("limits.%s_timeout", what)
	if x.server.ID == 0 { // a transient server, which nobody can edit
		return "raise " + setting + " in config.yaml"
	}
	command := "agent-discover servers edit %s --start-timeout TIME"
	if what == "call" {
		command = "agent-discover servers edit %s --call-timeout TIME"
	}
	edit := "on its page in the dashboard or with: " + fmt.Sprintf(command, x.server.Name)
	if own > 0 {
		return fmt.Sprintf("raise its own %s timeout of %s, which replaces %s of config.yaml, %s",
			what, registry.FormatTimeout(limit), setting, edit)
	}
	return fmt.Sprintf("raise %s in config.yaml, or give it a %s timeout of its own %s", setting, what, edit)
}

// startFailure turns the error of a start into one that names the server, the
// cause and a remedy.
func (x *explainer) startFailure(ctx *starting, err error) error {
	failure := x.startFailed(ctx, err)
	if f, ok := errors.AsType[*fault.Error](failure); ok && x.advice != "" {
		f.Message += "\n" + x.redactor.Text(x.advice)
	}
	return failure
}

func (x *explainer) startFailed(ctx *starting, err error) error {
	command := x.redactor.Text(strings.Join(append([]string{x.server.Command}, x.server.Args...), " "))
	name, distant := x.server.Name, x.link.pid() == 0
	rpc, _ := errors.AsType[*jsonrpc.Error](err)
	refused, _ := errors.AsType[*fault.Error](err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return context.Cause(ctx)
	case refused != nil:
		return notStarted(known(err), refused.Kind, "Failed to activate %q: %s%s", name, x.redactor.Text(refused.Message),
			x.stderr.quote(reason{}))
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && distant:
		return notStarted(err, fault.Timeout, "Failed to activate %q: %s did not finish the MCP handshake %s; is the URL right? If it is only slow, %s.",
			name, mcphttp.Show(x.server.URL), ctx.spent(), x.raise("start", x.server.Timeouts.Start, ctx.limit))
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		why := x.stderr.reason()
		if why.variable == "" { // the server has not ended, so its last lines may be about anything else
			why = reason{}
		}
		return because(why,
			notStarted(err, fault.Timeout,
				"Failed to activate %q: %q did not finish the MCP handshake %s — does it wait for input or for a login? Run it "+
					"in a terminal to see. If it is only slow, %s.%s",
				name, command, ctx.spent(), x.raise("start", x.server.Timeouts.Start, ctx.limit), x.stderr.quote(why)))
	case isClosed(err) && !distant:
		within(exitGrace, x.link.gone())
		if why := x.stderr.reason(); why.line != "" {
			return because(why,
				notStarted(err, fault.Failed, "Failed to activate %q: %q ended before it answered (%s).%s",
					name, command, x.link.ending().how, x.stderr.quote(why)))
		}
		return notStarted(err, fault.Failed, // in the words of the original
			"Failed to activate %q: child process for %q exited before the MCP handshake completed — verify the package/args are "+
				"correct and the server actually starts. Original: MCP error -32000: Connection closed", name, command)
	case rpc != nil:
		return notStarted(err, fault.Failed, "Failed to activate %q: it answered with MCP error %d: %s%s",
			name, rpc.Code, x.redactor.Text(rpc.Message), x.stderr.quote(reason{}))
	}
	return notStarted(err, fault.Failed, "Failed to activate %q: %s%s", name, x.redactor.Text(err.Error()), x.stderr.quote(reason{}))
}
