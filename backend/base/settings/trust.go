package settings

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/agent-discover/agent-discover/backend/base/pattern"
)

// Trust controls what the hub does about texts of servers that may mislead agents, and
// about credentials in calls.
type Trust struct {
	// Changes says what the hub does when a server adds or changes a tool or another definition: ask (a person must
	// approve it) or clean (a person must approve it only if the scan finds something).
	Changes string
	// Results says what the hub does with a result in which the scan finds instructions to the agent; see TrustRule.
	Results string
	// Credentials says what the hub does if the arguments or the result of a call contain a credential; see TrustRule.
	Credentials string
	// Rules override Results and Credentials for some tools.
	Rules TrustRules
}

// TrustRules lists rules in the order of the file. For each of results and credentials, the
// first rule that matches and has a value decides.
type TrustRules []TrustRule

// TrustRule decides about calls of some tools. An empty value leaves the decision to the
// following rules and finally to Trust.
type TrustRule struct {
	Patterns pattern.List `json:"pattern,omitempty"` // of names of tools; empty for all tools
	Server   string       `json:"server,omitempty"`  // only tools of this server; empty for all servers
	// Results is note (the hub logs the finding), mark (the hub also adds a warning to the
	// result) or block (the hub withholds the result until a person releases it).
	Results string `json:"results,omitempty"`
	// Credentials is off, warn (the hub logs the finding), mask (the hub replaces the
	// credential) or block (the hub refuses the call or withholds its result).
	Credentials string `json:"credentials,omitempty"`
}

// Valid values of the settings about trust.
var (
	trustChanges     = []string{"ask", "clean"}
	trustResults     = []string{"note", "mark", "block"}
	trustCredentials = []string{"off", "warn", "mask", "block"}
)

func (r *TrustRules) decode(d *decoder, key string, n *yaml.Node) {
	*r = nil
	d.list(n, key, false, func(key string, item *yaml.Node) {
		var rule TrustRule
		d.members(item, key, map[string]any{
			"pattern": (*patterns)(&rule.Patterns), "server": &rule.Server, "results": &rule.Results, "credentials": &rule.Credentials,
		})
		switch {
		case rule.Results == "" && rule.Credentials == "":
			d.about(item, key, "has no effect: add results or credentials")
		case rule.Results != "" && !slices.Contains(trustResults, rule.Results):
			d.about(item, key, "has results %q; it must be note, mark or block", rule.Results)
		case rule.Credentials != "" && !slices.Contains(trustCredentials, rule.Credentials):
			d.about(item, key, "has credentials %q; it must be off, warn, mask or block", rule.Credentials)
		}
		*r = append(*r, rule)
	})
}
