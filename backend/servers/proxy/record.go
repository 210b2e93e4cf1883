package proxy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/policy"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Refuse records a call that was rejected before Call was used.
func (p *Proxy) Refuse(r Request, why error) {
	p.record(r, registry.Server{}, time.Now(), journal.Refused, nil, why)
}

func (p *Proxy) record(r Request, server registry.Server, began time.Time, how journal.Outcome, result json.RawMessage, err error) {
	p.journal.Record(journal.Record{
		At: began, Client: r.Client, Session: r.Session, Server: r.Server, Tool: r.Tool,
		Response: errorText(err), Outcome: how, Latency: time.Since(began),
		Editor: r.Editor, Token: r.Token, Road: r.Road, Code: errorCode(err),
	}, jsonrpc.Get(r.Params, "arguments"), result, p.upstream.Redactor(server))
}

// errorCode returns what the audit log records for an error: the code of a server's
// JSON-RPC error, or the code or kind of a fault; "" for nil.
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
	case errors.Is(err, upstream.ErrPaused), fault.CodeOf(err) == policy.CodeHeld:
		return journal.Refused
	case errors.As(err, &cancelled), errors.Is(err, context.Canceled):
		return journal.Cancelled
	case fault.KindOf(err) == fault.Timeout:
		return journal.Timeout
	}
	return journal.Failed
}
