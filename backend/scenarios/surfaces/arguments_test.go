package surfaces_test

import (
	"archive/zip"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// hostile returns arguments that, run by a shell, would write files whose paths begin with mark.
func hostile(mark string) []string {
	return []string{
		"--", "x&echo.P>" + mark + "1", `x" & echo P>` + mark + `2 & "`, "x;echo P>" + mark + "3", "x\necho P>" + mark + "4\n",
		"x|echo P>" + mark + "5", "https://example.com/mcp?a=1&b=2", "100%", "a^b", "a!b", "`echo P>" + mark + "6`", "two words",
		`C:\dir\`, `C:\a dir\`, "ümlaut",
	}
}

// doors are the ways to configure a server's command in a hub. Each function returns the name of the server.
var doors = map[string]func(t *testing.T, h *hub.Hub, command string, args []string) string{
	"by hand": func(t *testing.T, h *hub.Hub, command string, args []string) string {
		hubtest.Do(t, h, http.MethodPost, "/api/servers", map[string]any{"name": "byhand", "command": command, "args": args}, nil)
		return "byhand"
	},
	"import": func(t *testing.T, h *hub.Hub, command string, args []string) string {
		var report struct {
			Servers []struct{ Status, Problem string }
		}
		hubtest.Do(t, h, http.MethodPost, "/api/editors/import", map[string]any{"text": entry(t, "imported", command, args)}, &report)
		if len(report.Servers) != 1 || report.Servers[0].Status != "imported" {
			t.Errorf("import: got %+v", report)
		}
		return "imported"
	},
	"setup file": func(t *testing.T, h *hub.Hub, command string, args []string) string {
		text, err := json.Marshal(map[string]any{"servers": []any{map[string]any{"name": "declared", "command": command, "args": args}}})
		if err != nil {
			t.Fatal(err)
		}
		hubtest.Do(t, h, http.MethodPost, "/api/sync",
			map[string]string{"file": hubtest.WriteFile(t, filepath.Join(t.TempDir(), "setup.json"), string(text))}, nil)
		return "declared"
	},
	"agent": func(t *testing.T, h *hub.Hub, command string, args []string) string {
		proposal, err := json.Marshal(map[string]any{"action": "install", "name": "proposed", "command": command, "args": args})
		if err != nil {
			t.Fatal(err)
		}
		if got := hubtest.RegistryCall(t, h, string(proposal)); !strings.Contains(got, "waiting_for_approval") {
			t.Fatalf("install: %s", got)
		}
		return "proposed"
	},
	"bundle": func(t *testing.T, h *hub.Hub, command string, args []string) string {
		manifest, err := json.Marshal(map[string]any{
			"manifest_version": "0.3", "name": "bundled", "version": "1.0.0", "description": "d", "author": map[string]string{"name": "A"},
			"server": map[string]any{
				"type": "binary", "entry_point": "server", "mcp_config": map[string]any{"command": command, "args": args},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "bundled.mcpb")
		out, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := zip.NewWriter(out)
		for name, text := range map[string]string{"manifest.json": string(manifest), "server": "x"} {
			member, err := w.Create(name)
			if err == nil {
				_, err = member.Write([]byte(text))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		hubtest.Do(t, h, http.MethodPost, "/api/editors/import", map[string]any{"bundle": path}, nil)
		return "bundled"
	},
}

func entry(t *testing.T, name, command string, args []string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{name: map[string]any{"command": command, "args": args}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// wrappers returns two programs that start an mcptest server with their arguments: passes gets its arguments
// unchanged, and refuses is a batch file to which arguments cannot be passed safely. A name is "" where the system
// has no such programs.
func wrappers(t *testing.T) (passes, refuses string) {
	t.Helper()
	command := mcptest.Command(t)
	dir := t.TempDir()
	files := map[string]string{"tool": "#!/bin/sh\nexec '" + command[0] + "' " + command[1] + " \"$@\"\n"}
	if runtime.GOOS == "windows" {
		start := `"` + command[0] + `" ` + command[1] + " %*\r\n"
		files = map[string]string{"tool.cmd": "@echo off\r\n" + start, "own.cmd": "@echo off\r\nset A=%1\r\n" + start}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS == "windows" {
		return filepath.Join(dir, "tool.cmd"), filepath.Join(dir, "own.cmd")
	}
	return filepath.Join(dir, "tool"), ""
}

func TestArgumentsOfAServerStartNothingElseWhereverItComesFrom(t *testing.T) {
	hubtest.SetHome(t)
	passes, refuses := wrappers(t)
	mark := filepath.Join(t.TempDir(), "injected")
	// Make the arguments differ between the doors, because an import skips a server that is already configured.
	argsOf := func(door string) []string { return append(hostile(mark), "for "+door) }
	names := slices.Sorted(maps.Keys(doors))
	for _, kind := range []struct{ command, what string }{
		{passes, "a program that gets them"}, {refuses, "a batch file that cannot get them"},
	} {
		if kind.command == "" {
			continue
		}
		h, _ := hubtest.RunHub(t, hub.Options{
			Folder: hubtest.NewDataFolder(t, "agents: {install: ask}\neditors: {auto_register: false}\n"),
		})
		added := make(map[string]string)
		for _, door := range names {
			added[door] = doors[door](t, h, kind.command, argsOf(door))
		}
		hubtest.ApproveAll(t, h)
		var servers []operations.Server
		hubtest.Do(t, h, http.MethodGet, "/api/servers", nil, &servers)
		for door, name := range added {
			if !slices.ContainsFunc(servers, func(s operations.Server) bool {
				return s.Name == name && s.Command != nil && *s.Command == kind.command && slices.Equal(s.Args, argsOf(door))
			}) {
				t.Errorf("%s: another command is shown and approved: %+v", door, servers)
			}
			reply := hubtest.RegistryCall(t, h, `{"action":"proxy_call","call_as":"mcp__`+name+`__environment","arguments":{}}`)
			if kind.command == refuses {
				if !strings.Contains(reply, "which cmd.exe would interpret") ||
					!strings.Contains(reply, "start the program that the batch file starts") {
					t.Errorf("%s, %s: got %s", door, kind.what, reply)
				}
				continue
			}
			var got struct{ Args []string }
			if err := json.Unmarshal([]byte(reply), &got); err != nil || len(got.Args) == 0 || !slices.Equal(got.Args[1:], argsOf(door)) {
				t.Errorf("%s, %s: got %q from %.600s", door, kind.what, got.Args, reply)
			}
		}
	}
	if found, err := filepath.Glob(mark + "*"); err != nil || len(found) > 0 {
		t.Errorf("something else was run and wrote %v, %v", found, err)
	}
}

func TestProxyCallDoesNotSendArgumentsThatDoNotFit(t *testing.T) {
	h := annotated(t)
	command := mcptest.Command(t)
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "two", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/2/refresh", nil, nil)
	a := hubtest.Introduced(t, h, companion.Entry{}, "{}")
	got := a.Registry(`{"action":"proxy_call","call_as":"mcp__two__steps","arguments":{"count":"three"}}`)
	if !strings.Contains(got, "the arguments do not fit two__steps, which was not called: count must be an integer, not a string") ||
		!strings.Contains(got, "the action get_schema has its schema") {
		t.Error(got)
	}
	if got := a.Registry(`{"action":"proxy_call","call_as":"mcp__two__steps","arguments":{"count":1}}`); strings.Contains(got, "do not fit") {
		t.Error(got)
	}
}

func TestTheFirstCallOfAServerThatWasNeverStartedChecksItsArguments(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, "discovery: {start_new: false}\n")})
	command := mcptest.Command(t)
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "two", "command": command[0], "args": command[1:]}, nil)
	hubtest.Row{
		Name: "before", Method: "GET", Path: "/api/tools?server=two", Status: 200, Want: []string{"[]"},
	}.Send(t, h)
	got := hubtest.Introduced(t, h, hubtest.Meta, "{}").Exchange("tools/call",
		`{"name":"call_tool","arguments":{"call_as":"mcp__two__steps","arguments":{"count":"three"}}}`)
	if !strings.Contains(got, "the arguments do not fit two__steps, which was not called: count must be an integer, not a string") {
		t.Error(got)
	}
}
