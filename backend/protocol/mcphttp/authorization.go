package mcphttp

import (
	"context"
	"net/http"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// ErrSignIn is in the chain of the error of a request that needs a person to sign in.
var ErrSignIn error = &fault.Error{Kind: fault.Denied, Message: "sign-in required", Code: fault.CodeSignIn}

// Authorization provides the tokens of requests.
type Authorization interface {
	// Header returns the Authorization header of the next request, or "" for none.
	Header(ctx context.Context) (string, error)
	// Challenged is called when the server answers 401 or 403. It reports whether the request
	// should be sent once more. An error must be a fault; it becomes the error of the request.
	// If retry is false and err is nil, the error of the request quotes the server's answer.
	Challenged(ctx context.Context, c Challenge) (retry bool, err error)
}

// Challenge is a server's response with status 401 or 403.
type Challenge struct {
	Status int
	Header http.Header
	Sent   string // the Authorization header of the request
	// Operation names the refused request, such as "tools/call delete_file".
	Operation string
}
