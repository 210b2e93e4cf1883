// Package words holds the words that people read for the states of servers,
// the outcomes of calls and the hub's own clients. The window, the tray, the
// command line and the dashboard, which imports words.json, all use this one
// table, so that a state has the same name everywhere.
package words

import (
	_ "embed"
	"encoding/json"
	"strings"
)

// The states of a server, except for Paused: see Server.
const (
	Waiting    = "waiting"
	Disabled   = "disabled"
	Incomplete = "incomplete"
	Held       = "held"
	SignIn     = "sign_in"
	Starting   = "starting"
	Failing    = "failing"
	CallsFail  = "calls_fail"
	Running    = "running"
	New        = "new"
	Stopped    = "stopped"
	Paused     = "paused"
)

// The hub's own clients, as the journal records them.
const (
	Dashboard   = "dashboard"
	CommandLine = "agent-discover-cli"
	REST        = "rest" // any other program that uses the REST API
)

// label is a word and the sentence that explains it.
type label struct{ Word, Title string }

//go:embed words.json
var source []byte

var table = func() (t struct {
	Servers, Checks, Outcomes, Clients map[string]label
	Listed                             label
},
) {
	if err := json.Unmarshal(source, &t); err != nil {
		panic(err)
	}
	return t
}()

// Server returns the word for the state of a server, such as "Running". While all servers are paused, a stopped server
// is "Paused", and every other state except Running says so, too, such as "Calls fail, paused".
func Server(state string, paused bool) string {
	word := wordOf(table.Servers, state)
	switch {
	case !paused || state == Running:
		return word
	case state == Stopped:
		return wordOf(table.Servers, Paused)
	}
	return word + ", " + Lower(wordOf(table.Servers, Paused))
}

// Outcome returns the word for the outcome of a call, such as "Tool error".
func Outcome(outcome string) string { return wordOf(table.Outcomes, outcome) }

// Client returns the word for a client that the journal recorded. Clients that
// are not the hub's own keep their names.
func Client(name string) string { return wordOf(table.Clients, name) }

// Listed returns the words for a server whose tools are in every tool list.
func Listed() string { return table.Listed.Word }

// Lower returns a word with a small first letter, for the middle of a line.
func Lower(word string) string {
	if len(word) > 1 && strings.ToUpper(word[:2]) == word[:2] { // such as OK or REST
		return word
	}
	return strings.ToLower(word[:min(1, len(word))]) + word[min(1, len(word)):]
}

// wordOf returns the word for an id, or the id itself if the table has no word for
// it, for example in an answer of a newer hub.
func wordOf(labels map[string]label, id string) string {
	if l, ok := labels[id]; ok {
		return l.Word
	}
	return id
}
