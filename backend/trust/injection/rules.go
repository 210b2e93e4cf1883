package injection

import "slices"

// Names of rules.
const (
	Override   = "override"
	Danger     = "danger"
	Conceal    = "conceal"
	Before     = "before-others"
	After      = "after-others"
	Trigger    = "trigger"
	Redirect   = "redirect"
	Discredit  = "discredit"
	Tamper     = "tamper"
	Ordered    = "ordered-call"
	SecretPath = "secret-path"
	SecretNoun = "secret-noun"
	Sink       = "sink"
	Chat       = "chat"
	Consent    = "consent"
	Persist    = "persist"
	Falsify    = "falsify"
	Markup     = "markup"
	SideEffect = "side-effect"
	Coerce     = "coerce"
	Authority  = "authority"
	ToModel    = "to-model"
)

// ruleSource is a rule in text form. Several entries of ruleTable may have the same
// name with different points.
type ruleSource struct {
	name     string
	points   float64
	patterns []string
}

// ruleTable contains all rules. The comment on the type pattern explains the notation.
var ruleTable = slices.Concat(limitRules, toolRules, dataRules, userRules)
