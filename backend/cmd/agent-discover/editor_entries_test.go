//go:build linux

package main_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestEntriesStartTheProgramThatRegistersThem(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	setLoginPath(h)
	hub, installed := h.Program, filepath.Join(t.TempDir(), "agent-discover")
	program, err := os.ReadFile(hub)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(installed, program, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(h.Dir, ".cursor", "mcp.json")
	createConfig(h, file)
	running := h.Serve()
	h.Program = installed
	state := func() registration.State {
		var list operations.EditorList
		h.MustJSON(&list, "editors", "list", "--json")
		at := slices.IndexFunc(list.Editors, func(e registration.Status) bool { return e.ID == "cursor" })
		return list.Editors[at].State
	}

	programtest.Contains(t, h.Must("editors", "preview", "cursor"), installed)
	h.Must("editors", "register", "cursor", "--yes")
	if got := readEntry(t, file).command; got != installed {
		t.Errorf("the entry starts %s, want %s", got, installed)
	}
	if got := state(); got != registration.Registered {
		t.Errorf("the state is %s", got)
	}
	if out := h.Must("doctor"); strings.Contains(out, "WARNING  editors") {
		t.Errorf("doctor: %s", out)
	}

	for _, foreign := range []string{"/bin/sh", "agent-discover", filepath.Join(h.Dir, "none")} {
		body := map[string]any{"editors": []string{"cursor"}, "program": foreign}
		err := instance.NewClient(running.Info).Do(t.Context(), http.MethodPost, "/api/editors/register", body, nil)
		if fault.KindOf(err) != fault.Invalid {
			t.Errorf("an entry that starts %s: %v", foreign, err)
		}
	}

	h.Program = hub
	if err := os.Remove(installed); err != nil {
		t.Fatal(err)
	}
	programtest.Contains(t, h.Must("doctor"), "WARNING  editors (cursor)", installed+" does not exist", "editors register cursor")
	programtest.Contains(t, h.Run("doctor", "--fix").Stderr, "that failed:", "standard input is not a terminal")
	programtest.Contains(t, h.Run("doctor", "--fix", "--yes").Stderr, "Repair the entry of cursor")
	if got := readEntry(t, file).command; got != hub {
		t.Errorf("the repaired entry starts %s", got)
	}
}

// minEntries is the minimum number of files that must get the entry, so that the test fails if the
// table of editors is not read.
const minEntries = 40

func TestEveryEditorEntryStartsACompanionThatListsRegistry(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	setLoginPath(h) // hides the programs of editors, which would write the entry themselves
	hub := h.Serve()
	ids := installEditors(h)
	answer := h.Run(append([]string{"editors", "register", "--yes", "--json"}, ids...)...)
	var out operations.Outcomes
	if err := json.Unmarshal([]byte(answer.Stdout), &out); err != nil || len(out.Outcomes) < minEntries {
		t.Fatalf("only %d files got the entry: %v %+v", len(out.Outcomes), err, answer)
	}
	t.Run("editors", func(t *testing.T) { // waits for all parallel subtests
		for _, o := range out.Outcomes {
			t.Run(o.Editor, func(t *testing.T) {
				t.Parallel()
				if o.Status == "waiting" {
					t.Skip("the editor is running on this machine")
				}
				if o.Status != "done" {
					t.Fatalf("%s: %s %s", o.Path, o.Status, o.Problem)
				}
				entry := readEntry(t, o.Path)
				if entry.command != h.Program || !slices.Equal(entry.args, []string{"mcp", "--client", o.Editor, "--surface", "meta"}) {
					t.Errorf("the entry starts %s %q", entry.command, entry.args)
				}
				if tools := entry.tools(t, h, o.Path); !slices.Contains(tools, "find_tool") {
					t.Errorf("the companion lists %q, want find_tool", tools)
				}
			})
		}
	})
	programtest.Eventually(t, "the hub knows the client of every entry", func() bool {
		var cost operations.ContextCost
		if err := instance.NewClient(hub.Info).Do(t.Context(), http.MethodGet, "/api/context", nil, &cost); err != nil {
			t.Fatal(err)
		}
		return !slices.ContainsFunc(out.Outcomes, func(o registration.Outcome) bool {
			return o.Status == "done" && !slices.ContainsFunc(cost.Clients,
				func(c operations.ClientContext) bool { return c.Name == clientName(o.Path) })
		})
	})
}

// clientName returns the client name that the test uses for an editor: the end of
// the path of its file, which is unique.
func clientName(path string) string { return path[max(0, len(path)-90):] }

// installEditors creates the configuration files of all editors and returns the ids
// of the editors that can be registered.
func installEditors(h *programtest.Home) []string {
	h.T.Helper()
	var list operations.EditorList
	h.MustJSON(&list, "editors", "list", "--all", "--json")
	for _, e := range list.Editors {
		for _, f := range e.Files {
			createConfig(h, f.Path)
		}
	}
	h.MustJSON(&list, "editors", "list", "--all", "--json")
	var ids []string
	for _, e := range list.Editors {
		if e.Registrable {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// createConfig creates an empty configuration file in the home folder.
func createConfig(h *programtest.Home, path string) {
	h.T.Helper()
	if !strings.HasPrefix(path, h.Dir+string(filepath.Separator)) {
		h.T.Fatalf("%s is not in the home folder", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.T.Fatal(err)
	}
	text := "{}\n"
	switch filepath.Ext(path) {
	case ".toml", ".yaml", ".yml":
		text = ""
	}
	h.Write(path, text)
}

// fileEntry is the Agent Discover entry in an editor's file, read independently of
// the code that wrote it.
type fileEntry struct {
	command string
	args    []string
	env     []string
}

// readEntry reads the entry in a JSON, TOML or YAML file.
func readEntry(t *testing.T, path string) fileEntry {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var root any
	switch filepath.Ext(path) {
	case ".toml":
		err = toml.Unmarshal(data, &root)
	case ".yaml", ".yml":
		err = yaml.Unmarshal(data, &root)
	default:
		if data, err = hujson.Standardize(data); err == nil {
			err = json.Unmarshal(data, &root)
		}
	}
	found := findEntry(root)
	if err != nil || found == nil {
		t.Fatalf("%s does not contain the entry: %v\n%s", path, err, data)
	}
	return parseEntry(found)
}

// findEntry returns the object named discover: the value of a member of this name,
// or a list item with this name.
func findEntry(v any) map[string]any {
	switch v := v.(type) {
	case map[string]any:
		if entry, ok := v["discover"].(map[string]any); ok {
			return entry
		}
		if v["name"] == "discover" {
			return v
		}
		for _, inner := range v {
			if entry := findEntry(inner); entry != nil {
				return entry
			}
		}
	case []any:
		for _, inner := range v {
			if entry := findEntry(inner); entry != nil {
				return entry
			}
		}
	}
	return nil
}

// parseEntry reads an entry: editors store either one command line or a program and
// its arguments, and use several names for the environment.
func parseEntry(entry map[string]any) fileEntry {
	var e fileEntry
	line := stringsOf(entry["command"])
	if line == nil {
		line = stringsOf(entry["cmd"])
	}
	if line = append(line, stringsOf(entry["args"])...); len(line) > 0 {
		e.command, e.args = line[0], line[1:]
	}
	for _, key := range []string{"env", "environment", "envs"} {
		variables, _ := entry[key].(map[string]any)
		for name, value := range variables {
			e.env = append(e.env, name+"="+strings.Join(stringsOf(value), ""))
		}
	}
	return e
}

// stringsOf returns the strings in a string or a list.
func stringsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, item := range v {
			all = append(all, stringsOf(item)...)
		}
		return all
	}
	return nil
}

// tools starts the command of an entry with a minimal environment, as an editor
// does, and returns the names of the listed tools.
func (e fileEntry) tools(t *testing.T, h *programtest.Home, file string) []string {
	t.Helper()
	cmd := exec.Command(e.command, e.args...)
	cmd.Dir, cmd.Env = h.Dir, append([]string{"HOME=" + h.Dir, "PATH=/usr/bin:/bin"}, e.env...)
	if programtest.Coverage != "" {
		cmd.Env = append(cmd.Env, "GOCOVERDIR="+programtest.Coverage)
	}
	editor := mcp.NewClient(&mcp.Implementation{Name: clientName(file), Version: "1"}, nil)
	session, err := editor.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}
