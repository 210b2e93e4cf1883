package scan

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/trust/injection"
)

// Names of the findings that are not rules about sentences.
const (
	Invisible   = "invisible"
	Lookalike   = "lookalike"
	Encoding    = "encoded"
	Shadowing   = "shadowing"
	Split       = "split"
	Shares      = "shares"
	ValueOrder  = "value-order"
	TellingName = "telling-name"
	Interface   = "interface"
)

// reasons explains the findings of each rule to people.
var reasons = map[string]string{
	injection.Override:   "It tells the model to disregard its instructions or safety rules.",
	injection.Danger:     "It tells the model to do something that damages or opens up this computer.",
	injection.Conceal:    "It tells the model to hide something from the user.",
	injection.Before:     "It wants to be called before other tools.",
	injection.After:      "It wants to be called after other tools.",
	injection.Trigger:    "It tells the model what to do when other tools are used.",
	injection.Redirect:   "It tells the model to use it in place of other tools.",
	injection.Discredit:  "It says that other tools are broken or unsafe.",
	injection.Tamper:     "It tells the model to change the arguments of other tools.",
	injection.Ordered:    "It tells the model to call another tool.",
	injection.SecretPath: "It tells the model to read or write files with credentials.",
	injection.SecretNoun: "It asks for passwords, keys or other credentials.",
	injection.Sink:       "It tells the model to send data to an address of its own.",
	injection.Chat:       "It asks for the conversation, the system prompt or the list of tools.",
	injection.Consent:    "It tells the model to act without asking the user.",
	injection.Persist:    "It tells the model to keep following it later.",
	injection.Falsify:    "It tells the model to report something false.",
	injection.Markup:     "It pretends to be a message of the system.",
	injection.SideEffect: "It does something with the user's data beside its purpose.",
	injection.Coerce:     "It threatens with failure.",
	injection.Authority:  "It refers to an authority to justify what it asks for.",
	injection.ToModel:    "It speaks to the model instead of describing a tool.",
	Invisible:            "It has characters that people cannot see.",
	Lookalike:            "A word has letters of another alphabet that look like Latin ones.",
	Encoding:             "It contains an encoded order or command.",
	Shadowing:            "Another server has a tool of this name.",
	Split:                "Texts of several tools together give an order.",
	Shares:               "Several tools have parts of a value that a text says to combine.",
	ValueOrder:           "A value of the schema is a sentence that gives an order.",
	TellingName:          "A parameter asks for the conversation, the system prompt or the list of tools.",
	Interface:            "Its user interface asks for more than it should need.",
}

// The number of characters that are shown on each side of the evidence, and the maximum
// number in all.
const (
	around      = 40
	longestText = 300
)

// evidence returns a part of a text for people, with some of the text around it, and
// invisible characters as U+XXXX.
func evidence(text string, start, end int) string {
	start, end = min(start, len(text)), min(max(start, end), len(text))
	from, to := start, end
	for n := 0; from > 0 && n < around && text[from-1] != '\n'; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	for n := 0; to < len(text) && n < around && text[to] != '\n'; n++ {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	shown := visible(text[from:min(to, from+4*longestText)])
	if from > 0 {
		shown = "…" + shown
	}
	if to < len(text) {
		shown += "…"
	}
	return safetext.Clip(shown, longestText)
}

// visible writes hidden characters as U+XXXX and line ends as spaces.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			b.WriteByte(' ')
		case safetext.Hidden(r):
			fmt.Fprintf(&b, "U+%04X", r)
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}
