package mcpversion

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Error codes of MCP.
const (
	CodeHeaderMismatch      = -32020 // header and body differ, or one is missing
	CodeMissingCapabilities = -32021 // data.requiredCapabilities names what the client has not declared
	CodeUnsupportedVersion  = -32022 // data.supported lists versions, data.requested is the one asked for

	// Codes that only the legacy era has.
	CodeResourceNotFound    = -32002
	CodeElicitationRequired = -32042
)

// Error codes of this program. They are outside the range that JSON-RPC and MCP
// reserve.
const (
	CodeBusy           = -31001 // too many requests are in flight
	CodeUnknownOutcome = -31002 // the call may or may not have run
)

// Status returns the HTTP status of a modern response whose error has the code. It
// returns 200 for CodeInvalidParams, because a request for an unknown tool or resource
// is valid. For an error of CheckMeta use 400 instead, whatever its code.
func Status(code int64) int {
	switch code {
	case CodeHeaderMismatch, CodeMissingCapabilities, CodeUnsupportedVersion,
		jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest:
		return http.StatusBadRequest
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	}
	return http.StatusOK
}

// MissingCapabilities returns the error for a request of a client that has not declared
// the capabilities which the request needs. required has the form of client capabilities.
func MissingCapabilities(required json.RawMessage) *jsonrpc.Error {
	err := jsonrpc.NewError(CodeMissingCapabilities, "Missing required client capabilities: declare those in the error's data")
	err.Data = jsonrpc.Set(nil, "requiredCapabilities", required)
	return err
}

// ErrorFor returns an error of an upstream server with a code that may be sent to a
// client of an era. All other bytes stay as they are. For Modern, CodeResourceNotFound
// becomes CodeInvalidParams, and CodeElicitationRequired becomes CodeInternalError; a
// caller that can ask the client for input must handle CodeElicitationRequired itself.
// For Legacy, errors about the headers or the version of the request to the server
// become CodeInternalError, because the client has sent neither.
func ErrorFor(client Era, err *jsonrpc.Error) *jsonrpc.Error {
	code := err.Code
	switch {
	case client == Modern && code == CodeResourceNotFound:
		code = jsonrpc.CodeInvalidParams
	case client == Modern && code == CodeElicitationRequired,
		client == Legacy && (code == CodeHeaderMismatch || code == CodeUnsupportedVersion):
		code = jsonrpc.CodeInternalError
	default:
		return err
	}
	return jsonrpc.ParseError(jsonrpc.Set(err.Raw(), "code", strconv.AppendInt(nil, code, 10)))
}
