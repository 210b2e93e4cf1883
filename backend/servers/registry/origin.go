package registry

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// Values of Server.Source that Origin distinguishes. The source of a server of an editor is FromEditor and the editor's id.
const (
	FromEditor = "editor:"
	FromText   = "pasted"
	FromCopy   = "copy" // of the database, with which it was repaired
	FromFile   = "setup-file"
	FromBundle = "bundle"
	FromMarket = "registry"
	// FromPersona and the name of a persona are the source of a server that its activation has added.
	FromPersona = "persona:"
)

// Origin says where a server that waits for approval comes from, as in "imported from cursor". It continues a sentence
// about the server. The name of the client, which comes from the client, is made visible.
func (s Server) Origin() string {
	off := ""
	if s.Disabled {
		off = ", where it was disabled"
	}
	agent := "an agent"
	if s.ProposedBy != "" {
		agent += " in " + safetext.Runs(safetext.Visible(s.ProposedBy))
	}
	if persona, is := strings.CutPrefix(s.Source, FromPersona); is {
		return "from the persona " + safetext.Visible(persona) + off
	}
	editor, imported := strings.CutPrefix(s.Source, FromEditor)
	switch {
	case imported:
		return "imported from " + safetext.Visible(editor) + off
	case s.Source == FromText:
		return "from a pasted configuration" + off
	case s.Source == FromCopy:
		return "from a copy of the database, with which it was repaired"
	case s.Source == FromFile && s.ProposedBy != "":
		return "from a setup file that " + agent + " named"
	case s.Source == FromFile:
		return "from a setup file"
	case s.ProposedBy != "":
		return "proposed by " + agent
	case s.Source == FromBundle:
		return "from an MCP bundle"
	case s.Source == FromMarket:
		return "from the marketplace, installed without a question to a person"
	}
	return "added by a program"
}
