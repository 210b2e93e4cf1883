package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// row describes the response to a kind of fault. The message of the response is always the message of the fault.
// Package fault has the HTTP status and the exit code of each kind, but cannot have these codes, because it must not
// import a protocol.
type row struct {
	// code is the code of the JSON-RPC error that answers requests other than tools/call.
	code int64
	// refused is set if a tools/call, too, is answered with this JSON-RPC error and not with a result with isError.
	// This is so if the call was not made and the model cannot correct anything.
	refused bool
	// failure is the Failure.Code for this kind of fault.
	failure string
}

var byKind = map[fault.Kind]row{
	fault.Internal:    {code: jsonrpc.CodeInternalError, failure: Execution},
	fault.Invalid:     {code: jsonrpc.CodeInvalidParams, failure: Configuration},
	fault.NotFound:    {code: jsonrpc.CodeInvalidParams, failure: Execution},
	fault.Conflict:    {code: jsonrpc.CodeInternalError, failure: Execution},
	fault.Denied:      {code: jsonrpc.CodeInvalidParams, failure: Configuration},
	fault.Busy:        {code: mcpversion.CodeBusy, refused: true, failure: Execution},
	fault.Unavailable: {code: jsonrpc.CodeInternalError, failure: Connection},
	fault.Failed:      {code: jsonrpc.CodeInternalError, failure: Execution},
	fault.Timeout:     {code: jsonrpc.CodeInternalError, failure: Timeout},
}

// byCode maps codes of faults to codes of failures. It contains the faults whose code is more specific than their kind.
var byCode = map[string]string{
	fault.CodeUnlisted:      NotFound,
	fault.CodeUnknownTool:   NotFound,
	fault.CodeDisabled:      Disabled,
	fault.CodeHeld:          Held,
	fault.CodeNeedsApproval: Execution, // the user was asked, and refused
}

// Request returns the JSON-RPC error of a request that has failed. Errors of the server
// and cancellations are unchanged.
func Request(err error) error {
	if !isFault(err) {
		return err
	}
	return jsonrpc.NewError(byKind[fault.KindOf(err)].code, "%s", fault.MessageOf(err))
}

// Call returns the response to a call of a tool. It passes on JSON-RPC errors of the server. If the hub has refused the
// call because it is busy, the response is a JSON-RPC error. Any other error becomes a result with isError, which a
// model can read. If the client has cancelled the call, it ignores the response.
func Call(result json.RawMessage, err error) (json.RawMessage, error) {
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return nil, rpc
	}
	switch {
	case err == nil:
		return result, nil
	case !isFault(err), byKind[fault.KindOf(err)].refused:
		return nil, Request(err)
	}
	return Error(fault.MessageOf(err), fault.DidYouMean(err)...)
}

// Ended returns the JSON-RPC error to answer a call with, if err concerns the request rather than the tool: the request
// was cancelled, or the hub is busy. It returns nil for other errors.
func Ended(err error) error {
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		if rpc.Code == mcpversion.CodeBusy {
			return rpc
		}
		return nil
	}
	if !isFault(err) || byKind[fault.KindOf(err)].refused {
		return Request(err)
	}
	return nil
}

// UnknownTool returns an error text that says that no tool has this name. err is the error of package resolve. It
// contains the names of tools that may be meant. how is a sentence that says how to find a tool.
func UnknownTool(name string, err error, how string) string {
	text := "Unknown tool: " + name
	if near := fault.DidYouMean(err); len(near) > 0 {
		return text + " — did you mean " + strings.Join(near, ", ") + "? " + how
	}
	return text + ". " + how
}

// Action returns the result of a failed action of the tool registry. Clients rely on the code in brackets, which the
// original product (agent-discover 1.4) sends, too.
func Action(err error) (json.RawMessage, error) {
	return Error("Error [UNKNOWN_ERROR]: "+fault.MessageOf(err), fault.DidYouMean(err)...)
}

// isFault reports whether an error is the hub's own, not one that the server has sent, nor
// the cancellation of the request.
func isFault(err error) bool {
	var rpc *jsonrpc.Error
	var cancelled *jsonrpc.Cancelled
	return !errors.As(err, &rpc) && !errors.As(err, &cancelled)
}

// The codes of failures.
const (
	NotFound      = "TOOL_NOT_FOUND"
	Disabled      = "TOOL_DISABLED"
	Held          = "TOOL_HELD"
	Validation    = "TOOL_VALIDATION_ERROR"
	Execution     = "TOOL_EXECUTION_ERROR"
	Timeout       = "TOOL_EXECUTION_TIMEOUT"
	Connection    = "SERVER_CONNECTION_ERROR"
	Configuration = "CONFIGURATION_ERROR"
)

// Failure says why a call has failed, for those tools of the hub that take the names of a server and of a tool
// as separate arguments. It contains no secrets and no environment variables.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	// DidYouMean has the names that may be meant instead of an unknown one.
	DidYouMean []string `json:"did_you_mean,omitempty"`
}

// Error implements error.
func (f *Failure) Error() string { return f.Message }

// Result returns the failure as a result with isError.
func (f *Failure) Result() (json.RawMessage, error) {
	text, err := Encode(struct {
		Success bool     `json:"success"`
		Error   *Failure `json:"error"`
	}{false, f})
	if err != nil {
		return nil, err
	}
	return Error(string(text), f.DidYouMean...)
}

// FailureOf returns the failure for an error of a call of a tool or of the start of its server.
func FailureOf(err error, server, tool string) *Failure {
	if failed, ok := errors.AsType[*Failure](err); ok {
		return failed
	}
	kind := fault.KindOf(err)
	f := &Failure{Code: byKind[kind].failure, Message: fault.MessageOf(err), Server: server, Tool: tool, DidYouMean: fault.DidYouMean(err)}
	rpc, fromServer := errors.AsType[*jsonrpc.Error](err)
	own, _ := errors.AsType[*fault.Error](err)
	switch {
	case fault.CodeOf(err) == fault.CodeUnlisted:
		f.Code = byCode[fault.CodeUnlisted]
	case fromServer:
		f.Code, f.Message = Execution, ServerError(rpc)
		if rpc.Code == jsonrpc.CodeInvalidParams {
			f.Code = Validation
		}
	case own != nil && byCode[own.Code] != "":
		f.Code = byCode[own.Code]
	case kind != fault.Timeout && upstream.NotStarted(err):
		f.Code = Connection
	}
	return f
}

// ServerError returns a JSON-RPC error of a server as text for a model, without the secrets of the server.
func ServerError(rpc *jsonrpc.Error) string {
	return rpc.Written(strings.TrimSpace(fmt.Sprintf("MCP error %d: %s %s", rpc.Code, rpc.Message, rpc.Data)))
}
