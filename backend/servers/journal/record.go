package journal

import "time"

// Kind is what a record is of.
type Kind string

// The kinds. Records of the last four come from what servers do of themselves
// or ask for.
const (
	Call         Kind = "call"
	Ping         Kind = "ping"
	ResourceRead Kind = "resource-read"
	PromptGet    Kind = "prompt-get"
	Notification Kind = "notification"
	Progress     Kind = "progress"
	Elicitation  Kind = "elicitation"
	Sampling     Kind = "sampling"
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{Call, Ping, ResourceRead, PromptGet, Notification, Progress, Elicitation, Sampling}
}

// Outcome is how it ended.
type Outcome string

// The outcomes. Only OK is a success.
const (
	OK        Outcome = "ok"
	ToolError Outcome = "tool_error" // the tool answered with isError
	Failed    Outcome = "failed"     // the server failed, or answered with an error
	Timeout   Outcome = "timeout"
	Refused   Outcome = "refused" // by us; nothing was sent to the server
	Cancelled Outcome = "cancelled"
)

// Outcomes returns all outcomes.
func Outcomes() []Outcome { return []Outcome{OK, ToolError, Failed, Timeout, Refused, Cancelled} }

// Record is one entry of the journal.
type Record struct {
	ID       int64     // 0 until it is stored; grows, and is never given twice
	At       time.Time // when it began
	Kind     Kind      // empty means Call
	Client   string    // name the client gave in initialize, or the door; empty when the server began
	Session  string
	Server   string
	Tool     string // of a call; else the method, the URI or the name of the prompt
	Args     string // JSON, covered; cut it ends with … and is JSON no more
	Response string // plain text, covered and cut
	Outcome  Outcome
	Latency  time.Duration
}

// Recorded is published for each record once it is stored.
type Recorded struct{ Record Record }

// Query selects records, newest first. What is empty selects all.
type Query struct {
	Server, Tool string
	Kinds        []Kind
	Success      *bool
	Outcome      Outcome
	Since, Until time.Time // from Since on, and before Until
	Text         string    // somewhere in tool, arguments or response; case does not matter
	Before       int64     // only records with a smaller id
	// Limit is how many at most, after Offset were passed over. A negative
	// one means all but as many of the oldest.
	Limit, Offset int
}
