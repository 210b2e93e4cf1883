package inspector

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
)

func TestAnApprovalEndsInOneOfItsWays(t *testing.T) {
	accept := func(scope Scope) func(*Inbox, context.CancelFunc) {
		return func(b *Inbox, _ context.CancelFunc) {
			id := b.Elicitations()[0].ID
			if err := b.Respond(context.Background(), id, Reply{Action: "accept", Remember: scope}); fault.KindOf(err) != fault.Denied {
				t.Errorf("a program approves: %v", err)
			}
			if err := b.Respond(context.Background(), id, Reply{Action: "accept", Remember: scope, ByPerson: true}); err != nil {
				t.Error(err)
			}
		}
	}
	refuse := func(action string) func(*Inbox, context.CancelFunc) {
		return func(b *Inbox, _ context.CancelFunc) {
			if err := b.Respond(context.Background(), b.Elicitations()[0].ID, Reply{Action: action}); err != nil {
				t.Error(err)
			}
		}
	}
	for name, row := range map[string]struct {
		act   func(*Inbox, context.CancelFunc)
		after time.Duration
		scope rules.Scope
		want  string // in the error; empty for an approval
	}{
		"once":            {accept(Once), time.Second, rules.Once, ""},
		"for the session": {accept(ForSession), time.Second, rules.Session, ""},
		"for good":        {accept(Always), time.Second, rules.Always, ""},
		"refused":         {refuse("decline"), time.Second, rules.Once, "the user refused this call"},
		"closed":          {refuse("cancel"), time.Second, rules.Once, "the user refused this call"},
		"seen by nobody":  {nil, unseenTimeout, rules.Once, "no window or tray of Agent Discover is open"},
		"answered by nobody": {
			func(b *Inbox, _ context.CancelFunc) { b.Elicitations() }, answerTimeout, rules.Once, "nobody has answered it",
		},
		"cancelled by caller": {func(_ *Inbox, cancel context.CancelFunc) { cancel() }, time.Second, rules.Once, context.Canceled.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, began := newTestInbox(&events.Bus{}), time.Now()
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				type outcome struct {
					scope rules.Scope
					err   error
				}
				got := make(chan outcome, 1)
				go func() {
					scope, err := b.Approve(ctx, call.Question{
						Server: "one", Tool: "wipe", Client: "agent", Arguments: json.RawMessage(`{"disk":1}`),
					})
					got <- outcome{scope, err}
				}()
				time.Sleep(time.Second)
				if row.act != nil {
					row.act(b, cancel)
				}
				end := <-got
				if after := time.Since(began); after != row.after {
					t.Errorf("it ended after %s, want %s", after, row.after)
				}
				if end.scope != row.scope || (end.err == nil) != (row.want == "") ||
					end.err != nil && !strings.Contains(end.err.Error(), row.want) {
					t.Errorf("got %q, %v", end.scope, end.err)
				}
				if cancelled := errors.Is(end.err, context.Canceled); end.err != nil && !cancelled &&
					fault.KindOf(end.err) != fault.Denied {
					t.Errorf("the error is %v", fault.KindOf(end.err))
				}
				if len(b.Elicitations()) != 0 {
					t.Error("the question still waits")
				}
			})
		})
	}
}
