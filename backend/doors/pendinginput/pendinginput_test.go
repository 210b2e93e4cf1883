package pendinginput_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/pendinginput"
	"github.com/agent-discover/agent-discover/backend/protocol/inputrequired"
)

func newLot(t *testing.T) *pendinginput.Lot {
	t.Helper()
	sealer, err := pendinginput.NewSealer(pendinginput.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	return pendinginput.New(sealer)
}

var binding = pendinginput.Binding{Principal: "me", Session: "one", Instance: "7", Method: "tools/call", Params: [32]byte{1}}

// asking returns a function for Begin that sends the client a request of each method at the same time and returns
// the answers or errors as text.
func asking(methods ...string) func(context.Context, *pendinginput.Call) (json.RawMessage, error) {
	return func(ctx context.Context, c *pendinginput.Call) (json.RawMessage, error) {
		answers := make([]chan string, len(methods))
		for i, method := range methods {
			answers[i] = make(chan string, 1)
			go func() {
				time.Sleep(time.Duration(i) * time.Millisecond) // so that the order of the questions is fixed
				answer, err := c.Ask(ctx, method, json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)))
				if err != nil {
					answer = json.RawMessage(err.Error())
				}
				answers[i] <- string(answer)
			}()
		}
		out := make([]string, len(methods))
		for i := range answers {
			out[i] = <-answers[i]
		}
		text, err := json.Marshal(out)
		return text, err
	}
}

// begin starts a call, whose server asks with the given methods, and returns the first questions.
func begin(t *testing.T, l *pendinginput.Lot, methods ...string) *inputrequired.Result {
	t.Helper()
	out, err := l.Begin(t.Context(), binding, asking(methods...)).Wait(t.Context(), nil)
	if err != nil || out.Required == nil {
		t.Fatalf("got %s, %v", out.Result, err)
	}
	return out.Required
}

// retry resumes a call and waits for its next outcome.
func retry(t *testing.T, l *pendinginput.Lot, state json.RawMessage, responses ...inputrequired.Response) (pendinginput.Outcome, error) {
	t.Helper()
	c, err := l.Resume(inputrequired.Retry{State: state, Responses: responses}, binding)
	if err != nil {
		return pendinginput.Outcome{}, err
	}
	return c.Wait(t.Context(), nil)
}

func response(key, result string) inputrequired.Response {
	return inputrequired.Response{Key: key, Result: json.RawMessage(result)}
}

func TestQuestionsAreAnsweredByRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLot(t)
		first := begin(t, l, "elicitation/create", "roots/list")
		if got, want := fmt.Sprint(first.Requests), fmt.Sprint([]inputrequired.Request{
			{Key: "q1", Method: "elicitation/create", Params: json.RawMessage(`{"n":0}`)},
			{Key: "q2", Method: "roots/list", Params: json.RawMessage(`{"n":1}`)},
		}); got != want {
			t.Errorf("asked %s", got)
		}
		// The answer to q2 is missing, and an unknown key is ignored.
		second, err := retry(t, l, first.State, response("q1", `{"a":1}`), response("q9", `{}`))
		if err != nil || second.Required == nil || len(second.Required.Requests) != 1 || second.Required.Requests[0].Key != "q2" {
			t.Fatalf("after half of the answers: %+v, %v", second, err)
		}
		if _, err := retry(t, l, first.State, response("q2", `{}`)); !errors.Is(err, pendinginput.ErrState) {
			t.Errorf("the state of the first round in the second: %v", err)
		}
		last, err := retry(t, l, second.Required.State, response("q2", `{"b":2}`))
		if want := `["{\"a\":1}","{\"b\":2}"]`; err != nil || string(last.Result) != want {
			t.Errorf("got %s, %v; want %s", last.Result, err, want)
		}
		if l.Len() != 0 {
			t.Errorf("%d calls are still parked", l.Len())
		}
	})
}

func TestACallThatAsksNothingIsNotParked(t *testing.T) {
	l := newLot(t)
	c := l.Begin(t.Context(), binding, func(context.Context, *pendinginput.Call) (json.RawMessage, error) {
		return json.RawMessage(`{}`), errors.New("of the server")
	})
	if out, err := c.Wait(t.Context(), nil); string(out.Result) != `{}` || err == nil || l.Len() != 0 {
		t.Errorf("got %s, %v, %d parked", out.Result, err, l.Len())
	}
}

