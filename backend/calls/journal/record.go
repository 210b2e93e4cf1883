package journal

import (
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/audit"
)

// Kind is the kind of event that a record describes.
type Kind string

// The kinds of records. Notification, Progress, Elicitation and Sampling describe
// notifications and requests that servers send.
const (
	Call         Kind = "call"
	Ping         Kind = "ping"
	ResourceRead Kind = "resource-read"
	PromptGet    Kind = "prompt-get"
	Notification Kind = "notification"
	Progress     Kind = "progress"
	Elicitation  Kind = "elicitation"
	Sampling     Kind = "sampling"
	// Trust is a decision of the hub or of a person about a definition of a server.
	Trust Kind = "trust"
)

// Kinds returns all kinds of records, in the order of the constants.
func Kinds() []Kind {
	return []Kind{Call, Ping, ResourceRead, PromptGet, Notification, Progress, Elicitation, Sampling, Trust}
}

// Outcome is how a call or another event ended.
type Outcome string

// The outcomes of calls and other events. Only OK is a success.
const (
	OK        Outcome = "ok"
	ToolError Outcome = "tool_error" // the tool's result has isError set
	Failed    Outcome = "failed"     // the server failed or answered with a JSON-RPC error
	Timeout   Outcome = "timeout"
	Refused   Outcome = "refused" // refused by the hub; nothing was sent to the server
	Cancelled Outcome = "cancelled"
	// Unknown is the outcome of a request that was sent by a hub that was killed before it had the result.
	Unknown Outcome = audit.Unknown
)

// Outcomes returns all outcomes, in the order of the constants.
func Outcomes() []Outcome {
	return []Outcome{OK, ToolError, Failed, Timeout, Refused, Cancelled, Unknown}
}

// saysNothing reports whether an outcome says nothing about the server.
func (o Outcome) saysNothing() bool { return o == Refused || o == Cancelled || o == Unknown }

// Record is one entry of the journal.
type Record struct {
	ID   int64     // 0 until the record is stored; IDs increase and are never reused
	At   time.Time // start of the call or event
	Kind Kind      // empty means Call
	// Client is the client's name from initialize, or "dashboard" or "rest" for requests through REST. It is empty
	// for messages that a server sends unasked.
	Client   string
	Session  string
	Server   string
	Tool     string // name of the tool or prompt, URI of the resource, or method
	Args     string // redacted JSON; arguments that were cut end with "…" and are not valid JSON
	Response string // plain text, redacted and cut
	Outcome  Outcome
	Latency  time.Duration

	// The following fields are stored in the audit log only.
	Editor, Token, Road, Code string // the fields of audit.Entry with these names
	// Unlisted keeps the record out of the journal: only the audit log has it.
	Unlisted bool
	// Begun is the number that Begin has returned for the request; 0 if Begin was not called.
	Begun int64
	hash  string // SHA-256 of the arguments
}

// Recorded is published for each record after it was stored.
type Recorded struct{ Record Record }

// Query selects records, newest first. Empty fields select all records.
type Query struct {
	Server, Tool string
	Kinds        []Kind
	Success      *bool
	Outcome      Outcome
	Since, Until time.Time // Since is included, Until is not
	Text         string    // substring of tool, arguments or response, ignoring case
	Before       int64     // selects records with smaller ids
	// Limit is the maximum number of records, after the first Offset records are
	// skipped. A negative Limit of -n leaves out the n oldest records.
	Limit, Offset int
}
