package push

import (
	"encoding/json"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/calls/screen"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/doors/credentials"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/market/downloads"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
	"github.com/agent-discover/agent-discover/backend/market/updates"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
)

// message is a message to clients. The variable described contains a value of each type, from which the documentation
// is made.
type message interface{ about() string }

// The messages to clients. The tags of their fields document them.
type (
	logMessage struct {
		Type  string              `json:"type" enum:"log_entry"`
		Entry operations.LogEntry `json:"entry"`
	}
	notificationMessage struct {
		Type   string          `json:"type" enum:"notification"`
		Server string          `json:"serverName"`
		Method string          `json:"method" doc:"Method of the MCP notification."`
		Params json.RawMessage `json:"params" doc:"Object with the parameters of the notification, as the server sent them."`
		At     string          `json:"ts" doc:"When the notification arrived, in UTC (RFC 3339)."`
	}
	progressMessage struct {
		Type    string   `json:"type" enum:"progress"`
		Server  string   `json:"serverName"`
		Payload progress `json:"payload"`
		At      string   `json:"ts" doc:"When the progress arrived, in UTC (RFC 3339)."`
	}
	askedMessage struct {
		Type    string          `json:"type" enum:"elicitation_request"`
		ID      string          `json:"id" doc:"Identifier of the question in /api/elicitations/{id}/respond."`
		Server  string          `json:"serverName"`
		Mode    string          `json:"mode,omitempty" doc:"url, sampling or approval; missing for forms. See GET /api/elicitations."`
		Message string          `json:"message" doc:"The question."`
		Schema  json.RawMessage `json:"requestedSchema" doc:"JSON schema of the answer. Empty object unless the question is a form."`
		URL     string          `json:"url,omitempty" doc:"URL of the web page that the server asks to open."`
		Request json.RawMessage `json:"request,omitempty" doc:"Object with the parameters of sampling/createMessage, or with tool and arguments of the call to approve."`
		Client  string          `json:"client,omitempty" doc:"Name of the MCP client whose call caused the question; missing if it is not known or the call came over REST."`
		At      string          `json:"ts" doc:"When the server asked, in UTC (RFC 3339)."`
		Expires int64           `json:"expiresAt" doc:"When the question expires and the server is told that nobody has answered, in milliseconds since 1970 UTC."`
	}
	answeredMessage struct {
		Type string `json:"type" enum:"elicitation_answered"`
		ID   string `json:"id" doc:"Identifier of the question."`
		// Unanswered has the values of the type inspector.Unanswered.
		Unanswered string `json:"unanswered,omitempty" enum:"expired,withdrawn" doc:"Why the question has ended without an answer; missing if it was answered. expired: nobody answered in time. withdrawn: the server stopped or withdrew the question, or the call that caused it ended."`
	}
	learnedMessage struct {
		Type  string `json:"type" enum:"learned"`
		On    bool   `json:"on" doc:"Whether find_tool learns from calls."`
		Total int    `json:"total" doc:"Number of learned entries."`
	}
	editorsMessage struct {
		Type string `json:"type" enum:"editors"`
	}
	tokensMessage struct {
		Type string `json:"type" enum:"tokens"`
	}
	toolsetsMessage struct {
		Type string `json:"type" enum:"toolsets"`
	}
	trustMessage struct {
		Type   string `json:"type" enum:"trust"`
		Server string `json:"server" doc:"Name of the server whose items or results were held, approved or rejected."`
		quarantine.Counts
		Results int `json:"results" doc:"Number of results that are kept back."`
	}
	outputMessage struct {
		Type   string                  `json:"type" enum:"output"`
		Server string                  `json:"serverName"`
		Left   int64                   `json:"left_out,omitempty" doc:"Number of older lines that were left out."`
		Lines  []operations.OutputLine `json:"lines"`
	}
	exchangeMessage struct {
		Type     string                     `json:"type" enum:"messages"`
		Server   string                     `json:"serverName"`
		Missed   int64                      `json:"missed,omitempty" doc:"Number of older messages that were dropped before they could be sent."`
		Messages []operations.ServerMessage `json:"messages" nullable:"false"`
	}
	statusMessage struct {
		Type    string           `json:"type" enum:"hub"`
		Paused  bool             `json:"paused" doc:"Whether all servers are paused."`
		Calls   int              `json:"calls" doc:"Number of calls in flight."`
		Clients []gateway.Client `json:"clients" doc:"Connected MCP clients."`
		quarantine.Counts
		Problem string `json:"problem,omitempty" doc:"Why the hub currently cannot store calls in the log."`
	}
	jobMessage struct {
		Type string             `json:"type" enum:"market.job"`
		Job  installer.Progress `json:"job"`
	}
	jobOutputMessage struct {
		Type string    `json:"type" enum:"market.output"`
		ID   string    `json:"id" doc:"Identifier of the installation in /api/market/jobs/{id}."`
		Line string    `json:"line" doc:"A line that a program of the installation has printed."`
		At   time.Time `json:"at"`
	}
	mirrorMessage struct {
		Type   string                 `json:"type" enum:"market.mirror"`
		Mirror operations.MirrorState `json:"mirror"`
	}
	updatesMessage struct {
		Type    string           `json:"type" enum:"market.updates"`
		Servers []updates.Server `json:"servers" doc:"All installed servers."`
	}
	configMessage struct {
		Type string `json:"type" enum:"config"`
	}
	toolsMessage struct {
		Type    string           `json:"type" enum:"tools"`
		Server  string           `json:"server"`
		Changes []catalog.Change `json:"changes" doc:"Tools that have changed."`
		Summary catalog.Summary  `json:"summary" doc:"Numbers of added, updated and removed tools."`
		At      time.Time        `json:"timestamp"`
	}
	errorMessage struct {
		Type    string `json:"type" enum:"error"`
		Message string `json:"message" doc:"Reason why a message from this client is rejected: Invalid JSON, Message must be a JSON object, Unknown message type, or the reason why a server cannot be followed."`
	}
)