func TestOnlyTheRetryOfTheSameCallContinuesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLot(t)
		required := begin(t, l, "elicitation/create")
		other := func(change func(*pendinginput.Binding)) pendinginput.Binding {
			b := binding
			change(&b)
			return b
		}
		tampered := strings.Replace(string(required.State), string(required.State[20]), "-", 1)
		if tampered == string(required.State) {
			tampered = strings.Replace(tampered, string(required.State[20]), "_", 1)
		}
		for name, try := range map[string]struct {
			state string
			as    pendinginput.Binding
		}{
			"another principal": {string(required.State), other(func(b *pendinginput.Binding) { b.Principal = "you" })},
			"another session":   {string(required.State), other(func(b *pendinginput.Binding) { b.Session = "two" })},
			"another instance":  {string(required.State), other(func(b *pendinginput.Binding) { b.Instance = "8" })},
			"another method":    {string(required.State), other(func(b *pendinginput.Binding) { b.Method = "prompts/get" })},
			"other arguments":   {string(required.State), other(func(b *pendinginput.Binding) { b.Params = [32]byte{2} })},
			"a changed state":   {tampered, binding},
			"a number":          {"7", binding},
			"no state":          {"", binding},
			"an empty state":    {`""`, binding},
			"a foreign text":    {`"AAAA"`, binding},
		} {
			if _, err := l.Resume(inputrequired.Retry{State: json.RawMessage(try.state)}, try.as); !errors.Is(err, pendinginput.ErrState) {
				t.Errorf("%s: %v", name, err)
			}
		}
		answer := response("q1", `{"action":"accept"}`)
		if out, err := retry(t, l, required.State, answer); err != nil || out.Result == nil {
			t.Errorf("the right retry: %s, %v", out.Result, err)
		}
		if _, err := retry(t, l, required.State, answer); !errors.Is(err, pendinginput.ErrState) {
			t.Errorf("the same retry again: %v", err)
		}
	})
}

func TestAStateIsUsedOnceAlsoWhileItsRetryWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLot(t)
		required := begin(t, l, "elicitation/create", "elicitation/create")
		if _, err := l.Resume(inputrequired.Retry{State: required.State}, binding); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Resume(inputrequired.Retry{State: required.State}, binding); !errors.Is(err, pendinginput.ErrState) {
			t.Errorf("the second time: %v", err)
		}
		l.End(func(pendinginput.Binding) bool { return true }, errors.New("test ends"))
	})
}

func TestARetryAfterARestartSaysThatTheOutcomeIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sealer, err := pendinginput.NewSealer(pendinginput.NewKey())
		if err != nil {
			t.Fatal(err)
		}
		before := pendinginput.New(sealer)
		required := begin(t, before, "elicitation/create")
		if _, err := retry(t, pendinginput.New(sealer), required.State); !errors.Is(err, pendinginput.ErrUnknownOutcome) {
			t.Errorf("got %v", err)
		}
		before.End(func(pendinginput.Binding) bool { return true }, errors.New("the hub stops"))
	})
}

// When a call is abandoned, the server's questions are answered, the call ends, and it is no longer parked.
func TestAnAbandonedCallAnswersItsServer(t *testing.T) {
	for name, abandon := range map[string]func(*pendinginput.Lot, context.CancelFunc){
		"nobody retries": func(*pendinginput.Lot, context.CancelFunc) { time.Sleep(11 * time.Minute) },
		"the client left": func(l *pendinginput.Lot, _ context.CancelFunc) {
			l.End(func(b pendinginput.Binding) bool { return b.Session == "one" }, errors.New("gone"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLot(t)
				ended := make(chan string, 1)
				c := l.Begin(t.Context(), binding, func(ctx context.Context, c *pendinginput.Call) (json.RawMessage, error) {
					answers, _ := asking("elicitation/create", "sampling/createMessage")(ctx, c)
					<-ctx.Done()
					ended <- string(answers)
					return nil, context.Cause(ctx)
				})
				out, err := c.Wait(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				abandon(l, nil)
				got := <-ended
				if !strings.HasPrefix(got, `["{\"action\":\"cancel\"}","`) || strings.Count(got, "action") != 1 || l.Len() != 0 {
					t.Errorf("the server got %s; %d calls are parked", got, l.Len())
				}
				if _, err := retry(t, l, out.Required.State, response("q1", `{}`)); !errors.Is(err, pendinginput.ErrState) {
					t.Errorf("a late retry: %v", err)
				}
			})
		})
	}
}

func TestACancelledRetryCancelsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLot(t)
		ended := make(chan error, 1)
		c := l.Begin(t.Context(), binding, func(ctx context.Context, c *pendinginput.Call) (json.RawMessage, error) {
			_, _ = c.Ask(ctx, "roots/list", nil)
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return nil, context.Cause(ctx)
		})
		out, err := c.Wait(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if c, err = l.Resume(inputrequired.Retry{State: out.Required.State, Responses: []inputrequired.Response{response("q1", `{}`)}},
			binding); err != nil {
			t.Fatal(err)
		}
		cause := errors.New("cancelled by the client")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		if _, err := c.Wait(ctx, nil); !errors.Is(err, cause) {
			t.Errorf("the retry: %v", err)
		}
		if err := <-ended; !errors.Is(err, cause) || l.Len() != 0 {
			t.Errorf("the call: %v, %d parked", err, l.Len())
		}
	})
}

