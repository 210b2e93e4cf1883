//go:build linux

package hub_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
)

// fewest is how many files of editors must have had our entry, so that a table
// that is not read is seen.
const fewest = 40

func TestEveryEntryInAFileStartsACompanionThatListsRegistry(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	setLoginPath(h) // no client's own program makes the change
	hub := h.Serve()
	ids := installEditors(h)
	answer := h.Run(append([]string{"editors", "register", "--yes", "--json"}, ids...)...)
	var out resources.Outcomes
	if err := json.Unmarshal([]byte(answer.Stdout), &out); err != nil || len(out.Outcomes) < fewest {
		t.Fatalf("only %d files got our entry: %v %+v", len(out.Outcomes), err, answer)
	}
	t.Run("each", func(t *testing.T) { // the hub lives until all have ended
		for _, o := range out.Outcomes {
			t.Run(o.Editor, func(t *testing.T) {
				t.Parallel()
				if o.Status == "waiting" {
					t.Skip("it is running on this machine")
				}
				if o.Status != "done" {
					t.Fatalf("%s: %s %s", o.Path, o.Status, o.Problem)
				}
				entry := readEntry(t, o.Path)
				if entry.command != h.Program || !slices.Equal(entry.args, []string{"mcp"}) {
					t.Errorf("it starts %s %q", entry.command, entry.args)
				}
				if tools := entry.tools(t, h, o.Path); !slices.Contains(tools, "registry") {
					t.Errorf("it lists %q", tools)
				}
			})
		}
	})
	programtest.Eventually(t, "the hub that wrote the entries knows all that came through them", func() bool {
		var cost resources.ContextCost
		if err := instance.NewClient(hub.Info).Do(t.Context(), http.MethodGet, "/api/context", nil, &cost); err != nil {
			t.Fatal(err)
		}
		return !slices.ContainsFunc(out.Outcomes, func(o registration.Outcome) bool {
			return o.Status == "done" && !slices.ContainsFunc(cost.Clients, func(c resources.ClientContext) bool { return c.Name == clientOf(o.Path) })
		})
	})
}

// clientOf is what an editor calls itself: an end of its file's path, which no
// other one has.
func clientOf(path string) string { return path[max(0, len(path)-90):] }

// installEditors makes every editor look as if it were here, by the file that it
// keeps, and returns those into which our entry may come.
func installEditors(h *programtest.Home) []string {
	h.T.Helper()
	var list resources.EditorList
	h.Json(&list, "editors", "list", "--all", "--json")
	for _, e := range list.Editors {
		for _, f := range e.Files {
			createConfig(h, f.Path)
		}
	}
	h.Json(&list, "editors", "list", "--all", "--json")
	var ids []string
	for _, e := range list.Editors {
		if e.Registrable {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

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

// fileEntry is our entry as an editor would take it: by no code of ours.
type fileEntry struct {
	command string
	args    []string
	env     []string
}

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
	found := named(root)
	if err != nil || found == nil {
		t.Fatalf("our entry is not in %s: %v\n%s", path, err, data)
	}
	return understood(found)
}

// named looks for the object of our name: a member, or an item that says so.
func named(v any) map[string]any {
	switch v := v.(type) {
	case map[string]any:
		if entry, ok := v["discover"].(map[string]any); ok {
			return entry
		}
		if v["name"] == "discover" {
			return v
		}
		for _, inner := range v {
			if entry := named(inner); entry != nil {
				return entry
			}
		}
	case []any:
		for _, inner := range v {
			if entry := named(inner); entry != nil {
				return entry
			}
		}
	}
	return nil
}

// understood knows the spellings that there are: one command line, or a program
// and its arguments.
func understood(entry map[string]any) fileEntry {
	var e fileEntry
	line := texts(entry["command"])
	if line == nil {
		line = texts(entry["cmd"])
	}
	if line = append(line, texts(entry["args"])...); len(line) > 0 {
		e.command, e.args = line[0], line[1:]
	}
	for _, key := range []string{"env", "environment", "envs"} {
		variables, _ := entry[key].(map[string]any)
		for name, value := range variables {
			e.env = append(e.env, name+"="+strings.Join(texts(value), ""))
		}
	}
	return e
}

func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, item := range v {
			all = append(all, texts(item)...)
		}
		return all
	}
	return nil
}

// tools starts what an entry says with the little that an editor gives it, and
// returns what it lists.
func (e fileEntry) tools(t *testing.T, h *programtest.Home, file string) []string {
	t.Helper()
	cmd := exec.Command(e.command, e.args...)
	cmd.Dir, cmd.Env = h.Dir, append([]string{"HOME=" + h.Dir, "PATH=/usr/bin:/bin"}, e.env...)
	if programtest.Coverage != "" {
		cmd.Env = append(cmd.Env, "GOCOVERDIR="+programtest.Coverage)
	}
	editor := mcp.NewClient(&mcp.Implementation{Name: clientOf(file), Version: "1"}, nil)
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
