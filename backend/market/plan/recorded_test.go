package plan

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/official"
	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// entries returns the listings in an answer of the official registry.
func entries(t *testing.T, file string) []listing.Listing {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, file)
	}))
	defer server.Close()
	page, err := official.New(official.Options{URL: server.URL}).List(t.Context(), official.Query{})
	if err != nil || page.Skipped > 0 {
		t.Fatalf("%s: %d skipped, %v", file, page.Skipped, err)
	}
	var out []listing.Listing
	for _, e := range page.Entries {
		out = append(out, e.Listing)
	}
	return out
}

func TestRecordedListingsArePlanned(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(reference.Path(t, "registry", "recorded"), "v01-*.json"))
	if err != nil {
		t.Fatal(err)
	}
	planned := 0
	for _, file := range files {
		if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), `{"servers":[`) {
			continue
		}
		for _, l := range entries(t, file) {
			for _, c := range candidates(&l) {
				answers := map[string][]string{}
				p := mustMake(t, Request{Listing: l, Option: c.id}, here())
				for _, q := range p.Unanswered() {
					answers[q.Name] = []string{"pat123.abc"}
				}
				p = mustMake(t, Request{Listing: l, Option: c.id, Answers: answers}, here())
				if p.Problem != "" || len(p.Unanswered()) > 0 || p.Unresolved != "" && c.pkg.Kind != listing.KindMCPB {
					t.Errorf("%s %s: %s, unresolved %q, unanswered %+v", l.ID(), c.id, p.Problem, p.Unresolved, p.Unanswered())
				}
				if strings.Contains(strings.Join(p.Command, " "), "pat123") {
					t.Errorf("%s %s: a secret is an argument: %q", l.ID(), c.id, p.Command)
				}
				planned++
			}
		}
	}
	if planned < 20 {
		t.Errorf("%d options were planned", planned)
	}
}

// TestDocumentedListingsBecomeTheirCommands plans the examples in the documentation of server.json.
func TestDocumentedListingsBecomeTheirCommands(t *testing.T) {
	m := here()
	m.Registry = registries(map[listing.Kind]string{"nuget": "https://nuget.example/v3/index.json", "cargo": "https://crates.example"})
	want := []string{
		"brave-search npm: npx -y @modelcontextprotocol/server-brave-search@1.0.2 [BRAVE_API_KEY=${secret:BRAVE_API_KEY}]",
		"everything npm: npx -y @modelcontextprotocol/everything@0.6.2",
		"knapcode-samplemcpserver nuget: dnx Knapcode.SampleMcpServer@0.4.0-beta --yes -- mcp start",
		"filesystem npm: npx -y @modelcontextprotocol/server-filesystem@1.0.2 /Users/username/Desktop [LOG_LEVEL=info]",
		"filesystem oci: podman run -i --rm --mount type=bind,src=/answer,dst=/project -e LOG_LEVEL " +
			"registry.example/mcp/filesystem:1.0.2 /project [LOG_LEVEL=info]",
		"quay-sample-mcp oci: podman run -i --rm registry.example/myorg/my-mcp-server:1.0.0",
		"mcp-fs streamable-http: https://mcp-fs.anonymous.example/http",
		"weather-mcp pypi: uvx weather-mcp-server@0.5.0 [WEATHER_API_KEY=${secret:WEATHER_API_KEY} WEATHER_UNITS=celsius]",
		"widget-mcp cargo: /data/packages/cargo-widget-mcp-0.3.0/bin/widget-mcp",
		"knapcode-samplemcpserver nuget: dnx Knapcode.SampleMcpServer@0.5.0 --yes [WEATHER_CHOICES=/answer]",
		"database-manager oci: podman run -i --rm --network host -e DB_USERNAME -e DB_PASSWORD -e SSL_MODE -e DB_TYPE " +
			"registry.example/example/database-manager-mcp:3.1.0 --host localhost /answer [DB_PASSWORD=${secret:DB_PASSWORD} " +
			"DB_TYPE=postgres DB_USERNAME=/answer SSL_MODE=prefer]",
		"hybrid-mcp npm: npx -y @example/hybrid-mcp-server@1.5.0 --mode local",
		"hybrid-mcp streamable-http: https://mcp.anonymous.example/http [X-API-Key=${secret:X-API-Key} X-Region=us-east-1]",
		"hybrid-mcp sse: https://mcp.anonymous.example/sse",
		"text-editor mcpb: file https://files.example/modelcontextprotocol/text-editor-mcpb/releases/download/v1.0.2/text-editor.mcpb",
		"cli-mcp npm: npx -y snyk@1.1298.0 mcp -t stdio",
		"multi-tenant-server streamable-http: https://anonymous.example/mcp//answer",
		"events-server sse: https://events.anonymous.example/sse//answer",
		"configurable-server npm: It is a program that listens at an address of its own (streamable-http). Programs are started over " +
			"stdio only.",
	}
	var got []string
	for _, l := range entries(t, filepath.Join("testdata", "documented.json")) {
		for _, c := range candidates(&l) {
			got = append(got, l.Name[strings.LastIndexByte(l.Name, '/')+1:]+" "+c.id+": "+outcome(t, m, l, c.id))
		}
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("missing: %s", want[i])
		case i >= len(want):
			t.Errorf("more: %s", got[i])
		case got[i] != want[i]:
			t.Errorf("got  %s\nwant %s", got[i], want[i])
		}
	}
}

// outcome plans an option. It answers each question that needs an answer with the first choice, or a fixed answer.
func outcome(t *testing.T, m Machine, l listing.Listing, option string) string {
	t.Helper()
	answers := make(map[string][]string)
	p := mustMake(t, Request{Listing: l, Option: option}, m)
	for _, q := range p.Unanswered() {
		answers[q.Name] = append(slices.Clone(q.Choices), "/answer")[:1]
	}
	p = mustMake(t, Request{Listing: l, Option: option, Answers: answers}, m)
	switch {
	case p.Problem != "":
		return p.Problem
	case p.Unresolved != "":
		return p.Unresolved + " " + p.Download.From
	case p.Check() != nil:
		return p.Check().Error()
	}
	var set []string
	for _, texts := range []map[string]string{p.Env, p.Headers} {
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			set = append(set, name+"="+texts[name])
		}
	}
	text := p.URL
	if p.Command != nil {
		text = strings.Join(p.Command, " ")
	}
	if len(set) > 0 {
		text += " [" + strings.Join(set, " ") + "]"
	}
	return text
}
