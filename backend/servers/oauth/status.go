package oauth

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// State says whether somebody is signed in to a server.
type State string

// The states of a server.
const (
	SignedOut State = "signed_out"
	SignedIn  State = "signed_in"
	Required  State = "required" // a request failed because a person must sign in
	Waiting   State = "waiting"  // a sign-in waits for a person
)

// Status describes the sign-in to a server.
type Status struct {
	State   State
	Issuer  string // the authorization server; empty if nobody is signed in
	Scopes  []string
	Expires time.Time // when the current token expires; zero if unknown
	// Renewed says that the program gets the next token without a person. It is false until the hub has used the token
	// since its start.
	Renewed bool
	// Again says, in the state Required, that somebody was signed in before.
	Again bool
	// Failure says why the last sign-in failed; empty if it did not.
	Failure string
}

// Wanted reports whether a person must sign in before the server answers.
func (st Status) Wanted() bool { return st.State == Required || st.State == Waiting }

// Reconsider drops the demand for a sign-in to a server whose secrets have changed, because a new secret may be the
// missing credential. If it is not, the server's next answer demands the sign-in again.
func (m *Manager) Reconsider(id int64, server string) {
	m.mu.Lock()
	m.changes[id]++
	d := m.demands[id]
	wanted := d != nil && d.required
	if wanted {
		d.required = false
	}
	m.mu.Unlock()
	if wanted {
		m.notify(server, false)
	}
}

// Status returns the status of a server. It needs neither the keychain nor the network.
func (m *Manager) Status(id int64) (Status, error) {
	var st Status
	grants, err := m.keep.all()
	for _, g := range grants {
		if g.Server == id {
			st = Status{State: SignedIn, Issuer: g.Issuer, Scopes: g.Scopes}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if g := m.grants[id]; g != nil {
		st = Status{State: SignedIn, Issuer: g.Issuer, Scopes: g.Scopes, Expires: g.Expires, Renewed: g.renewable()}
	}
	st.State = cmp.Or(st.State, SignedOut)
	if d := m.demands[id]; d != nil && d.required {
		st.State, st.Again = Required, d.again || st.Issuer != ""
	}
	for _, f := range m.flows {
		if f.server.ID == id {
			st.State = Waiting
		}
	}
	st.Failure = m.failures[id]
	return st, err
}

// Logout forgets the tokens of a server and revokes them at the authorization server, if it offers that. unrevoked is
// the error of the revocation; the tokens are forgotten nevertheless.
func (m *Manager) Logout(ctx context.Context, id int64, server string) (unrevoked, err error) {
	m.endFlows(func(f *flow) bool { return f.server.ID == id }, fault.New(fault.Denied, "somebody signed out of server %q", server))
	revoking := m.taken(ctx, id)
	if err := m.drop(id, func(g keptGrant) bool { return g.Server == id }); err != nil {
		return nil, err
	}
	m.notify(server, true)
	s, err := m.options.Find(ctx, server)
	if err != nil || len(revoking) == 0 {
		return err, nil
	}
	for _, g := range revoking {
		if g.Revoke == "" {
			continue
		}
		n, err := m.network(s, g.Entered)
		if err != nil {
			return err, nil
		}
		limited, cancel := context.WithTimeout(ctx, requestTimeout)
		err = n.revoke(limited, g)
		cancel()
		if err != nil {
			unrevoked = fault.Wrap(err, fault.KindOf(err), "the token could not be revoked and stays valid until it expires: %s",
				fault.MessageOf(err))
		}
	}
	return unrevoked, nil
}

// taken returns the grant of a server that is in memory or, if none is, the stored grants that can be decrypted.
func (m *Manager) taken(ctx context.Context, id int64) (grants []*grant) {
	m.mu.Lock()
	current := m.grants[id]
	m.mu.Unlock()
	if current != nil {
		return []*grant{current}
	}
	all, _ := m.keep.all() // drop reports the error
	for _, kept := range all {
		if kept.Server != id {
			continue
		}
		if g, err := m.keep.open(ctx, kept); err == nil {
			grants = append(grants, g)
		}
	}
	return grants
}

// drop removes the matching sign-ins to a server from the file, and the state of the server from memory.
func (m *Manager) drop(id int64, match func(keptGrant) bool) error {
	if err := m.keep.drop(match); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changes[id]++
	delete(m.grants, id)
	delete(m.demands, id)
	delete(m.failures, id)
	maps.DeleteFunc(m.tries, func(op operation, _ int) bool { return op.server == id })
	return nil
}

// Forget removes the sign-ins of a server that is removed from the configuration.
func (m *Manager) Forget(_ context.Context, server string) error {
	m.endFlows(func(f *flow) bool { return f.server.Name == server }, fault.New(fault.NotFound, "server %q was removed", server))
	grants, err := m.keep.all()
	if err != nil {
		return err
	}
	for _, g := range grants {
		if g.Name == server {
			if err := m.drop(g.Server, func(o keptGrant) bool { return o.Name == server }); err != nil {
				return err
			}
		}
	}
	return nil
}

// Rename gives the sign-ins of a server the new name of the server. It may be called again for the same names.
func (m *Manager) Rename(server, to string) error {
	m.endFlows(func(f *flow) bool { return f.server.Name == server },
		fault.New(fault.NotFound, "server %q was renamed to %q; sign in again", server, to))
	grants, err := m.keep.all()
	if err != nil || !slices.ContainsFunc(grants, func(g keptGrant) bool { return g.Name == server }) {
		return err
	}
	return m.keep.change(func(held *kept) {
		for i, g := range held.Grants {
			if g.Name == server {
				held.Grants[i].Name = to
			}
		}
	})
}
