// Package secretmigration moves credentials that are written in plain text in the configuration of servers into the
// vault, and replaces them with references such as ${secret:NAME}. Package launch recognizes the credentials and
// resolves the references.
package secretmigration

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

// The values of Move.Action.
const (
	WouldMove = "move"     // dry run: the credential would be moved
	Moved     = "moved"    // the vault has the value, and the configuration a reference to it
	Conflict  = "conflict" // the vault has a different value under this name, which already takes precedence
	NotMoved  = "failed"   // the configuration is unchanged
)

// Move is one credential in a server's configuration and the outcome of moving it.
type Move struct {
	Server string `json:"server"`
	Where  string `json:"where"` // env.NAME, args[3], headers.NAME or url
	Name   string `json:"name"`  // name of the secret
	Action string `json:"action"`
	Error  string `json:"error,omitempty"`
}

// Migrator moves credentials. It is safe for concurrent use.
type Migrator struct {
	registry *registry.Registry
	vault    *vault.Vault
}

// New returns a migrator for the servers in a registry.
func New(servers *registry.Registry, vault *vault.Vault) *Migrator {
	return &Migrator{registry: servers, vault: vault}
}

// Migrate moves the credentials of the named servers, or of all servers when
// names is empty, and returns one Move for each credential that it found. With
// apply false it changes nothing and reports what it would do. An unknown name
// is a fault.NotFound.
func (m *Migrator) Migrate(ctx context.Context, names []string, apply bool) ([]Move, error) {
	for _, name := range names {
		if _, err := m.registry.Get(name); err != nil {
			return nil, err
		}
	}
	moves := []Move{}
	for _, server := range m.registry.List() {
		if len(names) > 0 && !slices.Contains(names, server.Name) {
			continue
		}
		one := migration{Migrator: m, server: server, apply: apply}
		if err := one.run(ctx); err != nil {
			return moves, err
		}
		moves = append(moves, one.moves...)
	}
	if slices.ContainsFunc(moves, func(m Move) bool { return m.Action == Moved }) {
		return moves, m.registry.Compact(ctx) // removes the plain text from freed pages of the database
	}
	return moves, nil
}

// migration is the migration of one server.
type migration struct {
	*Migrator
	server registry.Server
	apply  bool
	moves  []Move
}

func (m *migration) run(ctx context.Context) error {
	grants, err := m.vault.Links(ctx, m.server.Name, launch.Of(m.server))
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

// literalsOf returns the plain-text credentials that a start of a server uses.
func literalsOf(server registry.Server) []launch.Literal {
	used := launch.Of(server)
	used.URL = server.Endpoint()
	return launch.Literals(used)
}

// names returns a map whose keys are the names of the server's stored secrets. The values are empty, so that they
// equal no credential.
func (m *migration) names(ctx context.Context) (map[string]string, error) {
	names, err := m.vault.Names(ctx, m.server.Name)
	taken := make(map[string]string)
	for _, name := range names {
		taken[name] = ""
	}
	return taken, err
}

// plan chooses the name of the secret for a credential: the suggested name or, if a secret of that name has a different
// value, the suggested name with a number. The credential in a variable or header must keep its name; if a secret of
// that name has a different value, the action is Conflict.
func (m *migration) plan(ctx context.Context, literal launch.Literal, taken map[string]string) Move {
	move := Move{Server: m.server.Name, Where: literal.Where, Name: literal.Name, Action: WouldMove}
	for n := 2; ; n++ {
		value, has := taken[move.Name]
		switch {
		case !has, value == literal.Value, m.vault.Holds(ctx, m.server.Name, move.Name, literal.Value):
			return move
		case literal.Where == "env."+literal.Name, literal.Where == "headers."+literal.Name:
			move.Action = Conflict
			move.Error = fmt.Sprintf(
				"secret %q already has a different value, which the server gets instead; remove %s from the server's configuration, or "+
					"delete the secret", literal.Name, literal.Where,
			)
			return move
		}
		move.Name = numbered(literal.Name, n)
	}
}

// carryOut stores the credential. The configuration changes only after the
// vault has returned the same value.
func (m *migration) carryOut(ctx context.Context, literal launch.Literal, move Move) Move {
	name := m.server.Name
	err := m.vault.Set(ctx, name, move.Name, literal.Value)
	if err == nil && !m.vault.Holds(ctx, name, move.Name, literal.Value) {
		err = fault.New(fault.Failed, "the vault did not return the value after storing it; the configuration is unchanged")
	}
	if err == nil {
		err = m.replace(ctx, literal, move.Name)
	}
	if move.Action = Moved; err != nil {
		move.Action, move.Error = NotMoved, fault.MessageOf(err)
	}
	return move
}

// replace puts a reference into the configuration in place of a credential. If
// the credential is no longer there, the error is a fault.Conflict.
func (m *migration) replace(ctx context.Context, literal launch.Literal, name string) error {
	found := false
	_, err := m.registry.Update(ctx, m.server.Name, func(s *registry.Server) {
		for _, now := range literalsOf(*s) {
			if found = now.Where == literal.Where && now.Value == literal.Value; found {
				put(s, now.Where, now.Text(name))
				return
			}
		}
	})
	if err == nil && !found {
		err = fault.New(fault.Conflict,
			"the server's configuration has changed meanwhile and was left as it is; the vault has the value. Try again")
	}
	return err
}

// put sets the text at one place of a server's configuration; see Move.Where.
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
		if i, ok := argument(where); ok && i < len(s.Args) {
			s.Args[i] = text
		}
	}
}

