package call

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// record records the outcome of a request. The journal lists tool calls and, among direct requests, also pings,
// resource reads and prompt requests. The audit log gets tool calls, and all resource reads and prompt requests.
func (e *exchange) record(ctx context.Context, result Result, err error) {
	r := journal.Record{
		At: e.began, Client: e.Client, Session: e.Session, Server: e.Server, Tool: e.Tool, Outcome: outcome(result, err),
		Latency: time.Since(e.began), Editor: e.Editor, Token: e.Token, Road: e.Road, Code: errorCode(err),
	}
	if err != nil && !e.sent {
		r.Outcome = refusedHow(ctx, err)
	}
	arguments, answer := jsonrpc.Get(e.Params, "arguments"), result.JSON
	read, reads := reading[e.Method]
	switch {
	case e.Method == callTool:
		r.Response = errorText(err)
	case e.Direct && e.Method == "ping":
		r.Kind, r.Tool, r.Response, answer = journal.Ping, e.Method, cmp.Or(errorText(err), "pong"), nil
	case e.Direct && reads:
		r.Kind, r.Tool, r.Response, answer = read.kind, jsonrpc.GetString(e.Params, read.member), errorText(err), nil
		if e.Method == "resources/read" {
			arguments = jsonrpc.Set(nil, read.member, jsonrpc.Quote(r.Tool))
		}
		if err == nil {
			r.Response = string(jsonrpc.Get(result.JSON, read.answer))
		}
	case reads:
		r.Kind, r.Tool, r.Unlisted, answer = read.kind, jsonrpc.GetString(e.Params, read.member), true, nil
	default:
		return
	}
	e.p.options.Journal.Record(r, arguments, answer, e.p.options.Upstream.Redactor(e.server))
}

// refusedHow returns the outcome to record for a request that was not sent. If ctx has ended, it is Cancelled. If the
// server could not be started or asked for its list, it is the outcome of err. Otherwise it is Refused.
func refusedHow(ctx context.Context, err error) journal.Outcome {
	switch kind := fault.KindOf(err); {
	case ctx.Err() != nil:
		return journal.Cancelled
	case upstream.NotStarted(err), kind == fault.Failed, kind == fault.Timeout:
		return outcome(Result{}, err)
	}
	return journal.Refused
}

// errorCode returns the code that the audit log records for an error: the code of a server's JSON-RPC error,
// "cancelled", or the code or kind of a fault; "" for nil.
func errorCode(err error) string {
	rpc, answered := errors.AsType[*jsonrpc.Error](err)
	switch {
	case err == nil:
		return ""
	case answered && fault.CodeOf(err) == "":
		return strconv.Itoa(int(rpc.Code))
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return cmp.Or(fault.CodeOf(err), fault.KindOf(err).String())
}

// errorText returns the text that the journal records for an error, and "" for
// nil.
func errorText(err error) string {
	if text, ok := jsonrpc.ErrorText(err); ok {
		return text
	}
	if errors.Is(err, context.Canceled) {
		return "cancelled by the caller"
	}
	if err != nil {
		return fault.MessageOf(err)
	}
	return ""
}

func outcome(result Result, err error) journal.Outcome {
	var cancelled *jsonrpc.Cancelled
	switch {
	case err == nil && result.ToolError:
		return journal.ToolError
	case err == nil:
		return journal.OK
	case errors.Is(err, upstream.ErrPaused), fault.CodeOf(err) == fault.CodeHeld:
		return journal.Refused
	case errors.As(err, &cancelled), errors.Is(err, context.Canceled):
		return journal.Cancelled
	case fault.KindOf(err) == fault.Timeout:
		return journal.Timeout
	}
	return journal.Failed
}
