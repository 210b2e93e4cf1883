package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

func TestEachKindOfFaultHasOneAnswer(t *testing.T) {
	for kind, want := range map[fault.Kind]struct {
		code    int64 // for a request
		refused bool  // tools/call gets the same JSON-RPC error
		failure string
	}{
		fault.Internal:    {jsonrpc.CodeInternalError, false, "TOOL_EXECUTION_ERROR"},
		fault.Invalid:     {jsonrpc.CodeInvalidParams, false, "CONFIGURATION_ERROR"},
		fault.NotFound:    {jsonrpc.CodeInvalidParams, false, "TOOL_EXECUTION_ERROR"},
		fault.Conflict:    {jsonrpc.CodeInternalError, false, "TOOL_EXECUTION_ERROR"},
		fault.Denied:      {jsonrpc.CodeInvalidParams, false, "CONFIGURATION_ERROR"},
		fault.Busy:        {mcpversion.CodeBusy, true, "TOOL_EXECUTION_ERROR"},
		fault.Unavailable: {jsonrpc.CodeInternalError, false, "SERVER_CONNECTION_ERROR"},
		fault.Failed:      {jsonrpc.CodeInternalError, false, "TOOL_EXECUTION_ERROR"},
		fault.Timeout:     {jsonrpc.CodeInternalError, false, "TOOL_EXECUTION_TIMEOUT"},
	} {
		err := fmt.Errorf("call: %w", fault.New(kind, "it <failed>"))
		var rpc *jsonrpc.Error
		if !errors.As(Request(err), &rpc) || rpc.Code != want.code || rpc.Message != "it <failed>" {
			t.Errorf("%s: a request gets %v", kind, Request(err))
		}
		result, ended := Call(nil, err)
		if (ended != nil) != want.refused || want.refused != (Ended(err) != nil) {
			t.Errorf("%s: a call gets %s, %v", kind, result, ended)
		}
		if !want.refused && string(result) != `{"content":[{"text":"it <failed>","type":"text"}],"isError":true}` {
			t.Errorf("%s: a call gets %s", kind, result)
		}
		if got := FailureOf(err, "s", "t"); !reflect.DeepEqual(*got, Failure{want.failure, "it <failed>", "s", "t", nil}) {
			t.Errorf("%s: %+v", kind, got)
		}
	}
	if len(byKind) != 9 {
		t.Errorf("the table has %d kinds", len(byKind))
	}
}

func TestCodesOfFaultsSayMoreThanTheirKinds(t *testing.T) {
	for code, want := range map[string]string{
		fault.CodeUnlisted: NotFound, fault.CodeDisabled: Disabled, fault.CodeHeld: Held, fault.CodeNeedsApproval: Execution,
		fault.CodePerson: Configuration,
	} {
		err := &fault.Error{Kind: fault.Denied, Code: code, Message: "no"}
		if got := FailureOf(err, "s", "t"); got.Code != want {
			t.Errorf("%s: %s, want %s", code, got.Code, want)
		}
	}
}

func TestErrorsOfServersArePassedOn(t *testing.T) {
	rpc := jsonrpc.ParseError(json.RawMessage(`{"code":-32602,"message":"bad","data":{"n":1}}`))
	wrapped := fault.Wrap(rpc, fault.Failed, "the server failed")
	if _, err := Call(nil, wrapped); err != error(rpc) {
		t.Errorf("a call gets %v", err)
	}
	if err := Request(wrapped); !errors.Is(err, wrapped) {
		t.Errorf("a request gets %v", err)
	}
	if got := FailureOf(wrapped, "s", "t"); !reflect.DeepEqual(*got, Failure{Validation, `MCP error -32602: bad {"n":1}`, "s", "t", nil}) {
		t.Errorf("got %+v", got)
	}
	if Ended(wrapped) != nil {
		t.Error("an error of the tool ends the request")
	}
	cancelled := &jsonrpc.Cancelled{}
	if result, err := Call(nil, cancelled); result != nil || err != error(cancelled) {
		t.Errorf("a cancelled call gets %s, %v", result, err)
	}
}
