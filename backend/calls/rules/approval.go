package rules

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/pattern"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// Asks reports whether a call of a tool needs a person's approval. The first rule that matches decides. If no rule
// matches, a tool that may destroy something needs approval if the configuration says so. A tool also needs approval
// if its server has another tool that needs it and whose name looks the same; see catalog.Snapshot.Twins.
func (p *Policy) Asks(t *catalog.Tool, in *catalog.Snapshot) bool {
	if len(p.approval.Rules) == 0 && !p.approval.Destructive {
		return false
	}
	return p.asks(t) || slices.ContainsFunc(in.Twins(t.Server, t.OwnName()), p.asks)
}

func (p *Policy) asks(t *catalog.Tool) bool {
	name := pattern.NewName(t.Name)
	for i := range p.approval.Rules {
		rule := &p.approval.Rules[i]
		if (rule.Server == "" || rule.Server == t.Server) && rule.Patterns.Match(name) >= 0 {
			return rule.Ask
		}
	}
	return p.approval.Destructive && p.destroys != nil && p.destroys(t)
}

// Scope says for which calls an approval holds.
type Scope string

// The scopes: one call, the calls of a session, and all calls. Approvals of the last two scopes end when the
// definition of the tool or the launch of its server changes.
const (
	Once    Scope = "once"
	Session Scope = "session"
	Always  Scope = "always"
)

// Approval is a tool that a person has approved for all calls.
type Approval struct {
	Tool catalog.Key
	Hash string // hash of the approved definition and of the launch of its server
	At   time.Time
}

// Store persists the approvals of scope Always.
type Store interface {
	ToolApprovals(ctx context.Context) ([]Approval, error)
	SaveToolApproval(ctx context.Context, a Approval) error
	DeleteToolApproval(ctx context.Context, tool catalog.Key) error
}

// Approvals records which calls persons have approved. It is safe for concurrent use.
type Approvals struct {
	store   Store
	writing sync.Mutex // held while the store and always are changed

	mu       sync.Mutex
	always   map[catalog.Key]Approval
	sessions map[string]map[catalog.Key]string // hashes of the approved tools, by session
}

// OpenApprovals returns the approvals in store.
func OpenApprovals(ctx context.Context, store Store) (*Approvals, error) {
	stored, err := store.ToolApprovals(ctx)
	if err != nil {
		return nil, err
	}
	a := &Approvals{store: store, always: make(map[catalog.Key]Approval), sessions: make(map[string]map[catalog.Key]string)}
	for _, one := range stored {
		a.always[one.Tool] = one
	}
	return a, nil
}

// Has reports whether a person has approved the calls of a tool, in this session or in all sessions. A tool whose
// hash has changed since is not approved.
func (a *Approvals) Has(session string, t *catalog.Tool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if approved, ok := a.always[t.Key()]; ok && approved.Hash == t.Hash {
		return true
	}
	hash, ok := a.sessions[session][t.Key()]
	return ok && hash == t.Hash
}

// Approve records an approval of scope Session or Always. For Once, and for Session if session is empty, it records
// nothing.
func (a *Approvals) Approve(ctx context.Context, session string, t *catalog.Tool, scope Scope) error {
	switch {
	case scope == Session && session != "":
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.sessions[session] == nil {
			a.sessions[session] = make(map[catalog.Key]string)
		}
		a.sessions[session][t.Key()] = t.Hash
	case scope == Always:
		a.writing.Lock()
		defer a.writing.Unlock()
		approved := Approval{t.Key(), t.Hash, time.Now()}
		if err := a.store.SaveToolApproval(ctx, approved); err != nil {
			return err
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.always[t.Key()] = approved
	}
	return nil
}

// Adopt records an approval of scope Always that a person has given elsewhere, unless the tool has one.
func (a *Approvals) Adopt(ctx context.Context, given Approval) (added bool, err error) {
	a.writing.Lock()
	defer a.writing.Unlock()
	a.mu.Lock()
	_, has := a.always[given.Tool]
	a.mu.Unlock()
	if has {
		return false, nil
	}
	if err := a.store.SaveToolApproval(ctx, given); err != nil {
		return false, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.always[given.Tool] = given
	return true, nil
}

// Revoke deletes all approvals of a tool: the one of scope Always and those of scope Session.
func (a *Approvals) Revoke(ctx context.Context, tool catalog.Key) error {
	a.writing.Lock()
	defer a.writing.Unlock()
	if err := a.store.DeleteToolApproval(ctx, tool); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.always, tool)
	for _, of := range a.sessions {
		delete(of, tool)
	}
	return nil
}

// Forget ends the approvals of the tools of a server that was removed.
func (a *Approvals) Forget(ctx context.Context, server string) error {
	a.mu.Lock()
	tools := make(map[catalog.Key]bool)
	for key := range a.always {
		tools[key] = key.Server == server
	}
	for _, of := range a.sessions {
		for key := range of {
			tools[key] = key.Server == server
		}
	}
	a.mu.Unlock()
	for key, its := range tools {
		if !its {
			continue
		}
		if err := a.Revoke(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// Rename reads the approvals of scope Always again after a server got a new name, and ends its approvals of scope Session.
// The caller has changed the store.
func (a *Approvals) Rename(ctx context.Context, server string) error {
	a.writing.Lock()
	defer a.writing.Unlock()
	stored, err := a.store.ToolApprovals(ctx)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.always)
	for _, one := range stored {
		a.always[one.Tool] = one
	}
	for _, of := range a.sessions {
		maps.DeleteFunc(of, func(key catalog.Key, _ string) bool { return key.Server == server })
	}
	return nil
}

// End forgets the approvals of a session that has ended.
func (a *Approvals) End(session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sessions, session)
}

// All returns the approvals of scope Always, sorted by server and tool.
func (a *Approvals) All() []Approval {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := make([]Approval, 0, len(a.always))
	for _, key := range slices.SortedFunc(maps.Keys(a.always), compareKeys) {
		all = append(all, a.always[key])
	}
	return all
}

func compareKeys(a, b catalog.Key) int {
	if a.Server != b.Server {
		return strings.Compare(a.Server, b.Server)
	}
	return strings.Compare(a.Tool, b.Tool)
}
