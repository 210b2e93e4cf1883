package quarantine

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/trust/scan"
)

// Kind is the kind of an item.
type Kind string

// The kinds of items. A server has at most one item of the kind Instructions, without a
// name.
const (
	Tool         Kind = "tool"
	Prompt       Kind = "prompt"
	Resource     Kind = "resource"
	Template     Kind = "template"
	Instructions Kind = "instructions"
)

var kinds = []Kind{Tool, Prompt, Resource, Template, Instructions}

// State decides whether an item reaches agents: only an approved one does.
type State string

// The states.
const (
	Approved State = "approved"
	Pending  State = "pending"  // nobody has approved it yet, or not for this launch
	Altered  State = "changed"  // its definition differs from the approved one
	Blocked  State = "blocked"  // the scan has found an attack in it
	Rejected State = "rejected" // a person has rejected its definition
)

// Reason is a code for why an item is held. Explain puts it into words.
type Reason string

// The reasons.
const (
	New      Reason = "new"      // the server has added it after its first lists
	Proposed Reason = "proposed" // an agent proposed the server
	Relaunch Reason = "launch"   // the server is started in another way than when its items were approved
	Modified Reason = "changed"  // its definition has changed
	Found    Reason = "scan"     // the scan has found something in it
	Refused  Reason = "rejected" // a person has rejected it
	Alike    Reason = "alike"    // people may confuse its name with that of another item
)

// Verdict is how suspicious a text is.
type Verdict = scan.Verdict

// The verdicts.
const (
	None  = scan.None
	Note  = scan.Note
	Warn  = scan.Warn
	Block = scan.Block
)

// Finding is one thing that the scan has found in a definition.
type Finding struct {
	Rule    string  `json:"rule" doc:"Name of the rule of the scan."`
	Points  float64 `json:"points"`
	Verdict Verdict `json:"verdict" enum:"none,note,warn,block" doc:"Verdict of the scan if this were the only finding."`
	Field   string  `json:"field" doc:"JSON pointer to the text of the definition that contains the evidence."`
	Start   int     `json:"start" doc:"Offset in bytes of the evidence in the text that field points to."`
	End     int     `json:"end"`
	Text    string  `json:"text" doc:"The suspicious part of the text that field points to. Invisible characters are shown as U+XXXX."`
	Reason  string  `json:"reason" doc:"Why the evidence is suspicious, in one sentence."`
}

// Judgement is the result of the scan for one text.
type Judgement struct {
	Verdict  Verdict
	Points   float64
	Findings []Finding // the strongest first
}

// Text is the definition of an item as its server lists it; for instructions a JSON string.
type Text struct {
	Kind Kind
	Name string // URI of a resource, URI template of a template, empty for instructions
	JSON json.RawMessage
}

// By says who has approved an item.
type By string

// The values of By.
const (
	Person   By = "person"
	Scan     By = "scan"     // the hub, because the scan has found nothing that forbids it
	Existing By = "existing" // the hub, because the item was in use before approvals were stored
)

// Hash identifies a definition; see HashOf. The zero Hash stands for no definition.
type Hash [32]byte

// String returns the version and the hexadecimal form of the hash, or "" for the zero Hash.
func (h Hash) String() string {
	if h == (Hash{}) {
		return ""
	}
	return hashPrefix + hex.EncodeToString(h[:])
}

// ParseHash parses the result of String. For a hash of another version it returns the zero
// Hash, because such a hash cannot be compared.
func ParseHash(text string) (h Hash, err error) {
	digits, ok := strings.CutPrefix(text, hashPrefix)
	if !ok {
		return h, nil
	}
	raw, err := hex.DecodeString(digits)
	if err != nil || len(raw) != len(h) {
		return h, fmt.Errorf("%q is no hash of a definition", text)
	}
	return Hash(raw), nil
}

// Item is a tool, prompt, resource, template or instructions text that a server lists or has listed.
type Item struct {
	ID     int64
	Server string
	Kind   Kind
	Name   string

	State  State
	Reason Reason // empty if it is approved
	Since  time.Time

	Hash     Hash // of the latest definition
	Approved Hash // of the approved definition
	Launch   string
	By       By
	At       time.Time // when it was approved
	Rejected Hash      // of the definition that a person has rejected
	Flips    int       // how often the server has returned to the approved definition since a person approved it

	Judgement
	Scanned string // version of the scan that has judged it; empty for none

	Listed   bool // in the server's latest list
	Position int  // in that list

	// Latest is the latest definition and ApprovedText the approved one. They are empty in
	// items that were read without their texts.
	Latest, ApprovedText json.RawMessage
}

// maxFlips is the value of Item.Flips from which a person should look at the item.
const maxFlips = 3

// Waits reports whether an item is held until a person decides.
func (i *Item) Waits() bool {
	return i.Listed && i.State != Approved && i.State != Rejected
}

// Held reports whether an item must not reach agents.
func (i *Item) Held() bool { return i.State != Approved }

// Clean reports whether an item can be approved together with others: the scan finds nothing in it, and its name is not like
// that of another item.
func (i *Item) Clean() bool { return i.Verdict < Warn && i.Reason != Alike }

// Warns reports whether an item reaches agents, but a person should look at it.
func (i *Item) Warns() bool {
	return i.Listed && i.State == Approved && (i.By != Person && i.Verdict >= Warn || i.Flips >= maxFlips)
}

// Server has the data that the Keeper stores about a server, except for its items.
type Server struct {
	Name string
	// Launch is the hash of the launch with which the server's items were approved, and
	// Form describes that launch; see LaunchOf. If the server was configured before the
	// hub stored approvals, both are empty until the Keeper has approved the items.
	Launch string
	Form   Launch
	// Clean reports that a person has approved the items in which the scan finds nothing,
	// although an agent proposed the server.
	Clean bool
	// Since is when the server's first list was admitted, and Lists are the kinds of
	// lists that were admitted.
	Since time.Time
	Lists []Kind
}

// Event describes a decision about an item, for the log.
type Event struct {
	Server string
	Kind   Kind
	Name   string
	State  State
	Text   string // a sentence without texts of the item
	Person bool   // a person has decided
}
