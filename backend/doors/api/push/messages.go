package push

import (
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/servers/inspector"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Learning provides the values in messages about learning.
type Learning interface {
	On() bool
	Count() int
}

// messageOf returns the message for an event. It returns false for an event that only changes the state.
func (p *Pusher) messageOf(e any) (message any, ok bool) {
	switch e := e.(type) {
	case journal.Recorded:
		return logMessage(e), true
	case upstream.Notified:
		return notificationMessage(e), true
	case upstream.Progressed:
		return progressMessage(e), true
	case inspector.Asked:
		return askedMessage(e), true
	case inspector.Answered:
		return answeredMessage(e), true
	case learning.Changed:
		return p.learnedMessage(), true
	case registration.Changed:
		return editorsMessage(), true
	}
	return nil, false
}

func logMessage(e journal.Recorded) any {
	return struct {
		Type  string             `json:"type"`
		Entry resources.LogEntry `json:"entry"`
	}{"log_entry", resources.NewLogEntry(e.Record)}
}

func notificationMessage(e upstream.Notified) any {
	params := e.Params
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	return struct {
		Type   string          `json:"type"`
		Server string          `json:"serverName"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		At     string          `json:"ts"`
	}{"notification", e.Server, e.Method, params, resources.Timestamp(e.At)}
}

func progressMessage(e upstream.Progressed) any {
	var given struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress json.RawMessage `json:"progress"`
		Total    json.RawMessage `json:"total"`
		Message  json.RawMessage `json:"message"`
	}
	_ = json.Unmarshal(e.Params, &given) // missing and malformed members stay empty
	type payload struct {
		Token    json.RawMessage `json:"token,omitempty"`
		Progress json.RawMessage `json:"progress,omitempty"`
		Total    json.RawMessage `json:"total,omitempty"`
		Message  json.RawMessage `json:"message,omitempty"`
	}
	return struct {
		Type    string  `json:"type"`
		Server  string  `json:"serverName"`
		Payload payload `json:"payload"`
		At      string  `json:"ts"`
	}{"progress", e.Server, payload(given), resources.Timestamp(e.At)}
}

func askedMessage(e inspector.Asked) any {
	return struct {
		Type    string          `json:"type"`
		ID      string          `json:"id"`
		Server  string          `json:"serverName"`
		Message string          `json:"message"`
		Schema  json.RawMessage `json:"requestedSchema"`
		At      string          `json:"ts"`
	}{"elicitation_request", e.ID, e.Server, e.Message, e.Schema, resources.Timestamp(e.At)}
}

func answeredMessage(e inspector.Answered) any {
	return struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	}{"elicitation_answered", e.ID}
}

// learnedMessage reports that something was learned or deleted, or that learning was turned on or off.
func (p *Pusher) learnedMessage() any {
	return struct {
		Type  string `json:"type"`
		On    bool   `json:"on"`
		Total int    `json:"total"`
	}{"learned", p.learning.On(), p.learning.Count()}
}

// editorsMessage reports that the list of editors may have changed.
func editorsMessage() any {
	return struct {
		Type string `json:"type"`
	}{"editors"}
}

func errorMessage(text string) any {
	return struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}{"error", text}
}
