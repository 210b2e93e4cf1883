package operations

import (
	"context"
	"errors"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

// Sandbox is the API's view of how a server's processes are confined.
type Sandbox struct {
	Level    string         `json:"level" enum:"off,guard,strict" doc:"off (no restrictions), guard (the server uses only the system, its own program, a home folder of its own, the MCP roots and granted files) or strict (as guard, and it reaches no address unless granted)."`
	Enforced string         `json:"enforced" enum:"off,enforced,partly,unsupported" doc:"How far this operating system enforces the level: off (the level has no restrictions), enforced (all restrictions), partly (all except those in missing) or unsupported (none). A server of level strict starts only if the level is enforced."`
	Missing  []string       `json:"missing" doc:"Restrictions of the level that this operating system does not enforce, as sentences for people."`
	Notes    []string       `json:"notes" doc:"Limitations of the enforced restrictions and of the grants, as sentences for people."`
	Added    []string       `json:"added" doc:"Options that the hub adds to the arguments of a container engine."`
	Grants   SandboxGrants  `json:"grants" doc:"Accesses that a person has granted the server in addition to those that its level allows."`
	Denied   []DeniedAccess `json:"denied" doc:"Accesses that were probably denied to the server since the hub started, latest last. The operating system does not report denials, so the hub takes them from the output of the server."`
}

// SandboxGrants are accesses that a person allows a confined server.
type SandboxGrants struct {
	Read    []string `json:"read" doc:"Files and folders that the server may read: absolute paths, or paths that begin with ~/."`
	Write   []string `json:"write" doc:"Files and folders that the server may read and write: absolute paths, or paths that begin with ~/."`
	Network []string `json:"network" doc:"Addresses to which a strict server may connect: host:port, a port of all hosts, or * for all."`
}

// DeniedAccess is an access that a server probably wanted and did not get.
type DeniedAccess struct {
	Access string `json:"access" enum:"read,write,network"`
	Target string `json:"target" doc:"The path or host that the server tried to access; empty if the server did not name it."`
	Grant  string `json:"grant,omitempty" doc:"The entry to add to grants so that this access is allowed. Left out for secrets, which should not be granted."`
	Count  int    `json:"count"`
	Last   string `json:"last" doc:"Time of the last attempt."`
	Line   string `json:"line" doc:"The line in which the server reported the denial."`
}

func sandboxOf(v registry.Server, of *sandbox.Sandbox) *Sandbox {
	report := of.Report(v)
	out := &Sandbox{
		Level: v.Sandbox, Enforced: report.Enforced, Missing: report.Missing, Notes: report.Notes, Added: orEmpty(sandbox.AddedTo(v)),
		Grants: SandboxGrants{orEmpty(v.Grants.Read), orEmpty(v.Grants.Write), orEmpty(v.Grants.Network)}, Denied: []DeniedAccess{},
	}
	for _, d := range of.Denied(v.Name) {
		out.Denied = append(out.Denied, DeniedAccess{string(d.Access), d.Target, d.Grant, d.Count, Timestamp(d.Last), d.Line})
	}
	return out
}

// Sandboxes holds the operations on the sandboxes of servers.
type Sandboxes struct {
	Registry *registry.Registry
	Views    *Views
	Forget   func(server string)          // deletes the list of denied accesses of a server
	Granted  func(server registry.Server) // remembers where the granted paths of a server lead
	// Widened records that a person has allowed a server more. text continues a sentence that begins with the person.
	Widened func(server, text string)
}

// Routes adds the operations with their handlers to a route table.
func (s *Sandboxes) Routes(t *route.Table) {
	g := t.Group("servers")
	route.Add(g, route.Put("/api/servers/{id}/sandbox",
		"Change the level at which a server is confined, and the accesses that it is granted"), s.change)
	route.Add(g, route.Delete("/api/servers/{id}/sandbox/denied", "Clear the list of accesses that a server was denied"), s.forget)
}

type sandboxFields struct {
	Level  *string        `json:"level,omitempty" enum:"off,guard,strict" doc:"How to confine the server's processes. If missing, the level stays as it is."`
	Grants *SandboxGrants `json:"grants,omitempty" doc:"The new grants, which replace all current ones. If missing, the grants stay as they are."`
}

// change replaces the sandbox level or the grants of a server. Only a person may allow a server more than before. The
// next call starts a running server again.
func (s *Sandboxes) change(ctx context.Context, in *serverBody[sandboxFields]) (*route.Reply[Server], error) {
	v, err := lookup(s.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if v.Transport != "stdio" {
		return nil, fault.New(fault.Invalid, "server %q is remote and has no process here that could be confined", v.Name)
	}
	level, grants := v.Sandbox, v.Grants
	if body.Level != nil {
		level = *body.Level
	}
	if body.Grants != nil {
		grants = registry.Grants{Read: body.Grants.Read, Write: body.Grants.Write, Network: body.Grants.Network}
	}
	if err := errors.Join(registry.CheckSandbox(level), sandbox.CheckGrants(grants)); err != nil {
		return nil, err
	}
	byPerson, refused, before := guard.ByPerson(ctx), false, v
	v, err = s.Registry.Update(ctx, v.Name, func(now *registry.Server) {
		if refused = !byPerson && now.Looser(level, grants); !refused {
			now.Sandbox, now.Grants = level, grants
		}
	})
	switch {
	case err != nil:
		return nil, err
	case refused:
		return nil, &fault.Error{
			Kind: fault.Denied, Code: fault.CodePerson,
			Message: "only a person may allow a server more: use the dashboard, or agent-discover servers sandbox and servers grant in a " +
				"terminal",
		}
	}
	s.Granted(v)
	if before.Looser(level, grants) {
		s.Widened(v.Name, fmt.Sprintf("changed its sandbox from %s to %s", sandboxInWords(before), sandboxInWords(v)))
	}
	return route.OK(s.Views.Server(v))
}

// sandboxInWords returns the level and the grants of a server.
func sandboxInWords(v registry.Server) string {
	if grants := v.Grants.String(); grants != "" {
		return v.Sandbox + ", " + grants
	}
	return v.Sandbox
}

func (s *Sandboxes) forget(_ context.Context, in *ServerInput) (*route.Reply[done], error) {
	v, err := lookup(s.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	s.Forget(v.Name)
	return route.OK(done{OK: true})
}
