// Package checkup answers what is wrong with the editors' set-ups and what they
// cost: tokens that each loads today and would load through us, servers that
// several start, names and counts over their limits. It changes nothing.
package checkup

import (
	"context"
	"errors"

	"github.com/agent-discover/agent-discover/backend/catalog"
	"github.com/agent-discover/agent-discover/backend/intake"
	"github.com/agent-discover/agent-discover/backend/registration"
	"github.com/agent-discover/agent-discover/backend/registry"
)

// Cost is what MCP tools cost one editor, in tokens of their definitions.
type Cost struct {
	Editor  string `json:"editor"`
	Name    string `json:"name"`
	Servers int    `json:"servers"` // of its own, enabled, our entry not counted
	Known   int    `json:"known"`   // of those, whose tools are known here
	Tools   int    `json:"tools"`   // of the known
	Today   int    `json:"today"`   // tokens of what it loads itself, our own tool too where our entry is in
	Through int    `json:"through"` // tokens if all of that came through us
}

// Finding is one thing that a person should know or do.
type Finding struct {
	Kind    string   `json:"kind"`                     // duplicate, name-limit, tool-cap, schema, stale, missing, dropped, reload, policy, unreadable
	Level   string   `json:"level"`                    // note, warning or problem
	Editors []string `json:"editors" nullable:"false"` // ids
	Subject string   `json:"subject"`                  // a server, tool or path
	Text    string   `json:"text"`                     // what is so, a sentence
	Advice  string   `json:"advice"`                   // what to do, a sentence; may be empty
}

// Report is a checkup.
type Report struct {
	Costs    []Cost    `json:"costs" nullable:"false"`
	Findings []Finding `json:"findings" nullable:"false"`
}

// Options are what a checkup looks at.
type Options struct {
	Registrar *registration.Registrar
	Intake    *intake.Intake
	Registry  *registry.Registry
	Catalog   *catalog.Catalog
	// Entry returns what our own tool costs in a client's context, in tokens.
	Entry func() int
	// Listed returns the names of the tools that every session's list has now.
	Listed func() []string
}

// Checkup looks at editors.
type Checkup struct{ Options }

// New returns a checkup.
func New(o Options) *Checkup { return &Checkup{o} }

// Run looks at all editors that are there.
func (c *Checkup) Run(ctx context.Context) (Report, error) { return Report{}, errors.ErrUnsupported }
