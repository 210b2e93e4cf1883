package inspector

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

const (
	// answerTimeout is how long a question waits for a person's answer, unless
	// the context of the question ends earlier.
	answerTimeout = 10 * time.Minute
	// unseenTimeout is how long a question waits if no window or tray shows it and no program reads it.
	unseenTimeout = 10 * time.Second
	maxWaiting    = 64 // waiting questions of all servers
	maxPerServer  = 8  // waiting questions of one server
)

// InboxOptions are the dependencies of an Inbox.
type InboxOptions struct {
	Records Recorder
	Bus     *events.Bus
	Sampler *Sampler // if nil, a person answers all requests for sampling
	Answers AnswerStore
	Vault   Vault
	// Configured returns a server of the configuration.
	Configured func(name string) (registry.Server, error)
	Log        *slog.Logger
	// Timeout is how long a question waits for a person's answer; 0 means answerTimeout.
	Timeout time.Duration
}

// Inbox holds the questions that wait for a person: those of servers, and those of the hub about calls that need
// approval. It is the upstream.Caller of the calls that a person makes. It is safe for concurrent use.
type Inbox struct {
	records Recorder
	bus     *events.Bus
	timeout time.Duration // how long a question waits for an answer
	sampler *Sampler
	answers answers
	log     *slog.Logger

	mu        sync.Mutex
	waiting   map[string]*elicitation // by id
	attending int                     // windows and trays that show questions
}

// NewInbox returns an empty inbox.
func NewInbox(o InboxOptions) *Inbox {
	return &Inbox{
		records: o.Records, bus: o.Bus, sampler: o.Sampler, log: o.Log, timeout: cmp.Or(o.Timeout, answerTimeout),
		waiting: make(map[string]*elicitation),
		answers: answers{store: o.Answers, vault: o.Vault, configured: o.Configured},
	}
}

// Ask implements upstream.Caller. A question waits in the inbox for a person, unless a remembered answer applies to it.
// A sampling request goes to the configured model, if any, when it comes from a transient server that is not a copy of
// a configured one.
func (b *Inbox) Ask(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	switch q.Method {
	case "elicitation/create":
		return b.elicit(ctx, q)
	case "sampling/createMessage":
		return b.sample(ctx, q)
	}
	return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s", q.Method)
}

// Window returns the caller for questions of servers that cannot be assigned to
// one request. It passes a question to the inbox if CanAnswer returns true, and
// otherwise refuses it.
func (b *Inbox) Window() upstream.Caller { return window{b} }

// Attend counts a window or a tray that shows questions, until leave is called.
func (b *Inbox) Attend() (leave func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.attending++
	return sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.attending--
	})
}

// Present reports whether a window or a tray shows questions now.
func (b *Inbox) Present() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.attending > 0
}

// CanAnswer reports whether a question can be answered: a window or a tray
// shows it, or the answer is remembered.
func (b *Inbox) CanAnswer(ctx context.Context, q upstream.Question) bool {
	if q.Method != "elicitation/create" && q.Method != "sampling/createMessage" {
		return false
	}
	if b.Present() {
		return true
	}
	asked, err := elicitationOf(q)
	if err != nil {
		return false
	}
	_, known := b.answers.find(ctx, askerOf(q), asked)
	return known
}

type window struct{ inbox *Inbox }

// Ask implements upstream.Caller.
func (w window) Ask(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	if !w.inbox.CanAnswer(ctx, q) {
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound,
			"%s cannot be answered: %s, and no window of Agent Discover is open; open it and call again", q.Method, q.Unknown)
	}
	return w.inbox.Ask(ctx, q)
}

// elicit passes an elicitation to a person and returns the answer.
func (b *Inbox) elicit(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	asked, err := elicitationOf(q)
	if err != nil {
		return nil, err
	}
	return b.wait(ctx, q, asked, func(remembered bool) {
		shown, text := asked.Schema, asked.Message
		if asked.Mode == URL {
			shown = jsonrpc.Set(nil, "url", jsonrpc.Quote(asked.URL))
		}
		if remembered {
			text += rememberedNote
		}
		record(b.records, q.Server, time.Now(), entry{
			Kind: journal.Elicitation, Client: q.Client, About: q.Method, Shown: shown,
			Answer: func(json.RawMessage) string { return text },
		}, nil, nil, q.Redactor)
	})
}

