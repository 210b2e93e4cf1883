// Package intake adds servers to the registry. Every way to add a server ends in Add: the command line, REST, a
// pasted configuration, the entries of editors, bundles, the marketplace, setup files, the database of the original
// product, personas and agents. Add checks the name, the transport and the address, decides who has to approve the
// server, moves its credentials to the vault and saves it.
//
// The packages that call Add read the formats in which servers are written. Package firststart starts a server after
// Add has returned.
package intake

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

// Origin says who adds a server, which decides who has to approve it.
type Origin int

const (
	// Person is the user, who has seen what the server runs. The server may be started.
	Person Origin = iota
	// Script is a program with the hub's token that adds a server of its user. The server may be started.
	Script
	// Unseen is a program or a file that adds servers which no person has reviewed. They wait for approval, unless
	// agents may install servers.
	Unseen
	// Agent is an AI agent. The servers that it adds are treated like those of Unseen, and the setting agents.install
	// may forbid it to add any.
	Agent
)

// Arrival is a server to be added, or to be changed if Known is set.
type Arrival struct {
	Server registry.Server
	Origin Origin
	// SwitchedOff means that the server was disabled in the editor or the file that it comes from. The hub disables it, too.
	SwitchedOff bool
	// Moved means that the server was in use elsewhere. It may then have credentials in plain text and no sandbox,
	// even if no person has reviewed it.
	Moved bool
	// Known means that a server of this name is configured and gets the command, arguments and variables of Server.
	Known bool
	// Whole means that a Known server gets all of Server, and not only its command, arguments and variables.
	Whole bool
	// Values are the values of secrets that come with the server, by name.
	Values map[string]string
	// Readable allows credentials to stay readable in the configuration if they cannot be stored in the vault. Otherwise
	// such a server is not added.
	Readable bool
	// AnyTransport allows a transport that the hub does not know. The server cannot be started until the transport is
	// changed.
	AnyTransport bool
}

// Outcome is the result of Add, or the result that Check predicts.
type Outcome struct {
	Server  registry.Server
	Stored  []string // places whose credentials are in the vault: env.NAME, args[3], headers.NAME or url
	Values  []string // names of the secrets in Arrival.Values, which are in the vault
	Kept    []string // places whose credentials stay readable in the configuration
	WhyKept string   // the reason and what to do about it, beginning with "its credentials"; empty if Kept is empty
	Similar string   // name of a server that has almost the same name, or empty
}

// Notes returns sentences about the outcome for the person who adds the server.
func (o Outcome) Notes() []string {
	var notes []string
	if len(o.Values) > 0 {
		notes = append(notes, "Its secrets ("+places(o.Values)+") are stored.")
	}
	if len(o.Stored) > 0 {
		notes = append(notes, "Its credentials ("+places(o.Stored)+") are stored as secrets.")
	}
	if o.WhyKept != "" {
		notes = append(notes, strings.ToUpper(o.WhyKept[:1])+o.WhyKept[1:]+".")
	}
	if o.Similar != "" {
		notes = append(notes, "Server "+o.Similar+" has almost the same name.")
	}
	return notes
}

// Migrator moves credentials from the configuration of servers to the vault; see package secretmigration.
type Migrator interface {
	Migrate(ctx context.Context, servers []string, apply bool) ([]secretmigration.Move, error)
	Referring(ctx context.Context, server, declared registry.Server) registry.Server
}

// Trust records that a person has approved how a server is started.
type Trust interface {
	Accept(ctx context.Context, server string, clean bool) error
}

// Options are the dependencies of an Intake.
type Options struct {
	Registry *registry.Registry
	Vault    *vault.Vault // nil if credentials stay in the configuration
	Migrator Migrator     // nil for that of package secretmigration
	// Policy returns the setting agents.install: allow, ask or deny. If it is nil, the setting is ask.
	Policy func() registry.Permission
	// Hold keeps new servers from being started until release is called.
	Hold func() (release func())
	// Remove deletes a server with its secrets.
	Remove func(ctx context.Context, server string) error
	Trust  Trust // nil if approvals are not recorded
	// Ports returns the ports of loopback on which this hub answers. If it is nil, no address is the hub's own.
	Ports func() []int
}

// Intake adds servers. It is safe for concurrent use.
type Intake struct {
	options Options
	adding  sync.Mutex // held while a name and the number of waiting servers are checked, and the server is added
}

// New returns an intake. If Policy is nil, the policy is ask.
func New(o Options) *Intake {
	if o.Policy == nil {
		o.Policy = func() registry.Permission { return registry.Ask }
	}
	if o.Hold == nil {
		o.Hold = func() func() { return func() {} }
	}
	if o.Migrator == nil && o.Vault != nil {
		o.Migrator = secretmigration.New(o.Registry, o.Vault)
	}
	return &Intake{options: o}
}

