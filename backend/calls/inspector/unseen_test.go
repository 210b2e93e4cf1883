package inspector

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// asking is a Pipeline whose server asks a question during the call. If failed is set, the call then fails.
type asking struct {
	t      *testing.T
	failed bool
}

func (a asking) Call(ctx context.Context, r call.Request) (call.Result, error) {
	_, err := r.Caller.Ask(ctx, upstream.Question{
		Server: "one", Method: "elicitation/create", Params: json.RawMessage(`{"message":"Which?"}`),
	})
	if err == nil {
		a.t.Error("the question was answered")
	}
	return call.Result{JSON: json.RawMessage(`{"content":[]}`), ToolError: a.failed}, nil
}

func TestAFailedCallWhoseQuestionNobodySawSaysSo(t *testing.T) {
	for name, row := range map[string]struct {
		failed bool
		want   string // code of the error
	}{"the tool fails": {true, fault.CodeUnseen}, "the tool has another way": {false, ""}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				i := New(Options{Inbox: newTestInbox(&events.Bus{}), Pipeline: asking{t, row.failed}})
				_, err := i.Do(t.Context(), registry.Server{Name: "one"}, Query{Tool: "ask"})
				if (err != nil) != row.failed || fault.CodeOf(err) != row.want {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}
