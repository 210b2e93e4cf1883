// Package tester answers what a person asks a server directly: what it offers
// now, and how it behaves when nobody has configured it yet. It also keeps the
// questions that servers ask a person.
package tester

import (
	"encoding/json"
	"time"
)

// Elicitation is a question of a server that waits for a person.
type Elicitation struct {
	ID      string
	Server  string
	Message string
	Schema  json.RawMessage // requestedSchema, as the server sent it
	At      time.Time
}

// Asked is published when a question begins to wait.
type Asked struct{ Elicitation }

// Answered is published when a question waits no more.
type Answered struct{ ID string }
