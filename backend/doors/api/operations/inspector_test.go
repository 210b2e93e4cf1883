package operations

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/inspector"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/proxy"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

func TestAFailedCallWhoseQuestionNobodySawSaysSo(t *testing.T) {
	for name, row := range map[string]struct {
		failed bool
		want   string // code of the error
	}{"the tool fails": {true, "person_required"}, "the tool has another way": {false, ""}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				one := registry.Server{Name: "one"}
				inbox := inspector.NewInbox(inspector.InboxOptions{
					Records: unrecorded{}, Bus: &events.Bus{}, Log: slog.New(slog.DiscardHandler),
					Configured: func(string) (registry.Server, error) { return one, nil },
				})
				of := inspected{ready: func(string) (registry.Server, error) { return one, nil }, Inspector: &Inspector{
					Caller: inbox.Caller, Upstream: silent{},
					Call: func(ctx context.Context, r proxy.Request) (proxy.Result, error) {
						_, err := r.Caller.Ask(ctx, upstream.Question{Server: "one", Method: "elicitation/create", Params: json.RawMessage(`{"message":"Which?"}`)})
						if err == nil {
							t.Error("the question was answered")
						}
						return proxy.Result{JSON: json.RawMessage(`{"content":[]}`), ToolError: row.failed}, nil
					},
				}}
				in := &serverBody[callFields]{}
				in.RawBody = []byte(`{"tool":"ask"}`)
				if _, err := of.call(t.Context(), in); (err != nil) != row.failed || fault.CodeOf(err) != row.want {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

type unrecorded struct{}

func (unrecorded) Record(journal.Record, json.RawMessage, json.RawMessage, *secrets.Redactor) {}

// silent is the servers of an Inspector that nobody watches.
type silent struct{ *upstream.Manager }

func (silent) Progress(string) func(json.RawMessage) { return nil }