func TestParkedCallsAreLimitedForEachPrincipal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLot(t)
		for range 64 {
			begin(t, l, "elicitation/create")
		}
		out, err := l.Begin(t.Context(), binding, asking("elicitation/create")).Wait(t.Context(), nil)
		if err != nil || !strings.Contains(string(out.Result), "too many requests wait for input") {
			t.Errorf("the 65th: %s, %v", out.Result, err)
		}
		stranger := binding
		stranger.Principal = "you"
		if out, err := l.Begin(t.Context(), stranger, asking("elicitation/create")).Wait(t.Context(), nil); err != nil ||
			out.Required == nil {
			t.Errorf("another principal: %s, %v", out.Result, err)
		}
		l.End(func(pendinginput.Binding) bool { return true }, errors.New("test ends"))
		if l.Len() != 0 {
			t.Errorf("%d calls are still parked", l.Len())
		}
	})
}

func TestAWithdrawnQuestionIsNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLot(t)
		c := l.Begin(t.Context(), binding, func(ctx context.Context, c *pendinginput.Call) (json.RawMessage, error) {
			asking, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
			defer cancel()
			_, err := c.Ask(asking, "elicitation/create", nil)
			time.Sleep(time.Second)
			return json.RawMessage(`{"withdrawn":true}`), errors.Unwrap(err)
		})
		if out, err := c.Wait(t.Context(), nil); err != nil || string(out.Result) != `{"withdrawn":true}` {
			t.Errorf("got %+v, %v", out, err)
		}
	})
}

func TestNotificationsReachTheRequestThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLot(t)
		c := l.Begin(t.Context(), binding, func(ctx context.Context, c *pendinginput.Call) (json.RawMessage, error) {
			for i := range 3 {
				c.Notify("m", json.RawMessage(fmt.Sprint(i)))
				if i < 2 {
					go func() {
						time.Sleep(time.Second)
						c.Notify("m", json.RawMessage(`"while parked"`))
					}()
					_, _ = c.Ask(ctx, "roots/list", nil)
				}
			}
			return json.RawMessage(`{}`), nil
		})
		var got []string
		note := func(round string) func(string, json.RawMessage) {
			return func(method string, params json.RawMessage) { got = append(got, round+method+string(params)) }
		}
		synctest.Wait() // the call starts only in Wait
		out, err := c.Wait(t.Context(), note("first "))
		for _, round := range []string{"second ", "third "} {
			if err != nil || out.Required == nil {
				t.Fatalf("before %s: %+v, %v", round, out, err)
			}
			time.Sleep(2 * time.Second)
			key := out.Required.Requests[0].Key
			if c, err = l.Resume(inputrequired.Retry{State: out.Required.State, Responses: []inputrequired.Response{response(key, `{}`)}},
				binding); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			out, err = c.Wait(t.Context(), note(round))
		}
		if want := "[first m0 second m1 third m2]"; fmt.Sprint(got) != want || string(out.Result) != `{}` {
			t.Errorf("got %v, %s", got, out.Result)
		}
	})
}

func TestAStateOfAServerIsBoundToItsCall(t *testing.T) {
	sealer, err := pendinginput.NewSealer(pendinginput.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for _, own := range []string{`"their state"`, `""`, ``} {
		sealed := sealer.Seal(json.RawMessage(own), binding, now.Add(time.Minute))
		if got, err := sealer.Open(sealed, binding, now); err != nil || string(got) != own {
			t.Errorf("%q comes back as %q, %v", own, got, err)
		}
		if strings.Contains(string(sealed), "their") {
			t.Errorf("the state is readable: %s", sealed)
		}
		if _, err := sealer.Open(sealed, binding, now.Add(time.Minute)); !errors.Is(err, pendinginput.ErrState) {
			t.Errorf("an expired state: %v", err)
		}
		other := binding
		other.Principal = "you"
		if _, err := sealer.Open(sealed, other, now); !errors.Is(err, pendinginput.ErrState) {
			t.Errorf("another principal: %v", err)
		}
	}
	if _, err := pendinginput.New(sealer).Resume(inputrequired.Retry{State: sealer.Seal(nil, binding, now.Add(time.Minute))},
		binding); !errors.Is(err, pendinginput.ErrState) {
		t.Errorf("a state of a server resumes a parked call: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		l := pendinginput.New(sealer)
		if _, err := sealer.Open(begin(t, l, "roots/list").State, binding, time.Now()); !errors.Is(err, pendinginput.ErrState) {
			t.Errorf("the state of a parked call is one of a server: %v", err)
		}
		l.End(func(pendinginput.Binding) bool { return true }, errors.New("test ends"))
	})
	if _, err := pendinginput.NewSealer([]byte("short")); err == nil {
		t.Error("a short key was accepted")
	}
}
