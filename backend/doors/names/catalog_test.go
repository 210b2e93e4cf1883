package names

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/reference"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// recorded returns the recorded lists of published servers by slug and method.
func recorded(t *testing.T) map[string]map[string]json.RawMessage {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(reference.Path(t, "catalog"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no lists, %v", err)
	}
	out := make(map[string]map[string]json.RawMessage)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		slug := Slug(strings.TrimSuffix(filepath.Base(file), ".json"), func(slug string) bool { return out[slug] != nil })
		out[slug] = make(map[string]json.RawMessage)
		for method, member := range map[string]string{
			"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources",
			"resources/templates/list": "resourceTemplates",
		} {
			out[slug][method] = jsonrpc.Set(nil, member, jsonrpc.Get(data, member))
		}
	}
	return out
}

func TestRecordedListsLeadBack(t *testing.T) {
	all := recorded(t)
	servers := Servers{Known: func(slug string) bool { return all[slug] != nil }}
	var tools []string
	uris, views := 0, 0
	check := func(slug, shown, own string) {
		if got, uri, err := servers.uri(shown); got != slug || uri != own || err != nil {
			t.Errorf("%s is shown %q for %q, which is %q of %s, %v", slug, shown, own, uri, got, err)
		}
		uris++
	}
	for slug, lists := range all {
		for method, list := range lists {
			onlyNamesChange(t, method, list)
			shown := Outgoing(slug, method, list)
			for _, member := range []string{"tools", "prompts", "resources", "resourceTemplates"} {
				own, mapped := items(list, member), items(shown, member)
				for i := range own {
					for _, name := range []string{"uri", "uriTemplate"} {
						if uri := jsonrpc.GetString(own[i], name); uri != "" {
							check(slug, jsonrpc.GetString(mapped[i], name), uri)
						}
					}
					if view := ViewURI(own[i]); view != "" {
						check(slug, ViewURI(mapped[i]), view)
						views++
					}
					if member == "tools" || member == "prompts" {
						tools = append(tools, Full(slug, jsonrpc.GetString(own[i], "name")))
					}
				}
			}
		}
	}
	if len(tools) < 2970 || uris < 90 || views < 14 {
		t.Errorf("only %d tools and prompts, %d URIs and %d views", len(tools), uris, views)
	}
	shownNamesDiffer(t, tools)
}

// shownNamesDiffer checks that no two tools are shown under the same name, for clients with different limits. A tool and a
// prompt may have the same name.
func shownNamesDiffer(t *testing.T, tools []string) {
	for _, limit := range []int{0, 64, 45, 20} {
		listed := make(map[string]string)
		for i, shown := range Cut(tools, limit) {
			if other := listed[shown]; other != "" && other != tools[i] {
				t.Fatalf("%q is shown for %q and %q", shown, other, tools[i])
			}
			listed[shown] = tools[i]
		}
	}
}

func items(list json.RawMessage, member string) (out []json.RawMessage) {
	for item := range jsonrpc.Items(jsonrpc.Get(list, member)) {
		out = append(out, item)
	}
	return out
}
