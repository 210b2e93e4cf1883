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

// Mode says how a question is answered.
type Mode string

// The modes of questions.
const (
	Form     Mode = "form"     // elicitation: the person fills in a form
	URL      Mode = "url"      // elicitation: the person opens a web page
	Sampling Mode = "sampling" // the person writes what a model would
)

// Elicitation is a question of a server that waits for a person's answer.
type Elicitation struct {
	ID      string
	Server  string
	Mode    Mode
	Message string
	Schema  json.RawMessage // of Form: requestedSchema, as the server sent it
	URL     string          // of URL, as the server sent it
	Request json.RawMessage // of Sampling: the parameters, as the server sent them
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

// Inbox holds the questions that servers ask a person. It is the upstream.Caller of the calls that a person makes. It is
// safe for concurrent use.
type Inbox struct {
	records Recorder
	bus     *events.Bus
	sampler *Sampler
	log     *slog.Logger

	mu      sync.Mutex
	waiting map[string]*elicitation // by id
}

// NewInbox returns an empty inbox. If sampler is nil, a person answers all
// requests for sampling.
func NewInbox(records Recorder, bus *events.Bus, sampler *Sampler, log *slog.Logger) *Inbox {
	return &Inbox{records: records, bus: bus, sampler: sampler, log: log, waiting: make(map[string]*elicitation)}
}

// Ask implements upstream.Caller. A question waits in the inbox for a person.
// Sampling for a transient server goes to the configured model, if there is one.
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

// Present reports whether a window or the tray shows questions now.
func (b *Inbox) Present() bool { return events.HasSubscribers[Asked](b.bus) }

type window struct{ inbox *Inbox }

// Ask implements upstream.Caller.
func (w window) Ask(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	if !w.inbox.Present() {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidRequest,
			"%s cannot be answered: it is not certain whose call caused it (no call, or calls of several clients, came to this shared server), and no window is open", q.Method)
	}
	return w.inbox.Ask(ctx, q)
}

// elicit passes an elicitation to a person and returns the answer.
func (b *Inbox) elicit(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	asked := Elicitation{Server: q.Server, Mode: Form, Message: jsonrpc.GetString(q.Params, "message")}
	shown := jsonrpc.Get(q.Params, "requestedSchema")
	switch mode := jsonrpc.GetString(q.Params, "mode"); mode {
	case "", string(Form):
		asked.Schema = shown
	case string(URL):
		asked.Mode, asked.URL = URL, jsonrpc.GetString(q.Params, "url")
		if asked.URL == "" {
			return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "%s cannot be answered: the mode url needs a url", q.Method)
		}
		shown = jsonrpc.Set(nil, "url", jsonrpc.Quote(asked.URL))
	default:
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "%s cannot be answered: the dashboard supports the modes form and url only", q.Method)
	}
	return b.wait(ctx, asked, func() {
		record(b.records, q.Server, time.Now(), Query{
			Kind: journal.Elicitation, About: q.Method, Shown: shown,
			Answer: func(json.RawMessage) string { return asked.Message },
		}, nil, nil, q.Redactor)
	})
}

// wait puts a question into the inbox, calls added and waits for the answer. If
// answerTimeout or ctx ends first, the answer is the action cancel.
func (b *Inbox) wait(ctx context.Context, asked Elicitation, added func()) (json.RawMessage, error) {
	asked.ID, asked.At = "elicit-"+strings.ToLower(rand.Text()[:12]), time.Now()
	question := &elicitation{asked, make(chan json.RawMessage, 1)}
	if !b.add(question) {
		return nil, jsonrpc.NewError(jsonrpc.CodeInternalError, "too many questions already wait for a person; try again when they are answered")
	}
	added()
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
// JSON object for accept: the values of a form, or text and optionally model of
// a sampled message. If no such question waits, the error is a
// fault.NotFound.
func (b *Inbox) Respond(id, action string, content json.RawMessage) error {
	if action != "accept" && action != "decline" && action != "cancel" {
		return fault.New(fault.Invalid, "action must be accept / decline / cancel")
	}
	answer := jsonrpc.Set(nil, "action", jsonrpc.Quote(action))
	question, err := b.take(id, func(mode Mode) error {
		switch {
		case action != "accept" || mode == URL:
		case mode == Sampling && jsonrpc.GetString(content, "text") == "":
			return fault.New(fault.Invalid, "content must have the answer in text")
		case len(content) > 0:
			answer = jsonrpc.Set(answer, "content", content)
		}
		return nil
	})
	if err != nil {
		return err
	}
	question.answer <- answer
	events.Publish(b.bus, Answered{id})
	return nil
}

// take removes a question, unless check returns an error for its mode.
func (b *Inbox) take(id string, check func(Mode) error) (*elicitation, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	question, waits := b.waiting[id]
	if !waits {
		return nil, fault.New(fault.NotFound, "Unknown elicitation id or already resolved")
	}
	if err := check(question.Mode); err != nil {
		return nil, err
	}
	delete(b.waiting, id)
	return question, nil
}

// cancelAll cancels the questions of a server that is being closed.
func (b *Inbox) cancelAll(server string) {
	for _, e := range b.Elicitations() {
		if e.Server == server {
			_ = b.Respond(e.ID, "cancel", nil) // fails if a person has just answered
		}
	}
}
