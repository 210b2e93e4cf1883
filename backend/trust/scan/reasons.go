package scan

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/trust/orders"
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

// reasons says what each rule found, for people.
var reasons = map[string]string{
	orders.Override:   "It tells the model to disregard its instructions or safety rules.",
	orders.Danger:     "It tells the model to do something that damages or opens up this computer.",
	orders.Conceal:    "It tells the model to hide something from the user.",
	orders.Before:     "It wants to be called before other tools.",
	orders.After:      "It wants to be called after other tools.",
	orders.Trigger:    "It tells the model what to do when other tools are used.",
	orders.Redirect:   "It tells the model to use it in place of other tools.",
	orders.Discredit:  "It says that other tools are broken or unsafe.",
	orders.Tamper:     "It tells the model to change the arguments of other tools.",
	orders.Ordered:    "It tells the model to call another tool.",
	orders.SecretPath: "It tells the model to read or write files with credentials.",
	orders.SecretNoun: "It asks for passwords, keys or other credentials.",
	orders.Sink:       "It tells the model to send data to an address of its own.",
	orders.Chat:       "It asks for the conversation, the system prompt or the list of tools.",
	orders.Consent:    "It tells the model to act without asking the user.",
	orders.Persist:    "It tells the model to keep following it later.",
	orders.Falsify:    "It tells the model to report something false.",
	orders.Markup:     "It pretends to be a message of the system.",
	orders.SideEffect: "It does something with the user's data beside its purpose.",
	orders.Coerce:     "It threatens with failure.",
	orders.Authority:  "It refers to an authority to justify what it asks for.",
	orders.ToModel:    "It speaks to the model instead of describing a tool.",
	Invisible:         "It has characters that people cannot see.",
	Lookalike:         "A word has letters of another alphabet that look like Latin ones.",
	Encoding:          "It contains an encoded order or command.",
	Shadowing:         "Another server has a tool of this name.",
	Split:             "Texts of several tools together give an order.",
	Shares:            "Several tools have parts of a value that a text says to combine.",
	ValueOrder:        "A value of the schema is a sentence that gives an order.",
	TellingName:       "A parameter asks for the conversation, the system prompt or the list of tools.",
	Interface:         "Its user interface asks for more than it should need.",
}

// Evidence is shown with some text around it, up to a length in characters.
const (
	around      = 40
	longestText = 300
)

// evidence returns a part of a text for people, with a little of what is around it,
// and invisible characters as U+XXXX.
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
