package findreply

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// What is never told more of, in bytes.
const (
	maxDescription = 700
	maxArgument    = 200
	maxSummary     = 120
	maxIntent      = 200
	maxOtherName   = 200 // no client takes so long a name
)

// minSummary is what the first sentence of a description must have to stand for
// it, in bytes.
const minSummary = 24

// cuts are what a reply loses, one after the other, until it is small enough:
// what is said twice, then of the others, then of the best. Its arguments keep
// their names and types, and everything its call_as.
var cuts = []func(*Found){
	func(f *Found) { f.eachOther(func(m *Match) { m.Tool = "" }) }, // call_as ends with it
	func(f *Found) { f.eachOther(func(m *Match) { m.Description = clip(m.Description, 60) }) },
	func(f *Found) { f.eachOther(func(m *Match) { m.Description = "" }) },
	func(f *Found) { // who is sure needs few others
		if f.Confidence == search.High {
			f.keepOthers(2)
		}
	},
	func(f *Found) { f.clipText(400) },
	func(f *Found) { f.clipText(250) },
	(*Found).summarize,
	func(f *Found) { f.eachArgument(func(a *Argument) { a.Description = clip(a.Description, 60) }) },
	func(f *Found) { f.eachArgument(func(a *Argument) { a.Description = "" }) },
	func(f *Found) { f.next.short = true },
	func(f *Found) { f.keepOthers(2) },
	func(f *Found) { f.eachOther(func(m *Match) { m.Score = nil }) },
	func(f *Found) { f.keepOthers(1) },
	func(f *Found) { f.clipText(60) },
}

// intentCuts are what a reply to an intent loses after that: it says less of
// more.
var intentCuts = append(cuts[:len(cuts):len(cuts)],
	(*Found).unname,
	func(f *Found) { f.Intent = clip(f.Intent, 45) },
	func(f *Found) { f.keepOthers(0) },
)

// fit cuts a reply until it is estimated to cost at most limit tokens.
func (f *Found) fit(limit int, cuts []func(*Found)) {
	f.NextStep = f.next.say(len(f.OtherMatches))
	for _, cut := range cuts {
		if f.cost() <= limit {
			return
		}
		cut(f)
		f.NextStep = f.next.say(len(f.OtherMatches))
	}
}

func (f *Found) cost() int {
	text, err := Text(f)
	if err != nil {
		return 0 // whoever sends it will be told
	}
	return tokens.Estimate(text)
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
		f.Text = clip(f.Text, limit)
	}
}

func (f *Found) summarize() {
	if f.Description == nil {
		return
	}
	summary := f.tools[0].Summary()
	if len(summary) < minSummary { // a heading, or what ends with the point of a number
		summary = clip(f.tools[0].Description, maxSummary)
	}
	if len(summary) < len(f.Text) {
		f.Text = summary
	}
}

// unname leaves out the tool's name on its server, with which its call_as ends.
func (f *Found) unname() {
	if f.Description != nil {
		f.Tool = ""
	}
}

// keepOthers leaves out the last others, unless so many were asked for.
func (f *Found) keepOthers(n int) {
	if f.all {
		return
	}
	f.OtherMatches = f.OtherMatches[:min(n, len(f.OtherMatches))]
}

// clip cuts text to at most limit bytes, behind a sentence where there is one
// in the second half, else behind a word.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	text = strings.ToValidUTF8(text[:limit], "")
	if i := strings.LastIndex(text, ". "); i >= limit/2 {
		return text[:i+1]
	}
	if i := strings.LastIndexAny(text, " \n"); i >= limit/2 {
		text = text[:i]
	}
	return strings.TrimRight(text, " \n,;:") + "…"
}

// Text writes a reply as JSON on one line: to indent it would cost a fifth of
// its tokens.
func Text(reply any) (string, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(reply)
	return strings.TrimSuffix(b.String(), "\n"), err
}
