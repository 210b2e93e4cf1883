package api

import (
	"encoding/json"
	"time"

	"github.com/agent-discover/agent-discover/backend/servers/inspector"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// stamp is how messages tell a time: UTC, to the millisecond.
const stamp = "2006-01-02T15:04:05.000Z"

func stampOf(t time.Time) string { return t.UTC().Format(stamp) }

func logMessage(e journal.Recorded) any {
	return struct {
		Type  string   `json:"type"`
		Entry LogEntry `json:"entry"`
	}{"log_entry", NewLogEntry(e.Record)}
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
	}{"notification", e.Server, e.Method, params, stampOf(e.At)}
}

func progressMessage(e upstream.Progressed) any {
	var given struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress json.RawMessage `json:"progress"`
		Total    json.RawMessage `json:"total"`
		Message  json.RawMessage `json:"message"`
	}
	_ = json.Unmarshal(e.Params, &given) // what is not there is left out
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
	}{"progress", e.Server, payload(given), stampOf(e.At)}
}

func askedMessage(e inspector.Asked) any {
	return struct {
		Type    string          `json:"type"`
		ID      string          `json:"id"`
		Server  string          `json:"serverName"`
		Message string          `json:"message"`
		Schema  json.RawMessage `json:"requestedSchema"`
		At      string          `json:"ts"`
	}{"elicitation_request", e.ID, e.Server, e.Message, e.Schema, stampOf(e.At)}
}

func answeredMessage(e inspector.Answered) any {
	return struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	}{"elicitation_answered", e.ID}
}

func errorMessage(text string) any {
	return struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}{"error", text}
}
