package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// What became of a credential that stood in a server's configuration.
const (
	WouldMove = "move"     // nothing was done yet
	Moved     = "moved"    // the vault has it, the configuration a reference
	Conflict  = "conflict" // the vault has another value under this name, which the server gets already
	NotMoved  = "failed"   // nothing was changed
)

// Move is a credential in a server's configuration, and what became of it.
type Move struct {
	Server string `json:"server"`
	Where  string `json:"where"` // env.NAME, args[3], headers.NAME or url
	Name   string `json:"name"`  // of the secret
	Action string `json:"action"`
	Error  string `json:"error,omitempty"`
}

// Migrate moves the credentials in the configurations of the named servers, of
// all when there are no names, into the vault, and puts references in their
// place. Unless it is to apply that, it says only what it would do.
func (i *Installer) Migrate(ctx context.Context, names []string, apply bool) ([]Move, error) {
	for _, name := range names {
		if _, err := i.Registry.Get(name); err != nil {
			return nil, err
		}
	}
	moves := []Move{}
	for _, server := range i.Registry.List() {
		if len(names) > 0 && !slices.Contains(names, server.Name) {
			continue
		}
		m := migration{Installer: i, server: server, apply: apply}
		if err := m.run(ctx); err != nil {
			return moves, err
		}
		moves = append(moves, m.moves...)
	}
	if slices.ContainsFunc(moves, func(m Move) bool { return m.Action == Moved }) {
		return moves, i.Registry.Compact(ctx)
	}
	return moves, nil
}

// migration is that of one server.
type migration struct {
	*Installer
	server registry.Server
	apply  bool
	moves  []Move
}

func (m *migration) run(ctx context.Context) error {
	before := upstream.LaunchOf(m.server)
	grants, err := m.Vault.Links(ctx, m.server.Name, before)
	if err != nil {
		return err
	}
	taken, err := m.names(ctx)
	if err != nil {
		return err
	}
	for _, literal := range literalsOf(m.server) {
		move := m.plan(ctx, literal, taken)
		if m.apply && move.Action == WouldMove {
			move = m.carryOut(ctx, literal, move)
		}
		taken[move.Name] = literal.Value
		m.moves = append(m.moves, move)
	}
	return m.relink(ctx, grants)
}

// literalsOf returns the credentials in what a start of a server uses.
func literalsOf(server registry.Server) []secrets.Literal {
	launch := upstream.LaunchOf(server)
	launch.URL = server.Endpoint()
	return secrets.Literals(launch)
}

// names returns the names of the server's secrets, with values that nothing
// equals.
func (m *migration) names(ctx context.Context) (map[string]string, error) {
	records, err := m.Vault.Names(ctx)
	taken := make(map[string]string)
	for _, r := range records {
		if r.Server == m.server.Name {
			taken[r.Name] = ""
		}
	}
	return taken, err
}

// plan chooses a name that no other value has.
func (m *migration) plan(ctx context.Context, literal secrets.Literal, taken map[string]string) Move {
	move := Move{Server: m.server.Name, Where: literal.Where, Name: literal.Name, Action: WouldMove}
	for n := 2; ; n++ {
		value, has := taken[move.Name]
		switch {
		case !has, value == literal.Value, m.Vault.Holds(ctx, m.server.Name, move.Name, literal.Value):
			return move
		case literal.Where == "env."+literal.Name, literal.Where == "headers."+literal.Name:
			move.Action = Conflict
			move.Error = fmt.Sprintf("the secret %q has another value, and the server gets that; take %s out of the server's configuration, or delete the secret", literal.Name, literal.Where)
			return move
		}
		move.Name = fmt.Sprintf("%s-%d", literal.Name, n)
	}
}

// carryOut stores the value, and changes the configuration once it was read
// back.
func (m *migration) carryOut(ctx context.Context, literal secrets.Literal, move Move) Move {
	name := m.server.Name
	err := m.Vault.Set(ctx, name, move.Name, literal.Value)
	if err == nil && !m.Vault.Holds(ctx, name, move.Name, literal.Value) {
		err = fault.New(fault.Failed, "the value was stored, but it does not come back; the configuration stays as it is")
	}
	if err == nil {
		err = m.replace(ctx, literal, move.Name)
	}
	if move.Action = Moved; err != nil {
		move.Action, move.Error = NotMoved, fault.MessageOf(err)
	}
	return move
}

// replace puts a reference where a credential stands, if it still does.
func (m *migration) replace(ctx context.Context, literal secrets.Literal, name string) error {
	found := false
	_, err := m.Registry.Update(ctx, m.server.Name, func(s *registry.Server) {
		for _, now := range literalsOf(*s) {
			if found = now.Where == literal.Where && now.Value == literal.Value; found {
				put(s, now.Where, now.Text(name))
				return
			}
		}
	})
	if err == nil && !found {
		err = fault.New(fault.Conflict, "the server's configuration has changed meanwhile; the vault has the value, and the configuration stays as it is")
	}
	return err
}

// put changes the text of one place in a server's configuration.
func put(s *registry.Server, where, text string) {
	kind, name, _ := strings.Cut(where, ".")
	switch kind {
	case "env":
		s.Env[name] = text
	case "headers":
		s.Headers[name] = text
	case "url":
		s.URL = text
	default:
		var i int
		if n, err := fmt.Sscanf(where, "args[%d]", &i); n == 1 && err == nil && i < len(s.Args) {
			s.Args[i] = text
		}
	}
}

// relink makes the links hold that held before: the server runs what it ran.
func (m *migration) relink(ctx context.Context, grants []secrets.Grant) error {
	if !m.apply {
		return nil
	}
	now, err := m.Registry.Get(m.server.Name)
	if err != nil {
		return err
	}
	for _, g := range grants {
		if g.Holds {
			if err := m.Vault.Link(ctx, m.server.Name, upstream.LaunchOf(now), g.Owner, g.Name); err != nil {
				return err
			}
		}
	}
	return nil
}
