package inspector

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

const (
	// answerTimeout is how long a question waits for a person's answer.
	answerTimeout = 10 * time.Minute
	maxWaiting    = 64 // waiting questions of all servers
	maxPerServer  = 8  // waiting questions of one server
)

// Elicitation is a question of a server that waits for a person's answer.
type Elicitation struct {
	ID      string
	Server  string
	Message string
	Schema  json.RawMessage // requestedSchema, as the server sent it
	At      time.Time
}

// Asked is published when a question was added to the inbox.
type Asked struct{ Elicitation }

// Answered is published when a question was answered or cancelled, or has
// expired.
type Answered struct{ ID string }

type elicitation struct {
	Elicitation
	answer chan json.RawMessage // receives the one answer
}

// Inbox holds the questions that servers ask a person, and answers requests for
// sampling. It is the upstream.Caller of the calls that a person makes. It is
// safe for concurrent use.
type Inbox struct {
	records Recorder
	bus     *events.Bus
	sampler *Sampler
	log     *slog.Logger

	mu      sync.Mutex
	waiting map[string]*elicitation // by id
}

// NewInbox returns an empty inbox. If sampler is nil, requests for sampling are
// refused.
func NewInbox(records Recorder, bus *events.Bus, sampler *Sampler, log *slog.Logger) *Inbox {
	return &Inbox{records: records, bus: bus, sampler: sampler, log: log, waiting: make(map[string]*elicitation)}
}

// Ask implements upstream.Caller. An elicitation waits in the inbox for a
// person; sampling for a transient server goes to the configured model.
func (b *Inbox) Ask(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	switch q.Method {
	case "elicitation/create":
		return b.elicit(ctx, q)
	case "sampling/createMessage":
		return b.sample(ctx, q)
	}
	return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s", q.Method)
}

// Window returns the caller that gets a server's question when the question
// cannot be assigned to one caller. It passes the question to the inbox if a
// window is open, and otherwise refuses it.
func (b *Inbox) Window() upstream.Caller { return window{b} }

type window struct{ inbox *Inbox }

// Ask implements upstream.Caller.
func (w window) Ask(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	if !events.HasSubscribers[Asked](w.inbox.bus) {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidRequest,
			"%s cannot be answered: no call, or calls of several clients, are in flight on this shared server, and no window is open", q.Method)
	}
	return w.inbox.Ask(ctx, q)
}

// elicit puts a question into the inbox and waits for its answer. If
// answerTimeout or ctx ends first, the answer is the action cancel.
func (b *Inbox) elicit(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	question := &elicitation{answer: make(chan json.RawMessage, 1)}
	question.Elicitation = Elicitation{
		ID: "elicit-" + strings.ToLower(rand.Text()[:12]), Server: q.Server, At: time.Now(),
		Message: jsonrpc.GetString(q.Params, "message"), Schema: jsonrpc.Get(q.Params, "requestedSchema"),
	}
	if !b.add(question) {
		return nil, jsonrpc.NewError(jsonrpc.CodeInternalError, "too many questions already wait for a person; try again when they are answered")
	}
	record(b.records, q.Server, time.Now(), Query{
		Kind: journal.Elicitation, About: q.Method, Shown: question.Schema,
		Answer: func(json.RawMessage) string { return question.Message },
	}, nil, nil, q.Redactor)
	events.Publish(b.bus, Asked{question.Elicitation})

	late := time.NewTimer(answerTimeout)
	defer late.Stop()
	defer b.drop(question.ID)
	select {
	case answer := <-question.answer:
		return answer, nil
	case <-late.C:
	case <-ctx.Done():
	}
	return json.RawMessage(`{"action":"cancel"}`), nil
}

// add adds a question to the waiting ones. It returns false if too many are
// waiting already.
func (b *Inbox) add(question *elicitation) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	own := 0
	for _, other := range b.waiting {
		if other.Server == question.Server {
			own++
		}
	}
	if own >= maxPerServer || len(b.waiting) >= maxWaiting {
		return false
	}
	b.waiting[question.ID] = question
	return true
}

// drop removes a question unless it was answered.
func (b *Inbox) drop(id string) {
	b.mu.Lock()
	_, waited := b.waiting[id]
	delete(b.waiting, id)
	b.mu.Unlock()
	if waited {
		events.Publish(b.bus, Answered{id})
	}
}

// Elicitations returns the waiting questions, oldest first.
func (b *Inbox) Elicitations() []Elicitation {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := []Elicitation{}
	for _, e := range b.waiting {
		out = append(out, e.Elicitation)
	}
	slices.SortFunc(out, func(a, b Elicitation) int { return a.At.Compare(b.At) })
	return out
}

// Respond answers a question. action is accept, decline or cancel; content is a
// JSON object for accept. If no such question waits, the error is a
// fault.NotFound.
func (b *Inbox) Respond(id, action string, content json.RawMessage) error {
	if action != "accept" && action != "decline" && action != "cancel" {
		return fault.New(fault.Invalid, "action must be accept / decline / cancel")
	}
	answer := jsonrpc.Set(nil, "action", jsonrpc.Quote(action))
	if action == "accept" && len(content) > 0 {
		answer = jsonrpc.Set(answer, "content", content)
	}
	b.mu.Lock()
	question, waits := b.waiting[id]
	delete(b.waiting, id)
	b.mu.Unlock()
	if !waits {
		return fault.New(fault.NotFound, "Unknown elicitation id or already resolved")
	}
	question.answer <- answer
	events.Publish(b.bus, Answered{id})
	return nil
}

// cancelAll cancels the questions of a server that is being closed.
func (b *Inbox) cancelAll(server string) {
	for _, e := range b.Elicitations() {
		if e.Server == server {
			_ = b.Respond(e.ID, "cancel", nil) // fails if a person has just answered
		}
	}
}
