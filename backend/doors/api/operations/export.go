package operations

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// exportFormats are the formats in which a server's configuration can be exported; the first is the default.
var exportFormats = []string{"mcp-json", "claude-code", "cursor", "agent-discover"}

type formatInput struct {
	ServerInput
	Format string `query:"format" doc:"mcp-json (the default), claude-code, cursor or agent-discover."`
}

type exportReply struct {
	Format string `json:"format"`
	Config any    `json:"config" doc:"Configuration in the requested format, with references in place of secrets."`
}

// clientEntry is a server in the configuration of an MCP client.
type clientEntry struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Dir     string            `json:"cwd,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

// setupEntry is a server in a setup file of the hub.
type setupEntry struct {
	Name      string            `json:"name"`
	Transport string            `json:"transport,omitempty"`
	Command   string            `json:"command,omitempty"`
	Args      []string          `json:"args,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	Dir       string            `json:"cwd,omitempty"`
	Start     string            `json:"start_timeout,omitempty"`
	Call      string            `json:"call_timeout,omitempty"`
	URL       string            `json:"url,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Activate  bool              `json:"auto_activate"`
}

func (of inspected) export(_ context.Context, in *formatInput) (*route.Reply[exportReply], error) {
	v, err := of.known(in.ID)
	if err != nil {
		return nil, err
	}
	format := cmp.Or(in.Format, exportFormats[0])
	if !slices.Contains(exportFormats, format) {
		return nil, route.BadRequest("format must be one of: " + strings.Join(exportFormats, ", "))
	}
	return route.OK(exportReply{format, exportedConfig(v, format)})
}

func exportedConfig(v registry.Server, format string) any {
	if format == "agent-discover" {
		entry := setupEntry{Name: v.Name, Command: v.Command, Args: v.Args, Env: v.Env, Dir: v.Dir, Activate: true}
		if v.Transport != "stdio" {
			entry = setupEntry{Name: v.Name, Transport: v.Transport, URL: v.URL, Headers: v.Headers, Activate: true}
		}
		entry.Start, entry.Call = registry.FormatTimeout(v.Timeouts.Start), registry.FormatTimeout(v.Timeouts.Call)
		return map[string]any{"servers": []setupEntry{entry}}
	}
	entry := clientEntry{Command: v.Command, Args: v.Args, Env: v.Env}
	if format == "mcp-json" { // Claude Code and Cursor do not read it
		entry.Dir = v.Dir
	}
	if v.Transport != "stdio" {
		entry = clientEntry{URL: v.URL, Headers: v.Headers}
	}
	// Cursor derives the transport from the other members. Other clients need a type for remote servers, and Claude Code
	// writes a type for every server.
	switch {
	case format == "cursor":
	case v.Transport == "sse":
		entry.Type = "sse"
	case v.Transport != "stdio":
		entry.Type = "http"
	case format == "claude-code":
		entry.Type = "stdio"
	}
	return map[string]any{"mcpServers": map[string]clientEntry{v.Name: entry}}
}
