package inspector

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

type unrecorded struct{}

func (unrecorded) Record(journal.Record, json.RawMessage, json.RawMessage, *redact.Redactor) {}

func newTestInbox(bus *events.Bus) *Inbox {
	return NewInbox(InboxOptions{
		Records: unrecorded{}, Bus: bus, Log: slog.New(slog.DiscardHandler),
		Configured: func(name string) (registry.Server, error) { return registry.Server{Name: name}, nil },
	})
}

// result is what a server gets as the answer to a question.
type result struct {
	answer json.RawMessage
	err    error
}

// ask calls b.Ask in a goroutine.
func ask(ctx context.Context, b *Inbox, q upstream.Question) <-chan result {
	got := make(chan result, 1)
	go func() {
		answer, err := b.Ask(ctx, q)
		got <- result{answer, err}
	}()
	return got
}

func TestAQuestionThatNobodyAnswersEndsWithAnError(t *testing.T) {
	for _, method := range []string{"elicitation/create", "sampling/createMessage"} {
		for name, limit := range map[string]time.Duration{"of the inbox": 10 * time.Minute, "of the call": time.Minute} {
			t.Run(method+" within the time "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					bus := &events.Bus{}
					b := newTestInbox(bus)
					answered, stop := events.Subscribe[Answered](bus, 1)
					defer stop()
					ctx := context.Background()
					if limit < answerTimeout {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, limit)
						defer cancel()
					}
					defer b.Attend()()
					got := ask(ctx, b, upstream.Question{
						Server: "one", Method: method, Params: json.RawMessage(`{"message":"Which one?"}`),
					})
					synctest.Wait()
					waiting := b.Elicitations()
					if len(waiting) != 1 || !waiting[0].Expires.Equal(time.Now().Add(limit)) {
						t.Fatalf("waiting %+v, want one question that expires in %s", waiting, limit)
					}
					time.Sleep(limit - time.Nanosecond)
					synctest.Wait()
					if len(b.Elicitations()) != 1 {
						t.Error("the question ended before its time")
					}
					time.Sleep(time.Nanosecond)
					r := <-got
					if text, ok := jsonrpc.ErrorText(r.err); !ok || !strings.Contains(text, "nobody has answered it") {
						t.Errorf("the server gets %s, %v", r.answer, r.err)
					}
					if e := <-answered; e.ID != waiting[0].ID || e.Unanswered != Expired || len(b.Elicitations()) != 0 {
						t.Errorf("the question %s still waits", e.ID)
					}
				})
			})
		}
	}
}

func TestAQuestionThatNobodySeesEndsEarly(t *testing.T) {
	for name, row := range map[string]struct {
		see  func(b *Inbox)
		want time.Duration
	}{
		"seen by nobody":    {func(*Inbox) {}, unseenTimeout},
		"read by a program": {func(b *Inbox) { b.Elicitations() }, answerTimeout},
		"a window opens":    {func(b *Inbox) { b.Attend() }, answerTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newTestInbox(&events.Bus{})
				caller, began := b.Caller(), time.Now()
				got := make(chan error, 1)
				go func() {
					_, err := caller.Ask(context.Background(),
						upstream.Question{Server: "one", Method: "elicitation/create", Params: json.RawMessage(`{"message":"Which one?"}`)})
					got <- err
				}()
				time.Sleep(time.Second)
				row.see(b)
				err := <-got
				if after := time.Since(began); after != row.want {
					t.Errorf("it ended after %s, want %s", after, row.want)
				}
				if text, ok := jsonrpc.ErrorText(err); !ok || !strings.Contains(text, "was not answered") {
					t.Errorf("the server gets %v", err)
				}
				unseen := row.want == unseenTimeout
				if err := caller.Unseen("one"); (err != nil) != unseen ||
					unseen && (fault.CodeOf(err) != fault.CodeUnseen || fault.KindOf(err) != fault.Conflict) {
					t.Errorf("the caller gets %v", err)
				}
				if len(b.Elicitations()) != 0 {
					t.Error("the question still waits")
				}
			})
		})
	}
}

func TestAWithdrawnQuestionIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestInbox(&events.Bus{})
		ctx, withdraw := context.WithCancel(context.Background())
		got := ask(ctx, b, upstream.Question{Server: "one", Method: "elicitation/create"})
		synctest.Wait()
		withdraw()
		if r := <-got; string(r.answer) != `{"action":"cancel"}` || r.err != nil {
			t.Errorf("the server gets %s, %v", r.answer, r.err)
		}
		if waiting := b.Elicitations(); len(waiting) != 0 {
			t.Errorf("still waiting: %v", waiting)
		}
	})
}

