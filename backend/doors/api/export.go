package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

type formatInput struct {
	ID     string `path:"id"`
	Format string `query:"format"`
}

type exportReply struct {
	Format string `json:"format"`
	Config any    `json:"config"`
}

// exportFormats are the configurations that a server can be given out in.
var exportFormats = []string{"mcp-json", "claude-code", "cursor", "agent-discover"}

// clientEntry is a server in a client's configuration.
type clientEntry struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

// setupEntry is a server in a setup file of ours.
type setupEntry struct {
	Name      string            `json:"name"`
	Transport string            `json:"transport,omitempty"`
	Command   string            `json:"command,omitempty"`
	Args      []string          `json:"args,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	URL       string            `json:"url,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Activate  bool              `json:"auto_activate"`
}

// export writes a server's configuration as another program reads it. Secrets
// stay the references that they are.
func (t target) export(_ context.Context, in *formatInput) (*reply[exportReply], error) {
	v, err := t.known(in.ID)
	if err != nil {
		return nil, err
	}
	format := in.Format
	if format == "" {
		format = exportFormats[0]
	}
	if !slices.Contains(exportFormats, format) {
		return nil, badRequest("format must be one of: " + strings.Join(exportFormats, ", "))
	}
	return &reply[exportReply]{Status: http.StatusOK, Body: exportReply{format, exported(v, format)}}, nil
}

func exported(v registry.Server, format string) any {
	if format == "agent-discover" {
		entry := setupEntry{Name: v.Name, Command: v.Command, Args: v.Args, Env: v.Env, Activate: true}
		if v.Transport != "stdio" {
			entry = setupEntry{Name: v.Name, Transport: v.Transport, URL: v.URL, Headers: v.Headers, Activate: true}
		}
		return map[string]any{"servers": []setupEntry{entry}}
	}
	entry := clientEntry{Command: v.Command, Args: v.Args, Env: v.Env}
	if v.Transport != "stdio" {
		entry = clientEntry{URL: v.URL, Headers: v.Headers}
	}
	// Cursor tells the kinds apart by their members; the others want a type
	// where it is not stdio, and Claude Code writes it always.
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
