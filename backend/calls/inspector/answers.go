package inspector

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Scope says how long an answer is remembered.
type Scope string

// The scopes of answers.
const (
	Once       Scope = ""        // not remembered
	ForSession Scope = "session" // until the session of the client that caused the question ends
	Always     Scope = "always"  // until a person removes it or the configuration of the server changes
)

const (
	maxRememberedMessage = 300 // characters
	maxSessionAnswers    = 256
)

// Remembered is an answer that a person has also chosen for later questions of
// a server. An accepted form answers only the same question again. A refusal
// answers all questions of its mode.
type Remembered struct {
	ID      string
	Server  string
	Client  string // for ForSession: the client of the session; empty for the dashboard
	Session string
	Mode    Mode
	Action  string // accept or decline
	// Question is the questionHash of the question that the answer is for; empty
	// if the answer is for all questions of the mode.
	Question string
	Message  string // for accept: the message of the question, shortened and without known secrets
	Scope    Scope
	At       time.Time
	Launch   string // hash of how the server is started
	Content  []byte // for accept: the values of the form; encrypted in the store
}

// AnswerStore keeps the answers with the scope Always.
type AnswerStore interface {
	Answers(ctx context.Context) ([]Remembered, error)
	// SaveAnswer stores an answer. It replaces an answer for the same server, mode
	// and question.
	SaveAnswer(ctx context.Context, r Remembered) error
	// DeleteAnswer deletes an answer and reports whether it existed.
	DeleteAnswer(ctx context.Context, id string) (bool, error)
	ForgetAnswers(ctx context.Context, server string) error
}

// Vault encrypts remembered forms, because they may contain secrets for the server.
type Vault interface {
	Seal(ctx context.Context, data []byte) ([]byte, error)
	Unseal(ctx context.Context, sealed []byte) ([]byte, error)
}

// asker identifies the call that caused a question.
type asker struct {
	server, client, session string
	redactor                *redact.Redactor
}

func askerOf(q upstream.Question) asker { return asker{q.Server, q.Client, q.Session, q.Redactor} }

type answers struct {
	store      AnswerStore
	vault      Vault
	configured func(name string) (registry.Server, error)

	mu       sync.Mutex
	sessions []Remembered // of the scope ForSession, oldest first
}

// launch returns the hash of a server's launch.Launch, and "" for a transient server.
func (a *answers) launch(server string) (string, error) {
	if isTransient(server) {
		return "", nil
	}
	v, err := a.configured(server)
	if err != nil {
		return "", err
	}
	return launch.Of(v).Hash(), nil
}

// find returns the remembered answer to a question as the result of
// elicitation/create, and false if there is none or it cannot be read.
func (a *answers) find(ctx context.Context, from asker, asked Elicitation) (json.RawMessage, bool) {
	launch, err := a.launch(from.server)
	if err != nil {
		return nil, false
	}
	question := questionHash(asked)
	all, err := a.list(ctx)
	if err != nil {
		return nil, false
	}
	for _, r := range slices.Backward(all) { // the newest answer counts
		if r.Server != from.server || r.Mode != asked.Mode || r.Launch != launch ||
			r.Question != "" && r.Question != question || r.Scope == ForSession && r.Session != from.session {
			continue
		}
		content := r.Content
		if r.Scope == Always && len(content) > 0 {
			if content, err = a.vault.Unseal(ctx, content); err != nil {
				continue
			}
		}
		return Reply{Action: r.Action, Content: content}.json(), true
	}
	return nil, false
}

// list returns all answers, oldest first.
func (a *answers) list(ctx context.Context) ([]Remembered, error) {
	var stored []Remembered
	if a.store != nil {
		var err error
		if stored, err = a.store.Answers(ctx); err != nil {
			return nil, err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	all := slices.Concat(stored, a.sessions)
	slices.SortStableFunc(all, func(x, y Remembered) int { return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.ID, y.ID)) })
	return all, nil
}

