package operations

import (
	"context"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Discovery holds the operations on the catalogue of tools: the number of look-ups, the last listing of each server's
// tools, and the changes of tools.
type Discovery struct {
	Registry *registry.Registry
	Catalog  *catalog.Catalog
	Servers  *upstream.Manager
	Listed   *upstream.Discoveries
	History  func(ctx context.Context, server, tool string) ([]catalog.Past, error)
}

// Routes adds the operations with their handlers to a route table.
func (d *Discovery) Routes(t *route.Table) {
	g := t.Group("tools")
	route.Add(g, route.Get("/api/discovery",
		"Retrieve the number of look-ups in the catalogue of tools, and the last listing of each server's tools"),
		d.get)
	route.Add(g, route.Post("/api/discovery",
		"Request the tool lists of one server or of all running servers again; a server that fails does not affect the others"), d.refresh)
	route.Add(g, route.Get("/api/discovery/history", "List the changes of a tool's definition, latest first"), d.history)
}

// DiscoveryState reports the number of look-ups in the catalogue of tools, and the last listing of each server's tools.
type DiscoveryState struct {
	Tools   int             `json:"tools" doc:"Number of known tools."`
	Hits    int64           `json:"hits" doc:"Number of look-ups since the hub started for which the catalogue had the tool, or the tools of the server."`
	Misses  int64           `json:"misses" doc:"Number of look-ups since the hub started for which it did not, so that the server was asked or an error returned."`
	HitRate float64         `json:"hit_rate" doc:"hits as a fraction of all look-ups; 0 if there were none."`
	Servers []ServerListing `json:"servers" nullable:"false" doc:"The last listing of each server whose tools were requested since the hub started, sorted by server."`
}

// ServerListing describes the last listing of the tools of a server.
type ServerListing struct {
	Server     string    `json:"server"`
	At         time.Time `json:"at"`
	DurationMS float64   `json:"duration_ms"`
	Tools      int       `json:"tools"`
	Error      string    `json:"error,omitempty" doc:"Why the tools could not be listed; missing if they could."`
	Read       int64     `json:"read" doc:"Number of successful attempts to list the tools."`
	Failed     int64     `json:"failed" doc:"Number of failed attempts to list the tools."`
}

func listingsOf(all []upstream.Discovery) []ServerListing {
	out := make([]ServerListing, len(all))
	for i, d := range all {
		out[i] = ServerListing{
			Server: d.Server, At: d.At.UTC(), DurationMS: float64(d.Took.Microseconds()) / 1000,
			Tools: d.Tools, Read: d.Read, Failed: d.Failed,
		}
		if d.Err != nil {
			out[i].Error = fault.MessageOf(d.Err)
		}
	}
	return out
}

func (d *Discovery) get(context.Context, *struct{}) (*route.Reply[DiscoveryState], error) {
	reads := d.Catalog.Reads()
	return route.OK(DiscoveryState{
		Tools: len(d.Catalog.Snapshot().Tools), Hits: reads.Hits, Misses: reads.Misses, HitRate: reads.Rate(),
		Servers: listingsOf(d.Listed.All()),
	})
}

type discoveryInput struct {
	Server string `query:"server" doc:"Name of the server; by default, all running servers."`
}

type discoveryReply struct {
	Servers []ServerListing `json:"servers" nullable:"false"`
}

func (d *Discovery) refresh(ctx context.Context, in *discoveryInput) (*route.Reply[discoveryReply], error) {
	servers := slices.DeleteFunc(d.Registry.List(), func(v registry.Server) bool {
		_, running := d.Servers.Describe(v.Name)
		return !running
	})
	if in.Server != "" {
		server, err := d.Registry.Get(in.Server)
		if err != nil {
			return nil, err
		}
		servers = []registry.Server{server}
	}
	return route.OK(discoveryReply{listingsOf(d.Servers.Discover(ctx, servers))})
}

type historyInput struct {
	Server string `query:"server" required:"true"`
	Tool   string `query:"tool" required:"true"`
}

// ToolChange is one change of a tool's definition.
type ToolChange struct {
	catalog.Change
	At      time.Time `json:"at"`
	Version int       `json:"version" doc:"Version of the hash algorithm. Hashes of different versions cannot be compared."`
}

type historyReply struct {
	Changes []ToolChange `json:"changes" nullable:"false" doc:"The changes, latest first, at most 50."`
}

func (d *Discovery) history(ctx context.Context, in *historyInput) (*route.Reply[historyReply], error) {
	past, err := d.History(ctx, in.Server, in.Tool)
	if err != nil {
		return nil, err
	}
	out := historyReply{make([]ToolChange, len(past))}
	for i, p := range past {
		out.Changes[i] = ToolChange{p.Change, p.At, p.Version}
	}
	return route.OK(out)
}
