package operations

import (
	"context"
	"errors"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

// Sandbox is the API's view of how a server's processes are confined.
type Sandbox struct {
	Level    string         `json:"level" enum:"off,guard,strict" doc:"off (no restrictions), guard (secrets are hidden; the server writes to its own folder, the MCP roots, caches and temporary folders) or strict (it reads the system and what is granted; no network unless granted)."`
	Enforced string         `json:"enforced" enum:"off,enforced,partly,unsupported" doc:"How far this system enforces the level: off (nothing is asked for), enforced, partly (all but what is missing) or unsupported (nothing). A strict server does not start unless it is enforced."`
	Missing  []string       `json:"missing" doc:"What the level promises and this system does not enforce, as sentences for people."`
	Notes    []string       `json:"notes" doc:"Limits of what is enforced and of grants, as sentences for people."`
	Added    []string       `json:"added" doc:"Options that are added to the arguments of a container engine."`
	Grants   SandboxGrants  `json:"grants" doc:"What a person allows the server beyond its level."`
	Denied   []DeniedAccess `json:"denied" doc:"What the server probably wanted and did not get since the hub started, the latest last. The system does not report that; it is what the server itself wrote."`
}

// SandboxGrants are accesses that a person allows a confined server.
type SandboxGrants struct {
	Read    []string `json:"read" doc:"Files and folders, absolute or beginning with ~/."`
	Write   []string `json:"write" doc:"Likewise; writing includes reading."`
	Network []string `json:"network" doc:"Addresses for a strict server: host:port, a port, or * for all. Linux filters TCP by port only."`
}

// DeniedAccess is an access that a server probably wanted and did not get.
type DeniedAccess struct {
	Access string `json:"access" enum:"read,write,network"`
	Target string `json:"target" doc:"The path or host; empty if the server did not name it."`
	Grant  string `json:"grant,omitempty" doc:"What to add to the grants for this access so that it is allowed. Left out for secrets."`
	Count  int    `json:"count"`
	Last   string `json:"last" doc:"Time of the last attempt."`
	Line   string `json:"line" doc:"What the server wrote."`
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
	Forget   func(server string) // deletes the list of denied accesses of a server
}

// Routes adds the operations with their handlers to a route table.
func (s *Sandboxes) Routes(t *route.Table) {
	g := t.Group("servers")
	route.Add(g, route.Put("/api/servers/{id}/sandbox", "Change how a server is confined, and what it is granted"), s.change)
	route.Add(g, route.Delete("/api/servers/{id}/sandbox/denied", "Forget what a server was denied"), s.forget)
}

type sandboxFields struct {
	Level  *string        `json:"level,omitempty" enum:"off,guard,strict" doc:"How to confine the server's processes. Left out, it stays as it is."`
	Grants *SandboxGrants `json:"grants,omitempty" doc:"All grants. Left out, they stay as they are."`
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
	byPerson, refused := guard.ByPerson(ctx), false
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
	return route.OK(s.Views.Server(v))
}

func (s *Sandboxes) forget(_ context.Context, in *ServerInput) (*route.Reply[done], error) {
	v, err := lookup(s.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	s.Forget(v.Name)
	return route.OK(done{OK: true})
}
