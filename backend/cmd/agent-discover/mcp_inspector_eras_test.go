//go:build linux

package main_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// configure writes a configuration of MCP Inspector with one server for each
// transport, all of which connect to the hub.
func (i *inspector) configure() (file string) {
	i.T.Helper()
	info := i.RunningHub()
	env := make(map[string]string)
	for _, kv := range i.Env {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	headers := map[string]string{"Authorization": "Bearer " + info.Token}
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"stdio": map[string]any{"type": "stdio", "command": i.Program, "args": []string{"mcp"}, "env": env},
		"http":  map[string]any{"type": "streamable-http", "url": "http://" + info.Address() + "/mcp", "headers": headers},
		"sse":   map[string]any{"type": "sse", "url": "http://" + info.Address() + "/sse", "headers": headers},
	}})
	if err != nil {
		i.T.Fatal(err)
	}
	file = filepath.Join(i.Dir, "inspector.json")
	i.Write(file, string(config))
	return file
}

func TestMCPInspectorConnectsInEveryEraOverEveryTransport(t *testing.T) {
	t.Parallel()
	i := newInspector(t)
	i.Add("fake", mcptest.Command(t))
	i.Must("servers", "activate", "fake")
	config := i.configure()
	const legacy, modern = "2025-11-25", "2026-07-28"
	for _, row := range []struct{ transport, era, version string }{
		{"stdio", "legacy", legacy},
		{"stdio", "auto", modern},
		{"stdio", "modern", modern},
		{"http", "legacy", legacy},
		{"http", "auto", modern},
		{"http", "modern", modern},
		{"sse", "legacy", legacy},
		{"sse", "auto", legacy},
		{"sse", "modern", ""}, // this transport exists in the legacy era only
	} {
		inspect := func(args ...string) (stdout string, failed bool) {
			argv := i.script("mcp-inspector",
				append([]string{"--cli", "--config", config, "--server", row.transport, "--protocol-era", row.era, "--method"}, args...)...)
			cmd := exec.Command(argv[0], argv[1:]...)
			var out, stderr bytes.Buffer
			cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = i.Env, i.Dir, &out, &stderr
			err := cmd.Run()
			return out.String() + stderr.String(), err != nil
		}
		opened, failed := inspect("initialize")
		if row.version == "" {
			if !failed || !strings.Contains(opened, "Version negotiation failed") {
				t.Errorf("%s, %s: %s", row.transport, row.era, opened)
			}
			continue
		}
		programtest.Contains(t, opened, `"protocolVersion": "`+row.version+`"`, `"name": "agent-discover"`)
		called, _ := inspect("tools/call", "--tool-name", "fake__echo", "--tool-args-json", `{"text":"over `+row.transport+`"}`)
		programtest.Contains(t, called, "over "+row.transport)
	}
}
