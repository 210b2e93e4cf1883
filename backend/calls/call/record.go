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
	r := e.asRecord()
	r.Outcome, r.Latency, r.Code, r.Begun = outcome(result, err), time.Since(e.began), errorCode(err), e.begun
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
		r.Kind, r.Tool, r.Response, answer = read.kind, e.reads(), errorText(err), nil
		if e.Method == "resources/read" {
			arguments = jsonrpc.Set(nil, read.member, jsonrpc.Quote(r.Tool))
		}
		if err == nil {
			r.Response = string(jsonrpc.Get(result.JSON, read.answer))
		}
	case reads:
		r.Kind, r.Tool, r.Unlisted, answer = read.kind, e.reads(), true, nil
	default:
		return
	}
	e.p.options.Journal.Record(r, arguments, answer, e.p.options.Upstream.Redactor(e.server))
}

// begin keeps that the request is about to be sent; see journal.Journal.Begin. It returns an error if the request cannot
// be recorded and must be.
func (e *exchange) begin() (err error) {
	r, arguments := e.asRecord(), jsonrpc.Get(e.Params, "arguments")
	if read, reads := reading[e.Method]; reads {
		r.Kind, r.Tool = read.kind, e.reads()
	} else if e.Method != callTool {
		return nil
	}
	e.begun, err = e.p.options.Journal.Begin(r, arguments, e.p.options.Upstream.Redactor(e.server))
	if err != nil && e.p.options.MustRecord != nil && e.p.options.MustRecord() {
		return fault.Wrap(err, fault.Unavailable, "the call was not made, because it cannot be recorded: free disk space and see the "+
			"hub's log, or change the setting audit.required")
	}
	return nil
}

// asRecord returns what is known of the request before it is sent.
func (e *exchange) asRecord() journal.Record {
	return journal.Record{
		At: e.began, Client: e.Client, Session: e.Session, Server: e.Server, Tool: e.Tool, Editor: e.Editor, Token: e.Token, Road: e.Road,
	}
}

// reads returns the URI of the resource or the name of the prompt that the request reads.
func (e *exchange) reads() string { return jsonrpc.GetString(e.Params, reading[e.Method].member) }

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
	case isCancelled(err):
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
	if isCancelled(err) {
		return "cancelled by the caller"
	}
	if err != nil {
		return fault.MessageOf(err)
	}
	return ""
}

func outcome(result Result, err error) journal.Outcome {
	switch {
	case err == nil && result.ToolError:
		return journal.ToolError
	case err == nil:
		return journal.OK
	case errors.Is(err, upstream.ErrPaused), fault.CodeOf(err) == fault.CodeHeld:
		return journal.Refused
	case isCancelled(err):
		return journal.Cancelled
	case fault.KindOf(err) == fault.Timeout:
		return journal.Timeout
	}
	return journal.Failed
}

// isCancelled reports whether a call ended because its caller has cancelled it or is gone.
func isCancelled(err error) bool {
	_, byClient := errors.AsType[*jsonrpc.Cancelled](err)
	return byClient || errors.Is(err, context.Canceled)
}
