package intake

import (
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

const (
	// maxWaiting is how many servers may wait for approval.
	maxWaiting = 50
	// maxProposal limits the total length of the texts of a proposal, in bytes, because a person has to read them
	// before approving it.
	maxProposal = 16 << 10
)

// admitProposal returns nil if a server may wait for approval, and otherwise the reason why not: its name is too
// similar to that of another server, it contains a credential, which would be stored and shown in plain text, too many
// servers wait already, or its texts are too long for a person to read.
func (i *Intake) admitProposal(a Arrival, s registry.Server) error {
	if name := i.lookalike(s.Name); name != "" {
		return fault.New(fault.Invalid, "the name %q is too similar to that of server %q; choose another name", s.Name, name)
	}
	for _, literal := range launch.Literals(launch.Of(s)) {
		if !a.Moved && secretscan.IssuedCredential(literal.Value) {
			return fault.New(fault.Invalid,
				"%s contains a credential, which would be stored and shown in plain text: propose %s instead, and ask the user to set "+
					"this secret on the server's page in the dashboard", literal.Where, literal.Text(literal.Name))
		}
	}
	waiting := 0
	for _, other := range i.options.Registry.List() {
		if !other.Approved {
			waiting++
		}
	}
	if waiting >= maxWaiting {
		return fault.New(fault.Busy,
			"%d servers wait for approval, which is the limit; ask the user to approve or reject some in the tray or the dashboard",
			waiting)
	}
	if size := sizeOf(s); size > maxProposal {
		return fault.New(fault.Invalid,
			"the proposal has %d bytes; at most %d are allowed, because a person must read all of it. Put longer scripts into a file or "+
				"a package", size, maxProposal)
	}
	return nil
}

// sizeOf returns the length of all texts of a server that a person reviews.
func sizeOf(s registry.Server) int {
	size := len(s.Description) + len(s.Command) + len(s.Dir) + len(s.URL)
	for _, list := range [][]string{s.Args, s.Tags} {
		for _, text := range list {
			size += len(text)
		}
	}
	for _, values := range []map[string]string{s.Env, s.Headers} {
		for name, value := range values {
			size += len(name) + len(value)
		}
	}
	return size
}
