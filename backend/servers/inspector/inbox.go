package inspector

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

const (
	// patience is how long a question waits for a person.
	patience = 10 * time.Minute
	// maxWaiting bounds the questions that wait, maxOwn those of one server.
	maxWaiting = 64
	maxOwn     = 8
)

// Elicitation is a question of a server that waits for a person.
type Elicitation struct {
	ID      string
	Server  string
	Message string
	Schema  json.RawMessage // requestedSchema, as the server sent it
	At      time.Time
}

// Asked is published when a question begins to wait.
type Asked struct{ Elicitation }

// Answered is published when a question waits no more.
type Answered struct{ ID string }

type elicitation struct {
	Elicitation
	answer chan json.RawMessage
}

// Ask implements upstream.Caller for calls that a person makes: elicitations
// come to the inbox, sampling of transient servers goes to the configured model.
func (t *Tester) Ask(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	switch q.Method {
	case "elicitation/create":
		return t.elicit(ctx, q)
	case "sampling/createMessage":
		return t.sample(ctx, q)
	}
	return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s", q.Method)
}

// Window returns who is asked what a server asks for nobody in particular: the
// person, if somebody looks.
func (t *Tester) Window() upstream.Caller { return window{t} }

type window struct{ *Tester }

// Ask implements upstream.Caller.
func (w window) Ask(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	if !events.HasSubscribers[Asked](w.Bus) {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidRequest,
			"%s cannot be answered: no call, or calls of several clients, are in flight on this shared server, and no window is open", q.Method)
	}
	return w.Tester.Ask(ctx, q)
}

// elicit puts a question into the inbox and waits for its answer.
func (t *Tester) elicit(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	question := &elicitation{answer: make(chan json.RawMessage, 1)}
	question.Elicitation = Elicitation{
		ID: "elicit-" + strings.ToLower(rand.Text()[:12]), Server: q.Server, At: time.Now(),
		Message: jsonrpc.GetString(q.Params, "message"), Schema: jsonrpc.Get(q.Params, "requestedSchema"),
	}
	t.mu.Lock()
	own := 0
	for _, other := range t.waiting {
		if other.Server == q.Server {
			own++
		}
	}
	if own >= maxOwn || len(t.waiting) >= maxWaiting {
		t.mu.Unlock()
		return nil, jsonrpc.NewError(jsonrpc.CodeInternalError, "too many questions wait for a person already")
	}
	t.waiting[question.ID] = question
	t.mu.Unlock()
	t.note(q.Server, time.Now(), Query{
		Kind: journal.Elicitation, About: q.Method, Shown: question.Schema,
		Answer: func(json.RawMessage) string { return question.Message },
	}, nil, nil, q.Redactor)
	events.Publish(t.Bus, Asked{question.Elicitation})

	late := time.NewTimer(patience)
	defer late.Stop()
	defer t.drop(question.ID)
	select {
	case answer := <-question.answer:
		return answer, nil
	case <-late.C:
	case <-ctx.Done():
	}
	return json.RawMessage(`{"action":"cancel"}`), nil
}

func (t *Tester) drop(id string) {
	t.mu.Lock()
	_, waited := t.waiting[id]
	delete(t.waiting, id)
	t.mu.Unlock()
	if waited {
		events.Publish(t.Bus, Answered{id})
	}
}

// Elicitations returns the questions that wait, the oldest first.
func (t *Tester) Elicitations() []Elicitation {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := []Elicitation{}
	for _, e := range t.waiting {
		out = append(out, e.Elicitation)
	}
	slices.SortFunc(out, func(a, b Elicitation) int { return a.At.Compare(b.At) })
	return out
}

// Respond answers a question. action is accept, decline or cancel; content, an
// object, goes with accept.
func (t *Tester) Respond(id, action string, content json.RawMessage) error {
	if action != "accept" && action != "decline" && action != "cancel" {
		return fault.New(fault.Invalid, "action must be accept / decline / cancel")
	}
	answer := jsonrpc.Set(nil, "action", jsonrpc.Quote(action))
	if action == "accept" && len(content) > 0 {
		answer = jsonrpc.Set(answer, "content", content)
	}
	t.mu.Lock()
	question, waits := t.waiting[id]
	delete(t.waiting, id)
	t.mu.Unlock()
	if !waits {
		return fault.New(fault.NotFound, "Unknown elicitation id or already resolved")
	}
	question.answer <- answer // it has room for the one answer that there is
	events.Publish(t.Bus, Answered{id})
	return nil
}

// withdraw cancels the questions of a server that ends.
func (t *Tester) withdraw(server string) {
	for _, e := range t.Elicitations() {
		if e.Server == server {
			_ = t.Respond(e.ID, "cancel", nil) // it may just have been answered
		}
	}
}
