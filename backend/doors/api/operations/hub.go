package operations

import (
	"context"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
)

// Hub holds the operations on the hub itself.
type Hub struct {
	Info     instance.Info
	Began    time.Time
	Sessions *guard.Sessions
	Registry *registry.Registry
	Catalog  *catalog.Catalog
	Upstream *upstream.Manager
	Journal  *journal.Journal
	Held     func() quarantine.Counts
	Clients  func() []gateway.Client
	Stop     func()
	// HTTPClients returns the names of the tokens of MCP clients that connect over HTTP.
	HTTPClients func() []string
}

// Routes adds the operations with their handlers to a route table.
func (h *Hub) Routes(t *route.Table) {
	g := t.Group("hub")
	route.Add(g, route.Get("/health", "Check whether the hub is running").WithoutToken(), h.health)
	route.Add(g, route.Get("/hello", "Retrieve the hub's proof that it knows its token").WithoutToken(), h.hello)
	route.Add(g, route.Get("/api/about",
		"Retrieve the hub's version, the path of its program, and whether the API requires a token"), h.about)
	route.Add(g, route.Get("/api/status", "List the servers whose tools are in every client's list, with these tools"), h.status)
	route.Add(g, route.Get("/api/clients", "List connected MCP clients"), h.clients)
	route.Add(g, route.Post("/api/pause", "Stop all servers, and start none until the pause ends"), h.pause)
	route.Add(g, route.Post("/api/resume", "End the pause: allow servers to start again"), h.resume)
	route.Add(g, route.Post("/api/stop", "Stop the hub"), h.stop)
}

type health struct {
	Status  string `json:"status" doc:"Always ok."`
	Version string `json:"version"`
	Uptime  int64  `json:"uptime" doc:"Seconds since the hub started."`
}

func (h *Hub) health(context.Context, *struct{}) (*route.Reply[health], error) {
	return route.OK(health{Status: "ok", Version: h.Info.Version, Uptime: int64(time.Since(h.Began).Seconds())})
}

type helloInput struct {
	Nonce   string `query:"nonce" maxLength:"256" doc:"Random value that the client has chosen."`
	Session string `query:"session" maxLength:"64" doc:"Public identifier of a session. If it is given, the response includes session_proof."`
}

func (h *Hub) hello(_ context.Context, in *helloInput) (*route.Reply[instance.Hello], error) {
	nonce := instance.NewSecret()
	hello := instance.Hello{
		Nonce: nonce, Version: h.Info.Version, Protocol: h.Info.Protocol, AuthOff: h.Info.AuthOff,
		Proof: instance.Proof(h.Info.Token, "hub", h.Info.Address(), in.Nonce, nonce),
	}
	if key, ok := h.Sessions.ProofKeyOf(in.Session); ok {
		hello.SessionProof = instance.Proof(key, "session", h.Info.Address(), in.Nonce, nonce)
	}
	return route.OK(hello)
}

type hubAbout struct {
	Version string `json:"version"`
	Program string `json:"program" doc:"Path of the program that editors start with the argument mcp; empty when the file does not exist."`
	AuthOff bool   `json:"auth_off" doc:"Whether this API requires no token, because AGENT_DISCOVER_AUTH is off."`
	// Port is missing if the hub listens on its configured port.
	Port *TakenPort `json:"taken_port,omitempty" doc:"Why the hub does not listen on its configured port; missing if it does."`
}

func (h *Hub) about(ctx context.Context, _ *struct{}) (*route.Reply[hubAbout], error) {
	return route.OK(hubAbout{
		Version: h.Info.Version, Program: process.Sibling("agent-discover"), AuthOff: h.Info.AuthOff, Port: h.takenPort(ctx),
	})
}

func (h *Hub) takenPort(ctx context.Context) *TakenPort {
	if h.Info.TakenPort == 0 {
		return nil
	}
	return DescribePort(ctx, h.Info.TakenPort, h.Info.Port, h.HTTPClients())
}

type status struct {
	ActiveCount int  `json:"active_count" doc:"Number of servers that are always listed."`
	Paused      bool `json:"paused,omitempty" doc:"Whether all servers are paused."`
	quarantine.Counts
	Problem string         `json:"problem,omitempty" doc:"Why the hub currently cannot store calls in the log."`
	Port    *TakenPort     `json:"taken_port,omitempty" doc:"Why the hub does not listen on its configured port; missing if it does."`
	Servers []activeServer `json:"servers" doc:"Servers that are always listed."`
}

type activeServer struct {
	Name      string   `json:"name"`
	ToolCount int      `json:"tool_count"`
	Tools     []string `json:"tools" doc:"Names of the known tools."`
}

func (h *Hub) status(ctx context.Context, _ *struct{}) (*route.Reply[status], error) {
	out := status{
		Paused: h.Upstream.Paused(), Counts: h.Held(), Problem: JournalProblem(h.Journal.Problem()), Port: h.takenPort(ctx),
		Servers: []activeServer{},
	}
	for _, v := range h.Registry.List() {
		if !v.AlwaysListed {
			continue
		}
		row := activeServer{Name: v.Name, Tools: []string{}}
		for _, t := range h.Catalog.Snapshot().Of(v.Name) {
			row.Tools = append(row.Tools, t.Name)
		}
		row.ToolCount = len(row.Tools)
		out.Servers = append(out.Servers, row)
	}
	out.ActiveCount = len(out.Servers)
	return route.OK(out)
}

// JournalProblem describes why the journal cannot store its records. It returns "" if it can.
func JournalProblem(p journal.Problem) string {
	if p.Err == nil {
		return ""
	}
	text := fmt.Sprintf("%s (the latest %d entries of the log are kept in memory", fault.MessageOf(p.Err), p.Waiting)
	if p.Lost > 0 {
		text += fmt.Sprintf(", %d older ones are lost", p.Lost)
	}
	return text + ")"
}

func (h *Hub) clients(context.Context, *struct{}) (*route.Reply[[]gateway.Client], error) {
	return route.OK(h.Clients())
}

type pauseReply struct {
	Paused bool `json:"paused"`
}

// pause stops all servers. It returns when they have stopped.
func (h *Hub) pause(context.Context, *struct{}) (*route.Reply[pauseReply], error) {
	if err := h.Upstream.Pause(); err != nil {
		return nil, err
	}
	return route.OK(pauseReply{true})
}

func (h *Hub) resume(context.Context, *struct{}) (*route.Reply[pauseReply], error) {
	if err := h.Upstream.Resume(); err != nil {
		return nil, err
	}
	return route.OK(pauseReply{false})
}

// stop stops the hub. It returns at once, so that the client gets a response before the hub has stopped.
func (h *Hub) stop(context.Context, *struct{}) (*route.Reply[map[string]string], error) {
	h.Stop()
	return statusOnly("stopping")
}
