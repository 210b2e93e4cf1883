// Package audit keeps the audit log: who called what, how and with which outcome. It also reports whether somebody has
// changed the log. The entries form a chain: each contains the SHA-256 of the entry before it. Of the arguments of a
// request, an entry contains only the SHA-256. The head of the chain, which is the position and the hash of the last
// entry, is also written to a file and to the hub's ordinary log, so that Verify notices if the last entries were
// removed.
//
// Somebody who can write the database, the file and the ordinary log can still forge a chain. A copy of the head on
// another machine reveals that.
//
//	entry 1 ◄─ entry 2 ◄─ … ◄─ entry n ◄─ file, ordinary log
//
// Package journal queues the entries, and stores the texts of arguments and results.
package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Kinds of entries about the audit log itself. The kinds of all other entries are values of journal.Kind.
const (
	// Retention says that entries were deleted because of their age.
	Retention = "retention"
	// Lost says that entries could not be stored and were dropped.
	Lost = "lost"
	// Break says that, at a start of the hub, the stored chain did not match the head in the file, or that the file was
	// missing or unreadable.
	Break = "break"
)

// Unknown is the outcome of a request that was sent by a hub that was killed before it had the result.
const Unknown = "unknown"

// REST is the value of Entry.Road for requests through the REST interface.
const REST = "rest"

// Entry is one entry of the chain.
type Entry struct {
	Seq      int64     `json:"seq" doc:"Position in the chain, from 1."`
	Previous string    `json:"previous" doc:"SHA-256 of the previous entry; empty for the first one."`
	At       time.Time `json:"at" doc:"When the request began."`
	Kind     string    `json:"kind" doc:"Kind of the entry. A request: call, resource-read or prompt-get. A decision about a server's definition of a tool or another item: trust. A note about the log itself: retention, lost or break."`
	Client   string    `json:"client,omitempty" doc:"Name that the client sent when it connected. It is not verified."`
	Editor   string    `json:"editor,omitempty" doc:"Identifier of the editor whose entry or token the client uses."`
	Session  string    `json:"session,omitempty"`
	Token    string    `json:"token,omitempty" doc:"Identifier and name of the token with which the client connected."`
	Road     string    `json:"road,omitempty" doc:"How the tool was called: tools/call (as a listed tool), the name of the hub's own tool that made the call, or rest (through the REST API)."`
	Server   string    `json:"server,omitempty"`
	Tool     string    `json:"tool,omitempty" doc:"Name of the tool or the prompt, or URI of the resource."`
	// ArgumentsSHA256 is the hash of the JSON text of the arguments; empty if there are none.
	ArgumentsSHA256 string `json:"arguments_sha256,omitempty" doc:"SHA-256 of the arguments as the client sent them."`
	Outcome         string `json:"outcome,omitempty"`
	Code            string `json:"code,omitempty" doc:"Why the request failed or was refused: a kind of error, or the code of the server's JSON-RPC error."`
	Micros          int64  `json:"duration_us" doc:"Duration in microseconds."`
	Count           int64  `json:"count,omitempty" doc:"In an entry of kind retention or lost, number of entries that were deleted because of their age or could not be stored."`
	// Through is set only in entries of kind Retention. It identifies the last entry that was deleted because of its age.
	Through *Head  `json:"through,omitempty" doc:"In an entry of kind retention, the position and hash of the last deleted entry."`
	Note    string `json:"note,omitempty"`
}

// request returns the entry without what it says about its place in the chain and about how the request ended.
func (e Entry) request() Entry {
	e.Seq, e.Previous, e.Outcome, e.Code, e.Micros = 0, "", "", "", 0
	return e
}

// Head is the position and the hash of an entry.
type Head struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// Sealed is an entry as it is stored.
type Sealed struct {
	Seq  int64
	At   time.Time
	Text string // the entry in JSON
	Hash string // SHA-256 of Text, in hexadecimal
}

// Head returns the entry's position and hash.
func (s Sealed) Head() Head { return Head{s.Seq, s.Hash} }

// Line returns the entry in JSON, with its hash added as the last member.
func (s Sealed) Line() string {
	return strings.TrimSuffix(s.Text, "}") + hashMember + s.Hash + `"}`
}

// hashMember precedes the hash in a line that Line returns.
const hashMember = `,"hash":"`

// Parse reads a line that Line has returned. It does not verify the hash.
func Parse(line string) (Sealed, error) {
	line = strings.TrimSpace(line)
	at := strings.LastIndex(line, hashMember)
	if at < 0 || !strings.HasSuffix(line, `"}`) {
		return Sealed{}, fmt.Errorf("it has no hash as its last member")
	}
	s := Sealed{Text: line[:at] + "}", Hash: strings.TrimSuffix(line[at+len(hashMember):], `"}`)}
	e, err := s.Entry()
	s.Seq, s.At = e.Seq, e.At
	return s, err
}

// Entry decodes the entry.
func (s Sealed) Entry() (e Entry, err error) {
	if err := json.Unmarshal([]byte(s.Text), &e); err != nil {
		return e, fmt.Errorf("read entry %d of the audit log: %w", s.Seq, err)
	}
	return e, nil
}

// seal converts entries into their stored form. They continue the chain whose last entry is last.
func seal(last Head, entries []Entry) []Sealed {
	out := make([]Sealed, len(entries))
	for i, e := range entries {
		e.Seq, e.Previous = last.Seq+1, last.Hash
		e.At = stamp(e.At)
		text, err := json.Marshal(e)
		if err != nil { // the time is outside of what JSON can express
			e.At = time.Unix(0, 0).UTC()
			text, _ = json.Marshal(e)
		}
		out[i] = Sealed{Seq: e.Seq, At: e.At, Text: string(text), Hash: HashOf(text)}
		last = out[i].Head()
	}
	return out
}

// HashOf returns the SHA-256 of data in hexadecimal, and "" if data is empty.
func HashOf(data []byte) string {
	if len(data) == 0 {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
