package intake

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/samename"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// ownNames are names of this product's own entry in editors, without case and punctuation.
var ownNames = []string{"agentdiscover", "discover"}

// systemNames are further names that a person would take for a part of this product or of the system. Questions of a
// server are shown under its name, so a server with such a name could pass for that part.
var systemNames = []string{
	"agent", "approval", "approvals", "dashboard", "hub", "keychain", "keyring", "mcphub", "password", "secrets", "security",
	"settings", "system", "tray", "update", "updates", "vault",
}

// CheckName returns an error if a new server must not have the name: it is invalid, taken or a name of this product, or
// a person could take it for a part of the system. The origins Person and Script may use names of the last kind.
func (i *Intake) CheckName(by Origin, name string) error {
	if err := registry.CheckName(name); err != nil {
		return err
	}
	if _, err := i.options.Registry.Get(name); err == nil {
		return registry.Taken(name)
	}
	switch bare := bareName(name); {
	case slices.Contains(ownNames, bare):
		return fault.New(fault.Invalid, "the name %q belongs to the entry of Agent Discover in editors; choose another name", name)
	case slices.Contains(systemNames, bare) && by != Person && by != Script:
		return fault.New(fault.Invalid,
			"the name %q could be taken for a part of Agent Discover or of the system; choose another name", name)
	}
	return nil
}

// bareName returns a name as it is read at a glance, without case and punctuation.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_.", r) {
			return -1
		}
		return r
	}, samename.Fold(name))
}

// lookalike returns the name of another server that differs from a name in case or punctuation only, or "".
func (i *Intake) lookalike(name string) string {
	for _, other := range i.options.Registry.List() {
		if other.Name != name && bareName(other.Name) == bareName(name) {
			return other.Name
		}
	}
	return ""
}
