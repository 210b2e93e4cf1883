package inspector

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Reply is a person's answer to a question.
type Reply struct {
	Action string // accept, decline or cancel
	// Content is used if Action is accept. It is a JSON object with the values of
	// a form or, for a sampling request, with the member text and optionally
	// model.
	Content  json.RawMessage
	Remember Scope
	ByPerson bool // it is certain that a person answers, and not a program
}

// Respond answers a question. If no such question waits, the error is a fault.NotFound. If the answer cannot be
// remembered, Respond returns an error and the question keeps waiting.
func (b *Inbox) Respond(ctx context.Context, id string, r Reply) error {
	if r.Action != "accept" && r.Action != "decline" && r.Action != "cancel" {
		return fault.New(fault.Invalid, "action must be accept / decline / cancel")
	}
	b.mu.Lock()
	question, waits := b.waiting[id]
	b.mu.Unlock()
	if !waits {
		return errNoQuestion()
	}
	switch {
	case question.Mode == Approval && r.Action == "accept" && !r.ByPerson:
		return fault.New(fault.Denied, "only a person can approve a call; use the dashboard or a terminal")
	case r.Action != "accept" || question.Mode == URL || question.Mode == Approval:
		r.Content = nil
	case question.Mode == Sampling && jsonrpc.GetString(r.Content, "text") == "":
		return fault.New(fault.Invalid, "content must have the answer in text")
	}
	if err := b.answers.remember(ctx, question, r); err != nil {
		return err
	}
	if !b.take(id) {
		return errNoQuestion()
	}
	answer := r.json()
	if question.Mode == Approval {
		answer = jsonrpc.Set(answer, "remember", jsonrpc.Quote(string(r.Remember)))
	}
	question.answer <- answer
	events.Publish(b.bus, Answered{ID: id})
	return nil
}

func errNoQuestion() error {
	return fault.New(fault.NotFound, "Unknown elicitation id or already resolved")
}

// json returns the reply as the result of elicitation/create.
func (r Reply) json() json.RawMessage {
	answer := jsonrpc.Set(nil, "action", jsonrpc.Quote(r.Action))
	if len(r.Content) > 0 {
		answer = jsonrpc.Set(answer, "content", r.Content)
	}
	return answer
}
