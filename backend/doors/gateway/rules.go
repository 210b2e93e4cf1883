package gateway

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// ruleset is what the configuration says about tools at one moment. A request uses the same
// rules for all that it answers.
type ruleset struct {
	policy      *rules.Policy
	*rules.View // of the client whose limits count
}

func (g *Gateway) rulesFor(client string) ruleset {
	p := g.policy.Get()
	return ruleset{p, p.View(client, g.catalog.Snapshot())}
}

// rules returns the present rules without the limits of any client.
func (g *Gateway) rules() ruleset { return g.rulesFor("") }

// rules returns the present rules for the session's client.
func (s *Session) rules() ruleset { return s.gateway.rulesFor(s.limitedAs()) }

// limitedAs returns the client whose limits count. It depends on the credential, because the
// lists of modern clients do.
func (s *Session) limitedAs() string { return ClientID(s.entry) }

// ClientID returns the id of a client in the table of editors, which may be written in
// another case or be a former one, and the id itself if the table does not have it.
func ClientID(id string) string {
	if e, known := table.ByID(id); known {
		return e.ID
	}
	return strings.TrimSpace(id)
}

// RulesChanged makes the sessions look whether their lists have changed, after the policy
// was replaced.
func (g *Gateway) RulesChanged() { g.announce() }