// relink renews the links that were valid before the migration. Links become
// invalid when the configuration changes, although the migrated server starts
// the same program.
func (m *migration) relink(ctx context.Context, grants []vault.Grant) error {
	if !m.apply {
		return nil
	}
	now, err := m.registry.Get(m.server.Name)
	if err != nil {
		return err
	}
	for _, g := range grants {
		if g.Holds {
			if err := m.vault.Link(ctx, m.server.Name, launch.Of(now), g.Owner, g.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Referring returns a copy of declared in which references to secrets replace some credentials: those for which server
// has, at the same place, a reference to one of its secrets with the same value.
func (m *Migrator) Referring(ctx context.Context, server, declared registry.Server) registry.Server {
	declared.Args, declared.Env, declared.Headers = slices.Clone(declared.Args), maps.Clone(declared.Env), maps.Clone(declared.Headers)
	for found := true; found; { // one text may have several credentials
		found = false
		for _, literal := range literalsOf(declared) {
			if name := m.reference(ctx, server, literal); name != "" {
				put(&declared, literal.Where, literal.Text(name))
				found = true
				break
			}
		}
	}
	return declared
}

// Without returns a copy of a server in which references to secrets replace its credentials, and the credentials by the
// names of these secrets. It changes nothing in the registry and in the vault. A credential that the server does not
// get, because it has a secret of the same name with another value, is left out of values.
func (m *Migrator) Without(ctx context.Context, server registry.Server) (s registry.Server, values map[string]string, err error) {
	s = server
	s.Args, s.Env, s.Headers = slices.Clone(s.Args), maps.Clone(s.Env), maps.Clone(s.Headers)
	one := migration{Migrator: m, server: server}
	taken, err := one.names(ctx)
	if err != nil {
		return s, nil, err
	}
	values = make(map[string]string)
	for literals := literalsOf(s); len(literals) > 0; literals = literalsOf(s) { // one text may have several credentials
		literal := literals[0]
		move := one.plan(ctx, literal, taken)
		if move.Action == WouldMove {
			values[move.Name], taken[move.Name] = literal.Value, literal.Value
		}
		before := at(s, literal.Where)
		put(&s, literal.Where, literal.Text(move.Name))
		if at(s, literal.Where) == before {
			return s, nil, fault.New(fault.Failed, "the credential in %s of server %q cannot be replaced by a reference", literal.Where, s.Name)
		}
	}
	return s, values, nil
}

// reference returns the name of the secret that a server has in place of a credential, or "".
func (m *Migrator) reference(ctx context.Context, server registry.Server, literal launch.Literal) string {
	text, name := at(server, literal.Where), literal.Name
	for n := 2; n <= maxNumber; n++ {
		if strings.Contains(text, launch.Reference(name)) && m.vault.Holds(ctx, server.Name, name, literal.Value) {
			return name
		}
		name = numbered(literal.Name, n)
	}
	return ""
}

// at returns the text at one place of a server's configuration; see Move.Where.
func at(s registry.Server, where string) string {
	kind, name, _ := strings.Cut(where, ".")
	switch kind {
	case "env":
		return s.Env[name]
	case "headers":
		return s.Headers[name]
	case "url":
		return s.URL
	}
	if i, ok := argument(where); ok && i < len(s.Args) {
		return s.Args[i]
	}
	return ""
}

// argument returns the index of an argument from its place args[N].
func argument(where string) (index int, ok bool) {
	n, err := fmt.Sscanf(where, "args[%d]", &index)
	return index, n == 1 && err == nil
}

// numbered returns the suggested name with the number n. It is used if the secrets with lower numbers have different
// values.
func numbered(name string, n int) string { return fmt.Sprintf("%s-%d", name, n) }

// maxNumber is the number up to which reference searches for the secret of a credential. Few servers have many
// arguments with credentials of the same name.
const maxNumber = 20
