package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// KnownTool is a tool with the server it belongs to.
type KnownTool struct {
	Server string `json:"server"`
	Tool
	Enabled bool `json:"enabled" doc:"whether every client has it in its list: its server is active and approved"`
}

// ToolDetail is all that is known about a tool.
type ToolDetail struct {
	KnownTool
	Definition json.RawMessage `json:"definition" doc:"object; the tool as its server listed it"`
	Metrics    *ToolMetrics    `json:"metrics,omitempty" doc:"of a tool that was called"`
	Used       ToolUse         `json:"used"`
}

// ToolUse says who has and who calls a tool.
type ToolUse struct {
	Enabled bool         `json:"enabled" doc:"whether every client has it in its list"`
	LentTo  []string     `json:"lent_to" nullable:"false" doc:"names of connected clients that found it and have it in their lists"`
	Clients []ToolClient `json:"clients" nullable:"false" doc:"that called it, as far as the log goes back; the most calls first, at most 50"`
}

// ToolClient is a client that called a tool.
type ToolClient struct {
	Name         string `json:"name" doc:"that the client gave itself, or the door it came through: api, tester"`
	Calls        int64  `json:"calls" doc:"refused ones too"`
	LastCalledAt string `json:"last_called_at" doc:"UTC, as in 2026-01-31 08:00:00"`
}

const maxToolClients = 50

type toolsInput struct {
	Server string `query:"server"`
	Name   string `query:"name"`
	Brief  string `query:"brief" doc:"true leaves out schemas"`
}

type toolInput struct {
	ID string `path:"id"`
}

func (s *server) toolRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/tools", "Known tools, of stopped servers too", s.tools)
	route(api, http.MethodGet, "/api/tools/{id}", "A tool: its definition, its numbers, and who uses it", s.tool)
}

func (s *server) tools(_ context.Context, in *toolsInput) (*reply[[]KnownTool], error) {
	tools, servers := s.Catalog.Snapshot().Tools, make(map[string]registry.Server)
	for _, v := range s.Registry.List() {
		servers[v.Name] = v
	}
	out := make([]KnownTool, 0, len(tools))
	for _, t := range tools {
		if (in.Server == "" || t.Server == in.Server) && (in.Name == "" || t.Name == in.Name) {
			out = append(out, knownTool(servers[t.Server], t, in.Brief != "true"))
		}
	}
	return ok(out)
}

// knownTool shows a tool of a server; one of no server that is still there
// belongs to none.
func knownTool(v registry.Server, t *catalog.Tool, schema bool) KnownTool {
	out := KnownTool{Server: t.Server, Tool: briefTool(v.ID, t), Enabled: v.Enabled && v.Approved}
	if schema {
		out.InputSchema = schemaOf(t)
	}
	return out
}

func (s *server) tool(ctx context.Context, in *toolInput) (*reply[ToolDetail], error) {
	t, err := s.findTool(in.ID)
	if err != nil {
		return nil, err
	}
	v, _ := s.Registry.Get(t.Server) // a server that was just removed is none
	out := ToolDetail{KnownTool: knownTool(v, t, true), Definition: t.Definition}
	out.Used = ToolUse{Enabled: out.Enabled, LentTo: orEmpty(s.Gateway.LentTo(t.Key())), Clients: []ToolClient{}}
	callers, err := s.Journal.UsedBy(ctx, t.Server, t.Name, maxToolClients)
	if err != nil {
		return nil, err
	}
	for _, c := range callers {
		out.Used.Clients = append(out.Used.Clients, ToolClient{c.Client, c.Calls, c.Last.UTC().Format(time.DateTime)})
	}
	if m, called := s.Journal.MetricsOf(t.Server, t.Name); called {
		out.Metrics = &ToolMetrics{m.Tool, m.Calls, m.Errors, latenciesOf(m.Stats)}
	}
	return ok(out)
}

func (s *server) findTool(text string) (*catalog.Tool, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		for _, t := range s.Catalog.Snapshot().Tools {
			if t.ID == id {
				return t, nil
			}
		}
	}
	return nil, fault.New(fault.NotFound, "Not found")
}
