package call

import (
	"errors"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

func TestErrorsAreRecordedAsText(t *testing.T) {
	for want, err := range map[string]error{
		"":                                     nil,
		"MCP error -32602: Unknown tool: nope": jsonrpc.ParseError([]byte(`{"code":-32602,"message":"Unknown tool: nope","data":{"by":"it"}}`)),
		`server "s" ended while "t" was running`: fault.Wrap(errors.New("exit 1"), fault.Failed,
			`server %q ended while %q was running`, "s", "t"),
		"cancelled by the caller": &jsonrpc.Cancelled{},
	} {
		if got := errorText(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