func TestQuestionsAtTheSameTimeAreAnsweredEachForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestInbox(&events.Bus{})
		ctx := context.Background()
		first := ask(ctx, b, upstream.Question{Server: "one", Method: "elicitation/create", Params: json.RawMessage(`{"message":"first"}`)})
		time.Sleep(time.Second)
		second := ask(ctx, b, upstream.Question{
			Server: "one", Method: "elicitation/create", Params: json.RawMessage(`{"message":"second"}`),
		})
		synctest.Wait()
		waiting := b.Elicitations()
		if len(waiting) != 2 || waiting[0].Message != "first" || waiting[1].Message != "second" {
			t.Fatalf("waiting: %+v", waiting)
		}
		for i, action := range []string{"decline", "accept"} {
			if err := b.Respond(ctx, waiting[1-i].ID, Reply{Action: action, Content: json.RawMessage(`{"a":1}`)}); err != nil {
				t.Fatal(err)
			}
		}
		if r := <-first; string(r.answer) != `{"action":"accept","content":{"a":1}}` {
			t.Errorf("the first gets %s, %v", r.answer, r.err)
		}
		if r := <-second; string(r.answer) != `{"action":"decline"}` {
			t.Errorf("the second gets %s, %v", r.answer, r.err)
		}
		if err := b.Respond(ctx, waiting[0].ID, Reply{Action: "accept"}); fault.KindOf(err) != fault.NotFound {
			t.Errorf("a second answer to the same question: %v", err)
		}
	})
}

func TestOnlyTheSameFormGetsARememberedAnswer(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"string"}}}`
	question := func(server, message, schema string) upstream.Question {
		params := jsonrpc.Set(jsonrpc.Set(nil, "message", jsonrpc.Quote(message)), "requestedSchema", json.RawMessage(schema))
		return upstream.Question{Server: server, Method: "elicitation/create", Params: params, Session: "s"}
	}
	b := newTestInbox(&events.Bus{})
	given := question("one", "Delete a.txt?", schema)
	asked, err := elicitationOf(given)
	if err != nil {
		t.Fatal(err)
	}
	e := &elicitation{Elicitation: asked, asker: askerOf(given)}
	e.asker.redactor = redact.NewKnownSecrets().Redactor("one", launch.Launch{})
	if err := b.answers.remember(t.Context(), e, Reply{
		Action: "accept", Content: json.RawMessage(`{"a":"x"}`), Remember: ForSession,
	}); err != nil {
		t.Fatal(err)
	}
	other := given
	other.Session = "t"
	for _, row := range []struct {
		name string
		q    upstream.Question
		want bool
	}{
		{"the same", given, true},
		{"other spaces in the schema", question("one", "Delete a.txt?", strings.ReplaceAll(schema, ":", ": ")), true},
		{"another message", question("one", "Delete b.txt?", schema), false},
		{"another schema", question("one", "Delete a.txt?", strings.Replace(schema, "string", "number", 1)), false},
		{"another server", question("two", "Delete a.txt?", schema), false},
		{"another session", other, false},
		{
			"a page to open", upstream.Question{
				Server: "one", Method: "elicitation/create", Session: "s",
				Params: json.RawMessage(`{"mode":"url","message":"Delete a.txt?","url":"https://a.example"}`),
			}, false,
		},
		{"roots", upstream.Question{Server: "one", Method: "roots/list", Session: "s"}, false},
	} {
		if got := b.CanAnswer(t.Context(), row.q); got != row.want {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
	b.EndSession("s")
	if b.CanAnswer(t.Context(), given) {
		t.Error("the answer outlives its session")
	}
}

func TestAnswersThatCannotBeRememberedAreRefusedAndTheQuestionWaitsOn(t *testing.T) {
	for _, row := range []struct {
		server, method, params string
		reply                  Reply
		want                   string
	}{
		{"one", "elicitation/create", `{}`, Reply{Action: "cancel", Remember: Always}, "only accept and decline"},
		{"one", "elicitation/create", `{}`, Reply{Action: "accept", Remember: "ever"}, "session or always"},
		{
			"one", "elicitation/create", `{"mode":"url","url":"https://a.example"}`,
			Reply{Action: "accept", Remember: ForSession},
			"only the values of a form",
		},
		{
			"one", "sampling/createMessage", `{}`,
			Reply{Action: "accept", Content: json.RawMessage(`{"text":"x"}`), Remember: ForSession},
			"only the values of a form",
		},
		{transientPrefix + "x", "elicitation/create", `{}`, Reply{Action: "decline", Remember: Always}, "for the session only"},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newTestInbox(&events.Bus{})
			defer b.Attend()()
			ctx, cancel := context.WithCancel(context.Background())
			got := ask(ctx, b, upstream.Question{Server: row.server, Method: row.method, Params: json.RawMessage(row.params)})
			synctest.Wait()
			waiting := b.Elicitations()
			if len(waiting) != 1 {
				t.Fatalf("%s: %v", row.params, waiting)
			}
			err := b.Respond(ctx, waiting[0].ID, row.reply)
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), row.want) || len(b.Elicitations()) != 1 {
				t.Errorf("%+v: %v, want %s", row.reply, err, row.want)
			}
			cancel()
			if r := <-got; r.err != nil && errors.Is(r.err, context.Canceled) {
				t.Errorf("the server gets %v", r.err)
			}
		})
	}
}