// progress is the payload of a progressMessage. Members that the server did not send are left out.
type progress struct {
	Token    json.RawMessage `json:"token,omitempty" doc:"Text or number that identifies the call: for calls through the REST API, the name of the tool; for the download of the server's package, agent-discover/download."`
	Progress json.RawMessage `json:"progress,omitempty" doc:"Progress so far: a number that increases with each message."`
	Total    json.RawMessage `json:"total,omitempty" doc:"Value of progress at which the call is complete, if the server knows it."`
	Message  json.RawMessage `json:"message,omitempty" doc:"Text about the progress."`
}

func (logMessage) about() string { return "A call or another event was recorded." }
func (notificationMessage) about() string {
	return "A server sent a notification. Its log_entry may arrive before or after it."
}
func (progressMessage) about() string { return "A server reported the progress of a call." }
func (askedMessage) about() string    { return "A server asks the user a question." }
func (answeredMessage) about() string { return "A question was answered, or its server gave up." }
func (learnedMessage) about() string {
	return "The search has learned or forgotten something, or learning was turned on or off."
}

func (editorsMessage) about() string { return "The list of editors may have changed; fetch it again." }

func (configMessage) about() string {
	return "The settings have changed, or a changed config.yaml was rejected; fetch /api/config again."
}

func (toolsetsMessage) about() string {
	return "Toolsets, what clients have equipped, or the states of their tools have changed; fetch the list again."
}

func (trustMessage) about() string {
	return "Items or results of a server were held, approved or rejected; fetch /api/trust again."
}

func (tokensMessage) about() string {
	return "A token of an MCP client was created, revoked or used; fetch the list again."
}

func (jobMessage) about() string { return "An installation has begun, gone on or ended." }

func (jobOutputMessage) about() string { return "A program of an installation has printed a line." }

func (mirrorMessage) about() string {
	return "The state of the copy of the official registry has changed."
}