// Policy returns the setting agents.install: allow, ask or deny.
func (i *Intake) Policy() registry.Permission { return i.options.Policy() }

// Hold keeps all new servers from being started until release is called, for callers that add several.
func (i *Intake) Hold() (release func()) { return i.options.Hold() }

// Check returns the outcome or the error that Add would return for a. It changes nothing.
func (i *Intake) Check(ctx context.Context, a Arrival) (Outcome, error) {
	out := Outcome{Server: i.decide(a), Similar: i.lookalike(a.Server.Name)}
	if err := i.admit(a, out.Server); err != nil {
		return out, err
	}
	err := i.planCredentials(ctx, a, &out)
	return out, err
}

// Add adds a server, or changes one that is Known. If a part of an addition fails, Add undoes the rest. It fails with
// fault.Conflict if another server has the name, with fault.Denied if agents may not add the server, and with
// fault.Unavailable if secrets or credentials cannot be stored. The last error has fault.CodeUnstorable if Readable
// would allow the addition.
func (i *Intake) Add(ctx context.Context, a Arrival) (Outcome, error) {
	defer i.options.Hold()()
	out, err := i.save(ctx, a)
	if err != nil {
		return out, err
	}
	err = i.complete(ctx, a, &out)
	if err != nil && !a.Known {
		undo := context.WithoutCancel(ctx)
		err = errors.Join(err, i.options.Remove(undo, out.Server.Name), i.options.Registry.Compact(undo))
	}
	return out, err
}

func (i *Intake) save(ctx context.Context, a Arrival) (Outcome, error) {
	out, err := i.Check(ctx, a) // no lock is held, because Check may ask the keychain
	if err != nil {
		return out, err
	}
	i.adding.Lock()
	defer i.adding.Unlock()
	switch err = i.admit(a, out.Server); {
	case err != nil:
	case a.Known:
		given := out.Server
		out.Server, err = i.options.Registry.Update(ctx, given.Name, func(s *registry.Server) {
			if a.Whole {
				given.Health = s.Health
				*s = given
				return
			}
			s.Command, s.Args, s.Env = given.Command, given.Args, given.Env
			s.Approved = s.Approved && given.Approved
		})
	default:
		out.Server, err = i.options.Registry.Add(ctx, out.Server)
	}
	return out, err
}

// complete stores the secrets of a server that was added, moves its credentials to the vault, and records that a person
// has approved it.
func (i *Intake) complete(ctx context.Context, a Arrival, out *Outcome) error {
	name := out.Server.Name
	for _, secret := range slices.Sorted(maps.Keys(a.Values)) {
		if err := i.options.Vault.Set(ctx, name, secret, a.Values[secret]); err != nil {
			return err
		}
		out.Values = append(out.Values, secret)
	}
	if err := i.moveCredentials(ctx, a, out); err != nil {
		return err
	}
	if a.Origin == Person && out.Server.Approved && i.options.Trust != nil {
		if err := i.options.Trust.Accept(ctx, name, false); err != nil {
			return err
		}
	}
	server, err := i.options.Registry.Get(name)
	out.Server = server
	return err
}

// decide returns the server of an arrival, with the transport filled in, and with the approval and the sandbox that
// follow from the arrival's origin.
func (i *Intake) decide(a Arrival) registry.Server {
	s := a.Server
	s.Disabled = s.Disabled || a.SwitchedOff
	if transport, err := registry.TransportFor(s.Transport, s.Command, s.URL); err == nil { // admit returns the error
		s.Transport = transport
	}
	switch a.Origin {
	case Person, Script:
		s.Approved = true
		s.Installed = s.Installed || s.Command != "" || s.Transport != "stdio"
	default:
		s.Approved = i.options.Policy().Alone()
		s.Installed = true
		if !a.Moved {
			s = s.Guarded() // only a person may relax the sandbox
		}
	}
	return s
}

// admit returns nil if a server may be added, and otherwise the reason why not.
func (i *Intake) admit(a Arrival, s registry.Server) error {
	if a.Origin == Agent {
		if err := i.options.Policy().Refusal("install servers", "add server "+s.Name+" in the dashboard"); err != nil {
			return err
		}
	}
	if !a.Known {
		if err := i.CheckName(a.Origin, s.Name); err != nil {
			return err
		}
	}
	if err := s.Check(); err != nil {
		return err
	}
	if _, err := registry.TransportFor(s.Transport, s.Command, s.URL); err != nil && !a.AnyTransport {
		return err
	}
	if err := i.CheckLaunch(s); err != nil {
		return err
	}
	if a.Origin == Person || a.Origin == Script || s.Approved || a.Known {
		return nil
	}
	return i.admitProposal(a, s)
}
