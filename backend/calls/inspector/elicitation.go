package inspector

import (
	"encoding/json"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Mode says how a question is answered.
type Mode string

// The modes of questions.
const (
	Form     Mode = "form"     // elicitation: the person fills in a form
	URL      Mode = "url"      // elicitation: the person opens a web page
	Sampling Mode = "sampling" // sampling: the person writes the message in place of a model
	Approval Mode = "approval" // the hub asks whether it may call a tool
)

// Elicitation is a question that waits for a person's answer. It comes from a server, or from the hub about a call to
// that server.
type Elicitation struct {
	ID      string
	Server  string
	Client  string // client whose call caused the question; empty if it is not known
	Mode    Mode
	Message string
	Schema  json.RawMessage // for Form: requestedSchema, as the server sent it
	URL     string          // for URL: the address, as the server sent it
	Request json.RawMessage // for Sampling: the parameters, as the server sent them; for Approval: tool and arguments
	At      time.Time
	Expires time.Time // when the question ends unanswered and the server gets an error
}

// Asked is published when a question was added to the inbox.
type Asked struct{ Elicitation }

// Unanswered says why a question has ended without an answer.
type Unanswered string

// Reasons why a question ended unanswered.
const (
	Expired   Unanswered = "expired"   // nobody has answered in time
	Withdrawn Unanswered = "withdrawn" // the call that caused it, or its server, has ended
)

// Answered is published when a question does not wait any more.
type Answered struct {
	ID         string
	Unanswered Unanswered // empty if a person has answered
}

type elicitation struct {
	Elicitation
	asker  asker
	answer chan json.RawMessage // receives the one answer
	seen   bool                 // a program has read the question; guarded by Inbox.mu
}

// elicitationOf returns the Elicitation for a question, without ID, At and Expires. The error is a *jsonrpc.Error for
// the server.
func elicitationOf(q upstream.Question) (Elicitation, error) {
	if q.Method == "sampling/createMessage" {
		return Elicitation{
			Server: q.Server, Client: q.Client, Mode: Sampling, Message: "The server asks for a message from a model.", Request: q.Params,
		}, nil
	}
	asked := Elicitation{Server: q.Server, Client: q.Client, Mode: Form, Message: jsonrpc.GetString(q.Params, "message")}
	switch mode := jsonrpc.GetString(q.Params, "mode"); mode {
	case "", string(Form):
		asked.Schema = jsonrpc.Get(q.Params, "requestedSchema")
	case string(URL):
		asked.Mode, asked.URL = URL, jsonrpc.GetString(q.Params, "url")
		if asked.URL == "" {
			return asked, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "%s cannot be answered: the mode url needs a url", q.Method)
		}
	default:
		return asked, jsonrpc.NewError(jsonrpc.CodeInvalidParams,
			"%s cannot be answered: the dashboard supports the modes form and url only", q.Method)
	}
	return asked, nil
}