func (updatesMessage) about() string {
	return "Installed servers were checked for newer versions, compared with one, updated or rolled back."
}

func (toolsMessage) about() string {
	return "A server lists other tools than before, was listed for the first time, or was removed."
}

func (outputMessage) about() string {
	return "A followed server wrote to standard error. Only for servers that the client follows."
}

func (exchangeMessage) about() string {
	return "JSON-RPC messages between the hub and a server. Only for servers whose messages the client follows."
}
func (statusMessage) about() string { return "The status of the hub. Only with ?hub=1." }
func (errorMessage) about() string {
	return "The answer to a message that the hub does not understand."
}

// messageOf returns the message for an event. It returns false for an event that only changes the state.
func (p *Pusher) messageOf(e any) (m message, ok bool) {
	switch e := e.(type) {
	case catalog.ToolsChanged:
		return toolsMessage{"tools", e.Server, e.Changes, e.Summary, e.At.UTC()}, true
	case journal.Recorded:
		return logMessage{"log_entry", operations.NewLogEntry(e.Record)}, true
	case upstream.Notified:
		params := e.Params
		if len(params) == 0 {
			params = json.RawMessage("{}")
		}
		return notificationMessage{"notification", e.Server, e.Method, params, operations.Timestamp(e.At)}, true
	case upstream.Progressed:
		return newProgress(e), true
	case downloads.Progressed:
		line := progress{Token: json.RawMessage(downloadToken), Message: encode(e.Line)}
		return progressMessage{"progress", e.Server, line, operations.Timestamp(e.At)}, true
	case inspector.Asked:
		return newQuestion(e.Elicitation), true
	case inspector.Answered:
		return answeredMessage{"elicitation_answered", e.ID, string(e.Unanswered)}, true
	case learning.Changed:
		return learnedMessage{"learned", p.learning.On(), p.learning.Count()}, true
	case registration.Changed:
		return editorsMessage{"editors"}, true
	case toolset.Changed:
		return toolsetsMessage{"toolsets"}, true
	case quarantine.Changed:
		return trustMessage{"trust", e.Server, p.status.Held(), p.status.Kept()}, true
	case screen.Changed:
		return trustMessage{"trust", e.Server, p.status.Held(), p.status.Kept()}, true
	case credentials.Changed:
		return tokensMessage{"tokens"}, true
	case installer.Progress:
		return jobMessage{"market.job", e}, true
	case installer.Output:
		return jobOutputMessage{"market.output", e.ID, e.Line, e.At}, true
	case mirror.Refreshing, mirror.Refreshed:
		return mirrorMessage{"market.mirror", operations.NewMirrorState(p.mirror.Status())}, true
	case settings.Reloaded:
		return configMessage{"config"}, true
	case updates.Changed:
		return updatesMessage{"market.updates", e.Servers}, true
	}
	return nil, false
}

func newQuestion(e inspector.Elicitation) askedMessage {
	m := askedMessage{
		Type: "elicitation_request", ID: e.ID, Server: e.Server, Message: e.Message, Schema: e.Schema,
		URL: e.URL, Request: e.Request, Client: e.Client, At: operations.Timestamp(e.At), Expires: e.Expires.UnixMilli(),
	}
	if e.Mode == inspector.URL || e.Mode == inspector.Sampling || e.Mode == inspector.Approval {
		m.Mode, m.Schema = string(e.Mode), json.RawMessage("{}")
	}
	return m
}

// downloadToken is the progress token of downloads, as JSON. The slash keeps it apart from the tokens of calls, which are
// names of tools.
const downloadToken = `"agent-discover/download"`

func newProgress(e upstream.Progressed) progressMessage {
	var given struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress json.RawMessage `json:"progress"`
		Total    json.RawMessage `json:"total"`
		Message  json.RawMessage `json:"message"`
	}
	_ = json.Unmarshal(e.Params, &given) // missing and malformed members stay empty
	return progressMessage{"progress", e.Server, progress(given), operations.Timestamp(e.At)}
}
