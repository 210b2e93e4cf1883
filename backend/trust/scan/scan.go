// Package scan judges whether the definitions that a server lists deceive people or models: whether they hide text,
// contain prompt injection (orders to the model that the user did not give), or pass a tool off as another one. It
// judges tools with their schemas, prompts, resources, templates and instructions: each alone, in comparison with
// those of other servers, and together as one text. It also judges the results of calls, and finds credentials in them.
//
// Package normalize normalises and decodes texts, and package injection interprets their sentences. Package scan finds
// the texts in definitions and combines the findings into verdicts. It keeps no state and does not know which
// definitions are approved.
package scan

import (
	"encoding/json"
	"fmt"
)

// Verdict says how serious a finding is, or all findings about an item or a server
// together. Higher values are more serious.
type Verdict int

const (
	None  Verdict = iota
	Note          // worth a line on the tool's page
	Warn          // a person should look at it
	Block         // must not reach a model unless a person approves it
)

var verdictNames = []string{"none", "note", "warn", "block"}

// String returns "none", "note", "warn" or "block".
func (v Verdict) String() string { return verdictNames[v] }

// MarshalText implements encoding.TextMarshaler.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (v *Verdict) UnmarshalText(text []byte) error {
	for i, name := range verdictNames {
		if name == string(text) {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("unknown verdict %q: use none, note, warn or block", text)
}

// Kind is the kind of an item.
type Kind string

const (
	Tool         Kind = "tool"
	Prompt       Kind = "prompt"
	Resource     Kind = "resource"
	Template     Kind = "template"
	Instructions Kind = "instructions"
)

// Item is one thing that a server lists.
type Item struct {
	Kind Kind
	Name string          // as listed; empty for instructions
	JSON json.RawMessage // its definition as listed; for instructions a JSON string
}

// Server has the items that one server lists, in the order of its lists.
type Server struct {
	Name  string
	Items []Item
}

// Options changes what a scan returns.
type Options struct {
	// Sentences asks for the sentences of each item, which the trained classifier
	// reads. They cost about as much time as the rules.
	Sentences bool
	// KnownOrigins lists the web origins that the user interfaces of the server's
	// tools may already use. If it is not nil, another origin is a finding.
	KnownOrigins []string
}

// Finding is one reason for a verdict.
type Finding struct {
	Rule       string  `json:"rule"`
	Points     float64 `json:"points"`  // may be lowered; 0 for findings that are not counted in points
	Verdict    Verdict `json:"verdict"` // what this finding alone means
	Field      string  `json:"field"`   // JSON pointer in the item's definition, such as /description
	Start, End int     // bytes of the string in that field
	Text       string  `json:"text"`   // the evidence, with invisible characters as U+XXXX
	Reason     string  `json:"reason"` // one sentence for people
}

// Result has the findings about one item, and their verdict.
type Result struct {
	Kind      Kind
	Name      string
	Verdict   Verdict
	Points    float64    // the sum of the highest points of each rule
	Findings  []Finding  // the strongest first
	Sentences []Sentence // if asked for
}

// Scan judges everything that a server lists, and compares the server's names and
// definitions with the tools of peers, which are other servers. The results have
// the order of the items.
func Scan(s Server, peers []Server, o Options) []Result {
	c := newScanner(s, peers, o)
	results := make([]Result, len(s.Items))
	for i := range s.Items {
		results[i] = c.item(i)
	}
	c.shadowing(results)
	c.splitOrders(results)
	c.splitValues(results)
	for i := range results {
		r := &results[i]
		r.Findings = strongest(r.Findings)
		r.Points, r.Verdict = judge(r.Findings)
	}
	return results
}

// Judge combines the verdict of the rules with score, the highest score that the
// classifier gives to a sentence of the item.
func Judge(r Result, score float64, t Thresholds) Verdict {
	switch {
	case r.Verdict == Block,
		r.Verdict == Warn && score >= t.Confirming,
		r.Points >= 2 && score >= t.Thousandth:
		return Block
	case r.Verdict == Warn, score >= t.Hundredth, r.Points >= 2 && score >= t.Some:
		return Warn
	}
	return r.Verdict
}

// Thresholds are the scores of the classifier that few clean tools exceed.
type Thresholds struct {
	Some       float64 // exceeded by 3 % of clean tools
	Hundredth  float64 // exceeded by 1 %
	Confirming float64 // at least Hundredth, and exceeded by no clean tool that the rules warn about
	Thousandth float64 // exceeded by 2 ‰
}
