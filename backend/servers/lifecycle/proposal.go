package lifecycle

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

const (
	// maxWaiting is how many servers may wait for approval.
	maxWaiting = 50
	// maxProposal is how long the texts of a proposal may be together, in bytes.
	// Nobody reads more before they approve it.
	maxProposal = 16 << 10
)

// InstallPolicy returns the setting agents.install: allow, ask or deny.
func (m *Manager) InstallPolicy() string { return m.policy() }

// Propose adds a server for an agent, according to the setting agents.install.
// With ask, the server waits for approval. With allow, it is approved.
// With deny, the error is a fault.Denied.
func (m *Manager) Propose(ctx context.Context, s registry.Server) (registry.Server, error) {
	if m.policy() == "deny" {
		return registry.Server{}, fault.New(fault.Denied, "agents may not install servers here (agents.install is deny); ask the user to add server %s in the dashboard", s.Name)
	}
	return m.AddUnseen(ctx, s)
}

// AddUnseen adds a server whose launch no person has seen. Unless agents may
// install servers, it waits for approval. A proposal must be fit to be read: it
// has a limited length and contains no credentials, which would be stored and
// shown in plain text. The server is confined, with no grants.
func (m *Manager) AddUnseen(ctx context.Context, s registry.Server) (registry.Server, error) {
	for _, literal := range launch.Literals(launch.Of(s)) {
		if m.policy() != "allow" && secretscan.IssuedCredential(literal.Value) {
			return registry.Server{}, fault.New(fault.Invalid, "%s contains a credential, which would be stored and shown in plain text: propose %s instead, and ask the user to set this secret on the server's page in the dashboard", literal.Where, literal.Text(literal.Name))
		}
	}
	return m.AddImported(ctx, s.Guarded()) // only a person loosens it
}

// AddImported is AddUnseen for a server that is moved here from elsewhere, and
// may have credentials in plain text.
func (m *Manager) AddImported(ctx context.Context, s registry.Server) (registry.Server, error) {
	m.proposing.Lock()
	defer m.proposing.Unlock()
	s.Approved, s.Installed = m.policy() == "allow", true
	if !s.Approved {
		if err := m.admit(s); err != nil {
			return registry.Server{}, err
		}
	}
	return m.registry.Add(ctx, s)
}

// admit returns why a server must not be proposed, or nil.
func (m *Manager) admit(s registry.Server) error {
	waiting := 0
	for _, other := range m.registry.List() {
		if !other.Approved {
			waiting++
		}
	}
	if waiting >= maxWaiting {
		return fault.New(fault.Busy, "%d servers wait for approval, which is the limit; ask the user to approve or reject some in the tray or the dashboard", waiting)
	}
	if size := sizeOf(s); size > maxProposal {
		return fault.New(fault.Invalid, "the proposal has %d bytes; at most %d are allowed, because a person must read all of it. Put longer scripts into a file or a package", size, maxProposal)
	}
	return nil
}

// sizeOf returns the length of all texts of a server that a person reviews.
func sizeOf(s registry.Server) int {
	size := len(s.Description) + len(s.Command) + len(s.URL)
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

// Approve allows a proposed server to be started. launchHash is the LaunchHash
// of the configuration that the person was shown; if the configuration has
// changed since, nothing is approved and the error is a fault.Conflict.
func (m *Manager) Approve(ctx context.Context, name, launchHash string) (registry.Server, error) {
	if launchHash == "" {
		return registry.Server{}, fault.New(fault.Invalid, "launch_hash is required: that of the configuration which the person has reviewed")
	}
	changed := false
	s, err := m.registry.Update(ctx, name, func(s *registry.Server) {
		if changed = launchHash != LaunchHash(*s); !changed {
			s.Approved = true
		}
	})
	if err == nil && changed {
		return s, errChanged(name)
	}
	if err == nil {
		m.codes.forget(name)
	}
	return s, err
}

func errChanged(name string) error {
	return fault.New(fault.Conflict, "server %q has changed since it was shown; nothing was approved. Look at it again, then approve it", name)
}
