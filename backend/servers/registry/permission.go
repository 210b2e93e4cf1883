package registry

import "github.com/agent-discover/agent-discover/backend/base/fault"

// Permission is what agents and other programs may do without a person: the value of the setting agents.install. The
// zero value counts as Ask.
type Permission string

// The values of the setting agents.install.
const (
	Allow Permission = "allow"
	Ask   Permission = "ask"
	Deny  Permission = "deny"
)

// Alone reports whether agents may add, change and remove servers and toolsets without a person's approval.
func (p Permission) Alone() bool { return p == Allow }

// Refusal returns the fault.Denied if agents may not even propose something, and nil otherwise. act says what they may not
// do, and remedy what the user can do instead.
func (p Permission) Refusal(act, remedy string) error {
	if p != Deny {
		return nil
	}
	return fault.New(fault.Denied, "agents may not %s here (agents.install is deny); ask the user to %s", act, remedy)
}
