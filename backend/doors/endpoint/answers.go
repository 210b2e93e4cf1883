package endpoint

import (
	"net/http"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// refuse answers an HTTP request with a JSON-RPC error. id is the id of the JSON-RPC request, nil if it is unknown.
func refuse(w http.ResponseWriter, status int, id []byte, why *jsonrpc.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(jsonrpc.AppendResponse(nil, id, nil, why)) // fails when the client is gone
}

func invalid(text string) *jsonrpc.Error {
	return jsonrpc.NewError(jsonrpc.CodeInvalidRequest, "Invalid Request: %s", text)
}

func unavailable(w http.ResponseWriter, text string) {
	refuse(w, http.StatusServiceUnavailable, nil, jsonrpc.NewError(jsonrpc.CodeInternalError, "%s", text))
}

// notAllowed answers a request with an unsupported HTTP method, or a GET or DELETE request without a session.
func notAllowed(w http.ResponseWriter) {
	w.Header().Set("Allow", "POST")
	refuse(w, http.StatusMethodNotAllowed, nil, invalid("use POST; GET and DELETE need the header Mcp-Session-Id of a session"))
}