// remember keeps a reply for later questions if r.Remember says so.
func (a *answers) remember(ctx context.Context, e *elicitation, r Reply) error {
	if r.Remember == Once {
		return nil
	}
	switch {
	case r.Remember != ForSession && r.Remember != Always:
		return fault.New(fault.Invalid, "remember must be session or always")
	case e.Mode == Approval && r.Action == "accept": // package rules keeps it
		return nil
	case e.Mode == Approval:
		return fault.New(fault.Invalid, "a refusal cannot be remembered; disable the tool with a rule")
	case r.Action == "cancel":
		return fault.New(fault.Invalid, "only accept and decline can be remembered")
	case r.Action == "accept" && e.Mode != Form:
		return fault.New(fault.Invalid,
			"only the values of a form can be remembered; a page to open and a message can be declined for later, too")
	case r.Remember == Always && isTransient(e.Server):
		return fault.New(fault.Invalid, "an answer to a transient server can be remembered for the session only")
	}
	launch, err := a.launch(e.Server)
	if err != nil {
		return err
	}
	kept := Remembered{
		ID: "answer-" + strings.ToLower(rand.Text()[:12]), Server: e.Server, Mode: e.Mode, Action: r.Action,
		Scope: r.Remember, At: time.Now(), Launch: launch,
	}
	if r.Action == "accept" {
		kept.Question, kept.Content = questionHash(e.Elicitation), r.Content
		kept.Message, _ = e.asker.redactor.Head(e.Message, maxRememberedMessage)
	}
	if r.Remember == ForSession {
		kept.Client, kept.Session = e.asker.client, e.asker.session
		a.rememberForSession(kept)
		return nil
	}
	if len(kept.Content) > 0 {
		if kept.Content, err = a.vault.Seal(ctx, kept.Content); err != nil {
			return fault.Wrap(err, fault.Unavailable, "the answer cannot be remembered: %s", fault.MessageOf(err))
		}
	}
	return a.store.SaveAnswer(ctx, kept)
}

func (a *answers) rememberForSession(kept Remembered) {
	a.forgetSessions(func(o Remembered) bool {
		return o.Server == kept.Server && o.Mode == kept.Mode && o.Question == kept.Question && o.Session == kept.Session
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sessions = append(a.sessions, kept)
	a.sessions = a.sessions[max(0, len(a.sessions)-maxSessionAnswers):]
}

// forgetSessions removes the answers of the scope ForSession for which match returns true, and returns their
// number.
func (a *answers) forgetSessions(match func(Remembered) bool) (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := len(a.sessions)
	a.sessions = slices.DeleteFunc(slices.Clone(a.sessions), match)
	return before - len(a.sessions)
}

// questionHash returns a hash of the mode, the message and the schema of a question.
func questionHash(e Elicitation) string {
	schema := bytes.Buffer{}
	if json.Compact(&schema, e.Schema) != nil {
		schema.Reset()
		schema.Write(e.Schema)
	}
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(e.Mode), []byte(e.Message), schema.Bytes()} {
		length := len(part)
		sum.Write([]byte{byte(length >> 24), byte(length >> 16), byte(length >> 8), byte(length)})
		sum.Write(part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Answers returns the remembered answers, oldest first.
func (b *Inbox) Answers(ctx context.Context) ([]Remembered, error) { return b.answers.list(ctx) }

// Stale reports whether an answer is no longer used, because its server was removed, or the command or address of the
// server has changed since a person chose the answer.
func (b *Inbox) Stale(r Remembered) bool {
	launch, err := b.answers.launch(r.Server)
	return err != nil || launch != r.Launch
}

// Values returns the values of a remembered form, or nil if the answer has none.
func (b *Inbox) Values(ctx context.Context, r Remembered) (json.RawMessage, error) {
	if r.Scope != Always || len(r.Content) == 0 {
		return r.Content, nil
	}
	return b.answers.vault.Unseal(ctx, r.Content)
}

// ForgetAnswer removes a remembered answer and reports whether it existed.
func (b *Inbox) ForgetAnswer(ctx context.Context, id string) (bool, error) {
	if b.answers.forgetSessions(func(r Remembered) bool { return r.ID == id }) > 0 {
		return true, nil
	}
	return b.answers.store.DeleteAnswer(ctx, id)
}

// Forget removes the remembered answers to a server that was removed.
func (b *Inbox) Forget(ctx context.Context, server string) error {
	b.answers.forgetSessions(func(r Remembered) bool { return r.Server == server })
	return b.answers.store.ForgetAnswers(ctx, server)
}

// Rename forgets the answers for sessions of a server that got another name. The caller has changed the stored ones.
func (b *Inbox) Rename(server string) {
	b.answers.forgetSessions(func(r Remembered) bool { return r.Server == server })
}

// EndSession removes the answers that were remembered for a session of a client.
func (b *Inbox) EndSession(session string) {
	if session != "" {
		b.answers.forgetSessions(func(r Remembered) bool { return r.Session == session })
	}
}
