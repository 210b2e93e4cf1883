package findreply

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// The largest lengths of texts in a reply, in bytes, before any cut.
const (
	maxDescription = 700
	maxArgument    = 200
	maxSummary     = 120
	maxIntent      = 200
	maxOtherName   = 200 // other matches with longer names are left out: no client accepts them
)

// minSummary is the length in bytes below which the first sentence of a
// description is too short to replace it.
const minSummary = 24

// cuts shorten a reply step by step until it fits its budget: first the other
// matches, then the best tool. The cuts never remove call_as, the name of a match
// that stays, or the names and types of required arguments.
var cuts = []func(*Found){
	func(f *Found) { f.eachOther(func(m *Match) { m.Description = atSentence(m.Description, 60) }) },
	func(f *Found) { f.eachOther(func(m *Match) { m.Description = "" }) },
	func(f *Found) { // high confidence makes alternatives less useful
		if f.Confidence == search.High {
			f.cutOthers(2)
		}
	},
	func(f *Found) { f.clipText(400) },
	func(f *Found) { f.clipText(250) },
	(*Found).summarize,
	func(f *Found) { f.eachArgument(func(a *Argument) { a.Description = atSentence(a.Description, 60) }) },
	func(f *Found) { f.eachArgument(func(a *Argument) { a.Description = "" }) },
	func(f *Found) { f.next.omitName = true },
	func(f *Found) { f.cutOthers(2) },
	func(f *Found) { f.eachOther(func(m *Match) { m.Score = nil }) },
	func(f *Found) { f.cutOthers(1) },
	func(f *Found) { f.clipText(60) },
}

// intentCuts are the cuts for the entries of a find_tools reply: those in cuts,
// then removal of the tool's name, most of the intent and all other matches.
var intentCuts = append(cuts[:len(cuts):len(cuts)],
	func(f *Found) { // call_as ends with the tool's name
		if f.Description != nil {
			f.Tool = ""
		}
	},
	func(f *Found) { *f.Intent = atSentence(*f.Intent, 45) },
	func(f *Found) { f.cutOthers(0) },
)

// fit applies cuts in order until the reply is estimated to cost at most limit
// tokens. A reply that is still too large after the last cut stays so.
func (f *Found) fit(limit int, cuts []func(*Found)) {
	f.NextStep = f.next.text(len(f.OtherMatches))
	for _, cut := range cuts {
		// An encoding error is reported later, when the reply is sent.
		if text, err := Text(f); err != nil || tokens.Estimate(text) <= limit {
			return
		}
		cut(f)
		f.NextStep = f.next.text(len(f.OtherMatches))
	}
}

func (f *Found) eachOther(do func(*Match)) {
	for i := range f.OtherMatches {
		do(&f.OtherMatches[i])
	}
}

func (f *Found) eachArgument(do func(*Argument)) {
	if f.Description != nil {
		for i := range f.RequiredArgs {
			do(&f.RequiredArgs[i])
		}
	}
}

func (f *Found) clipText(limit int) {
	if f.Description != nil {
		f.Text = atSentence(f.Text, limit)
	}
}

func (f *Found) summarize() {
	if f.Description == nil {
		return
	}
	summary := f.tools[0].Summary()
	if len(summary) < minSummary { // a heading, or a "sentence" that ends after a number such as "1."
		summary = atSentence(f.tools[0].Description, maxSummary)
	}
	if len(summary) < len(f.Text) {
		f.Text = summary
	}
}

// cutOthers keeps only the first n other matches, unless the request asked for
// all of them.
func (f *Found) cutOthers(n int) {
	if f.keepOthers {
		return
	}
	f.OtherMatches = f.OtherMatches[:min(n, len(f.OtherMatches))]
}

// atSentence cuts text to at most limit bytes: after a sentence if one ends in the
// second half, otherwise after a word, with an ellipsis appended.
func atSentence(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	text = safetext.Prefix(text, limit)
	if i := strings.LastIndex(text, ". "); i >= limit/2 {
		return text[:i+1]
	}
	if i := strings.LastIndexAny(text, " \n"); i >= limit/2 {
		text = text[:i]
	}
	return strings.TrimRight(text, " \n,;:") + "…"
}

// Text encodes a reply as JSON on one line. Indented JSON would cost about a
// fifth more tokens.
func Text(reply any) (string, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(reply)
	return strings.TrimSuffix(b.String(), "\n"), err
}