// rememberedNote is added to the record of a question that a remembered answer has answered.
const rememberedNote = " (answered with a remembered answer)"

// wait returns the remembered answer to a question or, if there is none, puts the question into the inbox and waits for
// a person's answer. It calls added once it has found the answer or added the question. If ctx is cancelled, the answer
// is the action cancel. If nobody answers in time, or nobody can see the question, the error says so.
func (b *Inbox) wait(ctx context.Context, q upstream.Question, asked Elicitation, added func(remembered bool)) (json.RawMessage, error) {
	from := askerOf(q)
	if answer, known := b.answers.find(ctx, from, asked); known {
		added(true)
		return answer, nil
	}
	return b.hold(ctx, asked, from, q.Method, func() { added(false) })
}

// hold is like wait, but uses no remembered answers. about names the question in errors.
func (b *Inbox) hold(ctx context.Context, asked Elicitation, from asker, about string, added func()) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	asked.ID, asked.At = "elicit-"+strings.ToLower(rand.Text()[:12]), time.Now()
	asked.Expires, _ = ctx.Deadline()
	question := &elicitation{Elicitation: asked, asker: from, answer: make(chan json.RawMessage, 1)}
	if !b.add(question) {
		return nil, jsonrpc.NewError(jsonrpc.CodeInternalError,
			"too many questions already wait for a person; try again when they are answered")
	}
	added()
	events.Publish(b.bus, Asked{question.Elicitation})
	unseen := time.NewTimer(unseenTimeout)
	defer unseen.Stop()
	for waits := true; waits; {
		select {
		case answer := <-question.answer:
			return answer, nil
		case <-ctx.Done():
			waits = false
		case <-unseen.C:
			b.mu.Lock()
			seen := b.attending > 0 || question.seen
			b.mu.Unlock()
			if !seen && b.drop(question.ID, Expired) {
				return nil, unseenError{jsonrpc.NewError(jsonrpc.CodeInternalError,
					"%s was not answered: no window or tray of Agent Discover shows it, and no program has read it within %s",
					about, unseenTimeout)}
			}
		}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		b.drop(question.ID, Expired)
		return nil, jsonrpc.NewError(jsonrpc.CodeInternalError,
			"%s was not answered: nobody has answered it in the window of Agent Discover within %s",
			about, asked.Expires.Sub(asked.At).Round(time.Second))
	}
	b.drop(question.ID, Withdrawn)
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

// drop removes a waiting question and publishes why it ended. It reports whether the question was still waiting.
func (b *Inbox) drop(id string, why Unanswered) bool {
	waited := b.take(id)
	if waited {
		events.Publish(b.bus, Answered{id, why})
	}
	return waited
}

// Elicitations returns the waiting questions, oldest first, and marks them as seen, so that they wait for the full
// timeout.
func (b *Inbox) Elicitations() []Elicitation {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := []Elicitation{}
	for _, e := range b.waiting {
		e.seen = true
		out = append(out, e.Elicitation)
	}
	slices.SortFunc(out, func(a, b Elicitation) int { return a.At.Compare(b.At) })
	return out
}

// take removes a question and reports whether it was waiting.
func (b *Inbox) take(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, waits := b.waiting[id]
	delete(b.waiting, id)
	return waits
}

// withdraw cancels a question, unless a person has just answered it.
func (b *Inbox) withdraw(id string) {
	b.mu.Lock()
	question, waits := b.waiting[id]
	delete(b.waiting, id)
	b.mu.Unlock()
	if waits {
		question.answer <- Reply{Action: "cancel"}.json()
		events.Publish(b.bus, Answered{id, Withdrawn})
	}
}

// cancelAll cancels the questions of a server that is being closed, and removes the answers to that server that were
// remembered for sessions.
func (b *Inbox) cancelAll(server string) {
	b.mu.Lock()
	var own []string
	for id, e := range b.waiting {
		if e.Server == server {
			own = append(own, id)
		}
	}
	b.mu.Unlock()
	for _, id := range own {
		b.withdraw(id)
	}
	b.answers.forgetSessions(func(a Remembered) bool { return a.Server == server })
}
